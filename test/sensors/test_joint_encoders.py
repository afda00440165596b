"""Angles in steps, noise and bias; rates with noise."""
from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.scenario.sensors import JointEncodersSettings
from hil_relative_dynamics.sensors import JointEncoders
from hil_relative_dynamics.spatial import JointSample

from .judging import MS, assert_centred, assert_variance, assert_white, run

IDEAL = JointEncodersSettings().ideal()
JOINTS = JointSample.of(np.linspace(-2.0, 2.0, 7), np.linspace(0.1, -0.3, 7))


def errors(settings: JointEncodersSettings, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Of angles and rates."""
    given = run(JointEncoders(settings, 0, MS), lambda stamp: (JOINTS,), count, MS)
    told = np.array([measurement.value.array for _, measurement in given])
    return told[:, 0] - JOINTS.position, told[:, 1] - JOINTS.velocity


def test_noise_of_angles_and_rates_is_white_and_as_told():
    angles, rates = errors(replace(IDEAL, noise=1e-4, rate_noise=2e-3), 5000)
    assert_variance(angles, 1e-4)
    assert_variance(rates, 2e-3)
    assert_white(np.hstack([angles, rates]))


def test_angles_come_in_steps_that_noise_smooths():
    step = radians(0.01)
    settings = replace(IDEAL, resolution=step)
    exact, _ = errors(settings, 2)
    assert (abs(exact) <= 0.5 * step).all() and (exact != 0.0).any()
    assert_allclose(np.rint((JOINTS.position + exact) / step) * step, JOINTS.position + exact, atol=1e-12)
    dithered, _ = errors(replace(settings, noise=step), 5000)
    variance = step**2 * (1.0 + 1.0 / 12.0)
    assert_centred(dithered, np.sqrt(variance))
    assert_variance(dithered, np.sqrt(variance))


def test_bias_for_all_or_for_each_joint():
    for bias in (0.01, tuple(0.01 * np.arange(7))):
        angles, rates = errors(replace(IDEAL, bias=bias), 2)
        assert_allclose(angles, np.broadcast_to(bias, (2, 7)), atol=1e-15)
        assert_array_equal(rates, 0.0)


def test_effort_is_handed_on():
    sensor = JointEncoders(JointEncodersSettings(), 0, MS)
    _, measurement = sensor.step(sensor.initial_state(), JOINTS, 0, effort=np.arange(7.0))
    assert_array_equal(measurement.value.effort, np.arange(7.0))
