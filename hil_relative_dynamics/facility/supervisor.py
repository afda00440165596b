"""The safety supervisor: whether the robots may move, and if not, why.

Not safety-rated: the facility's emergency stop chain is required.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.clearance import Clearance
from hil_relative_dynamics.facility.description import DEFAULT_LAYOUT, description
from hil_relative_dynamics.facility.limits import JointBounds
from hil_relative_dynamics.facility.robot_model import RobotModel, client_robot, servicer_robot
from hil_relative_dynamics.facility.safety_state import ENABLED, SafetyState
from hil_relative_dynamics.facility.supervisor_carried import Reach, Speed, Tracking, Workspace
from hil_relative_dynamics.facility.supervisor_cause import Cause, Severity
from hil_relative_dynamics.facility.supervisor_data import FreshData, ReportedEvents, SoundData
from hil_relative_dynamics.facility.supervisor_forces import Contact, KeepsClear, Sensors
from hil_relative_dynamics.facility.supervisor_joints import (
    ArmCommand,
    ArmEffort,
    JointMotion,
    JointPositions,
)
from hil_relative_dynamics.facility.supervisor_observation import Observation
from hil_relative_dynamics.facility.supervisor_tick import Carried, CarriedFrames, Condition, Tick
from hil_relative_dynamics.scenario.safety import Safety

WAITING = SafetyState(False, "waiting to be armed.")


class SupervisorState(NamedTuple):
    """What the supervisor carries from tick to tick.

    Attributes:
        phase: waiting -> enabled by `arm`, enabled -> stopped by any cause, stopped -> waiting by `reset`.
        memories: of the conditions, in their order.
        output: what was said last.
        causes: of the stop, the first one first.
        previous: last tick at which everything held since the robots were armed [ns].
    """

    phase: Literal["waiting", "enabled", "stopped"]
    memories: tuple[Any, ...]
    output: SafetyState = WAITING
    causes: tuple[Cause, ...] = ()
    previous: int | None = None


class SafetySupervisor:
    """Checks every condition at every tick; the first that does not hold stops the robots for good.

    A stop latches. Its first cause is the one reported; what comes later is listed, and forces that rise
    during the ramp escalate it. A reset leads back to waiting and thus to homing: simulated and measured pose
    have parted, and arming without homing stops at once.

    The order of the conditions decides which is told first of those that fail at the same tick.

    Args:
        safety: the scenario's limits.
        frames: what the robots carry.
        client, servicer: the robots; not shared with another thread.
        arm: model of the arm, for its limits.
        layout: where the robots stand, as for `description`.
    """

    def __init__(
        self,
        safety: Safety,
        frames: CarriedFrames,
        client: RobotModel,
        servicer: RobotModel,
        arm: pin.Model,
        layout: Mapping[str, str] = DEFAULT_LAYOUT,
    ) -> None:
        self._frames = frames
        limits = {robot.name: JointBounds.of_robot(robot.model, safety) for robot in (client, servicer)}
        limits["arm"] = JointBounds.of_arm(arm, safety)
        self._sound = SoundData(client.model.nq, arm.nq)
        self._always: list[Condition] = [ReportedEvents(safety), FreshData(safety)]
        self._physical: list[Condition] = [
            Contact(frames.pose_grasp_point_in_client, safety),
            Sensors(safety),
            ArmEffort(limits["arm"]),
            ArmCommand(limits["arm"]),
        ]
        if safety.clearance > 0.0:
            region = safety.grasp_region if safety.grasp_allowed else None
            self._physical.append(KeepsClear(Clearance(safety.clearance, region, layout)))
        if safety.reachability:
            self._physical.append(Reach(client, _client, "client_commanded", limits[client.name]))
            self._physical.append(Reach(servicer, _servicer, "servicer_commanded", limits[servicer.name]))
        self._physical += [JointPositions(device, limits[device]) for device in limits]
        self._physical += [JointMotion(device, limits[device]) for device in limits]
        for side in (_client, _servicer):
            self._physical += [Workspace(side, safety), Speed(side, safety), Tracking(side, safety)]
        self._start = tuple(condition.start for condition in (*self._always, *self._physical))

    @classmethod
    def in_laboratory(
        cls, safety: Safety, frames: CarriedFrames, layout: Mapping[str, str] = DEFAULT_LAYOUT
    ) -> SafetySupervisor:
        """With models of its own, from the package's descriptions."""
        arm = pin.buildModelFromXML(description("arm", layout))
        return cls(safety, frames, client_robot(layout), servicer_robot(layout), arm, layout)

    def initial_state(self) -> SupervisorState:
        return SupervisorState("waiting", self._start)

    def arm(self, state: SupervisorState) -> SupervisorState:
        """Enable from the next tick on, if everything holds then; no effect on a stop."""
        if state.phase != "waiting":
            return state
        return SupervisorState("enabled", self._start)

    def reset(self, state: SupervisorState) -> SupervisorState:
        """End a stop and wait to be armed again, after homing; no effect while enabled."""
        return self.initial_state() if state.phase == "stopped" else state

    def step(
        self, state: SupervisorState, observation: Observation, stamp: int
    ) -> tuple[SupervisorState, SafetyState]:
        """Args: stamp: of this tick [ns]."""
        tick = Tick(self._frames, observation, stamp, state.previous, running=state.phase != "waiting")
        memories, causes = self._check(state, tick)
        state = self._next(state._replace(memories=memories), causes, stamp)
        return state, state.output

    def _check(self, state: SupervisorState, tick: Tick) -> tuple[tuple[Any, ...], list[Cause]]:
        """All conditions; those on physics only on sound data."""
        count, stopped = len(self._always), state.phase == "stopped"
        memories = list(state.memories)
        causes: list[Cause] = []
        for index, condition in enumerate(self._always):
            memories[index], found = condition.check(memories[index], tick)
            causes += found
        _, unsound = self._sound.check(None, tick)
        causes += unsound
        if unsound:
            return tuple(memories), causes
        with np.errstate(over="ignore", invalid="ignore"):  # of absurd numbers: beyond every limit
            for index, condition in enumerate(self._physical, start=count):
                if condition.while_stopped or not stopped:
                    memories[index], found = _checked(condition, memories[index], tick)
                    causes += found
        return tuple(memories), causes

    @staticmethod
    def _next(state: SupervisorState, causes: list[Cause], stamp: int) -> SupervisorState:
        if state.phase == "stopped":
            return _with_later(state, causes)
        if state.phase == "waiting":
            stops = [cause for cause in causes if cause.always]
            return _stopped(state, stops) if stops else state._replace(output=_waiting(causes))
        if causes:
            return _stopped(state, causes)
        return state._replace(output=ENABLED, previous=stamp)


