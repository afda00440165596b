"""Joint commands of the industrial robots: following, starting without a bump, stopping within limits."""
from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.facility.robot_commander import START_TIME, CommanderState, RobotCommander
from hil_relative_dynamics.facility.robot_model import Unreachable, client_robot
from hil_relative_dynamics.facility.safety_state import ENABLED, SafetyState
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.laboratory import Commanding
from hil_relative_dynamics.spatial import JointReading, MotionPoints, MotionSample

DT = 0.004
SCENARIO = load("envisat_unforced")
GRASP = SCENARIO.client.grasp_point.pose_in_client
NOMINAL = SCENARIO.laboratory.pose_nominal(GRASP)
ROBOT = client_robot()
WORKING = ROBOT.solve_anywhere(SCENARIO.laboratory.grasp_point.pose)
STOP = SafetyState(False, "contact force is 312 N, allowed 250, since 3.2 s.", latched=True)
HARD_STOP = SafetyState(False, "contact force is 812 N, allowed 250.", latched=True, escalated=True)
WAITING = SafetyState(False, "waiting to be armed.")


@pytest.fixture
def commander() -> RobotCommander:
    return RobotCommander(ROBOT, NOMINAL, GRASP, Commanding())


def points(q: np.ndarray) -> MotionPoints:
    """Commanded motion that ends with these joint angles."""
    sample = MotionSample.of(NOMINAL.actInv(ROBOT.pose(q) * GRASP.inverse()))
    return MotionPoints.of(sample, sample)


def reading(q: np.ndarray, dq: np.ndarray | None = None) -> JointReading:
    return JointReading.of(q, np.zeros(6) if dq is None else dq)


def follow(commander: RobotCommander, targets: np.ndarray, state: CommanderState | None = None):
    """Commands for targets of successive cycles, from rest at the first one."""
    state = commander.initial_state() if state is None else state
    commands = []
    for target in targets:
        state, command = commander.step(state, points(target), ENABLED, reading(targets[0]), DT)
        commands.append(command)
    return state, np.array(commands)


def moving(rate: np.ndarray, cycles: int, start: np.ndarray = WORKING) -> np.ndarray:
    """Targets that speed up smoothly to a joint rate and keep it."""
    time = DT * np.arange(cycles)
    ramp = np.minimum(time, 0.5)
    way = 0.5 * ramp**2 / 0.5 + np.maximum(time - 0.5, 0.0)
    return start + way[:, None] * rate


def stop(commander: RobotCommander, state: CommanderState, safety: SafetyState = STOP, cycles: int = 200):
    commands = []
    for _ in range(cycles):
        state, command = commander.step(state, points(WORKING), safety, reading(WORKING), DT)
        commands.append(command)
    return state, np.array(commands)


