"""SE(3): what pinocchio lacks.

`pose.act(twist)` and `pose.actInv(twist)` are Ad(g) V and Ad(g^-1) V, `twist.cross(twist)` is ad(V) W and
`twist.cross(force)` is -ad(V)^T F: these are pinocchio's own. Here are the matrices, the rate of a
transported twist, the integrators and the samples that cross the wire.
"""
from hil_relative_dynamics.spatial.algebra import (
    adjoint,
    adjoint_dual,
    adjoint_rate,
    bracket,
    bracket_dual,
    orientation_error,
    position_error,
    transport_wrench,
    transported_twist_rate,
)
from hil_relative_dynamics.spatial.integrate import euler_step, rk4_step
from hil_relative_dynamics.spatial.samples import SAMPLE_SIZE, JointReading, JointSample, MotionPoints, MotionSample

__all__ = [
    "SAMPLE_SIZE",
    "JointReading",
    "JointSample",
    "MotionPoints",
    "MotionSample",
    "adjoint",
    "adjoint_dual",
    "adjoint_rate",
    "bracket",
    "bracket_dual",
    "euler_step",
    "orientation_error",
    "position_error",
    "rk4_step",
    "transport_wrench",
    "transported_twist_rate",
]
