"""Every mistake gives one sentence that names file, key, value and what is allowed."""
from __future__ import annotations

import math
from pathlib import Path

import pytest

from hil_relative_dynamics.scenario import ScenarioError, load

from .files import REMOVED, VALID, changed, write

NAN, INF = math.nan, math.inf
SPHERE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def refusal(file: object, overrides: tuple[str, ...] = ()) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        load(str(file), overrides)
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith(".") and len(sentence) < 600
    return caught.value


def test_the_scenario_that_gets_spoilt_is_valid(tmp_path: Path) -> None:
    assert load(write(tmp_path)).description == VALID["description"]


@pytest.mark.parametrize(
    ("key", "value", "shown", "allowed"),
    [
        # Numbers
        ("client.mass_kg", 0, "0", "positive number [kg]"),
        ("client.mass_kg", -5, "-5", "positive number [kg]"),
        ("client.mass_kg", NAN, "nan", "positive number [kg]"),
        ("client.mass_kg", INF, "inf", "positive number [kg]"),
        ("client.mass_kg", True, "true", "positive number [kg]"),
        ("client.mass_kg", None, "null", "positive number [kg]"),
        ("client.mass_kg", "heavy", "'heavy'", "positive number [kg]"),
        ("client.mass_kg", "7828", "'7828'", "positive number [kg]"),
        ("client.mass_kg", [1], "[1]", "positive number [kg]"),
        ("client.mass_kg", 10**400, "1000", "positive number [kg]"),
        # Vectors
        ("client.position_m", [1, 2], "[1, 2]", "list of 3 numbers [m]"),
        ("client.position_m", 1, "1", "list of 3 numbers [m]"),
        ("client.position_m", {"x": 1}, "{'x': 1}", "list of 3 numbers [m]"),
        ("client.position_m.1", "up", "'up'", "finite number [m]"),
        ("client.com_m.0", NAN, "nan", "finite number [m]"),
        ("client.orientation_rpy_deg.2", INF, "inf", "finite number [deg]"),
        ("client.linear_velocity_m_s", [1, 2, 3, 4], "[1, 2, 3, 4]", "list of 3 numbers [m/s]"),
        ("client.angular_velocity_deg_s.0", False, "false", "finite number [deg/s]"),
        ("client.grasp_point.position_m", [0], "[0]", "list of 3 numbers [m]"),
        ("laboratory.gravity_m_s2", -9.81, "-9.81", "list of 3 numbers [m/s^2]"),
        ("laboratory.base_attitude_rpy_deg", "level", "'level'", "list of 3 numbers [deg]"),
        # Inertias
        ("client.inertia_kg_m2", [1, 2, 3], "1", "list of 3 numbers [kg m^2]"),
        ("client.inertia_kg_m2", SPHERE[:2], "[[1, 0, 0], [0, 1, 0]]", "3 lists of 3 numbers [kg m^2]"),
        ("client.inertia_kg_m2.1", [0, 1], "[0, 1]", "list of 3 numbers [kg m^2]"),
        ("client.inertia_kg_m2.0.1", 0.5, "0.5", "symmetric"),
        ("client.inertia_kg_m2.2.2", -14, "-14", "positive definite"),
        ("client.inertia_kg_m2.2.2", 0, "0", "positive definite"),
        ("client.inertia_kg_m2.2.2", 100, "100", "no principal moment above the sum of the others"),
        # Times
        ("duration_s", 0, "0", "positive"),
        ("duration_s", -1, "-1", "positive"),
        ("duration_s", INF, "inf", "whole number of nanoseconds"),
        ("duration_s", 2e9, "2000000000.0", "at most 1000000000 s"),
        ("duration_s", 1.001, "1.001", "whole multiple of rates_ms.dynamics (2.0 ms)"),
        ("rates_ms.arm", 0, "0", "positive"),
        ("rates_ms.arm", NAN, "nan", "positive"),
        ("rates_ms.arm", 1e-7, "1e-07", "whole number of nanoseconds"),
        ("rates_ms.dynamics", -1, "-1", "positive"),
        ("rates_ms.dynamics", "fast", "'fast'", "positive"),
        ("rates_ms.dynamics", 2.5, "2.5", "whole multiple of rates_ms.arm (1.0 ms)"),
        ("onboard.thrust.0.start_s", -1, "-1", "non-negative"),
        ("onboard.thrust.0.duration_s", 0, "0", "positive"),
        ("onboard.thrust.0.start_s", 1.001, "1.001", "whole multiple of rates_ms.dynamics"),
        ("external_wrenches.1.duration_s", 0.0005, "0.0005", "whole multiple of rates_ms.dynamics"),
        # Counts, words, flags
        ("seed", -1, "-1", "whole number not below 0"),
        ("seed", 1.5, "1.5", "whole number not below 0"),
        ("seed", True, "true", "whole number not below 0"),
        ("description", "", "''", "text"),
        ("description", 5, "5", "text"),
        ("servicer.gravity_compensated_by_arm", "yes", "'yes'", "true or false"),
        ("servicer.gravity_compensated_by_arm", 1, "1", "true or false"),
        ("servicer.base_row", 18, "18", "momentum or acceleration"),
        ("servicer.motion", ["free"], "['free']", "co_rotating or free"),
        ("nominal.kind", "orbit", "'orbit'", "unforced or fixed or file"),
        ("onboard.kind", None, "null", "none or scripted"),
        ("external_wrenches.0.on", "servicer", "'servicer'", "client or end_effector or contact"),
        # Structure
        ("client", 5, "5", "mapping of mass_kg"),
        ("servicer", None, "null", "mapping of urdf"),
        ("onboard.thrust", {}, "{}", "list"),
        ("external_wrenches.0", "push", "'push'", "mapping of start_s"),
        ("criteria", [], "[]", "mapping of relative_position_error_m"),
        ("criteria.relative_position_error_m", 0, "0", "positive number [m]"),
        # Files
        ("servicer.urdf", "absent.urdf", "'absent.urdf'", "readable file"),
        ("servicer.urdf", "bad\0name", r"'bad\x00name'", "readable file"),
        ("servicer.urdf", "x" * 5000, "...", "readable file"),
        ("servicer.urdf", ".", "'.'", "readable file"),
        ("servicer.urdf", 7, "7", "readable file"),
        ("servicer.end_effector", "hnad", "'hnad'", "did you mean hand? (allowed: base, upper, lower,"),
        ("servicer.joints_deg", [1], "[1.0]", "2 numbers, one per moving joint of robot.urdf"),
        ("servicer.joint_rates_deg_s", [1, 2, 3], "[1.0, 2.0, 3.0]", "2 numbers"),
        # Contradictions
        ("servicer.linear_velocity_m_s", [1, 0, 0], "[1.0, 0.0, 0.0]", "left out with motion: co_rot"),
        ("servicer.angular_velocity_deg_s", [3, 0, 0], "[3.0, 0.0, 0.0]", "left out with motion: co_rot"),
        ("nominal.file", "robot.urdf", "robot.urdf", "left out with kind: unforced"),
        ("nominal", {"kind": "file", "file": "absent.csv"}, "'absent.csv'", "readable file"),
        ("external_wrenches.1.point_m", [1, 0, 0], "[1.0, 0.0, 0.0]", "left out with on: contact"),
        ("onboard.stiffness_N_m_rad", [1, 2, 3], "[1.0, 2.0, 3.0]", "2 numbers, one per joint"),
        ("onboard.stiffness_N_m_rad", [1, 0], "[1.0, 0.0]", "positive with arm_moves"),
        ("onboard.stiffness_N_m_rad", "soft", "'soft'", "non-negative number [N m/rad], or a list"),
        ("onboard.damping_N_m_s_rad", -1, "-1", "non-negative number [N m s/rad]"),
        ("onboard.arm_moves.1.joints_deg", [1], "[1.0]", "2 numbers, one per joint"),
        ("onboard.arm_moves.1.start_s", 2.5, "2.5", "end of the last move (3.0 s)"),
    ],
)
def test_value(tmp_path: Path, key: str, value: object, shown: str, allowed: str) -> None:
    file = write(tmp_path, changed(key, value))
    error = refusal(file)
    assert error.file == str(file)
    assert key.startswith(error.key) or error.key.startswith(key)
    assert f"{file}: {error.key} = " in str(error)
    assert shown in str(error).split(" = ", 1)[1]
    assert allowed in str(error)