def rates_and_accelerations(before: np.ndarray, commands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rates = np.diff(np.vstack([before, commands]), axis=0) / DT
    return rates[1:], np.diff(rates, axis=0) / DT


def test_commands_are_exactly_the_commanded_poses(commander):
    targets = moving(np.radians([5.0, -4.0, 3.0, 10.0, -5.0, 8.0]), 300)
    state, commands = follow(commander, targets)
    for target, command in zip(targets, commands):
        expected = NOMINAL * points(target).end.pose * GRASP
        assert np.abs(pin.log6(ROBOT.pose(command).actInv(expected)).vector).max() < 1e-12
    assert_allclose(commands, targets, atol=1e-9)
    assert (state.phase, state.sentence, state.held_back) == ("following", "", 0)


def test_start_has_no_bump(commander):
    """Half a degree off at the start: the first command is where the robot is, the last on target."""
    measured = WORKING + np.radians([0.5, -0.5, 0.3, 0.2, -0.4, 0.1])
    state, commands = commander.initial_state(), []
    for _ in range(round(START_TIME / DT) + 5):
        state, command = commander.step(state, points(WORKING), ENABLED, reading(measured), DT)
        commands.append(command)
    assert np.abs(commands[0] - measured).max() < np.radians(1e-3)
    assert_allclose(commands[-1], WORKING, atol=1e-9)
    rates, accelerations = rates_and_accelerations(np.array([measured, measured]), np.array(commands))
    assert np.all(np.abs(rates) < 0.2 * ROBOT.velocity_limits)
    assert np.all(np.abs(accelerations) < ROBOT.acceleration_limits)
    assert state.held_back == 0 and state.offset is None


def test_start_in_motion_has_no_bump(commander):
    """A robot that moves already is taken on with its velocity."""
    rate = np.radians([5.0, -4.0, 3.0, 10.0, -5.0, 8.0])
    state, commands = commander.initial_state(), [WORKING - DT * rate, WORKING]
    for cycle in range(20):
        here, there = points(WORKING + cycle * DT * rate).end, points(WORKING + (cycle + 1) * DT * rate).end
        device = reading(WORKING + cycle * DT * rate, rate)
        state, command = commander.step(state, MotionPoints.of(here, there), ENABLED, device, DT)
        commands.append(command)
    assert_allclose(np.diff(commands, axis=0), np.tile(DT * rate, (21, 1)), atol=1e-12)
    assert state.held_back == 0


def test_start_from_afar_is_refused(commander):
    measured = WORKING + np.radians([0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    start = commander.initial_state()
    state, command = commander.step(start, points(WORKING), ENABLED, reading(measured), DT)
    assert_array_equal(command, measured)
    assert state.phase == "stopped"
    assert state.sentence == (
        "joint 3 of client_robot is 2.00 deg off its first target, allowed 1.00: it has to be homed."
    )
    again, command = commander.step(state, points(WORKING), ENABLED, reading(WORKING), DT)
    assert_array_equal(command, measured)
    assert again.phase == "stopped"
    homed = commander.reset(again)
    state, command = commander.step(homed, points(WORKING), ENABLED, reading(WORKING), DT)
    assert state.phase == "following"
    assert_allclose(command, WORKING, atol=1e-9)


def test_waits_where_it_is_until_enabled(commander):
    state = commander.initial_state()
    for shift in (0.0, 1e-4, -1e-4):  # encoder noise does not move the command
        state, command = commander.step(state, points(WORKING), WAITING, reading(WORKING + shift), DT)
        assert_array_equal(command, WORKING)
    moved = WORKING + 0.3  # by homing
    state, command = commander.step(state, points(WORKING), WAITING, reading(moved), DT)
    assert_array_equal(command, moved)
    assert state.phase == "waiting"


def test_does_not_know_what_to_command_before_the_first_reading(commander):
    unknown = reading(np.full(6, np.nan))
    state, command = commander.step(commander.initial_state(), None, WAITING, unknown, DT)
    assert command is None
    assert "not finite" in state.sentence
    state, command = commander.step(state, None, WAITING, reading(WORKING), DT)
    assert_array_equal(command, WORKING)


RATES = some.lists(some.floats(-0.9, 0.9), min_size=6, max_size=6).map(np.array)


@settings(max_examples=60, deadline=None)
@given(RATES, some.booleans())
def test_a_stop_is_a_straight_ramp_to_rest_within_time_and_limits(shares, escalated):
    commander = RobotCommander(ROBOT, NOMINAL, GRASP, Commanding())
    rate = 0.3 * shares * ROBOT.velocity_limits
    state, commands = follow(commander, moving(rate, 60))  # 0.24 s: at half the rate
    assert state.phase == "following"
    state, ramp = stop(commander, state, HARD_STOP if escalated else STOP)
    assert state.phase == "stopped"
    assert_array_equal(ramp[-1], ramp[round(0.5 / DT) + 1])  # at rest after the stop time, and stays
    rates, accelerations = rates_and_accelerations(commands[-2:], ramp)
    assert np.all(np.abs(rates) <= ROBOT.velocity_limits)
    assert np.all(np.abs(accelerations) <= ROBOT.acceleration_limits * 1.0001)
    velocity = (commands[-1] - commands[-2]) / DT
    along = (ramp - commands[-1]) @ velocity
    if velocity @ velocity > 1e-6:
        ways = along / (velocity @ velocity)
        assert_allclose(ramp - commands[-1], ways[:, None] * velocity, atol=1e-9)  # all joints together
        assert all(later >= earlier - 1e-12 for earlier, later in pairwise(ways))  # and never back


def test_a_stop_says_why_and_stays(commander):
    state, _ = follow(commander, moving(np.full(6, 0.1), 100))
    state, _ = stop(commander, state)
    assert state.sentence == STOP.sentence
    for _ in range(3):
        state, command = commander.step(state, points(WORKING), ENABLED, reading(WORKING), DT)
    assert state.phase == "stopped"
    assert_array_equal(command, state.command)


def test_reset_waits_for_rest(commander):
    state, _ = follow(commander, moving(np.full(6, 0.1), 100))
    state, _ = stop(commander, state, cycles=5)
    assert state.phase == "stopping"
    assert commander.reset(state) is state
    state, _ = stop(commander, state)
    assert commander.reset(state) == commander.initial_state()


def test_an_escalated_stop_is_as_short_as_the_limits_allow(commander):
    rate = np.array([0.0, 0.4, 0.0, 0.0, 0.0, 0.0])

    def cycles_to_rest(safety: SafetyState, later: SafetyState) -> int:
        state, _ = follow(commander, moving(rate, 150))
        state, first = stop(commander, state, safety, 10)
        state, rest = stop(commander, state, later)
        ramp = np.vstack([first, rest])
        _, accelerations = rates_and_accelerations(ramp[:2], ramp[2:])
        assert np.abs(accelerations).max() <= ROBOT.acceleration_limits[1] * 1.0001
        return int(np.argmax(np.abs(ramp - ramp[-1]).max(axis=1) == 0.0))

    normal, at_once = cycles_to_rest(STOP, STOP), cycles_to_rest(HARD_STOP, HARD_STOP)
    assert abs(normal - 0.5 / DT) <= 1
    assert abs(at_once - 0.4 / ROBOT.acceleration_limits[1] / DT) <= 1
    assert at_once < cycles_to_rest(STOP, HARD_STOP) < normal


def test_an_unreachable_pose_stops(commander):
    """Ever further out, until the arm is stretched."""
    state, target = commander.initial_state(), points(WORKING)
    for cycle in range(2000):
        ahead = pin.SE3(np.eye(3), np.array([1e-6 * cycle**2, 0.0, 0.0]))
        sample = MotionSample.of(ahead * target.end.pose)
        state, command = commander.step(state, MotionPoints.of(sample, sample), ENABLED, reading(WORKING), DT)
        if state.phase != "following":
            break
    assert state.phase == "stopping"
    assert "client_robot would" in state.sentence and state.sentence.endswith(".")
    assert np.isfinite(command).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(7))
def test_a_pose_that_is_none_stops(commander, bad, place):
    state, commands = follow(commander, moving(np.full(6, 0.1), 50))
    spoilt = points(WORKING)
    spoilt.array[1, place] = bad
    state, command = commander.step(state, spoilt, ENABLED, reading(WORKING), DT)
    assert state.phase == "stopping" and "not finite" in state.sentence
    assert np.abs(command - commands[-1]).max() < 0.1 * DT


def test_silence_stops(commander):
    state, _ = follow(commander, moving(np.full(6, 0.1), 50))
    state, _ = commander.step(state, None, ENABLED, reading(WORKING), DT)
    assert state.phase == "stopping" and state.sentence == "client_robot is told nothing."


def test_joints_that_are_not_finite_stop(commander):
    state, _ = follow(commander, moving(np.full(6, 0.1), 50))
    state, command = commander.step(state, points(WORKING), ENABLED, reading(np.full(6, np.nan)), DT)
    assert state.phase == "stopping" and np.isfinite(command).all()


@settings(max_examples=30, deadline=None)
@given(some.integers(0, 5), some.floats(-10.0, 10.0))
def test_guard_keeps_a_jump_within_limits_and_says_so(joint, degrees):
    commander = RobotCommander(ROBOT, NOMINAL, GRASP, Commanding())
    jump = WORKING.copy()
    jump[joint] += np.radians(degrees)
    state, before = follow(commander, np.array([WORKING, WORKING]))
    state, commands = follow(commander, np.array([jump] * 200), state)
    rates, accelerations = rates_and_accelerations(before, commands)
    assert np.all(np.abs(rates) <= ROBOT.velocity_limits * 1.0001)
    assert np.all(np.abs(accelerations) <= ROBOT.acceleration_limits * 1.0001)
    assert_allclose(commands[-1], jump, atol=1e-9)
    assert state.sentence == ""
    if abs(degrees) > 1.0:
        assert state.held_back > 5
        overshoot = (commands[:, joint] - jump[joint]) * np.sign(degrees)
        assert overshoot.max() < np.radians(0.1)


def test_guard_names_the_joint(commander):
    jump = WORKING + np.radians([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    state, _ = follow(commander, np.array([WORKING, WORKING]))
    state, _ = follow(commander, np.array([jump]), state)
    assert state.sentence.startswith("joint 4 of client_robot is held back by 4.9")
    assert state.sentence.endswith("deg, allowed 190 deg/s and 760 deg/s^2.")


def test_ramp_is_shorter_before_a_joint_limit(commander):
    near = WORKING.copy()
    near[4] = np.radians(-120.0)
    rate = np.array([0.0, 0.0, 0.0, 0.0, -0.3, 0.0])
    targets = moving(rate, 150, near)
    state, commands = follow(commander, targets)
    while state.phase == "following":
        targets = targets + DT * rate
        state, more = follow(commander, targets[-1:], state)
        commands = np.vstack([commands, more])
    assert "allowed -125 to 125" in state.sentence
    state, ramp = stop(commander, state)
    fastest = 0.3**2 / 2 / ROBOT.acceleration_limits[4]
    assert ramp[-1, 4] > ROBOT.lower[4] - fastest - 1e-6


@settings(max_examples=60, deadline=None)
@given(some.lists(some.floats(0.02, 0.98), min_size=6, max_size=6),
       some.lists(some.floats(0.02, 0.98), min_size=6, max_size=6))
def test_homing_is_straight_slow_and_from_rest_to_rest(start, end):
    commander = RobotCommander(ROBOT, NOMINAL, GRASP, Commanding())
    measured, target = (ROBOT.lower + np.array(part) * (ROBOT.upper - ROBOT.lower) for part in (start, end))
    home = commander.homing_trajectory(measured, target)
    assert_allclose(home.positions[-1], target, atol=1e-12)
    assert_allclose([home.velocities[-1], home.accelerations[-1]], np.zeros((2, 6)), atol=1e-12)
    assert np.all(np.abs(home.velocities) <= 0.0501 * ROBOT.velocity_limits)
    assert np.all(np.abs(home.accelerations) <= 0.0501 * ROBOT.acceleration_limits)
    times = 1e-9 * np.array([0, *home.times])
    assert np.all(np.diff(times) > 0.0) and np.all(np.diff(times) < 0.51)
    way = target - measured
    ways = (home.positions - measured) @ way / max(way @ way, 1e-30)
    assert_allclose(home.positions - measured, ways[:, None] * way, atol=1e-9)


def test_homing_velocities_and_accelerations_belong_to_the_positions(commander):
    home = commander.homing_trajectory(WORKING, WORKING + np.radians([30.0, 5.0, -20.0, 90.0, 10.0, -100.0]))
    times = 1e-9 * np.array(home.times)
    coefficients = np.polynomial.polynomial.polyfit(times / times[-1], home.positions, 5)
    for order, rows in ((1, home.velocities), (2, home.accelerations)):
        derivative = np.polynomial.polynomial.polyder(coefficients, order)
        expected = np.polynomial.polynomial.polyval(times / times[-1], derivative).T / times[-1] ** order
        assert_allclose(rows, expected, atol=1e-6)


def test_homing_refuses_what_is_beyond_a_limit(commander):
    target = WORKING.copy()
    target[1] = 0.0
    with pytest.raises(Unreachable, match=r"joint 2 of client_robot would be homed to 0\.0 deg, allowed"):
        commander.homing_trajectory(WORKING, target)
    with pytest.raises(Unreachable, match="homed to nan deg"):
        commander.homing_trajectory(WORKING, np.full(6, np.nan))


def test_nothing_in_the_state_is_shared_with_the_reading(commander):
    measured = reading(WORKING.copy())
    state, command = commander.step(commander.initial_state(), points(WORKING), ENABLED, measured, DT)
    measured.array[:] = np.nan
    assert np.isfinite(state.command).all() and np.isfinite(state.before).all() and np.isfinite(command).all()
