"""Attitude control during the boost, sampled with the thrusters' cycle."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin


class AttitudeState(NamedTuple):
    """Integral of the attitude error about y and z [rad s]."""

    integral: np.ndarray


class BoostAttitude:
    r"""Keeps x on the boost direction: \( \tau = -I (3 w^2 \theta + 3 w \omega + w^3 \int \theta) \) about y and z.

    All three poles of the rigid composite lie at -w then. The integral carries the torque of a CoM beside the thrust
    line, which nobody on board knows. About x the thrusters have no torque, and none is asked for.

    Args:
        inertia: of the composite about y and z [kg m^2].
        bandwidth: w [rad/s].
    """

    def __init__(self, inertia: np.ndarray, bandwidth: float) -> None:
        self._inertia, self._bandwidth = inertia, bandwidth

    def initial_state(self) -> AttitudeState:
        return AttitudeState(np.zeros(2))

    def step(
        self, state: AttitudeState, rotation: np.ndarray, rate: np.ndarray, dt: float
    ) -> tuple[AttitudeState, np.ndarray]:
        """From attitude (to the boost frame) and body rate to the torque wanted about y and z [N m].

        Whoever cannot give that torque keeps the old state: an integral must not grow while nothing follows it.
        """
        w, error = self._bandwidth, pin.log3(rotation)[1:]
        integral = state.integral + error * dt
        torque = -self._inertia * (3.0 * w * w * error + 3.0 * w * rate[1:] + w**3 * integral)
        return AttitudeState(integral), torque
