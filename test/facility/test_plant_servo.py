"""Servoed robots against closed forms: delay, lag, bandwidth, limits, encoders; delay in contact."""
from __future__ import annotations

from dataclasses import replace
from math import ceil, exp, inf, pi, radians, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.facility.delay import DelayLine
from hil_relative_dynamics.facility.servo import HALF_POWER, ServoedRobot, ServoState
from hil_relative_dynamics.facility.setpoint import JointLimits
from hil_relative_dynamics.scenario.plant import RobotDevice

CYCLE = 4_000_000
MILLISECOND = 1_000_000
DEVICE = RobotDevice()
IDEAL = DEVICE.ideal()
LIMITS = JointLimits(np.full(2, -3.0), np.array([3.0, 1.0]), np.array([2.0, 0.5]), np.array([8.0, 5.0]))


def robot(device: RobotDevice, cycle: int = CYCLE, limits: JointLimits = LIMITS) -> ServoedRobot:
    return ServoedRobot(device, cycle, limits)


def driven(
    plant: ServoedRobot, state: ServoState, commands: list[np.ndarray], cycle: int = CYCLE
) -> list[ServoState]:
    """The states at the end of each cycle, one command given at the start of each."""
    states = []
    for index, command in enumerate(commands):
        state = plant.step(plant.give(state, command, index * cycle), index * cycle)
        states.append(state)
    return states


def both(value: float) -> np.ndarray:
    return np.full(2, value)


# ---- delay ----


@given(delay=st.integers(0, 50 * MILLISECOND), given_at=st.integers(0, 10**12))
def test_a_command_arrives_exactly_after_the_delay(delay, given_at):
    line = DelayLine(delay)
    queue = line.give((), both(1.0), given_at)
    assert line.step(queue, given_at + delay - 1) == (queue, None)
    left, arrived = line.step(queue, given_at + delay)
    assert left == () and same(arrived, both(1.0))


def same(left: np.ndarray | None, right: np.ndarray) -> bool:
    return left is not None and bool(np.array_equal(left, right))


def test_of_several_that_arrived_the_newest_counts():
    line = DelayLine(5)
    queue = line.give(line.give(line.give((), both(1.0), 0), both(2.0), 1), both(3.0), 2)
    queue, arrived = line.step(queue, 6)
    assert same(arrived, both(2.0))
    queue, arrived = line.step(queue, 7)
    assert same(arrived, both(3.0)) and queue == ()


def test_a_command_is_copied():
    line, command = DelayLine(5), both(1.0)
    queue = line.give((), command, 0)
    command[:] = 9.0
    assert same(line.step(queue, 5)[1], both(1.0))


@pytest.mark.parametrize(
    "delay", [0, 1, CYCLE - 1, CYCLE, CYCLE + 1, 3 * CYCLE - 1, 3 * CYCLE, 3 * CYCLE + 1]
)
def test_a_robot_obeys_from_the_first_cycle_after_the_delay(delay):
    plant = robot(replace(IDEAL, delay_ns=delay))
    state = plant.give(plant.initial_state(both(0.1)), both(0.2), 0)
    first = ceil(delay / CYCLE)
    for index in range(first + 3):
        state = plant.step(state, index * CYCLE)
        assert_array_equal(state.motion[0], both(0.2 if index >= first else 0.1))


def test_within_a_cycle_the_newest_command_wins():
    plant = robot(IDEAL)
    state = plant.initial_state(both(0.0))
    state = plant.give(plant.give(state, both(0.1), 1 * MILLISECOND), both(0.2), 3 * MILLISECOND)
    assert_array_equal(plant.step(state, CYCLE).motion[0], both(0.2))


# ---- servo ----


def response(w: float, t: np.ndarray) -> np.ndarray:
    """Position, velocity and acceleration of the servo, from rest, under a set-point that is t^2/2."""
    t = np.maximum(t, 0.0)
    fading = np.exp(-w * t)
    position = 0.5 * t * t - 2.0 * t / w + 3.0 / w**2 - (t / w + 3.0 / w**2) * fading
    return np.array([position, t - 2.0 / w + (t + 2.0 / w) * fading, 1.0 - (1.0 + w * t) * fading])


