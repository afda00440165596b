"""From commanded motion to joint commands of an industrial robot, and how it comes to rest."""
from __future__ import annotations

from math import ceil, degrees, isfinite, sqrt
from typing import Literal, NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.robot_model import RobotModel, Unreachable
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.facility.setpoint import JointLimits, SetpointLimiter
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.scenario.laboratory import Commanding
from hil_relative_dynamics.spatial import JointReading, MotionPoints

START_TIME = 0.25
"""What the joints are off their first target by is made up for in this time [s]."""
HOMING_SHARE = 0.05
"""Of the speed and acceleration limits: a few tenths of a metre per second at the flange."""
HOMING_SPACING = 500_000_000
"""Time between the waypoints of a homing move [ns]."""

START, END = 0, -1
_NONE = np.empty(0)


class Ramp(NamedTuple):
    """A straight way to rest: from `start`, at a `velocity` that falls linearly to zero in `duration` [s]."""

    start: np.ndarray
    velocity: np.ndarray
    duration: float
    time: float = 0.0

    def position(self, time: float) -> np.ndarray:
        return self.start + self.velocity * (time - 0.5 * time * time / self.duration)


class CommanderState(NamedTuple):
    """What a commander carries from cycle to cycle.

    Attributes:
        phase: waiting -> following when enabled, following -> stopping -> stopped; only a reset leads back.
        sentence: why it stops, does not start or holds back; empty while all is well.
        held_back: cycles in which the speed and acceleration guard acted.
        command, before: the last two joint commands [rad].
        target, wanted: joints of the last commanded pose, and with what is left of the start offset.
        offset: of the measured joints from the first target [rad]; None when it is made up for.
        time: since the start [s], while there is an offset.
        ramp: while stopping.
    """

    phase: Literal["waiting", "following", "stopping", "stopped"] = "waiting"
    sentence: str = ""
    held_back: int = 0
    command: np.ndarray | None = None
    before: np.ndarray = _NONE
    target: np.ndarray = _NONE
    wanted: np.ndarray = _NONE
    offset: np.ndarray | None = None
    time: float = 0.0
    ramp: Ramp | None = None


