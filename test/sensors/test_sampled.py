"""Rate, latency and dropout, the same for all sensors; random numbers that follow from seed, name and stamp."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from hil_relative_dynamics.scenario.sensors import SENSORS, Sensors
from hil_relative_dynamics.sensors import ForceTorque, Gyro, JointEncoders, RelativePose, StarTracker
from hil_relative_dynamics.sensors.sampled import Noise
from hil_relative_dynamics.spatial import JointSample, MotionSample

from .judging import CONFIDENCE, MS, assert_centred, assert_unrelated, assert_variance, assert_white, run

GRASP_POINT = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([2.9, 0.1, -0.2]))
SPIN = np.array([0.01, -0.04, 0.02])


def motion(stamp: int) -> MotionSample:
    """Turning, at a rate that tells the time."""
    t = 1e-9 * stamp
    pose = pin.SE3(pin.exp3(SPIN * t), np.array([4.8, 0.01 * t, 0.55]))
    return MotionSample.of(pose, pin.Motion(np.zeros(3), SPIN * (1.0 + 0.01 * t)))


def client(stamp: int) -> MotionSample:
    return MotionSample.of(pin.SE3(pin.exp3(-SPIN * 1e-9 * stamp), np.zeros(3)))


def joints(stamp: int) -> JointSample:
    return JointSample.of(np.arange(7.0) + 1e-9 * stamp, np.ones(7) * 1e-10 * stamp)


def wrench(stamp: int) -> pin.Force:
    return pin.Force(np.arange(6.0) + 1e-9 * stamp)


TRUTHS = {
    "star_tracker": lambda stamp: (motion(stamp),),
    "gyro": lambda stamp: (motion(stamp),),
    "relative_pose": lambda stamp: (client(stamp), motion(stamp)),
    "joint_encoders": lambda stamp: (joints(stamp),),
    "force_torque": lambda stamp: (wrench(stamp),),
}


def make(name: str, settings, seed: int = 0, tick: int = MS, alias: str | None = None):
    kinds = {"star_tracker": StarTracker, "gyro": Gyro, "joint_encoders": JointEncoders, "force_torque": ForceTorque}
    if name == "relative_pose":
        return RelativePose(settings, GRASP_POINT, seed, tick, alias or name)
    return kinds[name](settings, seed, tick, alias or name)


def truth_of(name: str, stamp: int) -> np.ndarray:
    if name == "star_tracker":
        return motion(stamp).array[3:7]
    if name == "gyro":
        return motion(stamp).twist.angular
    if name == "relative_pose":
        return pin.SE3ToXYZQUAT(motion(stamp).pose.actInv(client(stamp).pose * GRASP_POINT))
    if name == "joint_encoders":
        return np.array([*joints(stamp).array[:2], np.zeros(7)])
    return wrench(stamp).vector


def numbers(value) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    return value.vector if isinstance(value, pin.Force) else value.array


def ideal(name: str, **changes):
    return replace(getattr(Sensors().devices, name), **changes)


def real(name: str, **changes):
    return replace(getattr(Sensors(), name), **changes)


@pytest.mark.parametrize("name", SENSORS)
def test_ideal_sensor_tells_the_truth_to_the_last_bit_in_every_step(name):
    given = run(make(name, ideal(name)), TRUTHS[name], 20, 4 * MS)
    assert [stamp for stamp, _ in given] == list(range(0, 80 * MS, 4 * MS))
    for stamp, measurement in given:
        assert measurement.stamp == stamp
        assert_array_equal(numbers(measurement.value), truth_of(name, stamp))


@pytest.mark.parametrize("name", SENSORS)
@pytest.mark.parametrize("period, latency", [(100 * MS, 160 * MS), (20 * MS, 0), (4 * MS, 300 * MS), (8 * MS, 4 * MS)])
def test_rate_and_latency_are_exact_and_the_value_is_that_of_the_stamp(name, period, latency):
    count, tick = 300, 4 * MS
    sensor = make(name, ideal(name, period_ns=period, latency_ns=latency), tick=tick)
    given = run(sensor, TRUTHS[name], count, tick)
    assert [measurement.stamp for _, measurement in given] == list(range(0, count * tick - latency, period))
    assert {stamp - measurement.stamp for stamp, measurement in given} == {latency}
    for _, measurement in given:
        assert_array_equal(numbers(measurement.value), truth_of(name, measurement.stamp))


def test_latency_counts_in_nanoseconds():
    for latency, late in ((10, 10), (9, 9), (1, 1)):
        given = run(make("gyro", ideal("gyro", period_ns=5, latency_ns=latency), tick=1), TRUTHS["gyro"], 50, 1)
        assert {stamp - measurement.stamp for stamp, measurement in given} == {late}
    given = run(make("gyro", ideal("gyro", latency_ns=4 * MS + 1), tick=MS), TRUTHS["gyro"], 50, MS)
    assert {stamp - measurement.stamp for stamp, measurement in given} == {5 * MS}, "in the next step, never earlier"


def test_period_that_is_no_multiple_keeps_its_rate_and_tells_true_stamps():
    given = run(make("gyro", ideal("gyro", period_ns=10 * MS), tick=4 * MS), TRUTHS["gyro"], 100, 4 * MS)
    assert [measurement.stamp // MS for _, measurement in given][:6] == [0, 12, 20, 32, 40, 52]
    assert len(given) == 40


def test_missed_steps_delay_but_do_not_shift_the_rate():
    sensor = make("gyro", ideal("gyro", period_ns=10 * MS, latency_ns=20 * MS))
    state, given = sensor.initial_state(), []
    for stamp in [0, 5, 10, 13, 20, 30, 31, 32, 55, 60, 75, 80, 200]:
        state, measurement = sensor.step(state, motion(stamp * MS), stamp * MS)
        given.append(None if measurement is None else measurement.stamp // MS)
    assert given == [None, None, None, None, 0, 10, None, None, 30, None, 55, 60, 80], "of several the newest"
    assert [item.stamp // MS for item in state.queue] == [200]


@pytest.mark.parametrize("name", SENSORS)
def test_a_step_repeated_gives_the_same(name):
    sensor = make(name, real(name, period_ns=0, latency_ns=0))
    state = sensor.initial_state()
    for stamp in range(0, 5 * MS, MS):
        before, (state, first) = state, sensor.step(state, *TRUTHS[name](stamp), stamp)
        _, again = sensor.step(before, *TRUTHS[name](stamp), stamp)
        assert_array_equal(numbers(first.value), numbers(again.value))
        assert first.stamp == again.stamp == stamp


@pytest.mark.parametrize("name", SENSORS)
def test_noise_follows_from_seed_and_name(name):
    def told(**made) -> np.ndarray:
        sensor = make(name, real(name, period_ns=0, latency_ns=0), **made)
        rows = [numbers(measurement.value).ravel() for _, measurement in run(sensor, TRUTHS[name], 50, MS)]
        return np.array(rows)

    same = told(seed=3)
    assert_array_equal(same, told(seed=3))
    for other in (told(seed=4), told(seed=3, alias="another")):
        assert (same != other).any(axis=1).all()


@pytest.mark.parametrize("name", SENSORS)
def test_other_latency_rate_or_dropout_changes_no_value(name):
    settings = real(name, period_ns=0, latency_ns=0)
    if name == "gyro":
        settings = replace(settings, rate_random_walk=1e-3, period_ns=2 * MS)  # its noise depends on the rate
    if name == "force_torque":
        settings = replace(settings, period_ns=2 * MS)  # so does its filter
    base = {it.stamp: numbers(it.value) for _, it in run(make(name, settings), TRUTHS[name], 200, MS)}
    changes = [{"latency_ns": 7 * MS}, {"dropout": 0.5}]
    if name not in ("gyro", "force_torque"):
        changes.append({"period_ns": 5 * MS})
    for change in changes:
        given = run(make(name, replace(settings, **change)), TRUTHS[name], 200, MS)
        assert 20 < len(given) < 200
        for _, measurement in given:
            assert_array_equal(numbers(measurement.value), base[measurement.stamp])


@pytest.mark.parametrize("probability", [0.02, 0.3, 0.9])
def test_dropouts_are_as_frequent_as_told_and_independent(probability):
    count = 8000
    given = run(make("gyro", ideal("gyro", dropout=probability)), lambda stamp: (motion(0),), count, MS)
    lower, upper = stats.binom.interval(CONFIDENCE, count, probability)
    assert lower <= count - len(given) <= upper
    lost = np.ones(count)
    lost[[measurement.stamp // MS for _, measurement in given]] = 0.0
    assert_white(lost[:, None], shifts=(1, 2, 5))


def test_all_or_none_drop_out():
    for probability, count in ((0.0, 100), (1.0, 0)):
        assert len(run(make("gyro", ideal("gyro", dropout=probability)), TRUTHS["gyro"], 100, MS)) == count


def draws(noise: Noise, stamps, size: int = 3) -> np.ndarray:
    return np.array([noise.at(stamp).standard_normal(size) for stamp in stamps])


@pytest.mark.parametrize("spacing", [1, MS, 100 * MS])
def test_numbers_of_neighbouring_stamps_are_white(spacing):
    samples = draws(Noise(0, "gyro"), range(0, 10_000 * spacing, spacing))
    assert_variance(samples, 1.0)
    assert_centred(samples, 1.0)
    assert_white(samples)
    assert stats.kstest(samples.ravel(), "norm").pvalue > 1e-4


def test_stamps_share_no_number():
    samples = draws(Noise(0, "joint_encoders"), range(500), size=14)
    assert len(np.unique(samples)) == samples.size


def test_sensors_and_seeds_are_independent():
    stamps = range(0, 8000 * MS, MS)
    sequences = [draws(Noise(seed, name), stamps) for seed, name in ((0, "gyro"), (1, "gyro"), (0, "star_tracker"))]
    for index, first in enumerate(sequences):
        for second in sequences[index + 1 :]:
            assert_unrelated(first, second)
