"""The gyro against the Allan deviation of what was specified."""
from __future__ import annotations

from dataclasses import replace
from math import pi, radians, sqrt

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.scenario.sensors import GyroSettings
from hil_relative_dynamics.sensors import Gyro
from hil_relative_dynamics.spatial import MotionSample

from .judging import MS, assert_centred, assert_variance, assert_white, values

SECOND = 1000 * MS
QUIET = GyroSettings().ideal()
REST = (MotionSample.of(pin.SE3.Identity()),)


def rates(settings: GyroSettings, count: int, period: int, seed: int = 0) -> np.ndarray:
    return values(Gyro(settings, seed, period), lambda stamp: REST, count, period)


def assert_allan(samples: np.ndarray, dt: float, averaged: int, expected: float) -> None:
    r"""Allan deviation of the three axes over `averaged` samples.

    Neighbouring differences are correlated by -1/2 (white noise) to 1/4 (random walk): the mean of M of their
    squares varies by at most \( 1 + 2/4 \) times that of independent ones.
    """
    clusters = samples[: len(samples) // averaged * averaged].reshape(-1, averaged, 3).mean(axis=1)
    differences = np.diff(clusters, axis=0).ravel()
    assert len(differences) > 60
    assert_variance(differences / sqrt(2.0), expected, degrees=len(differences) / 1.5)


@pytest.mark.parametrize(
    "angle_walk, rate_walk, dt_ms",
    [
        (GyroSettings().angle_random_walk, GyroSettings().rate_random_walk, 10_000),  # meet at 1000 s
        (1e-3, 1e-3, 100),  # meet at 1.7 s
        (1e-3, 0.0, 4),
        (0.0, 1e-3, 1000),  # without the 1/12 the first would be by a quarter of its variance too small
        (1e-4, 1e-3, 1000),
    ],
)
def test_allan_deviation_is_as_specified(angle_walk, rate_walk, dt_ms):
    settings = replace(QUIET, angle_random_walk=angle_walk, rate_random_walk=rate_walk)
    samples, dt = rates(settings, 20_000, dt_ms * MS), 1e-3 * dt_ms
    for averaged in (1, 3, 10, 30, 100, 300):
        tau = averaged * dt
        assert_allan(samples, dt, averaged, sqrt(angle_walk**2 / tau + rate_walk**2 * tau / 3.0))


def test_allan_test_can_fail():
    samples = rates(replace(QUIET, angle_random_walk=1e-3, rate_random_walk=1e-3), 20_000, 100 * MS)
    for factor in (0.95, 1.05):
        with pytest.raises(AssertionError):
            assert_allan(samples, 0.1, 1, factor * sqrt(1e-6 / 0.1 + 1e-6 * 0.1 / 3.0))


def test_the_default_adds_up_to_two_thousandths_of_a_degree_in_an_hour():
    settings = replace(QUIET, angle_random_walk=GyroSettings().angle_random_walk)
    angles = 10.0 * rates(settings, 36_000, 10 * SECOND).reshape(-1, 360, 3).sum(axis=1)
    assert_variance(angles.ravel(), radians(0.002))


@pytest.mark.parametrize("period", [MS, 4 * MS, 10 * MS])
def test_white_noise_is_white_and_grows_with_the_rate(period):
    settings = replace(QUIET, angle_random_walk=1e-4)
    samples, deviation = rates(settings, 8000, period), 1e-4 / sqrt(1e-9 * period)
    assert_variance(samples, deviation)
    assert_centred(samples, deviation)
    assert_white(samples)
    assert_allclose(Gyro(settings, 0, period).covariance, deviation**2 * np.eye(3), rtol=1e-14)


def test_bias_walks_from_its_start_also_while_measurements_drop_out():
    settings = replace(QUIET, rate_random_walk=1e-3, bias=(0.1, -0.2, 0.3), dropout=0.7)
    gyro, period, biases = Gyro(settings, 0, 100 * MS), 100 * MS, []
    state = gyro.initial_state()
    assert_array_equal(state.device, [0.1, -0.2, 0.3])
    for stamp in range(0, 8000 * period, period):
        state, _ = gyro.step(state, *REST, stamp)
        biases.append(state.device)
    steps = np.diff(biases, axis=0)
    assert_variance(steps, 1e-3 * sqrt(0.1))
    assert_white(steps)


def test_bias_walks_on_over_missed_steps():
    gyro = Gyro(replace(QUIET, rate_random_walk=1e-3), 0, MS)
    steps = []
    state, stamp = gyro.initial_state(), 0
    for index in range(6000):
        before = state.device
        state, _ = gyro.step(state, *REST, stamp)
        steps.append(state.device - before)
        stamp += MS if index % 2 else 9 * MS
    assert_variance(np.array(steps[1::2]), 1e-3 * sqrt(9e-3))
    assert_variance(np.array(steps[2::2]), 1e-3 * sqrt(1e-3))


def test_constant_bias_and_rate_in_base_axes():
    bias = tuple(GyroSettings().bias)
    assert_allclose(bias, np.array([0.5, -0.3, 0.4]) * pi / 180 / 3600, rtol=1e-14)
    omega = np.array([0.01, -0.04, 0.02])
    servicer = MotionSample.of(pin.SE3.Random(), pin.Motion(np.ones(3), omega))
    gyro = Gyro(replace(QUIET, bias=bias), 0, MS)
    assert_allclose(values(gyro, lambda stamp: (servicer,), 3, MS), [omega + bias] * 3, rtol=1e-14)
