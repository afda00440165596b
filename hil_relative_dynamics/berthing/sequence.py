"""Berthing and unberthing, paper 002, Figs. 6 and 8, as phases."""
from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.control import Seen, ServicerControl
from hil_relative_dynamics.berthing.gripper import normal_force, required_torque
from hil_relative_dynamics.berthing.pair import BerthingPair, Commands, PairState
from hil_relative_dynamics.berthing.path import Path
from hil_relative_dynamics.berthing.trigger import GraspTrigger, TriggerState
from hil_relative_dynamics.scenario.rendezvous_contact import Contact

FACING = pin.rpy.rpyToMatrix(0.0, 0.0, np.pi)


class Phase(Enum):
    """In the order of berthing; unberthing goes grasp, withdraw, release, retreat."""

    APPROACH = "approach"
    REACH = "reach"
    CAPTURE = "capture"
    DOCKING = "docking"
    DOCKED = "docked"
    GRASP = "grasp"
    WITHDRAW = "withdraw"
    RELEASE = "release"
    RETREAT = "retreat"


class Sequence:
    """What both have in common: geometry, trigger, and the torque of the fingers."""

    def __init__(self, pair: BerthingPair, settings: Contact, phase: Phase) -> None:
        self.pair, self.settings, self.phase, self.events = pair, settings, phase, list[str]()
        docked = pair.port_target.translation - FACING @ pair.port_base.translation
        self.docked = pin.SE3(FACING, docked)
        self.station = pin.SE3(FACING, np.array(settings.station))
        self.control = ServicerControl(pair, settings.control, self.docked)
        fingers = settings.fingers
        self.clamp_torque = required_torque(
            pair.target.inertia.mass, fingers.acceleration, fingers.pad_width, fingers.safety, fingers.friction
        )
        self.grip_force = normal_force(self.clamp_torque, fingers.pad_width)
        self._closing = self.clamp_torque / pair.fingers.gripper.ratio
        self._trigger, self._triggered = GraspTrigger(settings.trigger), TriggerState()
        self._since, self._fired = 0.0, float("inf")
        self.fired_at = (float("nan"), float("nan"))
        """Position and orientation error when the trigger fired [m, rad]."""
        self._posture = np.zeros(pair.servicer.joint_count)
        self._base: Path | None = None
        self._tool: Path | None = None

    @property
    def short_of_fixture(self) -> pin.SE3:
        """The gripper in the target, a little before it reaches for the bar (its z axis points there)."""
        back = np.array([0.0, 0.0, -self.settings.control.short])
        return self.pair.fixture * pin.SE3(np.eye(3), back)

    def go(self, phase: Phase, time: float, sentence: str = "") -> None:
        self.phase, self._since = phase, time
        self.events.append(f"{time:.1f} s: {phase.value} begins" + (f", {sentence}" if sentence else ""))

    def closing_torque(self, stamp: int, seen: Seen) -> float:
        """M_1 once the trigger has fired, paper 002, Fig. 3."""
        off = seen.tool_in_fixture
        position, angle = float(np.linalg.norm(off.translation)), float(np.linalg.norm(pin.log3(off.rotation)))
        before = self._triggered.closed
        self._triggered = self._trigger.step(self._triggered, stamp, position, angle)
        if self._triggered.closed and not before:
            self._fired, self.fired_at = 1e-9 * stamp, (position, angle)
            self.events.append(f"{1e-9 * stamp:.1f} s: grasp triggered at {1e3 * position:.2f} mm, {angle:.1e} rad")
        return self._trigger.torque(self._triggered, self._closing)

    def grips(self, state: PairState) -> bool:
        """Both fingers press with nearly what the gears give, (8)."""
        meeting = self.pair.meet(state.base, state.target, state.vector, state)
        if meeting.bar is None or meeting.bar.press is None:
            return False
        gripper, angle = self.pair.fingers.gripper, float(state.vector[self.pair.layout.angle])
        each = gripper.clamp_force(self._closing, angle)
        return bool(meeting.bar.press.pressures.reshape(2, 2).sum(axis=1).min() > 0.95 * each)


