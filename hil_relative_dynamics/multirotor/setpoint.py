"""What a vehicle is asked to do: as MAVROS takes it, a pose and a twist in the laboratory's axes (z up)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

STILL = np.zeros(3)


class SetPoint(NamedTuple):
    """Pose, velocity and turn rate at one instant, and the acceleration between them."""

    pose: pin.SE3
    velocity: np.ndarray = STILL  # laboratory axes [m/s]
    acceleration: np.ndarray = STILL  # laboratory axes [m/s^2]
    rate: np.ndarray = STILL  # vehicle axes [rad/s]

    def without_feed_forward(self) -> SetPoint:
        """The pose alone."""
        return SetPoint(self.pose)
