"""Where the end-effector should be during the approach, relative to the client."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin


class Waypoint(NamedTuple):
    """A wanted motion relative to the client: pose in it, body twist and its derivative."""

    pose: pin.SE3
    twist: pin.Motion
    acceleration: pin.Motion


class StraightApproach:
    """From one pose to another along the straight line of SE(3), at rest at both ends, of order five in time."""

    def __init__(self, start: pin.SE3, end: pin.SE3, duration: float) -> None:
        self._start, self._way, self._duration = start.copy(), pin.log6(start.actInv(end)), duration

    def at(self, time: float) -> Waypoint:
        s = min(max(time / self._duration, 0.0), 1.0)
        progress = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        rate = 30.0 * s**2 * (1.0 - s) ** 2 / self._duration
        push = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self._duration**2
        # along one screw the body twist is the screw itself, whatever the progress
        return Waypoint(self._start * pin.exp6(self._way * progress), self._way * rate, self._way * push)


def grasp_pose(pose_grasp_point_in_client: pin.SE3) -> pin.SE3:
    """Where the gripper holds the ring: its z along the grasp point's -x, its fingers across the ring (along z)."""
    x, y, z = np.eye(3)
    return pose_grasp_point_in_client * pin.SE3(np.column_stack([-z, -y, -x]), np.zeros(3))
