"""Noise by axis, in the tracker's own frame; lost when the base turns too fast."""
from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.scenario.sensors import StarTrackerSettings
from hil_relative_dynamics.sensors import StarTracker
from hil_relative_dynamics.spatial import MotionSample

from .judging import MS, assert_centred, assert_variance, assert_white, run, values

ARCSEC = pi / 180 / 3600
EVERY_STEP = StarTrackerSettings(period_ns=0, latency_ns=0)
ATTITUDE = pin.rpy.rpyToMatrix(0.7, -1.1, 2.3)


def turning(rate: float = 0.0, attitude: np.ndarray = ATTITUDE) -> MotionSample:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    return MotionSample.of(pin.SE3(attitude, np.ones(3)), pin.Motion(np.ones(3), rate * axis))


def errors(settings: StarTrackerSettings, count: int, attitude: np.ndarray = ATTITUDE) -> np.ndarray:
    """Small rotations from the true to the measured attitude, in the tracker's axes."""
    truth = (turning(attitude=attitude),)
    quaternions = values(StarTracker(settings, 0, MS), lambda stamp: truth, count, MS)
    assert_allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-14)
    mount = pin.rpy.rpyToMatrix(*settings.rpy)
    tracker = attitude @ mount
    return np.array([pin.log3(tracker.T @ pin.Quaternion(q).matrix() @ mount) for q in quaternions])


@pytest.mark.parametrize("rpy_deg", [(0, 0, 0), (90, 0, 0), (20, -70, 130)])
def test_noise_is_a_small_rotation_larger_about_the_boresight(rpy_deg):
    settings = replace(EVERY_STEP, rpy=tuple(np.radians(rpy_deg)))
    samples = errors(settings, 5000)
    assert_variance(samples, np.array([3.0, 3.0, 20.0]) * ARCSEC)
    assert_centred(samples, np.array([3.0, 3.0, 20.0]) * ARCSEC)
    assert_white(samples)


def test_boresight_is_the_mounted_z_axis_of_the_base_whatever_its_attitude():
    """A tracker that looks along base x is bad at roll; noise in the inertial frame would be bad elsewhere."""
    settings = replace(EVERY_STEP, rpy=(0.0, radians(90.0), 0.0))
    for attitude in (np.eye(3), ATTITUDE):
        quaternions = values(StarTracker(settings, 0, MS), lambda s, a=attitude: (turning(attitude=a),), 2000, MS)
        in_base = [pin.log3(attitude.T @ pin.Quaternion(q).matrix()) for q in quaternions]
        assert_variance(np.array(in_base), np.array([20.0, 3.0, 3.0]) * ARCSEC)


def test_bias_is_constant_in_tracker_axes():
    bias = np.array([10.0, -20.0, 30.0]) * ARCSEC
    settings = replace(EVERY_STEP.ideal(), bias=tuple(bias), rpy=(0.3, 0.2, 0.1))
    assert_allclose(errors(settings, 3), [bias] * 3, atol=1e-14)


def stamps(settings: StarTrackerSettings, rate, count: int, tick: int = 10 * MS) -> list[int]:
    """Acquisitions that are told [ms], with the base turning at `rate(ms)` [deg/s]."""
    tracker = StarTracker(settings, 0, tick)
    given = run(tracker, lambda stamp: (turning(radians(rate(stamp // MS))),), count, tick)
    return [measurement.stamp // MS for _, measurement in given]


def test_it_is_lost_above_the_slew_limit_and_recovers():
    settings = StarTrackerSettings(latency_ns=0, recovery_ns=500 * MS)
    told = stamps(settings, lambda ms: 5.01 if 300 <= ms < 750 else 4.99, 200)
    assert told == [0, 100, 200, *range(1300, 2000, 100)], "500 ms after 740 ms, the last step that was too fast"


def test_recovery_ends_exactly_when_told():
    for recovery, first in ((60, 70), (69, 70), (70, 80), (0, 10)):
        settings = replace(EVERY_STEP, recovery_ns=recovery * MS)
        assert stamps(settings, lambda ms: 6.0 if ms == 0 else 1.0, 20)[0] == first


def test_a_short_spin_between_measurements_counts_and_starts_the_recovery_anew():
    settings = StarTrackerSettings(latency_ns=0, recovery_ns=200 * MS)
    told = stamps(settings, lambda ms: 9.0 if ms in (110, 250) else 0.0, 80)
    assert told == [0, 100, 500, 600, 700]


def test_what_was_taken_before_is_still_given():
    settings = StarTrackerSettings(latency_ns=150 * MS)
    tracker = StarTracker(settings, 0, 10 * MS)
    given = run(tracker, lambda stamp: (turning(radians(0.0 if stamp < 150 * MS else 6.0)),), 100, 10 * MS)
    assert [(at // MS, measurement.stamp // MS) for at, measurement in given] == [(150, 0), (250, 100)]


def test_without_a_limit_it_is_never_lost():
    assert len(stamps(EVERY_STEP.ideal(), lambda ms: 1e4, 50)) == 50
