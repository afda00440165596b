"""Joint readings to motion relative to the nominal."""
from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.facility.filters import low_pass, time_constant
from hil_relative_dynamics.facility.kinematics import ArmKinematics, FacilityKinematics, RobotKinematics
from hil_relative_dynamics.facility.robot_model import RobotModel, client_robot, servicer_robot
from hil_relative_dynamics.spatial import JointReading, MotionSample

PERIOD = 4_000_000
CLIENT, SERVICER = client_robot(), servicer_robot()
NOMINAL = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.2, 0.3), np.array([-0.9, 0.1, 1.3]))
GRASP = pin.SE3(pin.rpy.rpyToMatrix(0.3, 0.1, -0.2), np.array([2.9, 0.2, -0.1]))
WORKING = np.radians([0.0, -78.7, 106.8, 0.0, -28.1, 0.0])


def joints_at(time: float, robot: RobotModel = CLIENT) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A smooth motion of all joints about the working posture: angles, rates, accelerations."""
    rate, phase = np.linspace(0.5, 2.0, 6), np.arange(6.0)
    size = 0.2
    angles = WORKING + size * np.sin(rate * time + phase)
    return angles, size * rate * np.cos(rate * time + phase), -size * rate**2 * np.sin(rate * time + phase)


def reading(time: float) -> JointReading:
    return JointReading.of(*joints_at(time)[:2])


def run(block, times: np.ndarray) -> list:
    state, samples = block.initial_state(), []
    for time in times:
        state, sample = block.step(state, reading(time), round(1e9 * time))
        samples.append(sample)
    return samples


@pytest.fixture
def block() -> RobotKinematics:
    return RobotKinematics(CLIENT, NOMINAL, GRASP)


def test_pose_closes_the_chain(block):
    """nominal in laboratory, g_c, grasp point in client: ends at the robot's grasp point."""
    _, sample = block.step(block.initial_state(), reading(0.7), 0)
    assert (NOMINAL * sample.pose * GRASP).isApprox(CLIENT.pose(joints_at(0.7)[0]), 1e-13)


def test_twist_is_the_rate_of_the_pose(block):
    dt = 1e-5
    before, here, after = (run(block, np.array([time]))[0] for time in (0.7 - dt, 0.7, 0.7 + dt))
    moved = pin.log6(before.pose.actInv(after.pose)).vector / (2 * dt)
    assert_allclose(here.twist.vector, moved, atol=1e-8)


def test_acceleration_is_the_mean_over_the_last_interval(block):
    samples = run(block, np.arange(0.0, 0.1, 0.004))
    for before, after in pairwise(samples):
        expected = (after.twist - before.twist).vector / 0.004
        assert_allclose(after.acceleration.vector, expected, rtol=1e-9, atol=1e-9)


def test_acceleration_converges_to_the_derivative_of_the_twist(block):
    """First order: half an interval late."""

    def off(dt: float) -> float:
        times = 0.5 + dt * np.arange(3)
        here, there = (run(block, np.array([time]))[0].twist for time in (times[2], times[2] + 1e-6))
        truth = (there - here).vector / 1e-6
        return float(np.abs(run(block, times)[-1].acceleration.vector - truth).max())

    assert off(0.004) < 0.01
    assert off(0.002) == pytest.approx(0.5 * off(0.004), rel=0.02)


def test_first_sample_has_no_acceleration(block):
    assert_array_equal(run(block, np.array([0.3]))[0].acceleration.vector, np.zeros(6))


def test_time_comes_from_stamps_not_from_counts(block):
    """A lost sample changes the interval, not the size of the acceleration."""
    regular = run(block, np.array([0.0, 0.004, 0.008]))[-1]
    lost = run(block, np.array([0.0, 0.008]))[-1]
    assert_allclose(lost.acceleration.vector, regular.acceleration.vector, atol=0.01)


def test_a_repeated_stamp_changes_nothing(block):
    state, _ = block.step(block.initial_state(), reading(0.0), 0)
    state, sample = block.step(state, reading(0.004), PERIOD)
    again, repeated = block.step(state, reading(0.004), PERIOD)
    assert_array_equal(repeated.array, sample.array)
    assert again == state


def test_what_is_not_finite_passes_and_is_forgotten():
    block = RobotKinematics(CLIENT, NOMINAL, GRASP, cutoff=10.0)
    state, _ = block.step(block.initial_state(), reading(0.0), 0)
    bad = JointReading.of(np.full(6, np.nan), np.zeros(6))
    state, sample = block.step(state, bad, PERIOD)
    assert np.isnan(sample.array).any()
    for step in range(2, 4):
        state, sample = block.step(state, reading(0.004 * step), step * PERIOD)
    assert np.isfinite(sample.array).all()


