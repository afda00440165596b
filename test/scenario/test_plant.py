"""The section of the simulated devices: published defaults, switches and refusals."""
from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.scenario import Scenario, ScenarioError, load
from hil_relative_dynamics.scenario.load import to_yaml
from hil_relative_dynamics.scenario.plant import OFF, ArmDevice, Facility, RobotDevice, SensorDevice

from .files import write

SIM = ["facility.kind=sim"]


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return load(write(tmp_path), SIM)


def refusal(folder: Path, *overrides: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(write(folder), overrides)
    return str(caught.value)


def test_without_a_word_there_are_no_robots(tmp_path):
    assert load(write(tmp_path)).facility == Facility(kind="none")


def test_a_robot_is_30_ms_behind_by_default(scenario):
    for robot in (scenario.facility.client_robot, scenario.facility.servicer_robot):
        half_power = math.sqrt(math.sqrt(2.0) - 1.0)  # over the natural frequency, critically damped
        lag = 2.0 * half_power / (2.0 * math.pi * robot.bandwidth)
        assert robot.delay_ns == 12_000_000
        interpolation = 0.5 * 0.004  # half a cycle of 4 ms
        assert 1e-9 * robot.delay_ns + interpolation + lag == pytest.approx(0.030, abs=1e-5)


def test_default_sensors_are_of_the_omega_class(scenario):
    sensor = scenario.facility.ft_sensor
    assert (sensor.force_noise, sensor.torque_noise, sensor.force_drift) == (0.5, 0.05, 1.0)
    assert 100.0 <= sensor.bandwidth <= 200.0
    assert sensor.force_range == (1000.0, 1000.0, 2500.0) and sensor.torque_range == (120.0,) * 3
    assert sensor.multiplier == 1


def test_master_switch_turns_every_imperfection_off(tmp_path):
    overrides = [*SIM, "facility.imperfections=false", "facility.ft_sensor.multiplier=-1"]
    facility = load(write(tmp_path), overrides).facility
    assert facility.client_robot == RobotDevice(), "what was given stays on record"
    devices = facility.devices
    ideal = RobotDevice(delay_ns=0, bandwidth=OFF, limits=False, encoder_resolution=0.0)
    assert devices.client_robot == ideal and devices.servicer_robot == ideal
    assert devices.arm == ArmDevice(
        delay_ns=0, limits=False, viscous_friction=0.0, coulomb_friction=0.0, encoder_resolution=0.0
    )
    sensor = devices.ft_sensor
    assert isinstance(sensor, SensorDevice) and sensor.multiplier == -1, "a sign is no imperfection"
    assert sensor.bandwidth == OFF and sensor.force_range == sensor.torque_range == (OFF,) * 3
    errors = (sensor.force_noise, sensor.torque_noise, sensor.force_drift, sensor.torque_drift)
    assert not any((*errors, *sensor.force_bias, *sensor.torque_bias))


def test_with_imperfections_the_devices_are_as_given(scenario):
    assert scenario.facility.devices == scenario.facility


def test_each_imperfection_can_be_switched_off_by_a_value(tmp_path):
    robot = [f"facility.client_robot.{it}" for it in ("delay_ms=0", "bandwidth_Hz=off", "limits=false")]
    robot.append("facility.client_robot.encoder_resolution_deg=0")
    arm = ["delay_ms=0", "limits=false", "encoder_resolution_deg=0"]
    arm += ["viscous_friction_N_m_s_rad=0", "coulomb_friction_N_m=0"]
    sensor = ["noise_N=0", "noise_N_m=0", "drift_N_h=0", "drift_N_m_h=0", "bandwidth_Hz=off"]
    sensor += ["bias_N=[0, 0, 0]", "bias_N_m=[0, 0, 0]"]
    sensor += ["range_N=[off, off, off]", "range_N_m=[off, off, off]"]
    overrides = [*SIM, *robot, *[f"facility.arm.{it}" for it in arm]]
    overrides += [f"facility.ft_sensor.{it}" for it in sensor]
    facility = load(write(tmp_path), overrides).facility
    assert facility.client_robot == facility.client_robot.ideal()
    assert facility.servicer_robot == RobotDevice()
    assert facility.arm == facility.arm.ideal()
    assert facility.ft_sensor == facility.ft_sensor.ideal()


def test_units_and_friction_for_each_joint(tmp_path):
    overrides = [
        *SIM,
        "facility.arm.viscous_friction_N_m_s_rad=[1, 2]",
        "facility.client_robot.delay_ms=0.000001",
        "facility.client_robot.encoder_resolution_deg=1",
    ]
    facility = load(write(tmp_path), overrides).facility
    viscous, coulomb = facility.arm.friction(2)
    assert_allclose([viscous, coulomb], [[1, 2], np.full(2, facility.arm.coulomb_friction)])
    assert facility.client_robot.delay_ns == 1
    assert facility.client_robot.encoder_resolution == math.radians(1)


def test_writes_what_it_reads(tmp_path):
    overrides = [*SIM, "facility.client_robot.bandwidth_Hz=off", "facility.ft_sensor.range_N=[1, off, 3]"]
    first = load(write(tmp_path), overrides)
    again = load(write(tmp_path, to_yaml(first)))
    assert again.facility == first.facility


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("facility.kind=real", "none or sim"),
        ("facility.imperfections=0", "true or false"),
        ("facility.client_robot.delay_ms=-1", "non-negative"),
        ("facility.client_robot.bandwidth_Hz=0", "positive number [Hz], or off"),
        ("facility.client_robot.bandwith_Hz=3", "did you mean bandwidth_Hz?"),
        ("facility.servicer_robot.limits=1", "true or false"),
        ("facility.servicer_robot.encoder_resolution_deg=-1", "non-negative number [deg]"),
        ("facility.arm.coulomb_friction_N_m=[1]", "list of 2 numbers, one per joint of the servicer"),
        ("facility.arm.viscous_friction_N_m_s_rad=-1", "non-negative number [N m s/rad]"),
        ("facility.ft_sensor.noise_N=-0.5", "non-negative number [N]"),
        ("facility.ft_sensor.bias_N=1", "list of 3 numbers [N]"),
        ("facility.ft_sensor.range_N_m=[0, 1, 1]", "positive number [N m], or off"),
        ("facility.ft_sensor.multiplier=2", "must be 1 or -1"),
    ],
)
def test_mistakes_are_named(tmp_path, override, words):
    sentence = refusal(tmp_path, *SIM, override)
    assert override.split("=")[0] in sentence and words in sentence
