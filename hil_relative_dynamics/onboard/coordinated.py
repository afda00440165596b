"""Coordinated control of a free-flying base and its arm: what accelerations become thrust and torque."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer

#: below this singular value the arm's way to the end-effector is damped (damped least squares)
_DAMPING = 0.02


class ArmKinematicsNow(NamedTuple):
    """The arm at its measured joints."""

    pose_end_effector: pin.SE3  # in the base
    jacobian_base: np.ndarray
    jacobian_joints: np.ndarray
    drift: np.ndarray  # acceleration of the end-effector without any of base or joints


class CoordinatedControl:
    r"""Inverse dynamics of (12): the base's thrust and the joints' torque that give wanted accelerations.

    \( [F_b; \tau] = M [\dot V_b; \ddot q] + C [V_b; \dot q] \): base and arm are commanded together, so that
    the arm does not push the base away and the base does not drag the arm along.
    """

    def __init__(self, servicer: FreeFlyer) -> None:
        self._servicer = servicer
        self._model, self._data = servicer.model, servicer.model.createData()
        self._q, self._v, self._a = pin.neutral(self._model), np.zeros(self._model.nv), np.zeros(self._model.nv)

    def look(self, q: np.ndarray, dq: np.ndarray, twist_base: pin.Motion) -> ArmKinematicsNow:
        """Jacobians and drift at one instant."""
        model, data, frame = self._model, self._data, self._servicer.end_effector
        self._q[7:], self._v[:6], self._v[6:] = q, twist_base.vector, dq
        self._a[:] = 0.0
        pin.forwardKinematics(model, data, self._q, self._v, self._a)
        pin.updateFramePlacement(model, data, frame)
        local = pin.ReferenceFrame.LOCAL
        jacobian = pin.computeFrameJacobian(model, data, self._q, frame, local)
        drift = pin.getFrameAcceleration(model, data, frame, local).vector
        return ArmKinematicsNow(data.oMf[frame].copy(), jacobian[:, :6], jacobian[:, 6:], drift)

    def joint_accelerations(
        self,
        now: ArmKinematicsNow,
        acceleration_base: pin.Motion,
        acceleration_end_effector: np.ndarray,
        posture: np.ndarray,
    ) -> np.ndarray:
        """Joint accelerations that move the end-effector as wanted; `posture` acts where it does not matter to it."""
        jacobian = now.jacobian_joints
        wanted = acceleration_end_effector - now.jacobian_base @ acceleration_base.vector - now.drift
        square = jacobian @ jacobian.T + _DAMPING**2 * np.eye(6)
        return posture + jacobian.T @ np.linalg.solve(square, wanted - jacobian @ posture)

    def efforts(self, acceleration_base: pin.Motion, ddq: np.ndarray) -> tuple[pin.Force, np.ndarray]:
        """(thrust on the base, joint torque) at the instant last looked at."""
        self._a[:6], self._a[6:] = acceleration_base.vector, ddq
        generalised = pin.rnea(self._model, self._data, self._q, self._v, self._a)
        return pin.Force(generalised[:6].copy()), generalised[6:].copy()

    def efforts_by_contact(
        self, now: ArmKinematicsNow, acceleration_base: pin.Motion, damping: float
    ) -> np.ndarray:
        """Joint torque with which the arm, holding on to something, moves the base instead of the thrusters.

        The base row of (12) without thrust says which wrench the end-effector has to get from what it holds; the
        joint rows say what torque asks for it. The arm's own motion dies away at the rate `damping` [1/s], by a
        torque in the joints alone: anything smarter would shake the base.
        """
        thrust, torque = self.efforts(acceleration_base, np.zeros(len(self._a) - 6))
        wrench_end_effector = np.linalg.solve(now.jacobian_base.T, thrust.vector)
        inertia = pin.crba(self._model, self._data, self._q)
        joints = np.triu(inertia[6:, 6:])
        slowing = damping * (joints + np.triu(joints, 1).T) @ self._v[6:]
        return torque - now.jacobian_joints.T @ wrench_end_effector - slowing