class RobotCommander:
    """Streams one joint command per cycle: where the robot has to be at its end.

    It starts from the measured joints, without a bump, and only if they are near the first target. It stops
    when it is not enabled, and when a pose cannot be reached or is not finite: along the present joint
    velocity to rest, all joints together, within the stop time or earlier where a joint limit is near, but
    never with more than the acceleration limits. A stop stays until `reset`, which leads back to homing,
    never into the run.

    Args:
        robot: what it commands; not shared with another thread.
        pose_nominal_in_laboratory: constant calibration transform.
        pose_carried_in_body: the grasp point in the client, or the arm's mount in the servicer's base.
        commanding: stop time and first step of the scenario.
    """

    def __init__(
        self,
        robot: RobotModel,
        pose_nominal_in_laboratory: pin.SE3,
        pose_carried_in_body: pin.SE3,
        commanding: Commanding,
    ) -> None:
        self.robot = robot
        self._pose_nominal = pose_nominal_in_laboratory.copy()
        self._pose_carried_in_body = pose_carried_in_body.copy()
        self._stop_time, self._first_step = commanding.stop_time, commanding.first_step
        limits = robot.lower, robot.upper, robot.velocity_limits, robot.acceleration_limits
        self._limits = JointLimits(*limits)
        self._dt, self._limiter = 0.0, SetpointLimiter(self._limits, 1.0)

    def initial_state(self) -> CommanderState:
        return CommanderState()

    def reset(self, state: CommanderState) -> CommanderState:
        """Wait for a new start, once the robot is at rest."""
        return self.initial_state() if state.phase == "stopped" else state

    def step(
        self,
        state: CommanderState,
        commanded: MotionPoints | None,
        safety: SafetyState,
        reading: JointReading,
        dt: float,
    ) -> tuple[CommanderState, np.ndarray | None]:
        """The command for the end of a cycle of `dt` [s]; None as long as not even the joints are known."""
        if state.phase in ("stopping", "stopped"):
            return self._ramp_down(state, safety, dt)
        waiting = state.phase == "waiting"
        if not isfinite(reading.array[:2].sum()):
            return self._refuse(state, f"{self.robot.name} reads joints that are not finite", safety, dt)
        if waiting:
            state = self._hold(state, reading)
        if not safety.enabled:
            reason = safety.sentence.rstrip(".")
            return (state, state.command) if waiting else self._refuse(state, reason, safety, dt)
        try:
            if waiting:
                return self._start(state, commanded, reading, dt)
            return self._follow(state, self._joints(commanded, END, state.target), dt)
        except Unreachable as refusal:
            return self._refuse(state, str(refusal), safety, dt)

    def homing_trajectory(self, measured: np.ndarray, target: np.ndarray) -> JointTrajectory:
        """All joints from rest to rest along a straight line, of order five in time; or Unreachable."""
        self._check_posture(target)
        way = target - measured
        speed = 1.875 * abs(way) / (HOMING_SHARE * self._limits.velocity)
        push = 5.7735 * abs(way) / (HOMING_SHARE * self._limits.acceleration)
        duration = max(float(speed.max()), sqrt(float(push.max())), 0.1)
        count = ceil(1e9 * duration / HOMING_SPACING)
        s = np.arange(1, count + 1)[:, None] / count
        return JointTrajectory(
            tuple(round(1e9 * duration * index / count) for index in range(1, count + 1)),
            measured + way * s**3 * (10.0 - 15.0 * s + 6.0 * s**2),
            way * 30.0 * s**2 * (1.0 - s) ** 2 / duration,
            way * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2,
        )

    def _joints(self, commanded: MotionPoints | None, point: int, near: np.ndarray) -> np.ndarray:
        if commanded is None:
            raise Unreachable(f"{self.robot.name} is told nothing")
        pose = commanded.array[point, :7]
        quaternion = pose[3:]
        if not abs(quaternion.dot(quaternion) - 1.0) < 1e-6:
            raise Unreachable(f"{self.robot.name} is told a pose that is not finite or no rotation")
        carried = self._pose_nominal * pin.XYZQUATToSE3(pose) * self._pose_carried_in_body
        return self.robot.inverse(carried, near)

    def _hold(self, state: CommanderState, reading: JointReading) -> CommanderState:
        """Stay; if something else has moved the robot meanwhile (homing), stay there."""
        measured = reading.position
        if state.command is not None and abs(measured - state.command).max() <= self._first_step:
            return state
        command = measured.copy()
        return CommanderState(command=command, before=command)

    def _start(
        self, state: CommanderState, commanded: MotionPoints | None, reading: JointReading, dt: float
    ) -> tuple[CommanderState, np.ndarray]:
        measured = reading.position
        now = self._joints(commanded, START, measured)
        offset = measured - now
        joint = int(abs(offset).argmax())
        if abs(offset[joint]) > self._first_step:
            off = f"is {degrees(offset[joint]):.2f} deg off its first target"
            allowed = f"allowed {degrees(self._first_step):.2f}: it has to be homed"
            raise Unreachable(f"joint {joint + 1} of {self.robot.name} {off}, {allowed}")
        started = CommanderState(
            "following",
            command=measured.copy(),
            before=measured - dt * reading.velocity,
            target=now,
            wanted=measured.copy(),
            offset=offset,
        )
        return self._follow(started, self._joints(commanded, END, now), dt)

    def _follow(
        self, state: CommanderState, target: np.ndarray, dt: float
    ) -> tuple[CommanderState, np.ndarray]:
        offset, time, wanted = state.offset, state.time + dt, target
        if offset is not None:
            left = max(0.0, 1.0 - time / START_TIME)
            wanted = target + offset * (left * left * left * (10.0 - 15.0 * left + 6.0 * left * left))
            offset = offset if left > 0.0 else None
        last = wanted if state.command is None else state.command
        command = self._limiter_for(dt).step(wanted, state.wanted, last, state.before)
        held_back, sentence = state.held_back, ""
        if (command != wanted).any():
            held_back, sentence = held_back + 1, self._behind(wanted - command)
        following = CommanderState(
            "following", sentence, held_back, command, last, target, wanted, offset, time
        )
        return following, command

    def _limiter_for(self, dt: float) -> SetpointLimiter:
        if dt != self._dt:
            self._dt, self._limiter = dt, SetpointLimiter(self._limits, dt)
        return self._limiter

    def _behind(self, gap: np.ndarray) -> str:
        joint = int(abs(gap).argmax())
        top, push = (degrees(limit[joint]) for limit in (self._limits.velocity, self._limits.acceleration))
        held = f"joint {joint + 1} of {self.robot.name} is held back by {degrees(gap[joint]):.3f} deg"
        return f"{held}, allowed {top:.0f} deg/s and {push:.0f} deg/s^2."

    def _refuse(
        self, state: CommanderState, reason: str, safety: SafetyState, dt: float
    ) -> tuple[CommanderState, np.ndarray | None]:
        """Start to stop; one that has not started stays where it is."""
        if state.command is None:
            return state._replace(sentence=f"{reason}."), None
        velocity = (state.command - state.before) / dt
        ramp = self._ramp(state.command, velocity, safety.escalated)
        stopping = CommanderState(
            "stopping", f"{reason}.", state.held_back, state.command, state.before, ramp=ramp
        )
        return self._ramp_down(stopping, safety, dt)

    def _ramp(self, start: np.ndarray, velocity: np.ndarray, escalated: bool) -> Ramp:
        """As long as the stop time, or as the way to a joint limit allows, or as short as can be."""
        if not velocity.any():
            return Ramp(start, velocity, 0.0)
        shortest = float((abs(velocity) / self._limits.acceleration).max())
        room = np.where(velocity > 0.0, self._limits.upper - start, start - self._limits.lower)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            longest = np.nanmin(2.0 * np.maximum(room, 0.0) / abs(velocity))
        duration = 0.0 if escalated else min(self._stop_time, float(longest))
        return Ramp(start, velocity, max(duration, shortest))

    def _ramp_down(
        self, state: CommanderState, safety: SafetyState, dt: float
    ) -> tuple[CommanderState, np.ndarray | None]:
        ramp, command = state.ramp, state.command
        if ramp is None or command is None:
            return state, command
        if safety.escalated:
            ramp = self._hurried(ramp, command)
        time = ramp.time + dt
        if time >= ramp.duration:
            rest = ramp.start + ramp.velocity * (0.5 * ramp.duration)
            return state._replace(phase="stopped", command=rest, before=rest, ramp=None), rest
        ramp = ramp._replace(time=time)
        position = ramp.position(time)
        return state._replace(command=position, before=command, ramp=ramp), position

    def _hurried(self, ramp: Ramp, command: np.ndarray) -> Ramp:
        """The rest of the ramp with full deceleration, if that is shorter."""
        velocity = ramp.velocity * (1.0 - ramp.time / ramp.duration) if ramp.duration > 0.0 else ramp.velocity
        rest = self._ramp(command, velocity, escalated=True)
        return rest if rest.duration < ramp.duration - ramp.time else ramp

    def _check_posture(self, q: np.ndarray) -> None:
        beyond = ~((q >= self._limits.lower) & (q <= self._limits.upper))  # also where it is not a number
        if beyond.any():
            joint = int(beyond.argmax())
            low, high = (degrees(limit[joint]) for limit in (self._limits.lower, self._limits.upper))
            at = f"joint {joint + 1} of {self.robot.name} would be homed to {degrees(q[joint]):.1f} deg"
            raise Unreachable(f"{at}, allowed {low:.6g} to {high:.6g}")
