"""The section of the sensors: published defaults, the switch to ideal ones, units and refusals."""
from __future__ import annotations

from math import pi, radians
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hil_relative_dynamics.scenario import Scenario, ScenarioError, load
from hil_relative_dynamics.scenario.load import to_yaml
from hil_relative_dynamics.scenario.plant import OFF
from hil_relative_dynamics.scenario.reader import Place
from hil_relative_dynamics.scenario.sensors import (
    ARCSECOND,
    DEGREE_PER_HOUR,
    DEGREE_PER_ROOT_HOUR,
    SENSORS,
    ForceTorqueSettings,
    Scaled,
    Sensors,
)

from .files import write

REAL = ["sensors.ideal=false"]
MS = 1_000_000


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return load(write(tmp_path), REAL)


def test_without_a_word_all_sensors_are_ideal(tmp_path):
    sensors = load(write(tmp_path)).sensors
    assert sensors == Sensors() and sensors.ideal
    assert sensors.star_tracker.noise_about > 0.0, "what was given stays on record"
    for name in SENSORS:
        device = getattr(sensors.devices, name)
        assert (device.period_ns, device.latency_ns, device.dropout) == (0, 0, 0.0)
        assert device == device.ideal() != getattr(sensors, name)


def test_ideal_leaves_no_error(scenario):
    sensors = Sensors().devices
    tracker, gyro, pose = sensors.star_tracker, sensors.gyro, sensors.relative_pose
    encoders, wrist = sensors.joint_encoders, sensors.force_torque
    assert not any((tracker.noise_across, tracker.noise_about, *tracker.bias)) and tracker.slew_limit == OFF
    assert not any((gyro.angle_random_walk, gyro.rate_random_walk, *gyro.bias))
    assert not any((pose.lateral_noise, pose.range_noise, pose.attitude_noise, *pose.position_bias))
    assert not any((pose.close_position_noise, pose.close_attitude_noise, *pose.attitude_bias))
    assert not any((encoders.resolution, encoders.noise, encoders.rate_noise, encoders.bias))
    assert not any((wrist.force_noise, wrist.torque_noise, wrist.force_drift, wrist.torque_drift))
    assert not any((*wrist.force_bias, *wrist.torque_bias)) and wrist.bandwidth == wrist.force_range[2] == OFF
    assert isinstance(wrist, ForceTorqueSettings)
    assert scenario.sensors.devices == scenario.sensors, "unless ideal, they are as given"


def test_where_they_are_mounted_is_no_error(tmp_path):
    mounts = ["sensors.star_tracker.orientation_rpy_deg=[0, 90, 0]", "sensors.relative_pose.position_m=[1, 0, 0]"]
    sensors = load(write(tmp_path), mounts).sensors.devices
    assert_allclose(sensors.star_tracker.rotation_in_base[:, 2], [1, 0, 0], atol=1e-15)
    assert sensors.relative_pose.position == (1.0, 0.0, 0.0)


def test_defaults_are_those_published(scenario):
    sensors, degree = scenario.sensors, pi / 180
    tracker, gyro, pose = sensors.star_tracker, sensors.gyro, sensors.relative_pose
    assert_allclose([tracker.noise_across, tracker.noise_about], np.array([3, 20]) * degree / 3600)
    assert 100 * MS <= tracker.period_ns <= 200 * MS and 100 * MS <= tracker.latency_ns <= 200 * MS
    assert tracker.slew_limit == radians(5)
    assert gyro.angle_random_walk == pytest.approx(0.002 * degree / 60.0)  # sqrt(3600 s) = 60 sqrt(s)
    assert gyro.rate_random_walk == 1e-9
    assert (pose.lateral_noise, pose.range_noise, pose.attitude_noise) == (0.002, 0.007, radians(1))
    close = (pose.close_range, pose.close_position_noise, pose.close_attitude_noise)
    assert close == (3.0, 0.005, radians(0.5))
    assert 100 * MS <= pose.period_ns <= 500 * MS and 200 * MS <= pose.latency_ns <= 400 * MS
    assert (sensors.force_torque.force_noise, sensors.force_torque.torque_noise) == (0.5, 0.05)


