"""The torque-controlled arm as a device: brakes, delay, torque limits, friction, end stops and encoders."""
from __future__ import annotations

from math import degrees, isfinite
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.delay import DelayLine, Queue
from hil_relative_dynamics.facility.encoder import Encoder
from hil_relative_dynamics.facility.friction import JointFriction, JointResistance
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.scenario.plant import ArmDevice
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionSample

STOP = 1e9
"""Resistance of an end stop [N m s/rad]: as good as infinite."""


class ArmState(NamedTuple):
    """The arm at an instant."""

    joints: JointSample  # true
    torque: np.ndarray  # that acted until now
    command: np.ndarray | None  # that is obeyed
    commands: Queue
    notice: str = ""  # which joint ran into its end stop, where and when; the first one

    @property
    def brakes_on(self) -> bool:
        return self.command is None


class TorqueArm:
    """The arm's ground dynamics (20) under the torques it is given, and nothing else: it holds no position.

    Its brakes are on (joints locked) until the first torque arrives, `delay` after it was given; a torque is
    held until the next. Beyond the torque limits of the description it saturates. At a position limit a joint
    hits an end stop, without rebound, and a notice tells so. An arm whose own controller carries its weight
    behaves as one without weight, whose torque limits have moved by what that takes.
    """

    def __init__(
        self,
        device: ArmDevice,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        gravity: np.ndarray,
        gravity_compensated: bool = False,
    ) -> None:
        model, joints = servicer.model, servicer.joint_count
        weight = np.zeros(3) if gravity_compensated else gravity
        self._ground = GroundArm(servicer, pose_nominal_in_laboratory, weight)
        self._own = OwnGravity(servicer, pose_nominal_in_laboratory, gravity) if gravity_compensated else None
        self._delay, self._encoder = DelayLine(device.delay_ns), Encoder(device.encoder_resolution)
        self._friction = JointFriction(*device.friction(joints))
        self._frictionless, self._nothing = self._friction.is_zero, np.zeros(joints)
        self._resistance = JointResistance(servicer)
        self._limited, self._effort = device.limits, model.effortLimit[6:].copy()
        lower, upper = model.lowerPositionLimit[7:], model.upperPositionLimit[7:]
        self._middle, self._reach = 0.5 * (lower + upper), 0.5 * (upper - lower)
        if not device.limits:
            self._reach = np.full(joints, np.inf)
        self._names = servicer.joint_names

    def initial_state(self, joints: JointSample) -> ArmState:
        """Brakes on: unless a torque acts from the start, they take away any velocity."""
        return ArmState(joints, self._nothing, None, ())

    def step(
        self,
        state: ArmState,
        command: np.ndarray | None,
        base: MotionSample,
        base_next: MotionSample,
        wrench_end_effector: pin.Force,
        stamp: int,
        period: int,
    ) -> ArmState:
        """The arm one period after `stamp`, when `command` was given and `base` and the wrench were true."""
        queue, dt = state.commands, 1e-9 * period
        if command is not None and len(command) == len(self._nothing) and isfinite(command.dot(command)):
            queue = self._delay.give(queue, command, stamp)  # anything else no arm would accept
        queue, arrived = self._delay.step(queue, stamp)
        obeyed = state.command if arrived is None else arrived
        if obeyed is None:
            return ArmState(_locked(state.joints), self._nothing, None, queue)
        torque = self._saturated(obeyed, state.joints, base) if self._limited else obeyed
        joints = self._ground.step(base, base_next, state.joints, torque, wrench_end_effector, dt)
        notice = self._resist(joints, state.joints.velocity, stamp + period, dt)
        return ArmState(joints, torque, obeyed, queue, state.notice or notice)

    def _saturated(self, torque: np.ndarray, joints: JointSample, base: MotionSample) -> np.ndarray:
        lower, upper = -self._effort, self._effort
        if self._own is not None:
            used = self._own.torque(base, joints.position)
            lower, upper = lower - used, upper - used
        return np.minimum(np.maximum(torque, lower), upper)

    def _resist(self, joints: JointSample, velocity_before: np.ndarray, stamp: int, dt: float) -> str:
        """Takes what friction and end stops take from a step made without them; returns a notice."""
        position, velocity, acceleration = joints.array
        outside = abs(position - self._middle) > self._reach
        stopped = np.count_nonzero(outside)
        if self._frictionless and not stopped:
            return ""
        resistance = self._nothing if self._frictionless else self._friction.resistance(velocity_before)
        if stopped:
            outwards = outside & (velocity * (position - self._middle) > 0.0)
            resistance = np.where(outwards, STOP, resistance)
        change = self._resistance.change(position, velocity, resistance, dt)
        position += 0.5 * dt * change
        velocity += change
        acceleration += change / dt
        return self._stop(position, outside, stamp) if stopped else ""

    def _stop(self, position: np.ndarray, outside: np.ndarray, stamp: int) -> str:
        joint = int(np.argmax(outside))
        stops = self._middle + np.copysign(self._reach, position - self._middle)
        np.copyto(position, stops, where=outside)
        where, when = degrees(position[joint]), 1e-9 * stamp
        return f"{self._names[joint]} of the arm ran into its end stop at {where:.1f} deg, at {when:.3f} s"

    def read(self, state: ArmState) -> JointReading:
        """Angles in encoder steps, velocities of the drives, and the torques they applied."""
        return self._encoder.read(state.joints.position, state.joints.velocity, state.torque)


class OwnGravity:
    """The torque with which an arm's own controller carries its weight."""

    def __init__(self, servicer: FreeFlyer, pose_nominal_in_laboratory: pin.SE3, gravity: np.ndarray) -> None:
        self._model = pin.buildReducedModel(servicer.model, [1], pin.neutral(servicer.model))
        self._data = self._model.createData()
        self._gravity_in_nominal = pose_nominal_in_laboratory.rotation.T @ gravity

    def torque(self, base: MotionSample, position: np.ndarray) -> np.ndarray:
        self._model.gravity.linear = base.pose.rotation.T @ self._gravity_in_nominal
        return pin.computeGeneralizedGravity(self._model, self._data, position)


def _locked(joints: JointSample) -> JointSample:
    if not joints.array[1:].any():
        return joints
    return JointSample.of(joints.position, np.zeros_like(joints.velocity))
