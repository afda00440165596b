"""The plant's model of an F/T sensor, sampled and late."""
from __future__ import annotations

from dataclasses import replace
from math import inf, pi

import numpy as np
import pinocchio as pin
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.scenario.sensors import ForceTorqueSettings
from hil_relative_dynamics.sensors import ForceTorque

from .judging import MS, assert_centred, assert_variance, assert_white, run

IDEAL = ForceTorqueSettings().ideal()
WRENCH = pin.Force(np.array([10.0, -5.0, 3.0, 0.5, -0.4, 0.3]))


def told(settings: ForceTorqueSettings, count: int, wrench=lambda stamp: WRENCH, tick: int = MS) -> np.ndarray:
    given = run(ForceTorque(settings, 0, tick), lambda stamp: (wrench(stamp),), count, tick)
    return np.array([measurement.value.vector for _, measurement in given])


def test_default_noise_is_white_around_the_wrench():
    samples = told(replace(ForceTorqueSettings(), force_drift=0.0, torque_drift=0.0), 8000) - WRENCH.vector
    deviation = np.array([0.5] * 3 + [0.05] * 3)
    assert_variance(samples, deviation)
    assert_centred(samples, deviation)
    assert_white(samples)


def test_bias_drift_and_saturation():
    assert_allclose(told(replace(IDEAL, force_bias=(1.0, 2.0, 3.0)), 2) - WRENCH.vector, [[1, 2, 3, 0, 0, 0]] * 2)
    drift = told(replace(IDEAL, force_drift=3600.0), 101) - WRENCH.vector  # up to 1 N/s
    assert_allclose(drift[:, :3], np.outer(np.arange(101) / 100, drift[100, :3]), atol=1e-12)
    assert 0.0 < abs(drift[100, :3]).min() and abs(drift[100, :3]).max() <= 0.1
    assert_array_equal(told(replace(IDEAL, force_range=(4.0, 4.0, inf)), 1)[0, :3], [4.0, -4.0, 3.0])


def test_filter_works_at_the_sensor_s_own_period():
    """A ramp comes out late by the time constant, whatever the period."""
    for period in (MS, 4 * MS):
        settings = replace(IDEAL, bandwidth=20.0, period_ns=period)
        samples = told(settings, 400, lambda stamp: pin.Force(1e-9 * stamp * np.ones(6)))
        stamps = 1e-9 * np.arange(len(samples)) * period
        assert_allclose(samples[-1], stamps[-1] - 1.0 / (2.0 * pi * 20.0), atol=1e-12)


def test_it_starts_settled_under_the_first_wrench():
    assert_allclose(told(replace(IDEAL, bandwidth=1.0), 3), [WRENCH.vector] * 3, rtol=1e-14)


def test_sign_is_no_error():
    reaction = replace(ForceTorqueSettings(), multiplier=-1).ideal()
    assert_array_equal(told(reaction, 1)[0], -WRENCH.vector)
