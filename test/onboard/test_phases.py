"""Phases of a capture: every way on, and every way out."""
from __future__ import annotations

from math import nan

import pytest

from hil_relative_dynamics.onboard.phases import SETTLED, Errors, Phase, PhaseMachine, PhaseState
from hil_relative_dynamics.scenario.capture import Timeline, Tolerances

SECOND = 1_000_000_000
GOOD = Errors(0.0, 0.0, 0.0, 0.0, 0.0)
TIMELINE, TOLERANCES = Timeline(), Tolerances()
APPROACHING = PhaseState(Phase.APPROACH, 10 * SECOND)
OVER = APPROACHING.since + TIMELINE.approach_ns  # the approach's way is behind it


@pytest.fixture
def machine() -> PhaseMachine:
    return PhaseMachine(TIMELINE, TOLERANCES)


def advance(
    machine: PhaseMachine, state: PhaseState, errors: Errors, until: int, step: int = SECOND // 10
) -> PhaseState:
    for stamp in range(0, until + 1, step):
        state = machine.step(state, errors, False, stamp)
    return state


def test_the_approach_begins_when_its_time_has_come(machine: PhaseMachine) -> None:
    assert advance(machine, PhaseState(), GOOD, 9 * SECOND).phase is Phase.SYNCHRONISE
    assert advance(machine, PhaseState(), GOOD, 12 * SECOND) == PhaseState(Phase.APPROACH, TIMELINE.approach_from_ns)


@pytest.mark.parametrize("errors", [GOOD._replace(base_position=0.011), GOOD._replace(base_angle=0.01)])
def test_it_waits_until_both_errors_have_been_small_for_a_while(machine: PhaseMachine, errors: Errors) -> None:
    state = advance(machine, PhaseState(), errors, 12 * SECOND)
    assert state == PhaseState(Phase.SYNCHRONISE, 0)
    state = machine.step(state, GOOD, False, 13 * SECOND)
    assert state.settled_since == 13 * SECOND
    assert machine.step(state, GOOD, False, 13 * SECOND + SETTLED - 1).phase is Phase.SYNCHRONISE
    assert machine.step(state, GOOD, False, 13 * SECOND + SETTLED).phase is Phase.APPROACH
    assert machine.step(state, errors, False, 13 * SECOND + SETTLED // 2).settled_since is None  # starts again


def test_synchronising_is_given_up_in_time(machine: PhaseMachine) -> None:
    far = GOOD._replace(base_position=0.5, base_angle=0.1)
    assert advance(machine, PhaseState(), far, 30 * SECOND).phase is Phase.SYNCHRONISE
    state = advance(machine, PhaseState(), far, 31 * SECOND)
    assert state.phase is Phase.ABORT
    assert state.reason == (
        "not synchronised after 30 s: 0.500 m and 5.73 deg off, allowed 0.01 m and 0.5 deg."
    )


@pytest.mark.parametrize("position", [0.101, nan])
def test_leaving_the_corridor_aborts(machine: PhaseMachine, position: float) -> None:
    state = machine.step(APPROACHING, GOOD._replace(tool_position=position), False, 11 * SECOND)
    assert state.phase is Phase.ABORT and "off its way, allowed 0.1 m" in state.reason


def test_the_grasp_is_triggered_when_the_way_is_behind(machine: PhaseMachine) -> None:
    assert machine.step(APPROACHING, GOOD, False, OVER - 1) == APPROACHING
    assert machine.step(APPROACHING, GOOD, False, OVER) == PhaseState(Phase.GRASP, OVER)


@pytest.mark.parametrize(
    "errors",
    [GOOD._replace(tool_position=0.0101), GOOD._replace(tool_angle=0.036), GOOD._replace(tool_speed=0.0101)],
)
def test_one_condition_of_the_trigger_missing_waits_then_aborts(machine: PhaseMachine, errors: Errors) -> None:
    last = OVER + TIMELINE.trigger_timeout_ns
    assert machine.step(APPROACHING, errors, False, last) == APPROACHING
    state = machine.step(APPROACHING, errors, False, last + 1)
    assert state.phase is Phase.ABORT and state.reason.startswith("the grasp was never triggered: at ")
    assert state.reason.endswith("allowed 0.01 m, 2 deg, 0.01 m/s.")


def test_the_latch_leads_to_holding(machine: PhaseMachine) -> None:
    grasping = PhaseState(Phase.GRASP, 33 * SECOND)
    assert machine.step(grasping, GOOD, True, 34 * SECOND) == PhaseState(Phase.HOLD, 34 * SECOND)


def test_a_gripper_that_does_not_latch_aborts(machine: PhaseMachine) -> None:
    grasping = PhaseState(Phase.GRASP, 33 * SECOND)
    assert machine.step(grasping, GOOD, False, 38 * SECOND) == grasping
    state = machine.step(grasping, GOOD, False, 38 * SECOND + 1)
    assert state == PhaseState(Phase.ABORT, 38 * SECOND + 1, reason="the gripper did not latch within 5 s.")


@pytest.mark.parametrize("phase", [Phase.HOLD, Phase.ABORT])
def test_nothing_leads_out_of_hold_and_abort(machine: PhaseMachine, phase: Phase) -> None:
    state, awful = PhaseState(phase, 40 * SECOND, reason="why"), Errors(9.0, 9.0, 9.0, 9.0, 9.0)
    for errors, latched in ((GOOD, True), (awful, False)):
        assert machine.step(state, errors, latched, 90 * SECOND) is state


def test_abort_from_outside_keeps_the_first_reason(machine: PhaseMachine) -> None:
    state = machine.abort(APPROACHING, "first", 11 * SECOND)
    assert state == PhaseState(Phase.ABORT, 11 * SECOND, reason="first")
    assert machine.abort(state, "second", 12 * SECOND) is state
