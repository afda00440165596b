"""Ad and ad on twists and wrenches, and the rate of a twist carried from another frame."""
from __future__ import annotations

import numpy as np
import pinocchio as pin


def adjoint(pose: pin.SE3) -> np.ndarray:
    """Ad(g), 6x6: takes a twist from the frame of `pose` to the one it is expressed in."""
    return pose.toActionMatrix()


def adjoint_dual(pose: pin.SE3) -> np.ndarray:
    """Ad(g)^-T, 6x6: takes a wrench the same way, so that power is the same in both frames."""
    return pose.toDualActionMatrix()


def bracket(twist: pin.Motion) -> np.ndarray:
    """ad(V), 6x6: `bracket(V) @ W` is the Lie bracket [V, W]."""
    return twist.action


def bracket_dual(twist: pin.Motion) -> np.ndarray:
    """-ad(V)^T, 6x6: how a wrench fixed in space changes in a frame that moves with V."""
    return twist.dualAction


def adjoint_rate(pose: pin.SE3, twist: pin.Motion) -> np.ndarray:
    """d/dt Ad(g^-1) = -ad(V) Ad(g^-1) along a motion with body twist V."""
    return -bracket(twist) @ pose.toActionMatrixInverse()


def transported_twist_rate(
    pose: pin.SE3, twist: pin.Motion, twist_nominal: pin.Motion, acceleration_nominal: pin.Motion
) -> pin.Motion:
    r"""Rate of \(\Delta V = Ad_{g^{-1}} V_n\), used in the matching conditions (7) and (15).

    \( d/dt(Ad_{g^{-1}} V_n) = Ad_{g^{-1}} \dot V_n - ad_V Ad_{g^{-1}} V_n \)

    Args:
        pose: g, the body in the nominal frame.
        twist: V, body twist of that motion [m/s, rad/s].
        twist_nominal: V_n, body twist of the nominal frame.
        acceleration_nominal: its derivative (the spatial acceleration, not the classical one).
    """
    return pose.actInv(acceleration_nominal) - twist.cross(pose.actInv(twist_nominal))


def transport_wrench(wrench: pin.Force, pose_source_in_target: pin.SE3) -> pin.Force:
    """The same wrench seen from another frame of the same body: acts at the target's origin, in its axes."""
    return pose_source_in_target.act(wrench)


def position_error(pose_a: pin.SE3, pose_b: pin.SE3) -> float:
    """Distance between two origins [m]."""
    return float(np.linalg.norm(pose_a.translation - pose_b.translation))


def orientation_error(pose_a: pin.SE3, pose_b: pin.SE3) -> float:
    """Angle between two orientations [rad]; accurate down to 1e-16, where an arc cosine is not."""
    difference = pose_a.rotation.T @ pose_b.rotation
    skew = 0.5 * np.array(
        [
            difference[2, 1] - difference[1, 2],
            difference[0, 2] - difference[2, 0],
            difference[1, 0] - difference[0, 1],
        ]
    )
    return float(np.arctan2(np.linalg.norm(skew), 0.5 * (np.trace(difference) - 1.0)))
