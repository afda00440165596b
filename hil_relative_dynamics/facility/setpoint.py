"""Set-points that a robot can follow."""
from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np


class JointLimits(NamedTuple):
    """What the joints of a robot can do [rad, rad/s, rad/s^2]."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class SetpointLimiter:
    """Goes straight to the target within a cycle where the limits allow it, else as fast as they do.

    The velocity of the set-point in a cycle keeps the velocity limit, its change from one cycle to the next
    the acceleration limit. A target that got away is caught up with at a speed from which it can still brake.
    """

    def __init__(self, limits: JointLimits, dt: float) -> None:
        self._lower, self._upper, self._velocity = limits.lower, limits.upper, limits.velocity
        self._dt, self._change = dt, dt * limits.acceleration

    def reachable(self, target: np.ndarray) -> np.ndarray:
        """The target, or the nearest position within the limits."""
        return np.minimum(np.maximum(target, self._lower), self._upper)

    def step(
        self, target: np.ndarray, target_before: np.ndarray, setpoint: np.ndarray, before: np.ndarray
    ) -> np.ndarray:
        """The next set-point, from this one and the one before, and the targets now and before."""
        velocity, behind = (setpoint - before) / self._dt, (target_before - setpoint) / self._dt
        wanted = (target - setpoint) / self._dt
        far = (abs(wanted - velocity) > self._change) | (abs(behind) > self._change)
        if not np.count_nonzero(far | (abs(wanted) > self._velocity)):  # five times as fast as any()
            return target
        return self._catch_up(target, target_before, setpoint, velocity)

    def _catch_up(
        self, target: np.ndarray, target_before: np.ndarray, setpoint: np.ndarray, velocity: np.ndarray
    ) -> np.ndarray:
        dt, change, top = self._dt, self._change, self._velocity
        target_velocity = np.clip((target - target_before) / dt, -top, top)
        missing = (target - setpoint) / dt - target_velocity
        # Who brakes by `change` each cycle, from v, still covers up to (v + change/2)^2 / (2 change).
        braking = np.where(abs(missing) <= change, inf, np.sqrt(2.0 * change * abs(missing)) - 0.5 * change)
        wanted = target_velocity + np.copysign(np.minimum(abs(missing), braking), missing)
        allowed = np.clip(np.clip(wanted, velocity - change, velocity + change), -top, top)
        reached = setpoint + allowed * dt
        return np.where(abs(reached - target) < 1e-12, target, reached)