def test_units(tmp_path):
    overrides = [
        *REAL,
        "sensors.star_tracker.bias_arcsec=[3600, 0, -1800]",
        "sensors.star_tracker.recovery_s=0.5",
        "sensors.gyro.bias_deg_h=[3600, 0, 0]",
        "sensors.gyro.angle_random_walk_deg_sqrt_h=60",
        "sensors.gyro.latency_ms=0.000001",
        "sensors.joint_encoders.bias_deg=[1, 2]",
    ]
    sensors = load(write(tmp_path), overrides).sensors
    assert_allclose(sensors.star_tracker.bias, np.radians([1, 0, -0.5]))
    assert sensors.star_tracker.recovery_ns == 500 * MS
    assert_allclose(sensors.gyro.bias, np.radians([1, 0, 0]))
    assert_allclose(sensors.gyro.angle_random_walk, radians(1))
    assert sensors.gyro.latency_ns == 1
    assert sensors.joint_encoders.bias == (radians(1), radians(2))


def test_writes_what_it_reads(tmp_path):
    overrides = [*REAL, "sensors.star_tracker.slew_limit_deg_s=off", "sensors.gyro.bias_deg_h=[0.1, 0.7, -1.3]"]
    first = load(write(tmp_path), overrides)
    text = to_yaml(first)
    assert load(write(tmp_path, text)).sensors == first.sensors
    assert "bias_deg_h: [0.1, 0.7, -1.3]" in text and "noise_across_arcsec: 3.0" in text


@given(
    number=st.floats(-1e6, 1e6).filter(lambda it: it == 0.0 or abs(it) > 1e-200),
    si=st.sampled_from([ARCSECOND, DEGREE_PER_HOUR, DEGREE_PER_ROOT_HOUR]),
)
def test_scaled_numbers_come_back_to_the_last_bit(number, si):
    kind, at = Scaled("arcsec", si=si), Place("file", Path())
    value = kind.read(number, at)
    assert kind.read(kind.write(value), at) == value


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("sensors.ideal=1", "true or false"),
        ("sensors.star_traker={}", "did you mean star_tracker?"),
        ("sensors.star_tracker.period_ms=-1", "non-negative"),
        ("sensors.star_tracker.period_ms=7", "must be 0 or a whole multiple of rates_ms.dynamics (2.0 ms)"),
        ("sensors.star_tracker.noise_about_arcsec=-1", "non-negative number [arcsec]"),
        ("sensors.star_tracker.slew_limit_deg_s=0", "positive number [deg/s], or off"),
        ("sensors.gyro.dropout=1.1", "number from 0 to 1"),
        ("sensors.gyro.dropout=-0.1", "number from 0 to 1"),
        ("sensors.gyro.dropout=often", "number from 0 to 1"),
        ("sensors.gyro.angle_random_walk_deg_sqrt_h=-1", "non-negative number [deg/sqrt h]"),
        ("sensors.relative_pose.latency_ms=.nan", "non-negative"),
        ("sensors.relative_pose.close_range_m=-1", "non-negative number [m]"),
        ("sensors.joint_encoders.bias_deg=[1]", "list of 2 numbers, one per joint of the servicer"),
        ("sensors.force_torque.multiplier=2", "must be 1 or -1"),
    ],
)
def test_mistakes_are_named(tmp_path, override, words):
    with pytest.raises(ScenarioError) as caught:
        load(write(tmp_path), [*REAL, override])
    assert override.split("=")[0] in str(caught.value) and words in str(caught.value)


def test_periods_of_ideal_sensors_do_not_matter(tmp_path):
    load(write(tmp_path), ["sensors.star_tracker.period_ms=7"])
