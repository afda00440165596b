"""From the raw reading of the client robot's F/T sensor to the wrench of contact on both spacecraft."""
from __future__ import annotations

from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.filters import low_pass, time_constant
from hil_relative_dynamics.facility.robot_model import RobotModel
from hil_relative_dynamics.scenario.laboratory import WrenchSettings
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

TARE_TIME = 0.5
"""A tare takes the mean over the last one to two times this [s]."""

_ZERO = pin.Force.Zero()
_UNKNOWN = pin.Force(np.full(6, np.nan))


class Recent(NamedTuple):
    """Integrals over time of the compensated wrench: a full window [N s, N m s, s], and the one under way."""

    full: pin.Force = _ZERO
    full_time: float = 0.0
    sum: pin.Force = _ZERO
    time: float = 0.0

    def taken(self, wrench: pin.Force, dt: float) -> Recent:
        total, time = self.sum + wrench * dt, self.time + dt
        if time < TARE_TIME:
            return Recent(self.full, self.full_time, total, time)
        return Recent(total, time)

    def mean(self) -> pin.Force | None:
        time = self.full_time + self.time
        return (self.full + self.sum) * (1.0 / time) if time > 0.0 else None


class PassivityState(NamedTuple):
    """Account of a port [J], and what belongs to its last sample, all at the grasp point in its axes."""

    energy: float = 0.0
    felt: pin.Force = _ZERO
    applied: pin.Force = _ZERO
    twist: pin.Motion | None = None


class WrenchState(NamedTuple):
    """What the chain remembers, wrenches in the sensor's frame; `to_tare`: time left to the first tare."""

    to_tare: float = 0.0
    bias: pin.Force = _ZERO
    filtered: pin.Force | None = None
    recent: Recent = Recent()
    passivity: PassivityState = PassivityState()


class ContactGate:
    r"""Exactly zero while nothing touches, the whole wrench in contact, and continuous between.

    The wrench is multiplied by a number from 0 to 1 that depends on its size alone,
    \( \mu = \max(|f| / f_0, |\tau| / \tau_0) \): 0 up to 1, 1 from 2 on, smooth between.

    Nothing is subtracted: a tension of 10 N is 10 N, not 7. One factor for all six numbers keeps the line of
    action and the sign of the power. There is no hysteresis: a switch that opens at 3 N and closes at 1.5 N
    keeps force back while a contact builds up and lets it through while it relaxes, and so gives the client
    (3^2 - 1.5^2) / 2K of energy at every touch. What depends on the present size alone returns on the way out
    what it took on the way in. It hides the part of a contact below twice the thresholds: tell the chain of a
    latched grasp, and the gate stays open.
    """

    def __init__(self, force: float, torque: float) -> None:
        self._force, self._torque = force, torque

    def opening(self, wrench: pin.Force) -> float:
        fx, fy, fz, tx, ty, tz = wrench.vector.tolist()
        force, torque = sqrt(fx * fx + fy * fy + fz * fz), sqrt(tx * tx + ty * ty + tz * tz)
        if force >= 2.0 * self._force or torque >= 2.0 * self._torque:
            return 1.0
        above = max(force / self._force, torque / self._torque) - 1.0  # a threshold of 0 was met before
        return above * above * (3.0 - 2.0 * above) if above > 0.0 else 0.0


class PassivityController:
    r"""Takes out the energy that delay between command and motion brings into a contact.

    \( E \mathrel{+}= dt\,(f \cdot v_{robot} - f_{mod} \cdot v_{port}) \): what the contact gave to the robot,
    minus what the client was told it got. The port's velocity is the mean of the ends of the client's step;
    force and robot velocity are means over the same time. While E < 0 the client gets
    \( f_{mod} = f - \beta v_{port},\; \beta = -E / (dt |v_{port}|^2) \), capped at |f|; E carries the rest.

    Power is that of the whole wrench at the grasp point, damping acts on the point's velocity. A surplus is
    forgotten when contact ends, a debt is not.
    """

    def __init__(self, pose_grasp_point_in_client: pin.SE3) -> None:
        self._point = pose_grasp_point_in_client.copy()

    def step(
        self,
        state: PassivityState,
        felt: pin.Force,
        wrench: pin.Force,
        measured: MotionSample,
        port: MotionPoints,
        dt: float,
    ) -> tuple[PassivityState, pin.Force]:
        """The wrench to apply to the client instead of `wrench`.

        `felt` is what the sensor feels of the same contact before the filter; both on the client, in its
        frame, both zero without contact. `port` is the commanded motion over the step that just ended.
        """
        twist, end = self._point.actInv(measured.twist), self._point.actInv(port.end.twist)
        felt, applied = self._point.actInv(felt), self._point.actInv(wrench)
        energy = state.energy
        if state.twist is not None:
            into_robot = ((state.twist + twist) * 0.5).dot((state.felt + felt) * 0.5)
            out_of_port = ((self._point.actInv(port.start.twist) + end) * 0.5).dot(state.applied)
            energy += dt * (into_robot - out_of_port)
        if wrench == _ZERO:
            return PassivityState(min(energy, 0.0), felt, _ZERO, twist), wrench
        if energy < 0.0:
            damping = self._damping(energy, end.linear, applied.linear, dt)
            applied = pin.Force(applied.linear + damping, applied.angular)
        return PassivityState(energy, felt, applied, twist), self._point.act(applied)

    @staticmethod
    def _damping(energy: float, velocity: np.ndarray, force: np.ndarray, dt: float) -> np.ndarray:
        speed, size = sqrt(velocity.dot(velocity)), sqrt(force.dot(force))
        if speed == 0.0:
            return np.zeros(3)
        return velocity * (-min(-energy / (dt * speed), size) / speed)


