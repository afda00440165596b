"""The air of a hall in which rotors turn."""
from __future__ import annotations

from math import exp, sqrt

import numpy as np


class Turbulence:
    """A force and a torque that wander: a Gauss-Markov process on each axis, F_ext of paper 003, eq. (21).

    Args:
        force: deviation of the force on each axis [N].
        torque: deviation of the torque about each axis [N m].
        time: after which it has forgotten itself [s].
    """

    def __init__(self, force: float, torque: float, time: float, random: np.random.Generator) -> None:
        self._deviation, self._time, self._random = np.repeat([force, torque], 3), time, random

    def initial_state(self) -> np.ndarray:
        """[force in laboratory axes; torque in vehicle axes]."""
        return self._deviation * self._random.standard_normal(6)

    def step(self, wrench: np.ndarray, dt: float) -> np.ndarray:
        """Exact for any step: the deviation stays what it is."""
        kept = exp(-dt / self._time)
        return kept * wrench + self._deviation * (sqrt(1.0 - kept * kept) * self._random.standard_normal(6))
