"""What the thrusters make of a wanted wrench."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin


class ThrusterState(NamedTuple):
    """Impulse that was wanted and not yet given, force and torque [N s, N m s]."""

    owed: np.ndarray


class Thrusters:
    """Six-axis thruster set: saturation, and pulses no shorter than a minimum on-time.

    In a control period each axis is on for part of it. What is shorter than the minimum on-time waits until it has
    added up (sigma-delta), so that the mean follows the wish; the wrench given is the mean over the period. With a
    minimum of zero this is an ideal actuator with saturation.

    Args:
        force, torque: largest on each axis [N, N m].
        minimum_on_time: [s]
    """

    def __init__(self, force: float, torque: float, minimum_on_time: float = 0.0) -> None:
        self._limit = np.repeat([force, torque], 3)
        self._minimum = minimum_on_time

    def initial_state(self) -> ThrusterState:
        return ThrusterState(np.zeros(6))

    def step(self, state: ThrusterState, wanted: pin.Force, dt: float) -> tuple[ThrusterState, pin.Force]:
        if self._minimum <= 0.0:
            return state, pin.Force(np.clip(wanted.vector, -self._limit, self._limit))
        impulse = state.owed + wanted.vector * dt
        on_time = np.minimum(np.abs(impulse) / self._limit, dt)
        on_time[on_time < min(self._minimum, dt)] = 0.0
        given = np.sign(impulse) * on_time * self._limit
        # what saturation takes away is lost: owing it would fire on long after the wish is gone
        owed = np.clip(impulse - given, -self._limit * self._minimum, self._limit * self._minimum)
        return ThrusterState(owed), pin.Force(given / dt)
