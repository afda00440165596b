"""Limits a run must keep: those of a capture only where there is one, in the units of their keys."""
from __future__ import annotations

import pytest

from hil_relative_dynamics.scenario import ScenarioError, load, to_yaml
from hil_relative_dynamics.scenario.criteria import OF_CAPTURE, Criteria
from hil_relative_dynamics.scenario.reader import entries


def test_the_capture_of_envisat_is_judged_by_the_published_limits() -> None:
    limits = load("envisat_capture", []).limits
    published = {"synchronised_by_s": 9.0, "grasp_by_s": 34.0, "relative_rate_deg_s": 0.2}
    required = {"contact_force_N": 50.0, "robot_displacement_m": 0.5}
    assert published.items() | required.items() <= limits.items()  # degrees as written, not radians
    assert set(OF_CAPTURE) <= set(limits)


def test_they_are_written_as_they_were_read() -> None:
    assert "relative_rate_deg_s: 0.2\n" in to_yaml(load("envisat_capture", []))


@pytest.mark.parametrize("key", OF_CAPTURE)
def test_limits_of_a_capture_need_one(key: str) -> None:
    assert key in entries(Criteria)
    with pytest.raises(ScenarioError) as refused:
        load("envisat_pulses", [f"criteria.{key}=7"])
    assert str(refused.value) == f"--set: criteria.{key} = 7.0 must be left out with onboard.kind: scripted."


def test_the_arm_of_a_capture_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(ScenarioError, match=r"arm_joint_error_rad = 0\.1 must be left out with onboard\.kind: capture"):
        load("envisat_capture", ["criteria.arm_joint_error_rad=0.1"])


@pytest.mark.parametrize("value", ["0", "-1", ".nan", "soon"])
def test_a_limit_is_a_positive_number(value: str) -> None:
    with pytest.raises(ScenarioError, match=r"criteria\.grasp_by_s = .* must be a positive number \[s\]"):
        load("envisat_capture", [f"criteria.grasp_by_s={value}"])
