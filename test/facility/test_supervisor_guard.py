"""The guard of real hardware: silence trips it, for good."""
from __future__ import annotations

import pytest

from hil_relative_dynamics.facility.supervisor_guard import CommandGuard

MS = 1_000_000
GUARD = CommandGuard({"safety": 100 * MS, "arm commands": 20 * MS})


def test_fresh_inputs_keep_the_controllers():
    state = GUARD.watch(0)
    for now in range(0, 500 * MS, 10 * MS):
        state = GUARD.heard(GUARD.heard(state, "safety", now), "arm commands", now)
        state, deactivate = GUARD.step(state, now + 5 * MS)
        assert not deactivate and state.sentence == ""


@pytest.mark.parametrize("silent, limit", [("safety", 100), ("arm commands", 20)])
def test_silence_of_each_input_trips_just_beyond_its_limit(silent, limit):
    state = GUARD.watch(7)
    for name in {"safety", "arm commands"} - {silent}:
        state = GUARD.heard(state, name, limit * MS)
    state, deactivate = GUARD.step(state, 7 + limit * MS)
    assert not deactivate
    state, deactivate = GUARD.step(state, 7 + limit * MS + 1)
    assert deactivate
    assert state.sentence == (
        f"{silent} has been silent for {limit} ms (limit {limit} ms): controllers deactivated."
    )


def test_an_input_that_never_came_counts_from_the_start_of_the_watch():
    state, deactivate = GUARD.step(GUARD.watch(10**12), 10**12 + 101 * MS)
    assert deactivate
    assert "safety has been silent" in state.sentence and "arm commands has been silent" in state.sentence


def test_a_trip_latches_until_a_new_watch():
    state, _ = GUARD.step(GUARD.watch(0), 30 * MS)
    first = state.sentence
    state = GUARD.heard(GUARD.heard(state, "safety", 31 * MS), "arm commands", 31 * MS)
    state, deactivate = GUARD.step(state, 32 * MS)
    assert deactivate and state.sentence == first
    assert GUARD.step(GUARD.watch(40 * MS), 41 * MS)[1] is False


def test_a_clock_that_runs_backwards_trips():
    state, _ = GUARD.step(GUARD.watch(0), 10 * MS)
    state, deactivate = GUARD.step(state, 9 * MS)
    assert deactivate and "clock ran backwards by 1 ms" in state.sentence


def test_hearing_leaves_the_state_it_was_given_alone():
    state = GUARD.watch(0)
    GUARD.heard(state, "safety", 5)
    assert state == GUARD.watch(0)


def test_an_input_that_is_not_watched_is_refused():
    with pytest.raises(KeyError, match="joystick is not among the inputs of the guard: safety, arm commands"):
        GUARD.heard(GUARD.watch(0), "joystick", 0)
