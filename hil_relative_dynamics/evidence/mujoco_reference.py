"""The same bodies in MuJoCo: an independent reference, which shares no dynamics with this package.

MuJoCo's free joint has its linear velocity in world axes, its angular velocity in body axes and a quaternion
w, x, y, z; here everything goes in and out as pose and body twist. Wrenches are applied by actuators on
sites, which keep them fixed in body axes within a step too (`xfrc_applied` would hold them in world axes).
"""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validation import ReferenceMissing

try:
    import mujoco
except ImportError:
    raise ReferenceMissing(
        "these checks compare with MuJoCo, which is not installed: pip install mujoco "
        "(or hil_relative_dynamics[reference])"
    ) from None


NO_SPRINGS = np.zeros((2, 0))


class State(NamedTuple):
    """Base and arm at one instant."""

    pose: pin.SE3
    twist: pin.Motion
    q: np.ndarray
    dq: np.ndarray


class MujocoReference:
    """A free base, with or without an arm, integrated by MuJoCo's RK4 without gravity and contacts."""

    def __init__(
        self, spec: mujoco.MjSpec, end_effector: str, timestep: float, springs: np.ndarray = NO_SPRINGS
    ) -> None:
        for joint, (stiffness, damping) in zip(spec.joints, springs.T):
            _drive(spec, joint, stiffness, damping)
        base = spec.worldbody.first_body()
        base.add_freejoint()
        _push_at(spec, base, "base")
        _push_at(spec, next(body for body in spec.bodies if body.name == end_effector), "end_effector")
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.timestep = timestep
        spec.option.gravity = np.zeros(3)
        spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)  # contacts and joint limits
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)

    @classmethod
    def from_urdf(
        cls,
        path: Path,
        end_effector: str,
        stiffness: np.ndarray | float = 0.0,
        damping: np.ndarray | float = 0.0,
        timestep: float = 1e-3,
    ) -> MujocoReference:
        """Base and arm, read by MuJoCo itself; joint torques are  torque - stiffness q - damping dq."""
        spec = mujoco.MjSpec.from_file(str(path))
        springs = np.broadcast_arrays(stiffness, damping, np.zeros(len(spec.joints)))[:2]
        return cls(spec, end_effector, timestep, np.array(springs))

    @classmethod
    def rigid_body(
        cls, mass: float, com: np.ndarray, inertia_about_com: np.ndarray, timestep: float = 1e-3
    ) -> MujocoReference:
        """One body; `com` and the tensor in its own axes."""
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="body", mass=mass, ipos=com, explicitinertial=True)
        body.fullinertia = inertia_about_com[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return cls(spec, "body", timestep)

    @property
    def joint_count(self) -> int:
        return self._model.nv - 6

    def start(self, pose: pin.SE3, twist: pin.Motion, q: np.ndarray, dq: np.ndarray) -> None:
        mujoco.mj_resetData(self._model, self._data)
        self._place(State(pose, twist, q, dq))

    def _place(self, state: State) -> None:
        rotation = state.pose.rotation
        x, y, z, w = pin.Quaternion(rotation).coeffs()
        self._data.qpos[:] = np.concatenate([state.pose.translation, [w, x, y, z], state.q])
        self._data.qvel[:] = np.concatenate([rotation @ state.twist.linear, state.twist.angular, state.dq])

    @property
    def state(self) -> State:
        position, (w, x, y, z), q = np.split(self._data.qpos, [3, 7])
        linear, angular, dq = np.split(self._data.qvel, [3, 6])
        rotation = pin.Quaternion(w, x, y, z).toRotationMatrix()
        twist = pin.Motion(rotation.T @ linear, angular.copy())
        return State(pin.SE3(rotation, position.copy()), twist, q.copy(), dq.copy())

    def step(
        self, wrench_base: pin.Force, wrench_end_effector: pin.Force, torque: np.ndarray, count: int = 1
    ) -> None:
        """`count` steps under held torques and wrenches, each wrench at its frame's origin, in its axes."""
        self._data.ctrl[:] = np.concatenate([torque, wrench_base.vector, wrench_end_effector.vector])
        mujoco.mj_step(self._model, self._data, nstep=count)

    def inverse_dynamics(
        self, state: State, acceleration: pin.Motion, ddq: np.ndarray, gravity: np.ndarray | None = None
    ) -> tuple[pin.Force, np.ndarray]:
        """Wrench on the base and joint torques that a motion takes; `acceleration` is the body twist's."""
        self._model.opt.gravity[:] = 0.0 if gravity is None else gravity
        self._place(state)
        rotation, twist = state.pose.rotation, state.twist
        classical = acceleration.linear + np.cross(twist.angular, twist.linear)
        self._data.qacc[:] = np.concatenate([rotation @ classical, acceleration.angular, ddq])
        mujoco.mj_inverse(self._model, self._data)
        self._model.opt.gravity[:] = 0.0
        force, moment, torque = np.split(self._data.qfrc_inverse, [3, 6])
        return pin.Force(rotation.T @ force, moment.copy()), torque.copy()


def _drive(spec: mujoco.MjSpec, joint: mujoco.MjsJoint, stiffness: float, damping: float) -> None:
    """An actuator whose torque is its input minus that of a spring and a damper, at every stage of a step."""
    actuator = spec.add_actuator(name=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint.name)
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    actuator.biasprm[:3] = 0.0, -stiffness, -damping


def _push_at(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str) -> None:
    """Six actuators that together apply any wrench at the origin of a body, in its axes."""
    body.add_site(name=name)
    for axis in range(6):
        gear = np.zeros(6)
        gear[axis] = 1.0
        spec.add_actuator(name=f"{name}_{axis}", trntype=mujoco.mjtTrn.mjTRN_SITE, target=name, gear=gear)