def test_filter_smooths_and_does_not_bias():
    times, noise = np.arange(0.0, 4.0, 0.004), np.random.default_rng(1)

    def spread(cutoff: float) -> float:
        block = RobotKinematics(CLIENT, NOMINAL, GRASP, cutoff)
        state, found = block.initial_state(), []
        for time in times:
            shaky = JointReading.of(WORKING, 1e-4 * noise.normal(size=6))
            state, sample = block.step(state, shaky, round(1e9 * time))
            found.append(sample.acceleration.vector)
        assert np.abs(np.mean(found[500:], axis=0)).max() < 0.02
        return float(np.std(found[500:]))

    assert spread(10.0) < 0.2 * spread(0.0)


def test_motion_does_not_depend_on_where_the_nominal_is():
    """Body twists and accelerations are the same for any calibration; the pose moves with it."""
    times = np.arange(0.0, 0.02, 0.004)
    shift = pin.SE3.Random()
    here = run(RobotKinematics(CLIENT, NOMINAL, GRASP), times)[-1]
    there = run(RobotKinematics(CLIENT, NOMINAL * shift, GRASP), times)[-1]
    assert_array_equal(here.array[7:], there.array[7:])
    assert here.pose.isApprox(shift * there.pose, 1e-12)


@settings(max_examples=30, deadline=None)
@given(some.floats(0.0, 6.0))
def test_two_frames_of_one_body_move_as_one_body(time):
    """Grasp point and body frame: same motion seen from two points."""
    times = time + 0.004 * np.arange(3)
    body = run(RobotKinematics(CLIENT, NOMINAL, GRASP), times)[-1]
    carried = run(RobotKinematics(CLIENT, NOMINAL, pin.SE3.Identity()), times)[-1]
    assert_allclose(body.twist.vector, GRASP.act(carried.twist).vector, atol=1e-12)
    assert_allclose(body.acceleration.vector, GRASP.act(carried.acceleration).vector, atol=1e-9)


def test_arm_acceleration_is_the_limit_from_the_left():
    """Under held torques rates are straight between samples: the difference is the acceleration before."""
    block = ArmKinematics(2)
    state, rate = block.initial_state(), np.zeros(2)
    expected = np.zeros(2)
    for step, acceleration in enumerate(np.random.default_rng(2).normal(size=(20, 2))):
        arm = JointReading.of(np.ones(2), rate)
        state, sample = block.step(state, arm, step * 1_000_000)
        assert_allclose(sample.acceleration, expected, atol=1e-9)
        assert_array_equal(sample.position, arm.position)
        assert_array_equal(sample.velocity, arm.velocity)
        rate, expected = rate + 1e-3 * acceleration, acceleration


def test_arm_sample_and_reading_share_no_memory():
    block, arm = ArmKinematics(2), JointReading.of(np.ones(2), np.ones(2), np.full(2, 9.0))
    state, sample = block.step(block.initial_state(), arm, 0)
    arm.array[:] = np.nan
    assert np.isfinite(sample.array).all() and np.isfinite(state.rate).all()


def test_whole_facility_is_its_parts():
    robots = [RobotKinematics(robot, NOMINAL, GRASP) for robot in (CLIENT, SERVICER)]
    parts = *robots, ArmKinematics(6)
    whole = FacilityKinematics(*parts)
    state, states = whole.initial_state(), [part.initial_state() for part in parts]
    for step in range(3):
        arguments = reading(0.004 * step), step * PERIOD
        state, samples = whole.step(state, arguments[0], arguments[0], *arguments)
        for index, part in enumerate(parts):
            states[index], sample = part.step(states[index], *arguments)
            assert_array_equal(samples[index].array, sample.array)
    assert isinstance(samples[0], MotionSample)


@settings(max_examples=100, deadline=None)
@given(some.floats(-5, 5), some.floats(-5, 5), some.floats(1e-3, 1.0), some.floats(1e-4, 1.0))
def test_low_pass_is_exact_for_any_step(y, x, tau, dt):
    whole = low_pass(y, x, tau, dt)
    halves = low_pass(low_pass(y, x, tau, dt / 2), x, tau, dt / 2)
    assert whole == pytest.approx(halves, abs=1e-12)
    assert min(x, y) - 1e-12 <= whole <= max(x, y) + 1e-12
    assert low_pass(y, x, 0.0, dt) == x


def test_low_pass_serves_pinocchio_types():
    force = low_pass(pin.Force.Zero(), pin.Force(np.ones(6)), time_constant(10.0), 0.004)
    assert_allclose(force.vector, np.full(6, 1.0 - np.exp(-0.004 * 2 * np.pi * 10.0)))
    assert time_constant(0.0) == 0.0
