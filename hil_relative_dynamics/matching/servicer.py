"""The servicer: base row of base and arm in orbit (13) and in the laboratory (18), and the impedance law (16)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import (
    SAMPLE_SIZE,
    JointSample,
    MotionPoints,
    MotionSample,
    transported_twist_rate,
)

_servicer_step = function("servicer_step", pointers=3, doubles=1)


class ServicerDynamics:
    r"""Admittance causality of base and arm, for measured joints q, dq (and ddq from before the instant).

    In orbit  \( M_b \dot V_b + M_{bq} \ddot q + C_b V_b + C_{bq} \dot q = F_b + J_b^T F_e \)  (13), in the laboratory
    the same minus  \( M_b d(Ad_{g_s^{-1}} V_n)/dt \)  (18), so that  g_n g_s = g_b.

    With `momentum_form` the base row is integrated as what it is, the balance of momentum p of base and arm:
    \( \dot p = Ad^*(F_b + J_b^T F_e),\; V_b = M_b^{-1} (p - M_{bq} \dot q) \). It needs no joint acceleration to
    know the base's velocity, and conserves momentum a thousand times better on sampled joints.
    """

    def __init__(self, servicer: FreeFlyer, momentum_form: bool = True) -> None:
        self.servicer = servicer
        self.momentum_form = momentum_form
        self._memory = Workspace(
            nominal=(3, SAMPLE_SIZE), thrust=6, contact=6, form=1, state=26, motion=(2, 2, SAMPLE_SIZE)
        )
        self._memory.form[0] = momentum_form
        self._joints = Workspace(sample=(3, servicer.joint_count))
        self._model = servicer.packed.ctypes.data

    def initial_state(
        self, pose: pin.SE3, twist: pin.Motion, joints: JointSample, nominal: MotionSample
    ) -> PairState:
        """State that agrees with (15); `twist` is V_b(0)."""
        pose_relative, twist_relative = relative_motion(pose, twist, nominal)
        if not self.momentum_form:
            return PairState.of(pose, twist, pose_relative, twist_relative)
        momentum = pose.act(self.servicer.momentum_in_base(joints.position, twist, joints.velocity))
        return PairState.of(pose, pin.Motion(momentum.vector), pose_relative, pin.Motion.Zero())

    def derivative(
        self,
        state: PairState,
        wrench_thrust: pin.Force,
        wrench_end_effector: pin.Force,
        joints: JointSample,
        nominal: MotionSample,
    ) -> MatchedMotion:
        """Motion in orbit and laboratory at one instant, accelerations included (one point each)."""
        self._memory.nominal[0] = nominal.array
        self._load(state, wrench_thrust, wrench_end_effector, joints)
        _servicer_step(self._model, self._memory.address, self._joints.address, 0.0)
        return MatchedMotion(self._memory.motion[:, :1].copy())

    def step(
        self,
        state: PairState,
        wrench_thrust: pin.Force,
        wrench_end_effector: pin.Force,
        joints: JointSample,
        nominal: MotionPoints,
        dt: float,
    ) -> tuple[PairState, MatchedMotion]:
        self._memory.nominal[...] = nominal.array
        self._load(state, wrench_thrust, wrench_end_effector, joints)
        _servicer_step(self._model, self._memory.address, self._joints.address, dt)
        return PairState(self._memory.state.copy()), MatchedMotion(self._memory.motion.copy())

    def _load(
        self, state: PairState, wrench_thrust: pin.Force, wrench_end_effector: pin.Force, joints: JointSample
    ) -> None:
        memory = self._memory
        memory.state[...] = state.array
        memory.thrust[...] = wrench_thrust.vector
        memory.contact[...] = wrench_end_effector.vector
        self._joints.sample[...] = joints.array


class ServicerImpedance:
    r"""Impedance causality: the wrench for a robot base (14) of inertia M_s, eq. (16) corrected.

    With K = M_s M_b^-1:
    \( F_s = C_s V_s + (C_{sq} - K C_{bq}) \dot q + K (F_b + J_b^T F_e - C_b V_b - M_b \Delta\dot V_s) - J_b^T F_e
    + (I - K) M_{bq} \ddot q \).
    As printed, (16) counts the contact wrench twice and leaves out the last term. For M_s = M_b neither the
    contact nor ddq is left, and this becomes (17); the printed form does not.

    Args:
        servicer: base and arm in orbit.
        robot: the same arm on the base that the robot has, M_s.
    """

    def __init__(self, servicer: FreeFlyer, robot: FreeFlyer) -> None:
        self.servicer, self.robot = servicer, robot

    def wrench(
        self,
        measured: MotionSample,
        joints: JointSample,
        wrench_thrust: pin.Force,
        wrench_end_effector: pin.Force,
        nominal: MotionSample,
    ) -> pin.Force:
        """The control wrench for the measured motion (g_s, V_s) of the base and (q, dq, ddq) of the arm."""
        q, dq, ddq = joints.array
        twist = measured.twist
        twist_base = twist + measured.pose.actInv(nominal.twist)  # V_b, (15)
        rate = transported_twist_rate(measured.pose, twist, nominal.twist, nominal.acceleration)
        mass = self.servicer.mass_matrix(q)
        mass_base, coupling = mass[:6, :6], mass[:6, 6:]
        ratio = self.robot.mass_matrix(q)[:6, :6] @ np.linalg.inv(mass_base)
        contact = self.servicer.jacobians(q)[0].T @ wrench_end_effector.vector
        bias_orbit = self.servicer.nonlinear_effects(q, twist_base, dq)[:6]
        bias_robot = self.robot.nonlinear_effects(q, twist, dq)[:6]
        in_orbit = wrench_thrust.vector + contact - bias_orbit - mass_base @ rate.vector
        return pin.Force(bias_robot + ratio @ in_orbit - contact + (np.eye(6) - ratio) @ coupling @ ddq)