class WrenchChain:
    r"""Sign, load, tare, low-pass, gate, and the way to each body's own point.

    The sensor tells what mock-up and environment exert on it (multiplier 1), in its own frame, so

    \( F_c = F_{raw} + M (\dot V - G) - ad_V^T M V - F_{bias} \)

    with the mock-up's inertia M, its motion in the laboratory and gravity G, all in the sensor's frame. What
    acts on the end-effector is -F_c (Assumption 3), taken there through the measured poses and half a step on.

    Args:
        robot: the client's robot with its sensor and load.
        servicer: base and arm, for the end-effector's place.
        pose_nominal_in_laboratory: constant calibration transform.
        pose_grasp_point_in_client: what the robot carries, in the client's body frame.
        gravity: in the laboratory [m/s^2].
        settings: of the scenario.
    """

    def __init__(
        self,
        robot: RobotModel,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        pose_grasp_point_in_client: pin.SE3,
        gravity: np.ndarray,
        settings: WrenchSettings,
    ) -> None:
        self._servicer, self._load = servicer, robot.load
        self._sensor = pose_grasp_point_in_client * robot.pose_sensor_in_carried  # in the client
        in_nominal = pose_nominal_in_laboratory.rotation.T @ gravity
        self._gravity = pin.Motion(in_nominal, np.zeros(3))
        self._sign, self._tau = float(settings.multiplier), time_constant(settings.filter)
        self._gate = ContactGate(settings.gate_force, settings.gate_torque)
        self._passivity = PassivityController(pose_grasp_point_in_client) if settings.passivity else None
        self._start_tare = settings.start_tare

    def initial_state(self) -> WrenchState:
        return WrenchState(self._start_tare)

    def step(
        self,
        state: WrenchState,
        raw: pin.Force,
        client: MotionSample,
        servicer: MotionSample,
        joints: JointSample,
        dt: float,
        port: MotionPoints | None = None,
        latched: bool = False,
    ) -> tuple[WrenchState, tuple[pin.Force, pin.Force]]:
        """(on the client at its body origin, on the end-effector), each in its own frame.

        Args:
            state: of the last step.
            raw: the sensor's reading, in its frame.
            client, servicer, joints: measured at the same instant.
            dt: since the last step [s].
            port: the client's commanded motion over that time, for the passivity controller.
            latched: the gripper holds the client: keep the gate open.

        What is not finite is handed on as not finite, and forgotten.
        """
        pose_client = client.pose
        compensated = self.compensated(raw, pose_client, client)
        if not isfinite(compensated.vector.sum()):
            return state, (_UNKNOWN, _UNKNOWN)
        if state.to_tare > 0.0:
            return self._before_tare(state, compensated, dt), (_ZERO, _ZERO)
        contact = compensated - state.bias
        filtered = contact if state.filtered is None else low_pass(state.filtered, contact, self._tau, dt)
        opening = 1.0 if latched else self._gate.opening(filtered)
        on_client = self._sensor.act(filtered * opening) if opening > 0.0 else _ZERO
        passivity = state.passivity
        if self._passivity is not None and port is not None:
            felt = self._sensor.act(contact) if opening > 0.0 else _ZERO
            passivity, on_client = self._passivity.step(passivity, felt, on_client, client, port, dt)
        state = WrenchState(0.0, state.bias, filtered, state.recent.taken(compensated, dt), passivity)
        if opening == 0.0:
            return state, (_ZERO, _ZERO)
        return state, (on_client, -self._end_effector(client, servicer, joints, 0.5 * dt).actInv(on_client))

    def _end_effector(self, client: MotionSample, servicer: MotionSample, joints: JointSample, dt: float) -> pin.SE3:
        """Its pose in the client after a while.

        Both bodies hold their wrench over the next step, each in axes of its own, and these turn against each other.
        Opposite in the middle of the step, what one of them gains of momentum the other one loses.
        """
        base = client.pose.actInv(servicer.pose)
        relative = servicer.twist - base.actInv(client.twist)
        position, velocity, acceleration = joints.array
        later = position + dt * (velocity + 0.5 * dt * acceleration)  # as the dynamics take the arm to move
        return base * pin.exp6(relative * dt) * self._servicer.end_effector_in_base(later)

    def compensated(self, raw: pin.Force, pose_client: pin.SE3, client: MotionSample) -> pin.Force:
        """The reading with its sign, without weight and inertia of the mock-up; in the sensor's frame."""
        sensor = self._sensor
        twist = sensor.actInv(client.twist)
        gravity = (pose_client * sensor).actInv(self._gravity)
        inertial = self._load * (sensor.actInv(client.acceleration) - gravity) + self._load.vxiv(twist)
        return raw * self._sign + inertial

    def _before_tare(self, state: WrenchState, compensated: pin.Force, dt: float) -> WrenchState:
        left = state.to_tare - dt
        state = state._replace(to_tare=left, recent=state.recent.taken(compensated, dt))
        return state if left > 1e-9 else self.tare(state)

    def tare(self, state: WrenchState) -> WrenchState:
        """What is left now is bias: the mean of the last compensated samples. Only while nothing touches.

        Without a sample the state stays as it is.
        """
        bias = state.recent.mean()
        if bias is None:
            return state
        filtered = None if state.filtered is None else state.filtered + state.bias - bias
        return state._replace(to_tare=0.0, bias=bias, filtered=filtered)
