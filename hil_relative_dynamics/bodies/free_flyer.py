"""A free-flying base that carries an arm, from any URDF, eq. (12)."""
from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from functools import cached_property
from pathlib import Path

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.rigid_body import packed_inertia
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.scenario.errors import ScenarioError

_momentum = function("multibody_momentum", pointers=5)
_NO_LIMIT = "1e100"  # the URDF parser knows no infinity


class FreeFlyer:
    r"""Base and n-joint arm without gravity:

    \( M(q) [\dot V_b; \ddot q] + C(q; V_b, \dot q) [V_b; \dot q] = [F_b; \tau] + [J_b^T; J_m^T] F_e \)  (12)

    V_b is the body twist of the base, F_b acts on the base at its origin, F_e on the end-effector at its
    origin, each in its own axes. Nothing here depends on where the base is.
    """

    def __init__(self, model: pin.Model, end_effector: str, source: str = "the model") -> None:
        if not model.existFrame(end_effector, pin.FrameType.BODY):
            names = ", ".join(frame.name for frame in model.frames if frame.type == pin.FrameType.BODY)
            raise ScenarioError(source, "end_effector", end_effector, f"must be one of the links {names}")
        self.model = model
        self.data = model.createData()
        self.end_effector = model.getFrameId(end_effector, pin.FrameType.BODY)
        self.joint_count = model.nv - 6
        self._q = pin.neutral(model)
        self._v = np.zeros(model.nv)
        self._external = pin.StdVec_Force()
        self._external.extend([pin.Force.Zero()] * model.njoints)
        if not _is_positive(self.mass_matrix(np.zeros(self.joint_count))):
            raise ScenarioError(source, "", None, "must give every moving link mass and inertia")

    @classmethod
    def from_urdf(cls, path: str | Path, end_effector: str) -> FreeFlyer:
        """Reads a URDF. Continuous joints become revolute ones without limits: one number per joint."""
        try:
            text = _without_continuous_joints(Path(path).read_text(encoding="utf-8"))
            model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        except OSError as error:
            raise ScenarioError(path, "", None, f"must be a readable file ({error.strerror})") from None
        except (ValueError, RuntimeError, ElementTree.ParseError) as error:
            raise ScenarioError(path, "", None, f"must be a URDF that loads ({error})") from None
        model.gravity.setZero()
        for joint in range(2, model.njoints):
            if model.joints[joint].nv != 1:
                allowed = "must be revolute, continuous, prismatic or fixed"
                raise ScenarioError(path, model.names[joint], model.joints[joint].shortname(), allowed)
        return cls(model, end_effector, str(path))

    @property
    def joint_names(self) -> list[str]:
        return list(self.model.names)[2:]

    @property
    def mass(self) -> float:
        """[kg]"""
        return sum(inertia.mass for inertia in self.model.inertias)

    def _configuration(self, q: np.ndarray) -> np.ndarray:
        self._q[7:] = q
        return self._q

    def _velocity(self, twist: pin.Motion, dq: np.ndarray) -> np.ndarray:
        self._v[:6] = twist.vector
        self._v[6:] = dq
        return self._v

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q), with M_b = M[:6, :6], M_bq = M[:6, 6:], M_q = M[6:, 6:]."""
        upper = np.triu(pin.crba(self.model, self.data, self._configuration(q)))
        return upper + np.triu(upper, 1).T

    def coriolis_matrix(self, q: np.ndarray, twist: pin.Motion, dq: np.ndarray) -> np.ndarray:
        """C(q; V_b, dq); its blocks are C_b, C_bq, C_qb, C_q."""
        configuration, velocity = self._configuration(q), self._velocity(twist, dq)
        return pin.computeCoriolisMatrix(self.model, self.data, configuration, velocity).copy()

    def nonlinear_effects(self, q: np.ndarray, twist: pin.Motion, dq: np.ndarray) -> np.ndarray:
        """C(q; V_b, dq) [V_b; dq], without gravity."""
        return pin.nonLinearEffects(self.model, self.data, self._configuration(q), self._velocity(twist, dq)).copy()

    def jacobians(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J_b and J_m: twist of the end-effector in its own axes is J_b V_b + J_m dq."""
        jacobian = pin.computeFrameJacobian(
            self.model, self.data, self._configuration(q), self.end_effector, pin.ReferenceFrame.LOCAL
        )
        return jacobian[:, :6].copy(), jacobian[:, 6:].copy()

    def end_effector_in_base(self, q: np.ndarray) -> pin.SE3:
        pin.framesForwardKinematics(self.model, self.data, self._configuration(q))
        return self.data.oMf[self.end_effector].copy()

    def forward_dynamics(
        self,
        q: np.ndarray,
        twist: pin.Motion,
        dq: np.ndarray,
        wrench_base: pin.Force,
        torque: np.ndarray,
        wrench_end_effector: pin.Force,
    ) -> tuple[pin.Motion, np.ndarray]:
        """Derivatives of V_b and dq, (12) solved by the articulated-body algorithm."""
        frame = self.model.frames[self.end_effector]
        self._external[frame.parentJoint] = frame.placement.act(wrench_end_effector)
        effort = np.concatenate([wrench_base.vector, torque])
        acceleration = pin.aba(
            self.model, self.data, self._configuration(q), self._velocity(twist, dq), effort, self._external
        )
        return pin.Motion(acceleration[:6]), acceleration[6:].copy()

    def kinetic_energy(self, q: np.ndarray, twist: pin.Motion, dq: np.ndarray) -> float:
        """[J]"""
        return float(
            pin.computeKineticEnergy(self.model, self.data, self._configuration(q), self._velocity(twist, dq))
        )

    def momentum_in_base(self, q: np.ndarray, twist: pin.Motion, dq: np.ndarray) -> pin.Force:
        """M_b V_b + M_bq dq: momentum of base and arm at the base's origin, in its axes."""
        memory = Workspace(q=self.joint_count, dq=self.joint_count, twist=6, momentum=6)
        memory.q[:], memory.dq[:], memory.twist[:] = q, dq, twist.vector
        _momentum(self.packed.ctypes.data, *[memory.address_of(name) for name in ("q", "dq", "twist", "momentum")])
        return pin.Force(memory.momentum.copy())

    @cached_property
    def packed(self) -> np.ndarray:
        """The model as `kernels/multibody.h` lays it out."""
        frame = self.model.frames[self.end_effector]
        rows = [[self.joint_count, frame.parentJoint - 1], _packed_frame(frame.placement)]
        rows.append(packed_inertia(self.model.inertias[1]))
        for joint in range(2, self.model.njoints):
            linear, angular = self._joint_axis(joint)
            prismatic = bool(np.any(linear))
            rows.append([self.model.parents[joint] - 1, prismatic])
            rows.append(linear if prismatic else angular)
            rows.append(_packed_frame(self.model.jointPlacements[joint]))
            rows.append(packed_inertia(self.model.inertias[joint]))
        return np.concatenate([np.asarray(row, dtype=float) for row in rows])

    def _joint_axis(self, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """Motion subspace of a joint: its Jacobian column in its own frame."""
        pin.computeJointJacobians(self.model, self.data, pin.neutral(self.model))
        jacobian = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL)
        column = jacobian[:, self.model.joints[joint].idx_v]
        return column[:3], column[3:]


def _is_positive(matrix: np.ndarray) -> bool:
    """Positive beyond rounding: a link without inertia makes the mass matrix singular."""
    if not np.all(np.isfinite(matrix)):
        return False
    return bool(np.linalg.eigvalsh(matrix)[0] > 1e-12 * np.trace(matrix))


def _packed_frame(pose: pin.SE3) -> np.ndarray:
    return np.concatenate([pose.rotation.ravel(), pose.translation])


def _without_continuous_joints(text: str) -> str:
    robot = ElementTree.fromstring(text)
    for joint in robot.findall("joint[@type='continuous']"):
        joint.set("type", "revolute")
        limit = joint.find("limit")
        if limit is None:
            limit = ElementTree.SubElement(joint, "limit", effort=_NO_LIMIT, velocity=_NO_LIMIT)
        limit.set("lower", f"-{_NO_LIMIT}")
        limit.set("upper", _NO_LIMIT)
    return ElementTree.tostring(robot, encoding="unicode")
