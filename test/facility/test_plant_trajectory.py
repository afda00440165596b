"""Homing: waypoints with splines between them, and controllers that exclude each other."""
from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY, ControllerSwitch
from hil_relative_dynamics.facility.trajectory import ActiveTrajectory, JointTrajectory
from hil_relative_dynamics.spatial import JointReading

SECOND = 10**9
START = 5 * SECOND
START_POSITION, START_VELOCITY = np.array([0.1, -0.2]), np.array([0.05, 0.0])
POSITIONS = np.array([[0.5, 0.0], [1.0, -1.0], [0.8, 0.3]])
VELOCITIES = np.array([[0.3, -0.4], [0.2, 0.1], [0.0, 0.0]])
ACCELERATIONS = np.array([[0.1, 0.0], [-0.3, 0.2], [0.0, 0.0]])
TIMES = (SECOND, 3 * SECOND, 4 * SECOND)
KINDS = {
    "linear": JointTrajectory(TIMES, POSITIONS),
    "cubic": JointTrajectory(TIMES, POSITIONS, VELOCITIES),
    "quintic": JointTrajectory(TIMES, POSITIONS, VELOCITIES, ACCELERATIONS),
}


def active(trajectory: JointTrajectory) -> ActiveTrajectory:
    return ActiveTrajectory(trajectory, START, START_POSITION, START_VELOCITY)


def derivative(move: ActiveTrajectory, time: int, order: int, step: int = 10**5) -> np.ndarray:
    """By central differences."""
    before, here, after = (move.position(time + shift * step) for shift in (-1, 0, 1))
    h = 1e-9 * step
    return (after - before) / (2.0 * h) if order == 1 else (after - 2.0 * here + before) / h**2


@pytest.mark.parametrize("kind", KINDS)
def test_waypoints_are_met_and_the_last_is_held(kind):
    move = active(KINDS[kind])
    assert_allclose(move.position(START), START_POSITION, atol=1e-15)
    for time, position in zip(TIMES, POSITIONS):
        assert_allclose(move.position(START + time), position, atol=1e-14)
        assert_allclose(move.position(START + time - 1), position, atol=1e-8)
    assert_array_equal(move.position(START + 100 * SECOND), POSITIONS[-1])
    assert_allclose(move.position(START - SECOND), START_POSITION, atol=1e-15)
    assert move.end == START + TIMES[-1]


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_velocities_are_met_and_continuous(kind):
    move = active(KINDS[kind])
    assert_allclose(derivative(move, START + 2 * 10**5, 1), START_VELOCITY, atol=2e-3)
    for time, velocity in zip(TIMES[:2], VELOCITIES):
        for side in (-(10**5), 10**5):
            assert_allclose(derivative(move, START + time + side, 1), velocity, atol=2e-3)


def test_accelerations_are_met_with_order_five():
    move = active(KINDS["quintic"])
    for time, acceleration in zip(TIMES[:2], ACCELERATIONS):
        for side in (-(2 * 10**5), 2 * 10**5):
            assert_allclose(derivative(move, START + time + side, 2), acceleration, atol=0.02)


def test_positions_alone_make_straight_lines():
    move = active(KINDS["linear"])
    assert_allclose(
        move.position(START + SECOND // 4), START_POSITION + 0.25 * (POSITIONS[0] - START_POSITION)
    )
    assert_allclose(move.position(START + 2 * SECOND), 0.5 * (POSITIONS[0] + POSITIONS[1]))


def test_a_move_from_rest_to_rest_is_smooth():
    move = ActiveTrajectory(
        JointTrajectory((SECOND,), np.ones((1, 1)), np.zeros((1, 1))), 0, np.zeros(1), np.zeros(1)
    )
    t = np.linspace(0.0, 1.0, 21)
    assert_allclose([move.position(int(1e9 * time))[0] for time in t], 3 * t**2 - 2 * t**3, atol=1e-12)


def test_a_waypoint_at_zero_is_where_to_be_at_once():
    move = active(JointTrajectory((0, SECOND), POSITIONS[:2], VELOCITIES[:2]))
    assert_allclose(move.position(START), POSITIONS[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((), np.zeros((0, 2))), "at least one waypoint"),
        (((-1,), POSITIONS[:1]), "rise from 0 on"),
        (((SECOND, SECOND), POSITIONS[:2]), "rise from 0 on"),
        (((SECOND,), POSITIONS), "1 rows of numbers"),
        (((SECOND,), np.array([[np.nan, 0.0]])), "1 rows of numbers"),
        (((SECOND,), POSITIONS[:1], None, ACCELERATIONS[:1]), "must have velocities"),
    ],
)
def test_impossible_trajectories_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        JointTrajectory(*arguments)


def test_waypoints_for_another_robot_are_refused():
    with pytest.raises(ValueError, match="must have 3 joints, not 2"):
        ActiveTrajectory(KINDS["linear"], 0, np.zeros(3), np.zeros(3))


# ---- controllers ----

SWITCH = ControllerSwitch()
READING = JointReading.of(START_POSITION, START_VELOCITY)


def test_controllers_exclude_each_other():
    state = SWITCH.initial_state()
    assert state.active == FORWARD
    with pytest.raises(
        ValueError, match=f"{TRAJECTORY} must be active to follow a trajectory, not {FORWARD}"
    ):
        SWITCH.follow(state, KINDS["cubic"], READING, START)
    state = SWITCH.follow(SWITCH.switch(state, TRAJECTORY), KINDS["cubic"], READING, START)
    assert state.active == TRAJECTORY and state.trajectory is not None
    assert_allclose(state.trajectory.position(START), START_POSITION, atol=1e-15)
    assert SWITCH.switch(state, FORWARD) == (FORWARD, None)
    assert SWITCH.switch(state, None) == (None, None)


def test_switching_to_the_active_one_changes_nothing():
    state = SWITCH.follow(SWITCH.initial_state(TRAJECTORY), KINDS["cubic"], READING, START)
    assert SWITCH.switch(state, TRAJECTORY) is state


def test_a_new_trajectory_replaces_the_old_from_where_the_robot_is():
    state = SWITCH.follow(SWITCH.initial_state(TRAJECTORY), KINDS["cubic"], READING, START)
    elsewhere = JointReading.of(np.array([0.4, 0.4]), np.zeros(2))
    state = SWITCH.follow(state, KINDS["quintic"], elsewhere, START + SECOND)
    assert state.trajectory is not None
    assert_allclose(state.trajectory.position(START + SECOND), elsewhere.position, atol=1e-15)


def test_unknown_controllers_are_named():
    with pytest.raises(
        ValueError, match="there is no controller 'gravity', only forward_position_controller and"
    ):
        SWITCH.initial_state("gravity")