@pytest.mark.parametrize("key", ["thrust", "arm_moves", "stiffness_N_m_rad", "damping_N_m_s_rad"])
def test_script_without_scripted_onboard_software(tmp_path: Path, key: str) -> None:
    error = refusal(write(tmp_path, changed("onboard", {"kind": "none", key: VALID["onboard"][key]})))
    assert f"spoilt.yaml: onboard.{key} = " in str(error) and "left out with kind: none" in str(error)


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("description", "text"),
        ("duration_s", "positive"),
        ("client", "mapping of mass_kg"),
        ("client.mass_kg", "positive number [kg]"),
        ("client.inertia_kg_m2", "3 lists of 3 numbers [kg m^2]"),
        ("client.grasp_point", "mapping of position_m"),
        ("client.grasp_point.position_m", "list of 3 numbers [m]"),
        ("servicer.urdf", "readable file"),
        ("servicer.end_effector", "text"),
        ("servicer.joints_deg", "list of numbers [deg]"),
        ("onboard.arm_moves.1.start_s", "non-negative"),
        ("external_wrenches.0.on", "client or end_effector or contact"),
    ],
)
def test_missing_key(tmp_path: Path, key: str, allowed: str) -> None:
    error = refusal(write(tmp_path, changed(key, REMOVED)))
    assert f"spoilt.yaml: {key} is missing, it must" in str(error) and allowed in str(error)