@pytest.mark.parametrize("bandwidth", [3.0, 12.8, 60.0])
def test_step_response_is_the_closed_form(bandwidth):
    plant = robot(replace(IDEAL, bandwidth=bandwidth))
    states = driven(plant, plant.initial_state(both(0.0)), [both(1.0)] * 60)
    w, h = 2.0 * pi * bandwidth / HALF_POWER, 1e-9 * CYCLE
    t = h * np.arange(1, 61)
    expected = (response(w, t) - 2.0 * response(w, t - h) + response(w, t - 2.0 * h)) / h**2
    motion = np.array([state.motion[:, 0] for state in states]).T
    assert_allclose(
        motion / np.array([[1.0], [w], [w * w]]), expected / np.array([[1.0], [w], [w * w]]), atol=1e-9
    )


@pytest.mark.parametrize("bandwidth", [3.0, 12.8])
def test_bandwidth_is_where_71_percent_are_left(bandwidth):
    cycle = 100_000
    plant = robot(replace(IDEAL, bandwidth=bandwidth), cycle)
    w = 2.0 * pi * bandwidth
    t = 1e-9 * cycle * np.arange(1, int(8.0 / bandwidth / (1e-9 * cycle)))
    states = driven(plant, plant.initial_state(both(0.0)), [both(np.sin(w * time)) for time in t], cycle)
    late = t > 4.0 / bandwidth
    basis = np.column_stack([np.sin(w * t), np.cos(w * t)])[late]
    fit = np.linalg.lstsq(basis, np.array([state.motion[0, 0] for state in states])[late], rcond=None)[0]
    assert np.hypot(*fit) == pytest.approx(sqrt(0.5), abs=2e-4)
    phase = -2.0 * np.arctan(HALF_POWER) - 0.5e-9 * cycle * w  # interpolation takes half a cycle
    assert np.arctan2(fit[1], fit[0]) == pytest.approx(phase, abs=1e-4)


def test_default_robot_is_30_ms_late_on_a_ramp():
    plant = robot(replace(DEVICE, encoder_resolution=0.0))
    speed = np.array([0.3, -0.1])
    commands = [speed * 1e-9 * (index + 1) * CYCLE for index in range(400)]
    end = driven(plant, plant.initial_state(both(0.0)), commands)[-1]
    assert plant.lag == pytest.approx(0.018, abs=1e-5), "half a cycle and 2/w"
    assert_allclose(end.motion[0], speed * (400 * 1e-9 * CYCLE - 0.012 - plant.lag), atol=1e-12)
    assert_allclose(end.motion[1], speed, atol=1e-12)
    assert_allclose(end.motion[2], 0.0, atol=1e-10)


def test_velocity_and_acceleration_are_smooth():
    plant = robot(replace(DEVICE, limits=False))
    commands = [both(0.01 * np.sin(1e-9 * 2.0 * CYCLE * index)) for index in range(500)]
    motion = np.array(
        [state.motion[:, 0] for state in driven(plant, plant.initial_state(both(0.0)), commands)]
    )
    h = 1e-9 * CYCLE
    steady = slice(60, None)
    assert_allclose(np.gradient(motion[:, 0], h)[steady][1:-1], motion[steady, 1][1:-1], atol=1e-6)
    assert_allclose(np.gradient(motion[:, 1], h)[steady][1:-1], motion[steady, 2][1:-1], atol=1e-5)


def test_holds_without_commands_to_the_last_bit():
    plant = robot(DEVICE)
    start = plant.initial_state(np.array([0.123456789, -1.987654321]))
    state = start
    for index in range(500):
        state = plant.step(state, index * CYCLE)
    assert_array_equal(state.motion, start.motion)


def test_the_last_command_is_held_for_ever():
    plant = robot(DEVICE)
    state = plant.give(plant.initial_state(both(0.0)), both(0.1), 0)
    for index in range(1000):
        state = plant.step(state, index * CYCLE)
    assert_allclose(state.motion, [both(0.1), both(0.0), both(0.0)], atol=1e-12)


# ---- no imperfections ----


def test_ideal_robot_is_where_it_is_told_to_be():
    plant = robot(IDEAL)
    commands = [np.array([np.sin(0.003 * k), 0.5 * np.cos(0.002 * k)]) for k in range(1, 200)]
    for state, command in zip(driven(plant, plant.initial_state(np.array([0.0, 0.5])), commands), commands):
        assert_array_equal(state.motion[0], command)


def test_ideal_robot_has_the_motion_s_velocity_and_acceleration():
    plant = robot(IDEAL)
    t = 1e-9 * CYCLE * np.arange(1, 300)
    commands = [both(0.2 * (1.0 - np.cos(0.5 * time))) for time in t]
    start = plant.initial_state(both(0.0), both(0.0), both(0.05))
    motion = np.array([state.motion[:, 0] for state in driven(plant, start, commands)])
    assert_allclose(motion[:, 1], 0.1 * np.sin(0.5 * t), atol=1e-9)
    assert_allclose(motion[:, 2], 0.05 * np.cos(0.5 * t), atol=1e-6)


