"""The phases of a capture: what each waits for, and when it is given up."""
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import degrees
from typing import NamedTuple

from hil_relative_dynamics.scenario.capture import Timeline, Tolerances

#: how long both errors must have been small before the approach begins [ns]
SETTLED = 500_000_000


class Phase(Enum):
    SYNCHRONISE = "synchronise"
    APPROACH = "approach"
    GRASP = "grasp"
    HOLD = "hold"
    ABORT = "abort"


class Errors(NamedTuple):
    """How far off the capture is: base relative to the client, end-effector relative to where it should be."""

    base_position: float  # [m]
    base_angle: float  # [rad]
    tool_position: float
    tool_angle: float
    tool_speed: float  # [m/s]


@dataclass(frozen=True)
class PhaseState:
    """Where the capture stands."""

    phase: Phase = Phase.SYNCHRONISE
    since: int = 0  # [ns]
    settled_since: int | None = None
    reason: str = ""


class PhaseMachine:
    """synchronise -> approach -> grasp -> hold; any of them -> abort, with a reason. Nothing leads out of abort."""

    def __init__(self, timeline: Timeline, tolerances: Tolerances) -> None:
        self._timeline, self._tolerances = timeline, tolerances

    def step(self, state: PhaseState, errors: Errors, latched: bool, stamp: int) -> PhaseState:
        if state.phase in (Phase.HOLD, Phase.ABORT):
            return state
        act = {
            Phase.SYNCHRONISE: self._synchronise,
            Phase.APPROACH: self._approach,
            Phase.GRASP: self._grasp,
        }[state.phase]
        return act(state, errors, latched, stamp)

    def abort(self, state: PhaseState, reason: str, stamp: int) -> PhaseState:
        return state if state.phase is Phase.ABORT else PhaseState(Phase.ABORT, stamp, reason=reason)

    def _synchronise(self, state: PhaseState, errors: Errors, latched: bool, stamp: int) -> PhaseState:
        limits, timeout = self._tolerances, self._timeline.synchronise_timeout_ns
        if not (errors.base_position <= limits.base_position and errors.base_angle <= limits.base_angle):
            if stamp - state.since > timeout:
                off = f"{errors.base_position:.3f} m and {degrees(errors.base_angle):.2f} deg off"
                allowed = f"allowed {limits.base_position:g} m and {degrees(limits.base_angle):g} deg"
                waited = f"after {1e-9 * timeout:g} s"
                return self.abort(state, f"not synchronised {waited}: {off}, {allowed}.", stamp)
            return PhaseState(state.phase, state.since)
        settled = stamp if state.settled_since is None else state.settled_since
        if stamp - settled >= SETTLED and stamp >= self._timeline.approach_from_ns:
            return PhaseState(Phase.APPROACH, stamp)
        return PhaseState(state.phase, state.since, settled)

    def _approach(self, state: PhaseState, errors: Errors, latched: bool, stamp: int) -> PhaseState:
        limits, timeline, elapsed = self._tolerances, self._timeline, stamp - state.since
        if not errors.tool_position <= limits.corridor:
            left = f"the end-effector is {errors.tool_position:.3f} m off its way, allowed {limits.corridor:g} m"
            return self.abort(state, f"{left}.", stamp)
        if elapsed < timeline.approach_ns:
            return state
        if (
            errors.tool_position <= limits.trigger_position
            and errors.tool_angle <= limits.trigger_angle
            and errors.tool_speed <= limits.trigger_speed
        ):
            return PhaseState(Phase.GRASP, stamp)
        if elapsed > timeline.approach_ns + timeline.trigger_timeout_ns:
            off = f"{errors.tool_position:.4f} m, {degrees(errors.tool_angle):.2f} deg, {errors.tool_speed:.4f} m/s"
            angle = degrees(limits.trigger_angle)
            allowed = f"{limits.trigger_position:g} m, {angle:g} deg, {limits.trigger_speed:g} m/s"
            return self.abort(state, f"the grasp was never triggered: at {off}, allowed {allowed}.", stamp)
        return state

    def _grasp(self, state: PhaseState, errors: Errors, latched: bool, stamp: int) -> PhaseState:
        if latched:
            return PhaseState(Phase.HOLD, stamp)
        if stamp - state.since > self._timeline.latch_timeout_ns:
            waited = f"{1e-9 * self._timeline.latch_timeout_ns:g} s"
            return self.abort(state, f"the gripper did not latch within {waited}.", stamp)
        return state
