"""Torque for the arm on the ground that makes it move as the arm in orbit, eq. (22)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointSample, MotionSample

_arm_feed_forward = function("arm_feed_forward", pointers=3)


class ArmTorque:
    """The terms of (22) as rows of one array [N m]: the total, which the arm is commanded, and what it is made of."""

    __slots__ = ("rows",)

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    @property
    def total(self) -> np.ndarray:
        return self.rows[0]

    @property
    def gravity(self) -> np.ndarray:
        """g(q), whether or not it is part of the total."""
        return self.rows[1]

    @property
    def acceleration(self) -> np.ndarray:
        """ff1"""
        return self.rows[2]

    @property
    def coriolis_joints(self) -> np.ndarray:
        """ff2"""
        return self.rows[3]

    @property
    def coriolis_base(self) -> np.ndarray:
        """ff3"""
        return self.rows[4]


class ArmFeedForward:
    r"""Adds gravity and three feed-forward terms to the on-board torque, (22):

    \( \tau_q = \tau + g(q) + M_{bq}^T (\dot V_s - \dot V_b) + (C_q(V_s) - C_q(V_b)) \dot q
    + C_{qs} V_s - C_{qb} V_b \)

    In the paper -G stands for g(q): its G is on the other side of (20). The split into ff2 and ff3 depends on
    how C is factorised (here as in pinocchio), their sum does not.

    The torque is evaluated at the measured joints and then held for a cycle of the arm, in which they move on:
    on average it is late by half a cycle. `lead` makes up for that, and for a known delay of the arm's interface.
    At 1 ms, half a cycle of lead takes the error of a free arm after 20 s from 0.2 rad to 0.0003 rad.

    Args:
        servicer: base and arm (the arm on the ground is the same, Assumption 2).
        pose_nominal_in_laboratory: constant calibration transform.
        gravity: in the laboratory [m/s^2].
        arm_compensates_gravity: the arm's own controller adds g(q) already: leave it out of the total.
        lead: how much later than the measurement to evaluate the terms [s].
    """

    def __init__(
        self,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        gravity: np.ndarray,
        arm_compensates_gravity: bool = False,
        lead: float = 0.0,
    ) -> None:
        self._servicer = servicer  # keeps the memory behind the address
        joints = servicer.joint_count
        self._memory = Workspace(
            laboratory=SAMPLE_SIZE, orbit=SAMPLE_SIZE, calibration=7, gravity=3, compensated=1, lead=1
        )
        self._memory.calibration[:] = pin.SE3ToXYZQUAT(pose_nominal_in_laboratory)
        self._memory.gravity[:] = gravity
        self._memory.compensated[0] = arm_compensates_gravity
        self._memory.lead[0] = lead
        self._joints = Workspace(sample=(3, joints), torque=joints, rows=(5, joints))
        self._model = servicer.packed.ctypes.data

    def step(
        self, torque: np.ndarray, joints: JointSample, laboratory: MotionSample, orbit: MotionSample
    ) -> ArmTorque:
        """Adds the feed-forward to the on-board torque; `laboratory` is (g_s, V_s, dV_s), `orbit` (g_b, V_b, dV_b)."""
        memory, arm = self._memory, self._joints
        memory.laboratory[...] = laboratory.array
        memory.orbit[...] = orbit.array
        arm.sample[...] = joints.array
        arm.torque[...] = torque
        _arm_feed_forward(self._model, memory.address, arm.address)
        return ArmTorque(arm.rows.copy())
