"""Limits of the supervisor: defaults, tightening, and that none is switched off by a slip."""
from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path

import pytest

from hil_relative_dynamics.scenario import Scenario, ScenarioError, load, to_yaml
from hil_relative_dynamics.scenario.quantities import Numbers
from hil_relative_dynamics.scenario.reader import Section, entries
from hil_relative_dynamics.scenario.safety import NEVER, Limit, Safety, TimeLimit

from .files import changed, write

ENTRIES = entries(Safety)
SWITCHABLE = [
    key for key, item in ENTRIES.items() if isinstance(item.metadata["kind"], (Limit, TimeLimit))
]


def read(folder: Path, **limits: object) -> Scenario:
    return load(write(folder, changed("safety", limits)))


def test_everything_is_watched_by_default(tmp_path: Path) -> None:
    safety = load(write(tmp_path)).safety
    assert safety == Safety()
    numbers = [getattr(safety, item.name) for item in fields(safety)]
    flat = [x for number in numbers for x in (number if isinstance(number, tuple) else (number,))]
    assert all(math.isfinite(number) and number != NEVER for number in flat)
    assert safety.reachability and not safety.grasp_allowed


def test_published_defaults() -> None:
    safety = Safety()
    assert (safety.speed, safety.contact_force, safety.contact_torque) == (1.0, 250.0, 60.0)
    assert (safety.clearance, safety.tracking_position) == (0.05, 0.10)
    assert (safety.sensor_force, safety.sensor_torque) == (1000.0, 120.0)  # ATI Omega class
    assert safety.data_age_ns == 20_000_000


def test_limits_are_tightened_in_the_units_of_their_keys(tmp_path: Path) -> None:
    safety = read(tmp_path, joint_margin_deg=5, data_age_ms=2.5, speed_m_s=0.2).safety
    assert safety.joint_margin == math.radians(5.0)
    assert (safety.data_age_ns, safety.speed) == (2_500_000, 0.2)
    assert safety.contact_force == Safety().contact_force


@pytest.mark.parametrize("key", SWITCHABLE)
def test_a_limit_is_switched_off_by_the_word_and_stays_off_when_written(tmp_path: Path, key: str) -> None:
    scenario = read(tmp_path, **{key: "off"})
    value = getattr(scenario.safety, ENTRIES[key].name)
    assert value == NEVER or math.isinf(value)
    again = tmp_path / "again.yaml"
    again.write_text(to_yaml(scenario))
    assert load(again).safety == scenario.safety


@pytest.mark.parametrize("key", SWITCHABLE)
@pytest.mark.parametrize("value", [None, False, -1, math.inf, math.nan, "Off", "none"])
def test_nothing_else_switches_it_off(tmp_path: Path, key: str, value: object) -> None:
    with pytest.raises(ScenarioError, match=f"safety.{key} .* must be .*, or off"):
        read(tmp_path, **{key: value})


def test_an_empty_value_does_not_switch_off(tmp_path: Path) -> None:
    file = write(tmp_path)
    file.write_text(file.read_text() + "\nsafety:\n  clearance_m:\n")
    with pytest.raises(ScenarioError, match=r"safety\.clearance_m = null must be a positive number"):
        load(file)


def test_one_side_of_the_box_may_be_open(tmp_path: Path) -> None:
    safety = read(tmp_path, workspace_lower_m=["off", -1, 0.4], workspace_upper_m=[3, "off", "off"]).safety
    assert safety.workspace_lower == (-math.inf, -1.0, 0.4)
    assert safety.workspace_upper == (3.0, math.inf, math.inf)


def test_switching_off_from_the_command_line(tmp_path: Path) -> None:
    safety = load(write(tmp_path), ["safety.clearance_m=off"]).safety
    assert safety.clearance == -math.inf  # below every distance


@pytest.mark.parametrize(
    "limits, sentence",
    [
        ({"workspace_lower_m": [0, 0, 4]}, "workspace_upper_m .* above safety.workspace_lower_m"),
        ({"workspace_upper_m": [1, 2]}, "workspace_upper_m .* list of 3 numbers"),
        ({"escalation_factor": 0.9}, "escalation_factor = 0.9 must be at least 1"),
        ({"reachability": "off"}, "reachability = 'off' must be true or false"),
        ({"grasp_region_m": "off"}, "grasp_region_m = 'off' must be a positive number"),
        ({"joint_margin": 1}, "safety.joint_margin = 1 is no known key, did you mean joint_margin_deg"),
        ({"data_age_ms": 0}, "data_age_ms = 0 must be positive"),
    ],
)
def test_refusals(tmp_path: Path, limits: dict[str, object], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        read(tmp_path, **limits)


def test_every_limit_says_how_to_switch_it_off() -> None:
    for item in ENTRIES.values():
        kind = item.metadata["kind"]
        inner = kind.of if isinstance(kind, Numbers) else kind
        if isinstance(inner, (Limit, TimeLimit)):
            assert inner.allowed.endswith(", or off")
    assert "clearance_m" in Section(Safety).allowed