@pytest.mark.parametrize("device", [IDEAL, replace(IDEAL, bandwidth=12.8)])
def test_a_robot_that_starts_moving_goes_on(device):
    plant = robot(device)
    velocity = np.array([0.4, -0.2])
    state = plant.initial_state(both(0.1), velocity)
    for index in range(100):
        t = 1e-9 * CYCLE * (index + 1)
        state = plant.step(
            plant.give(state, both(0.1) + velocity * (t + plant.lag), index * CYCLE), index * CYCLE
        )
        assert_allclose(state.motion, [both(0.1) + velocity * t, velocity, both(0.0)], atol=1e-9)


# ---- limits ----

COMMAND = st.tuples(st.floats(-6.0, 6.0), st.floats(-6.0, 6.0)).map(np.array)
TOLERANCE = 1.0 + 1e-10


def accelerations_within(before: ServoState, after: ServoState, bandwidth: float) -> np.ndarray:
    """At instants within the cycle between two states: that of the set-point, and what fades out."""
    w, h = 2.0 * pi * bandwidth / HALF_POWER, 1e-9 * CYCLE
    slope, slope_before = -np.diff(after.setpoints, axis=0)[:2] / h
    steady, t = (slope - slope_before) / h, np.linspace(0.0, h, 9)[:, None]
    _, velocity, acceleration = before.motion
    rate = w * w * (slope_before - velocity) - 2.0 * w * acceleration
    gone = acceleration - steady
    return steady + (gone + (rate + w * gone) * t) * np.exp(-w * t)


@settings(max_examples=60, deadline=None)
@given(
    commands=st.lists(COMMAND, min_size=5, max_size=60),
    repeat=st.integers(1, 40),
    bandwidth=st.floats(1.0, 80.0),
)
def test_no_command_makes_a_robot_exceed_its_limits(commands, repeat, bandwidth):
    plant = robot(replace(DEVICE, bandwidth=bandwidth))
    hard = [command for command in commands for _ in range(repeat)]
    before = plant.initial_state(both(0.0))
    for state in driven(plant, before, hard):
        position, velocity, acceleration = state.motion
        assert (position >= LIMITS.lower - 1e-12).all() and (position <= LIMITS.upper + 1e-12).all()
        assert (abs(velocity) <= LIMITS.velocity * TOLERANCE).all()
        assert (abs(acceleration) <= LIMITS.acceleration * TOLERANCE).all()
        assert (abs(velocity - before.motion[1]) <= LIMITS.acceleration * 1e-9 * CYCLE * TOLERANCE).all()
        within = accelerations_within(before, state, bandwidth)
        assert_allclose(within[-1], acceleration, atol=1e-8)
        assert (abs(within) <= LIMITS.acceleration * (1.0 + 1e-9)).all()
        before = state


@settings(max_examples=40, deadline=None)
@given(commands=st.lists(COMMAND, min_size=5, max_size=40), repeat=st.integers(1, 40))
def test_without_lag_the_mean_velocity_keeps_the_limits(commands, repeat):
    plant = robot(replace(DEVICE, bandwidth=inf))
    hard = [command for command in commands for _ in range(repeat)]
    states = driven(plant, plant.initial_state(both(0.0)), hard)
    h = 1e-9 * CYCLE
    positions = np.array([both(0.0), both(0.0), *[state.motion[0] for state in states]])
    velocities = np.diff(positions, axis=0) / h
    assert (abs(velocities) <= LIMITS.velocity * (1.0 + 1e-9)).all()
    assert (abs(np.diff(velocities, axis=0)) <= LIMITS.acceleration * h * (1.0 + 1e-9)).all()


@settings(max_examples=40, deadline=None)
@given(target=st.floats(-2.9, 0.9))
def test_a_far_target_is_reached_without_overshoot_and_in_time(target):
    plant = robot(DEVICE)
    states = driven(plant, plant.initial_state(both(0.0)), [both(target)] * 2500)
    way = np.array([state.motion[0] for state in states]) * np.sign(target)
    assert (way.max(axis=0) <= abs(target) + 1e-9).all()
    fastest = abs(target) / LIMITS.velocity + LIMITS.velocity / LIMITS.acceleration
    for joint in range(2):
        late = 1e-9 * CYCLE * np.argmax(way[:, joint] > abs(target) - 1e-4)
        assert late < fastest[joint] + 0.25