@pytest.mark.parametrize(
    ("key", "value", "missing"),
    [("nominal.kind", "file", "nominal.file"), ("servicer.motion", "free", "servicer.linear_velocity_m_s")],
)
def test_key_that_another_one_asks_for(tmp_path: Path, key: str, value: str, missing: str) -> None:
    error = refusal(write(tmp_path, changed(key, value)))
    assert f"spoilt.yaml: {missing} is missing, it must" in str(error)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("clinet", "client"),
        ("client.mass", "mass_kg"),
        ("client.angular_velocity_rad_s", "angular_velocity_deg_s"),
        ("servicer.joint_deg", "joints_deg"),
        ("rates_ms.dynamic", "dynamics"),
        ("onboard.thrust.0.force_n", "force_N"),
        ("criteria.relative_position_error", "relative_position_error_m"),
    ],
)
def test_unknown_key_suggests_the_nearest(tmp_path: Path, key: str, meant: str) -> None:
    error = refusal(write(tmp_path, changed(key, 4)))
    assert f"spoilt.yaml: {key} = 4 is no known key, did you mean {meant}? (allowed: " in str(error)


def test_unknown_key_with_nothing_near(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, changed("xyzzy", 4)))
    assert "xyzzy = 4 is no known key (allowed: mission, description, duration_s," in str(error)


@pytest.mark.parametrize(
    ("robot", "allowed"),
    [
        ("<robot", "well-formed XML"),
        ("", "well-formed XML"),
        ("<?xml version='1.0' encoding='klingon'?><robot/>", "well-formed XML"),
        ("<sdf/>", "root element <robot>, not <sdf>"),
        ("<robot><joint name='rail' type='prismatic'/></robot>", "but rail is prismatic"),
    ],
)
def test_robot_description(tmp_path: Path, robot: str, allowed: str) -> None:
    file = write(tmp_path)
    (tmp_path / "robot.urdf").write_text(robot)
    error = refusal(file)
    assert f"{file}: servicer.urdf = {tmp_path}" in str(error) and allowed in str(error)
