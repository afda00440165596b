"""`--set key=value`."""
from __future__ import annotations

import math
from pathlib import Path

import pytest

from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.document import dump

from .files import REMOVED, VALID, changed, write
from .test_refusals import refusal


def test_values_are_set_before_they_are_checked(tmp_path: Path) -> None:
    overrides = (
        "client.angular_velocity_deg_s=[0, -1, 0]",
        "external_wrenches.0.force_N=[1,2,3]",
        "client.position_m.2=1e-3",
        "laboratory.gravity_m_s2=[0, 0, 0]",
        "seed=1",
        "seed=7",
        "description=set = here",
    )
    scenario = load(write(tmp_path, changed("client.mass_kg", 5)), overrides)
    assert scenario.client.angular_velocity == (0.0, math.radians(-1), 0.0)
    assert scenario.external_wrenches[0].force == (1.0, 2.0, 3.0)
    assert scenario.client.position == (1.0, 2.0, 1e-3)
    assert scenario.laboratory.gravity == (0.0, 0.0, 0.0)
    assert scenario.seed == 7
    assert scenario.description == "set = here"


def test_what_the_file_lacks_can_be_set(tmp_path: Path) -> None:
    file = write(tmp_path, changed("client.mass_kg", REMOVED))
    assert "client.mass_kg is missing" in str(refusal(file))
    assert load(file, ["client.mass_kg=8"]).client.mass == 8.0


def test_an_alias_does_not_carry_an_override_elsewhere(tmp_path: Path) -> None:
    text = dump(VALID).replace("com_m: [0.1, 0, 0]", "com_m: &here [0.1, 0, 0]")
    text = text.replace("position_m: [0.5, 0, 0]", "position_m: *here")
    scenario = load(write(tmp_path, text), ["client.com_m.0=0.7"])
    assert scenario.client.com == (0.7, 0.0, 0.0)
    assert scenario.client.grasp_point.position == (0.1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("client.mass_kg=-5", "--set: client.mass_kg = -5 must be a positive number [kg]."),
        ("client.mas_kg=5", "--set: client.mas_kg = 5 is no known key, did you mean mass_kg?"),
        ("clinet.mass_kg=5", "--set: clinet = {'mass_kg': 5} is no known key, did you mean client?"),
        ("client.inertia_kg_m2.0.0=-9", "--set: client.inertia_kg_m2 = [[-9, 1, 0], "),
        ("client.position_m.3=1", "--set: client.position_m.3 = 1 must name one of 3 items by its index"),
        ("external_wrenches.last.on=client", "--set: external_wrenches.last.on = 'client' must name one"),
        ("laboratory.gravity_m_s2.0=1", "--set: laboratory.gravity_m_s2.0 = 1 sets 0 of what is neither"),
        ("seed.first=1", "--set: seed.first = 1 sets first of what is neither a list nor a mapping"),
        ("seed=", "--set: seed = null must be a whole number"),
        ("seed=[1", "--set: seed = '[1' must be valid YAML"),
        ("seed", "--set 'seed' must be written key=value"),
        ("=5", "--set '=5' must be written key=value"),
        ("client..mass_kg=5", "--set 'client..mass_kg=5' must be written key=value"),
    ],
)
def test_mistakes_name_the_option_instead_of_the_file(tmp_path: Path, override: str, sentence: str) -> None:
    error = refusal(write(tmp_path), (override,))
    assert sentence in str(error)
    assert str(error).startswith("--set") and "spoilt.yaml" not in str(error)


def test_mistakes_of_the_file_still_name_the_file(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, changed("client.mass_kg", -5)), ("seed=1", "client.com_m=[0, 0, 0]"))
    assert str(error).startswith(f"{tmp_path}/spoilt.yaml: client.mass_kg = -5")
