"""Servicer with arm, target, fingers and ports as one coupled system, without gravity."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.grasp import Held
from hil_relative_dynamics.berthing.interfaces import FingersOnBar, SpheresOnPort, Touch
from hil_relative_dynamics.berthing.latch import Latch
from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.scenario.rendezvous_contact import BerthingTarget, Contact
from hil_relative_dynamics.spatial import rk4_step

NEAR_BAR = _NEAR_PORT = 0.1
"""Farther apart, contact is not looked for [m]."""
_NO_WRENCH = pin.Force.Zero()


@dataclass(frozen=True)
class PairState:
    """Poses in inertial axes; what stands where in the vector says `Layout`."""

    base: pin.SE3
    target: pin.SE3
    vector: np.ndarray
    anchors_bar: np.ndarray
    anchors_port: np.ndarray
    latch: Latch | None = None
    held: Held | None = None


@dataclass(frozen=True)
class Commands:
    """Held over a step."""

    thrust: pin.Force
    torque: np.ndarray
    motor_torque: float = 0.0


class Layout:
    """Body twists, joints and fingers; work of contact, and impulse of the thrusters in inertial axes."""

    def __init__(self, joints: int) -> None:
        ends = [int(end) for end in np.cumsum([0, 6, joints, joints, 6, 1, 1, 1, 6])]
        self.twist_base, self.rates, self.joints, self.twist_target = (slice(*ends[i : i + 2]) for i in range(4))
        self.angle, self.angle_rate, self.work, self.impulse = ends[4], ends[5], ends[6], slice(*ends[7:])
        self.velocity, self.size = slice(0, ends[2]), ends[-1]


@dataclass(frozen=True)
class Meeting:
    """All contact at one instant."""

    bar: Touch | None
    port: Touch | None
    wrench_base: pin.Force  # of port and latch, on the base at its origin
    wrench_tool: pin.Force
    wrench_target: pin.Force
    power: float
    stored: float


class BerthingPair:
    """The free-flyer, eq. (12) of paper 000, and the rigid target, coupled by contact, as one system."""

    def __init__(self, servicer: FreeFlyer, target: BerthingTarget, contact: Contact) -> None:
        self.servicer, self.target, self.layout = servicer, RigidBody(target.inertia), Layout(servicer.joint_count)
        self.fixture, self.port_target = target.pose_fixture, pin.SE3(np.eye(3), np.array(target.port))
        self.port_base = pin.SE3(np.eye(3), np.array(contact.port.position))
        self.fingers, self.port = FingersOnBar(contact.fingers), SpheresOnPort(contact.port)
        self._open, self._ahead = contact.fingers.open_angle, contact.port.position[0]
        self._model, self._data, self._frame = servicer.model, servicer.model.createData(), servicer.end_effector
        self._flange = self._model.frames[self._frame]
        self._q, self._effort = pin.neutral(self._model), np.zeros(self._model.nv)
        self._external = pin.StdVec_Force()
        self._external.extend([_NO_WRENCH] * self._model.njoints)

    def start(
        self, base: pin.SE3, twist_base: pin.Motion, joints: Sequence[float], target: pin.SE3, twist_target: pin.Motion
    ) -> PairState:
        """Fingers open, arm at rest, no bristle bent."""
        layout, vector = self.layout, np.zeros(self.layout.size)
        vector[layout.twist_base], vector[layout.twist_target] = twist_base.vector, twist_target.vector
        vector[layout.joints], vector[layout.angle] = joints, self._open
        return self._settled(PairState(base, target, vector, np.full((3, 4), np.nan), np.full((3, 3), np.nan)))

    def step(self, state: PairState, commands: Commands, dt: float) -> PairState:
        """Everything `dt` [s] later (Lie-group RK4), commands and anchors held."""
        if state.held is not None:
            return self._step_as_one(state, state.held, commands, dt)
        layout, effort = self.layout, self._effort
        thrust, motor_torque, gripper = commands.thrust, commands.motor_torque, self.fingers.gripper
        effort[6:] = commands.torque

        def law(time: float, poses: Sequence[pin.SE3], x: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            base, rate, velocity = poses[0], np.empty(layout.size), x[layout.velocity]
            meeting = self.meet(poses[0], poses[1], x, state)
            twist_target = pin.Motion(x[layout.twist_target])
            effort[:6] = (thrust + meeting.wrench_base).vector
            self._external[self._flange.parentJoint] = self._flange.placement.act(meeting.wrench_tool)
            rate[layout.velocity] = pin.aba(self._model, self._data, self._q, velocity, effort, self._external)
            rate[layout.joints] = velocity[6:]
            rate[layout.twist_target] = self.target.acceleration(twist_target, meeting.wrench_target).vector
            angle, angle_rate = float(x[layout.angle]), float(x[layout.angle_rate])
            pressing = meeting.bar.pressing if meeting.bar is not None else 0.0
            rate[layout.angle] = angle_rate
            rate[layout.angle_rate] = gripper.acceleration(angle, angle_rate, motor_torque, pressing)
            rate[layout.work], rate[layout.impulse] = meeting.power, base.act(thrust).vector
            return [pin.Motion(velocity[:6]), twist_target], rate

        (base, target), vector = rk4_step(law, 0.0, [state.base, state.target], state.vector, dt)
        if vector[layout.angle] < self._open:  # the stop that fingers open to
            vector[layout.angle], vector[layout.angle_rate] = self._open, 0.0
        return self._settled(replace(state, base=_upright(base), target=_upright(target), vector=vector))

    def _step_as_one(self, state: PairState, held: Held, commands: Commands, dt: float) -> PairState:
        """The same with the target in the gripper; the target follows from base and joints."""
        layout, effort, thrust = self.layout, self._effort, commands.thrust
        effort[6:] = commands.torque

        def placed(base: pin.SE3, x: np.ndarray) -> pin.SE3:
            """Puts the target's twist into the vector."""
            target_in_base, twist = held.target(x[layout.joints], x[layout.velocity])
            x[layout.twist_target] = twist.vector
            return base * target_in_base

        def law(time: float, poses: Sequence[pin.SE3], x: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            base, rate, velocity = poses[0], np.zeros(layout.size), x[layout.velocity]
            meeting = self.meet(base, placed(base, x), x, state)
            effort[:6] = (thrust + meeting.wrench_base).vector
            self._external[held.joint] = held.target_in_joint.act(meeting.wrench_target)
            model = held.both.model
            rate[layout.velocity] = pin.aba(model, held.data, self._q, velocity, effort, self._external)
            rate[layout.joints] = velocity[6:]
            rate[layout.work], rate[layout.impulse] = meeting.power, base.act(thrust).vector
            return [pin.Motion(velocity[:6])], rate

        (base,), vector = rk4_step(law, 0.0, [state.base], state.vector, dt)
        base = _upright(base)
        return self._settled(replace(state, base=base, target=_upright(placed(base, vector)), vector=vector))

    def grasped(self, state: PairState) -> PairState:
        """The connection made rigid where it is; fingers stop."""
        layout, vector = self.layout, state.vector.copy()
        joints, twist = vector[layout.joints], pin.Motion(vector[layout.twist_target])
        tool = state.base * self.servicer.end_effector_in_base(joints)
        bar = self.meet(state.base, state.target, vector, state).bar
        stored = bar.press.stored if bar is not None and bar.press is not None else 0.0
        pressing = bar.pressing if bar is not None else 0.0
        held = Held(self.servicer, self.target.inertia, tool.actInv(state.target), stored, pressing)
        vector[layout.velocity] = held.merged(joints, vector[layout.velocity], twist)
        vector[layout.twist_target] = held.target(joints, vector[layout.velocity])[1].vector
        vector[layout.angle_rate] = 0.0
        return replace(state, vector=vector, held=held)

    def _settled(self, state: PairState) -> PairState:
        meeting = self.meet(state.base, state.target, state.vector, state)
        bar, port = state.anchors_bar, state.anchors_port
        if meeting.bar is not None:
            bar = self.fingers.settled(meeting.bar, bar)
        if meeting.port is not None:
            port = self.port.settled(meeting.port, port)
        return replace(state, anchors_bar=bar, anchors_port=port)

    def meet(self, base: pin.SE3, target: pin.SE3, x: np.ndarray, state: PairState) -> Meeting:
        """Contact at poses and velocities, with the anchors and the latch of a state."""
        layout = self.layout
        base_in_target, twist_target = target.actInv(base), pin.Motion(x[layout.twist_target])
        self._q[7:] = x[layout.joints]
        pin.forwardKinematics(self._model, self._data, self._q, x[layout.velocity])
        tool = base_in_target * pin.updateFramePlacement(self._model, self._data, self._frame)
        tool_in_fixture = self.fixture.actInv(tool)
        bar = port = None
        wrench_base = wrench_tool = wrench_target = _NO_WRENCH
        power, stored = 0.0, 0.0 if state.held is None else state.held.stored
        if state.held is None and abs(tool_in_fixture.translation).max() < NEAR_BAR:
            twist = pin.getFrameVelocity(self._model, self._data, self._frame, pin.ReferenceFrame.LOCAL)
            twist = twist - tool.actInv(twist_target)
            angle, rate = float(x[layout.angle]), float(x[layout.angle_rate])
            bar = self.fingers.touch(tool_in_fixture, twist, angle, rate, state.anchors_bar)
            wrench_tool = bar.wrench
            wrench_target = -tool.act(bar.wrench)
            power, stored = bar.power, bar.press.stored if bar.press is not None else 0.0
        if base_in_target.translation[0] - self._ahead - self.port_target.translation[0] < _NEAR_PORT:
            twist = pin.Motion(x[layout.twist_base]) - base_in_target.actInv(twist_target)
            port = self.port.touch(self.port_target.actInv(base_in_target), twist, state.anchors_port)
            wrench_base, power = port.wrench, power + port.power
            stored += port.press.stored if port.press is not None else 0.0
            if state.latch is not None:
                pull, bent = state.latch.pull(base_in_target * self.port_base, self.port_base.actInv(twist))
                wrench_base = wrench_base + self.port_base.act(pull)
                power, stored = power + pull.dot(self.port_base.actInv(twist)), stored + bent
            wrench_target = wrench_target - base_in_target.act(wrench_base)
        return Meeting(bar, port, wrench_base, wrench_tool, wrench_target, power, stored)

    def momentum(self, state: PairState) -> pin.Force:
        """Of everything, in inertial axes about their origin (the fingers' cancel)."""
        layout, x = self.layout, state.vector
        twist_base, twist_target = pin.Motion(x[layout.twist_base]), pin.Motion(x[layout.twist_target])
        servicer = self.servicer.momentum_in_base(x[layout.joints], twist_base, x[layout.rates])
        return state.base.act(servicer) + self.target.momentum(state.target, twist_target)

    def latched(self, state: PairState, settings: Contact) -> PairState:
        """The latch closed where the ports are."""
        reduced = 1.0 / (1.0 / self.servicer.mass + 1.0 / self.target.inertia.mass)
        where = state.target.actInv(state.base) * self.port_base
        return replace(state, latch=Latch.closed(where, settings.port, reduced))


def _upright(pose: pin.SE3) -> pin.SE3:
    """The same with a rotation of length one: round-off of ten thousand products would reach 1e-12."""
    quaternion = pin.Quaternion(pose.rotation)
    quaternion.normalize()
    return pin.SE3(quaternion, pose.translation)
