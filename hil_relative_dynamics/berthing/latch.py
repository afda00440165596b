"""The closed latch between two ports: a spring and damper for all six directions."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.rendezvous_contact import Port


class Latch(NamedTuple):
    """Holds the servicer's port where it was in the target when the latch closed."""

    pose: pin.SE3  # of the servicer's port in the target
    stiffness: np.ndarray  # 6 [N/m, N m/rad]
    damping: np.ndarray  # 6 [N s/m, N m s/rad]

    @classmethod
    def closed(cls, pose: pin.SE3, settings: Port, mass: float) -> Latch:
        """Damped as the settings say for a reduced mass [kg]; for turning too, some square metres being near enough."""
        stiffness = np.repeat([settings.latch_stiffness, settings.latch_stiffness_angular], 3)
        return cls(pose, stiffness, 2.0 * settings.latch_damping * np.sqrt(stiffness * mass))

    def pull(self, pose: pin.SE3, twist: pin.Motion) -> tuple[pin.Force, float]:
        r"""(wrench on the servicer's port, in its axes; stored energy [J]).

        The spring is the gradient of \( \xi^T K \xi / 2 \), \( \xi = \log(X_0^{-1} X) \), so that it creates no energy.
        """
        off = self.pose.actInv(pose)
        bent = pin.log6(off).vector
        spring = pin.Jlog6(off).T @ (self.stiffness * bent)
        wrench = pin.Force(-spring - self.damping * twist.vector)
        return wrench, 0.5 * float(bent @ (self.stiffness * bent))