def _client(tick: Tick) -> Carried:
    return tick.client


def _servicer(tick: Tick) -> Carried:
    return tick.servicer


def _checked(condition: Condition, memory: Any, tick: Tick) -> tuple[Any, Sequence[Cause]]:
    """A check that fails is a reason to stop like any other."""
    try:
        return condition.check(memory, tick)
    except Exception as error:
        name = type(condition).__name__
        what, value = f"the check {name} itself failed with", f"{type(error).__name__}: {error}"
        return memory, (Cause(f"failure {name}", what, value, "allowed none", tick.stamp, tick.previous),)


def _waiting(causes: list[Cause]) -> SafetyState:
    if not causes:
        return WAITING
    return SafetyState(False, f"waiting to be armed; not ready, as {causes[0].fault}.")


def _stopped(state: SupervisorState, causes: list[Cause]) -> SupervisorState:
    first, *others = causes
    later = tuple(cause.sentence for cause in others)
    escalated = any(cause.severity is Severity.HARD for cause in causes)
    output = SafetyState(False, first.sentence, latched=True, escalated=escalated, later=later)
    return state._replace(phase="stopped", output=output, causes=(first, *others))


def _with_later(state: SupervisorState, causes: list[Cause]) -> SupervisorState:
    known = {cause.key for cause in state.causes}
    fresh = tuple(cause for cause in causes if cause.key not in known)
    if not fresh:
        return state
    said, output = tuple(cause.sentence for cause in fresh), state.output
    escalated = output.escalated or any(cause.severity >= Severity.FORCE for cause in fresh)
    output = SafetyState(False, output.sentence, True, escalated, output.later + said)
    return state._replace(output=output, causes=state.causes + fresh)
