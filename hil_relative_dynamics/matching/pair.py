"""A body in orbit and its image in the laboratory: the state that both client and servicer carry."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.spatial import MotionPoints, MotionSample


def relative_motion(pose: pin.SE3, twist: pin.Motion, nominal: MotionSample) -> tuple[pin.SE3, pin.Motion]:
    """Pose and twist relative to the nominal: g = g_n g_rel (5), V_rel = V - Ad(g_rel^-1) V_n (6), (15)."""
    pose_relative = nominal.pose.actInv(pose)
    return pose_relative, twist - pose_relative.actInv(nominal.twist)


class PairState:
    """Poses (orbit, laboratory) as position and quaternion, then two vectors of six.

    For the client and for the servicer in acceleration form these are the twists; in momentum form
    the first is the servicer's momentum in the inertial frame and the second is not used.
    """

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(
        cls, pose_simulated: pin.SE3, first: pin.Motion, pose_commanded: pin.SE3, second: pin.Motion
    ) -> PairState:
        poses = pin.SE3ToXYZQUAT(pose_simulated), pin.SE3ToXYZQUAT(pose_commanded)
        return cls(np.concatenate([*poses, first.vector, second.vector]))

    @property
    def pose_simulated(self) -> pin.SE3:
        return pin.XYZQUATToSE3(self.array[0:7])

    @property
    def pose_commanded(self) -> pin.SE3:
        return pin.XYZQUATToSE3(self.array[7:14])


class MatchedMotion:
    """A body's motion in orbit and the one that its robot is told, at the start and the end of a step."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def simulated(self) -> MotionPoints:
        return MotionPoints(self.array[0])

    @property
    def commanded(self) -> MotionPoints:
        return MotionPoints(self.array[1])
