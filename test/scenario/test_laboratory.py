"""The laboratory's section: layout, calibration, and start poses that the robots can take."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.robot_model import (
    RobotModel,
    client_robot,
    pose_arm_mount,
    servicer_robot,
    start_posture_client,
    start_posture_servicer,
)
from hil_relative_dynamics.scenario import Scenario, ScenarioError, load, to_yaml
from hil_relative_dynamics.scenario.laboratory import Laboratory

from .files import write

MOUNT = pin.SE3(pin.utils.rotate("y", np.pi / 2), np.array([1.0, 0.0, 0.0]))  # of urdf/servicer.urdf


def test_mount_is_read_from_the_servicers_description():
    servicer = load("envisat_unforced").servicer
    assert pose_arm_mount(FreeFlyer.from_urdf(servicer.urdf, servicer.end_effector)).isApprox(MOUNT, 1e-12)


def robots(scenario: Scenario) -> tuple[RobotModel, RobotModel]:
    layout = scenario.laboratory.layout
    return client_robot(layout), servicer_robot(layout)


def calibration(scenario: Scenario) -> pin.SE3:
    """With a nominal that starts with the client, g_c(0) = 1."""
    return scenario.laboratory.pose_nominal(scenario.client.grasp_point.pose_in_client)


@pytest.mark.parametrize("name", ["envisat_unforced", "envisat_pulses"])
def test_shipped_scenarios_start_well_within_reach(name):
    scenario = load(name)
    client, servicer = robots(scenario)
    posture_client = start_posture_client(client, scenario)
    posture_servicer = start_posture_servicer(servicer, scenario, MOUNT)
    assert_allclose(posture_client, posture_servicer, atol=1e-9)  # they face each other as in a mirror
    assert client.margins(posture_client).min() > 0.4
    assert abs(posture_client[4]) > np.radians(25.0)  # away from the wrist's singularity
    pose_mount = servicer.pose(posture_servicer)
    assert_allclose(pose_mount.translation - client.pose(posture_client).translation, [0.9, 0, 0], atol=1e-12)


def test_flange_starts_where_the_layout_is_meant_to_have_it():
    client = client_robot()
    client.pose(start_posture_client(client, load("envisat_unforced")))
    frame = client.model.frames[client.model.getFrameId("client_robot_flange")]
    flange = client.data.oMi[6] * frame.placement
    assert_allclose(flange.translation, [1.9, 0.0, 1.3], atol=1e-12)
    assert_allclose(flange.rotation, np.eye(3), atol=1e-12)


def test_default_layout_is_that_of_the_description():
    given, default = servicer_robot(Laboratory().layout), servicer_robot()
    assert given.pose(np.zeros(6)).isApprox(default.pose(np.zeros(6)), 1e-15)
    assert client_robot(Laboratory().layout).pose(np.zeros(6)) == client_robot().pose(np.zeros(6))


def test_calibration_takes_relative_poses_to_the_laboratory():
    scenario = load("envisat_unforced")
    _, servicer = robots(scenario)
    pose_nominal = calibration(scenario)
    grasp_point = pose_nominal * scenario.client.grasp_point.pose_in_client
    assert grasp_point.isApprox(scenario.laboratory.grasp_point.pose, 1e-15)
    mount = pose_nominal * scenario.servicer.pose_in_client * MOUNT
    assert mount.isApprox(servicer.pose(start_posture_servicer(servicer, scenario, MOUNT)), 1e-12)


def test_default_calibration_agrees_with_the_attitude_given_without_robots():
    """facility.kind: none takes the mock-up's attitude from a key; with robots it follows from the layout."""
    scenario = load("envisat_unforced")
    derived = (calibration(scenario) * scenario.servicer.pose_in_client).rotation
    assert_allclose(derived, scenario.laboratory.base_rotation, atol=1e-12)


def test_layout_moves_with_its_keys(tmp_path: Path):
    laboratory = load(write(tmp_path), ["laboratory.servicer_base.position_m=[5.2, 0.1, 0.02]"]).laboratory
    assert laboratory.layout["servicer_base_xyz"] == "5.2 0.1 0.02"
    assert_allclose(laboratory.servicer_base.rpy, [0.0, 0.0, np.pi])  # what is not given keeps its default
    again = servicer_robot(laboratory.layout).pose(np.zeros(6)).translation
    assert_allclose(again - servicer_robot().pose(np.zeros(6)).translation, [0.3, 0.1, 0.02], atol=1e-12)


def test_defaults_are_read_back_from_their_keys(tmp_path: Path):
    """Degrees in YAML, radians inside: a default given in the wrong unit would show here."""
    laboratory = load(write(tmp_path)).laboratory
    assert laboratory.commanding.first_step == pytest.approx(np.radians(1.0))
    assert laboratory.servicer_base.rpy == pytest.approx((0.0, 0.0, np.pi))


def test_written_out_and_read_back(tmp_path: Path):
    overrides = ["laboratory.wrench.multiplier=-1", "laboratory.commanding.first_step_deg=2"]
    scenario = load(write(tmp_path), overrides)
    (tmp_path / "again.yaml").write_text(to_yaml(scenario))
    assert load(tmp_path / "again.yaml") == scenario
    assert scenario.laboratory.wrench.multiplier == -1
    assert scenario.laboratory.commanding.first_step == pytest.approx(np.radians(2.0))


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("wrench.multiplier=2", "wrench.multiplier = 2 must be 1 or -1."),
        ("wrench.multiplier=true", "wrench.multiplier = true must be 1 or -1."),
        ("wrench.multiplier=[1]", "wrench.multiplier = [1] must be 1 or -1."),
        ("wrench.gate_N=-1", "wrench.gate_N = -1 must be a non-negative number [N]."),
        ("wrench.filter_Hz=fast", "wrench.filter_Hz = 'fast' must be a non-negative number [Hz]."),
        ("commanding.stop_time_s=0", "commanding.stop_time_s = 0 must be a positive number [s]."),
        ("commanding.stop_time_s=9", "commanding.stop_time_s = 9.0 must be at most 2 s."),
        ("client_base=[0, 0, 0]", "client_base = [0, 0, 0] must be a mapping of position_m"),
        ("foot=1", "foot = 1 is no known key"),
    ],
)
def test_refusals(tmp_path: Path, override, sentence):
    with pytest.raises(ScenarioError) as caught:
        load(write(tmp_path), [f"laboratory.{override}"])
    assert f"laboratory.{sentence}" in str(caught.value)


def refused(action) -> str:
    with pytest.raises(ScenarioError) as caught:
        action()
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith(".")
    return sentence


def test_grasp_point_out_of_reach_is_refused():
    scenario = load("envisat_unforced", ["laboratory.grasp_point.position_m=[3.5, 0, 1.3]"])
    sentence = refused(lambda: start_posture_client(robots(scenario)[0], scenario))
    assert "envisat_unforced.yaml: laboratory.grasp_point.position_m = [3.5, 0.0, 1.3] would put" in sentence
    assert "client_robot_grasp_point at (3.500, 0.000, 1.300) m in the laboratory, where wrist of" in sentence


def test_servicer_out_of_reach_is_refused():
    scenario = load("envisat_unforced", ["servicer.position_m=[6.5, 0, 0]"])
    sentence = refused(lambda: start_posture_servicer(robots(scenario)[1], scenario, MOUNT))
    assert "servicer.position_m = [6.5, 0.0, 0.0] would put servicer_robot_arm_mount at (4.620, " in sentence
    assert "joint" in sentence
