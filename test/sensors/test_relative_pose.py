"""Errors that grow with the range, along and across the line of sight, and covariances that say so."""
from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from hil_relative_dynamics.scenario.sensors import RelativePoseSettings
from hil_relative_dynamics.sensors import PoseReading, RelativePose
from hil_relative_dynamics.spatial import MotionSample

from .judging import CONFIDENCE, MS, assert_centred, assert_variance, assert_white, run

GRASP_POINT = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([2.9, 0.1, -0.2]))
CLIENT = pin.SE3(pin.rpy.rpyToMatrix(1.0, -0.4, 0.3), np.array([10.0, 20.0, -5.0]))
ATTITUDE = pin.rpy.rpyToMatrix(0.5, -0.3, 2.8)  # of the grasp point in the base
EVERY_STEP = RelativePoseSettings(period_ns=0, latency_ns=0)
DIRECTION = np.array([6.0, -2.0, 3.0]) / 7.0


def readings(settings: RelativePoseSettings, position: np.ndarray, count: int) -> list[PoseReading]:
    """With the grasp point there, in the base."""
    servicer = CLIENT * GRASP_POINT * pin.SE3(ATTITUDE, position).inverse()
    truth = (MotionSample.of(CLIENT), MotionSample.of(servicer))
    sensor = RelativePose(settings, GRASP_POINT, 0, MS)
    return [measurement.value for _, measurement in run(sensor, lambda stamp: truth, count, MS)]


def errors(told: list[PoseReading], position: np.ndarray) -> np.ndarray:
    """Position and small rotation, in base axes: columns."""
    return np.array([[*(it.array[:3] - position), *pin.log3(it.pose.rotation @ ATTITUDE.T)] for it in told])


def sight_axes(direction: np.ndarray) -> np.ndarray:
    """Two across, one along: columns."""
    return np.column_stack([*np.linalg.svd(direction[None])[2][1:], direction])


def test_it_tells_the_grasp_point_in_the_base():
    position = np.array([1.0, 2.0, 3.0])
    (reading,) = readings(EVERY_STEP.ideal(), position, 1)
    assert_allclose(reading.pose.homogeneous, pin.SE3(ATTITUDE, position).homogeneous, atol=1e-14)
    assert_allclose(reading.covariance, 0.0)


@pytest.mark.parametrize("camera", [(0.0, 0.0, 0.0), (0.9, -0.3, 0.4)])
@pytest.mark.parametrize("distance", [3.0, 10.0, 80.0])
def test_far_errors_are_shares_of_the_range(distance, camera):
    position = np.array(camera) + (distance + 1e-9) * DIRECTION
    samples = errors(readings(replace(EVERY_STEP, position=camera), position, 4000), position)
    in_sight = samples[:, :3] @ sight_axes(DIRECTION)
    deviations = distance * np.array([0.002, 0.002, 0.007])
    assert_variance(in_sight, deviations)
    assert_centred(in_sight, deviations)
    assert_variance(samples[:, 3:], radians(1.0))
    assert_white(np.hstack([in_sight, samples[:, 3:]]))


@pytest.mark.parametrize("distance", [0.4, 1.9, 2.999])
def test_close_errors_are_constant_and_the_same_in_all_directions(distance):
    position = distance * DIRECTION
    samples = errors(readings(EVERY_STEP, position, 4000), position)
    assert_variance(samples, np.array([0.005] * 3 + [radians(0.5)] * 3))
    assert_white(samples)


def test_range_counts_from_the_camera():
    camera, position = np.array([2.0, 0.0, 0.0]), np.array([4.0, 0.0, 0.0])
    samples = errors(readings(replace(EVERY_STEP, position=tuple(camera)), position, 2000), position)
    assert_variance(samples[:, :3], 0.005)


def test_covariance_is_that_of_the_errors():
    for distance, allowed in ((1.9, 1.0), (20.0, 1.01)):  # from the measured range, which is 0.7 % off itself
        position, count = distance * DIRECTION, 3000
        told = readings(EVERY_STEP, position, count)
        normalised = [e @ np.linalg.solve(it.covariance, e) for e, it in zip(errors(told, position), told)]
        lower, upper = np.array(stats.chi2.interval(CONFIDENCE, 6 * count)) / count
        assert lower / allowed < np.mean(normalised) < upper * allowed
        assert all(np.array_equal(it.covariance, it.covariance.T) for it in told[:10])


def test_covariance_does_not_betray_the_true_range():
    far = readings(EVERY_STEP, 20.0 * DIRECTION, 5)
    traces = {float(np.trace(reading.covariance)) for reading in far}
    assert len(traces) == 5
    for reading in far:
        variance = (0.007**2 + 2 * 0.002**2) * np.dot(reading.array[:3], reading.array[:3])
        assert np.trace(reading.covariance[:3, :3]) == pytest.approx(variance)


def test_biases_are_constant_in_base_axes():
    bias, turn, position = (0.01, -0.02, 0.03), np.radians([0.3, -0.2, 0.1]), np.array([1.0, 2.0, 3.0])
    settings = replace(EVERY_STEP.ideal(), position_bias=bias, attitude_bias=tuple(turn))
    assert_allclose(errors(readings(settings, position, 2), position), [[*bias, *turn]] * 2, atol=1e-14)