def test_a_target_out_of_range_ends_at_the_limit():
    plant = robot(DEVICE)
    end = driven(plant, plant.initial_state(both(0.0)), [both(5.0)] * 2500)[-1]
    assert_allclose(end.motion, [LIMITS.upper, both(0.0), both(0.0)], atol=1e-9)


def test_a_target_that_runs_away_is_caught_up_with():
    plant = robot(replace(DEVICE, delay_ns=0))
    speed = np.array([0.3, 0.1])
    commands = [both(0.5) + speed * 1e-9 * CYCLE * (index + 1) for index in range(1000)]
    end = driven(plant, plant.initial_state(both(0.0)), commands)[-1]
    assert_allclose(end.motion[0], commands[-1] - speed * plant.lag, atol=1e-9)
    assert_allclose(end.motion[1], speed, atol=1e-9)


def test_a_motion_within_the_limits_is_not_touched():
    free, limited = robot(replace(DEVICE, limits=False)), robot(DEVICE)
    commands = [both(0.3 * (1.0 - np.cos(1e-9 * CYCLE * k))) for k in range(1, 800)]
    ends = [driven(plant, plant.initial_state(both(0.0)), commands)[-1].motion for plant in (free, limited)]
    assert_array_equal(*ends)


# ---- encoders, nonsense ----


def test_encoder_reads_in_steps():
    step = radians(0.01)
    plant = robot(replace(DEVICE, encoder_resolution=step))
    for angle in np.random.default_rng(0).uniform(-3.0, 3.0, (100, 2)):
        reading = plant.read(plant.initial_state(angle, both(0.1)))
        assert_allclose(reading.position / step, np.rint(reading.position / step), atol=1e-9)
        assert (abs(reading.position - angle) <= 0.5 * step * (1 + 1e-9)).all()
        assert_array_equal(reading.velocity, both(0.1))
        assert_array_equal(reading.effort, both(0.0))


def test_exact_encoder_reads_the_truth():
    plant = robot(IDEAL)
    assert_array_equal(plant.read(plant.initial_state(both(0.1 + 0.2))).position, both(0.1 + 0.2))


@pytest.mark.parametrize("command", [[np.nan, 0.0], [0.0, np.inf], [1.0], [1.0, 2.0, 3.0]])
def test_nonsense_is_not_obeyed(command):
    plant = robot(DEVICE)
    state = plant.initial_state(both(0.1))
    assert plant.give(state, np.array(command), 0) is state


# ---- what delay does to contact ----


def restitution(device: RobotDevice, mass: float, stiffness: float, cycle: int = 100_000) -> float:
    """Rebound speed over impact speed of a simulated mass whose robot meets a spring."""
    unlimited = JointLimits(*[np.full(1, sign * inf) for sign in (-1, 1, 1, 1)])
    plant = robot(device, cycle, unlimited)
    h, impact = 1e-9 * cycle, 0.02
    position, velocity, stamp, touched = -0.004, impact, 0, False
    state = plant.initial_state(np.array([position - impact * (plant.lag + 1e-9 * device.delay_ns)]))
    while True:
        measured = plant.read(state).position[0]
        touched = touched or measured > 0.0
        if touched and measured <= 0.0:
            return -velocity / impact
        acceleration = -stiffness * max(measured, 0.0) / mass
        position += h * (velocity + 0.5 * h * acceleration)
        velocity += h * acceleration
        state = plant.step(plant.give(state, np.array([position]), stamp), stamp)
        stamp += cycle


def test_delay_makes_contact_active_as_theory_says():
    """80 kg, 1e4 N/m, 16 ms: restitution exp(pi w tau / 2) = 1.32."""
    expected = exp(0.5 * pi * sqrt(1e4 / 80.0) * 0.016)
    assert expected == pytest.approx(1.32, abs=0.005)
    delayed = replace(IDEAL, delay_ns=16 * MILLISECOND)
    assert restitution(delayed, 80.0, 1e4) == pytest.approx(expected, rel=0.03)


def test_lag_counts_like_delay():
    half = replace(IDEAL, delay_ns=8 * MILLISECOND, bandwidth=HALF_POWER / (pi * 0.008))  # 2/w = 8 ms
    assert restitution(half, 80.0, 1e4) == pytest.approx(1.32, rel=0.03)


def test_without_delay_contact_is_elastic():
    assert restitution(IDEAL, 80.0, 1e4) == pytest.approx(1.0, abs=0.003)
