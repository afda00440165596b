"""Torque for the arm on the ground that makes it move as the arm in orbit, eq. (22)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointSample, MotionSample

_arm_feed_forward = function("arm_feed_forward", pointers=5)


class ArmTorque(NamedTuple):
    """The terms of (22) [N m]; `total` is what the arm is commanded."""

    total: np.ndarray
    onboard: np.ndarray
    gravity: np.ndarray
    acceleration: np.ndarray  # ff1
    coriolis_joints: np.ndarray  # ff2
    coriolis_base: np.ndarray  # ff3


class ArmFeedForward:
    r"""\( \tau_q = \tau + g(q) + M_{bq}^T (\dot V_s - \dot V_b) + (C_q(V_s) - C_q(V_b)) \dot q + C_{qs} V_s - C_{qb} V_b \)

    In the paper -G stands for g(q): its G is on the other side of (20). The split into ff2 and ff3 depends on
    how C is factorised (here as in pinocchio), their sum does not. Everything is evaluated at the measured joints.

    Args:
        servicer: base and arm (the arm on the ground is the same, Assumption 2).
        pose_nominal_in_laboratory: constant calibration transform.
        gravity: in the laboratory [m/s^2].
        arm_compensates_gravity: the arm's own controller adds g(q) already: leave it out of the total.
    """

    def __init__(
        self,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        gravity: np.ndarray,
        arm_compensates_gravity: bool = False,
    ) -> None:
        self._model = servicer.packed.ctypes.data
        self._servicer = servicer  # keeps the memory behind the address
        self._gravity_in_total = 0.0 if arm_compensates_gravity else 1.0
        joints = servicer.joint_count
        self._memory = Workspace(laboratory=SAMPLE_SIZE, orbit=SAMPLE_SIZE, calibration=7, gravity=3)
        self._memory.calibration[:] = pin.SE3ToXYZQUAT(pose_nominal_in_laboratory)
        self._memory.gravity[:] = gravity
        self._joints = Workspace(sample=(2, joints))
        self._terms = Workspace(rows=(4, joints))
        address = self._joints.address
        self._arguments = (self._model, self._memory.address, address, address + 8 * joints, self._terms.address)

    def step(
        self, torque: np.ndarray, joints: JointSample, laboratory: MotionSample, orbit: MotionSample
    ) -> ArmTorque:
        """Adds the feed-forward to the on-board torque; `laboratory` is (g_s, V_s, dV_s), `orbit` (g_b, V_b, dV_b)."""
        self._memory.laboratory[:] = laboratory.array
        self._memory.orbit[:] = orbit.array
        self._joints.sample[:] = joints.array[:2]
        _arm_feed_forward(*self._arguments)
        gravity, acceleration, coriolis_joints, coriolis_base = self._terms.rows.copy()
        total = torque + self._gravity_in_total * gravity + acceleration + coriolis_joints + coriolis_base
        return ArmTorque(total, torque, gravity, acceleration, coriolis_joints, coriolis_base)
