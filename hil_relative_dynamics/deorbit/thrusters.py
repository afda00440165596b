"""Four thrusters along x, and the torque that comes from switching some of them off for part of a cycle."""
from __future__ import annotations

from typing import Literal

import numpy as np
import pinocchio as pin
from scipy.optimize import nnls

Modulation = Literal["simple", "staggered"]


class ThrusterCluster:
    """Thrusters of equal force that all push along x.

    Args:
        force: of each [N].
        positions: y and z of each (n x 2) [m].
    """

    def __init__(self, force: float, positions: np.ndarray) -> None:
        self.force, self.count = force, len(positions)
        y, z = positions.T
        self._arms = np.array([z, -y])  # torque about y and z per force

    def wrench(self, on: np.ndarray) -> pin.Force:
        """Of those that are on, at the origin of the chaser's frame."""
        torque = self.force * (self._arms @ on)
        return pin.Force(np.array([self.force * on.sum(), 0.0, 0.0]), np.array([0.0, *torque]))

    def off_shares(self, torque: np.ndarray) -> np.ndarray:
        """Share of the cycle for which each is off, so that the mean torque about y and z is this [N m].

        Two equations: of all non-negative solutions this has at most two thrusters off. More than 1 cannot be done.
        """
        shares, _ = nnls(-self.force * self._arms, torque)
        return np.asarray(shares)


def off_pattern(shares: np.ndarray, steps: int, modulation: Modulation) -> np.ndarray:
    """Which thrusters are on at each step of a cycle (steps x n).

    `simple` pulse width: all that are to be off go off together when the cycle begins. `staggered`: one goes off when
    it begins, the next comes back on when it ends, and never more than half are off, so that at most one is dropped at
    a time; a second that would have to be off all the time is off nine tenths of it. Shares of which one is above 1
    are scaled down together, which keeps the torque's direction.
    """
    off = np.rint(shares / max(1.0, float(shares.max())) * steps).astype(int)
    on = np.ones((steps, len(shares)), dtype=bool)
    ranked = np.argsort(-off, kind="stable")
    if modulation == "staggered":
        ranked = ranked[: len(shares) // 2]
    for place, thruster in enumerate(ranked):
        if modulation == "staggered" and place % 2:
            on[steps - min(off[thruster], int(0.9 * steps)) :, thruster] = off[thruster] == 0
        else:
            on[: off[thruster], thruster] = False
    return on


def is_safe_step(before: float, after: float) -> bool:
    """Whether a drop in thrust from a settled state keeps even an undamped contact closed: at least half stays on."""
    return 2.0 * after >= before


def drops(thrust: np.ndarray) -> np.ndarray:
    """Share by which a thrust falls from each sample to the next; 0 where it rises."""
    before, after = thrust[:-1], thrust[1:]
    return np.maximum(before - after, 0.0) / np.maximum(before, 1e-300)