class Berthing(Sequence):
    """Approach and reach, capture, docking, docked."""

    def __init__(self, pair: BerthingPair, settings: Contact, state: PairState, time: float) -> None:
        super().__init__(pair, settings, Phase.APPROACH)
        self._posture = state.vector[pair.layout.joints].copy()
        here = state.target.actInv(state.base)
        layout, vector = pair.layout, state.vector
        twist = pin.Motion(vector[layout.twist_base]) - here.actInv(pin.Motion(vector[layout.twist_target]))
        self._base = Path(here, self.station, time, settings.timeline.base, twist)
        self.go(Phase.APPROACH, time)

    def command(self, stamp: int, state: PairState) -> tuple[PairState, Commands]:
        """(state with the latch as it is now, commands to hold)."""
        time, timeline, gains = 1e-9 * stamp, self.settings.timeline, self.settings.control
        if self.phase in (Phase.DOCKING, Phase.DOCKED):
            return self._berth(stamp, state)
        assert self._base is not None
        tool = self._tool.at(time) if self._tool is not None else None
        seen, commands = self.control.free(state, self._base.at(time), tool, self._posture)
        if self.phase is Phase.APPROACH and time >= self._base.end:
            self._tool = Path(seen.tool, self.short_of_fixture, time, timeline.arm)
            self.go(Phase.REACH, time)
        elif self.phase is Phase.REACH and self._tool is not None and time >= self._tool.end:
            self._tool = Path(self.short_of_fixture, self.pair.fixture, time, timeline.reach)
            self.go(Phase.CAPTURE, time)
        torque = self.closing_torque(stamp, seen)
        if self.phase is Phase.CAPTURE and time > self._fired + timeline.close and self.grips(state):
            last = self.docked.actInv(self.pair.fixture)
            last.translation[0] -= gains.preload
            self._tool = Path(seen.tool_in_base, last, time, timeline.carry)
            state = self.pair.grasped(state)
            self.go(Phase.DOCKING, time, f"gripped with {self.grip_force:.1f} N in all, thrusters off")
        return state, replace(commands, motor_torque=torque)

    def _berth(self, stamp: int, state: PairState) -> tuple[PairState, Commands]:
        time, gains = 1e-9 * stamp, self.settings.control
        if self.phase is Phase.DOCKING:
            assert self._tool is not None
            seen, commands = self.control.floating(state, self.control.carrying, self._tool.at(time), gains.carry)
            if self._seated(state, seen):
                state = self.pair.latched(state, self.settings)
                self.go(Phase.DOCKED, time, "latched")
        else:
            seen, commands = self.control.floating(state, self.control.berthed, None, gains.carry)
        return state, replace(commands, motor_torque=self.closing_torque(stamp, seen))

    def _seated(self, state: PairState, seen: Seen) -> bool:
        """One sphere touches, the others are within the latch's reach, and all is slow.

        A third sphere need not touch by itself: the arm pulls beside the port, and nothing but the latch rights it.
        """
        settings, port = self.settings.port, self.pair.meet(state.base, state.target, state.vector, state).port
        if port is None or port.press is None or port.points[0].max() - settings.sphere > settings.latch_reach:
            return False
        at_port = self.pair.port_base.actInv(seen.relative(seen.base, seen.twist_base))
        return bool(np.linalg.norm(at_port.linear) < settings.latch_speed)


class Unberthing(Sequence):
    """Grasp, withdraw, release, retreat."""

    def __init__(self, pair: BerthingPair, settings: Contact, state: PairState, time: float) -> None:
        super().__init__(pair, settings, Phase.GRASP)
        self._posture = state.vector[pair.layout.joints].copy()
        tool = state.target.actInv(state.base) * pair.servicer.end_effector_in_base(self._posture)
        in_base = self.docked.actInv(pair.fixture)
        self._tool = Path(self.docked.actInv(tool), in_base, time, settings.timeline.reach)
        self.go(Phase.GRASP, time, "latched")

    def command(self, stamp: int, state: PairState) -> tuple[PairState, Commands]:
        """(state with the latch as it is now, commands to hold)."""
        time, timeline, gains = 1e-9 * stamp, self.settings.timeline, self.settings.control
        if self.phase is Phase.RETREAT:
            assert self._base is not None
            _, commands = self.control.free(state, self._base.at(time), None, self._posture)
            return state, replace(commands, motor_torque=-self._closing)
        assert self._tool is not None
        if self.phase is Phase.RELEASE:
            seen, commands = self.control.floating(state, self.control.alone, None, gains.carry)
            if time > self._since + timeline.close:
                self._posture, here = seen.joints.copy(), seen.base
                away = pin.SE3(here.rotation, here.translation * (1.0 + 1.0))
                length = float(np.linalg.norm(here.translation))
                self._base = Path(here, away, time, 1.875 * length / gains.speed)
                self.go(Phase.RETREAT, time)
            return state, replace(commands, motor_torque=-self._closing)
        if self.phase is Phase.GRASP:
            seen, commands = self.control.floating(state, self.control.berthed, self._tool.at(time), gains.tool)
        else:
            seen, commands = self.control.floating(state, self.control.carrying, self._tool.at(time), gains.carry)
        torque = self.closing_torque(stamp, seen)
        if self.phase is Phase.GRASP and time > self._fired + timeline.close and self.grips(state):
            last = self.station.actInv(self.pair.fixture)
            self._tool = Path(seen.tool_in_base, last, time, timeline.carry)
            state = replace(self.pair.grasped(state), latch=None)
            self.go(Phase.WITHDRAW, time, f"gripped with {self.grip_force:.1f} N in all, latch open")
        elif self.phase is Phase.WITHDRAW and time > self._tool.end + timeline.close:
            state = replace(state, held=None)
            self.go(Phase.RELEASE, time)
        return state, replace(commands, motor_torque=torque)
