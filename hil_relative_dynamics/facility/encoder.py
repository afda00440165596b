"""What a device tells of its joints."""
from __future__ import annotations

import numpy as np

from hil_relative_dynamics.spatial import JointReading


class Encoder:
    """Angles in steps of `resolution` [rad] (0: exact).

    The velocity is the drives' own, not the difference of these angles: that is what robots' drivers hand to
    joint_state_broadcaster, where they have any (UR's actual_qd, Franka's dq).
    """

    def __init__(self, resolution: float) -> None:
        self._resolution = resolution

    def read(
        self, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray | float = 0.0
    ) -> JointReading:
        reading = np.empty((3, len(position)))
        reading[0], reading[1], reading[2] = position, velocity, effort
        if self._resolution > 0.0:
            angles = reading[0]
            angles /= self._resolution
            np.rint(angles, angles)
            angles *= self._resolution
        return JointReading(reading)
