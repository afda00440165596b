"""Scenarios from names and files, written out and read back."""
from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import ModuleType

import pytest

from hil_relative_dynamics.scenario import Scenario, available, configuration_hash, load, load_mission, to_yaml
from hil_relative_dynamics.scenario import share as share_module
from hil_relative_dynamics.scenario.share import SOURCE_TREE, share

from .files import ROBOT, changed, write

SHIPPED = [name for name, _ in available()]


def test_scenarios_are_shipped() -> None:
    assert {"envisat_unforced", "envisat_pulses"} <= set(SHIPPED)
    assert all(len(description) > 20 and "must" not in description for _, description in available())


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenario_loads_and_survives_a_round_trip(tmp_path: Path, name: str) -> None:
    scenario = load_mission(name)
    assert scenario.name == name
    resolved = tmp_path / "resolved.yaml"
    resolved.write_text(to_yaml(scenario))
    assert load_mission(resolved) == scenario
    assert to_yaml(load_mission(resolved)) == to_yaml(scenario)
    assert str(SOURCE_TREE) not in to_yaml(scenario)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 0),
        ("nominal", {"kind": "file", "file": "robot.urdf"}),
        ("servicer.joint_rates_deg_s", [1.1, 0.7]),
        ("onboard", {"kind": "none"}),
        ("description", "1e-3 # on: 'off'\nand so \u00fcber on"),
        ("client.angular_velocity_deg_s", [0.1, 0.3, 1.23456789012345]),
        ("rates_ms", {"arm": 0.1, "dynamics": 0.2}),
    ],
)
def test_round_trip_from_another_folder(tmp_path: Path, key: str, value: object) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    scenario = load(write(first, changed(key, value)))
    file = second / "resolved.yaml"
    file.write_text(to_yaml(scenario))
    assert load(file) == scenario
    assert configuration_hash(load(file)) == configuration_hash(scenario)


def test_free_servicer_survives_a_round_trip(tmp_path: Path) -> None:
    overrides = ["servicer.motion=free", "servicer.linear_velocity_m_s=[1, 2, 3]",
                 "servicer.angular_velocity_deg_s=[4, 5, 6]"]
    scenario = load(write(tmp_path), overrides)
    assert load(write(tmp_path, to_yaml(scenario))) == scenario


def test_hash_follows_values_and_file_contents_but_not_folders(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    original = configuration_hash(load(write(first)))
    assert configuration_hash(load(write(second))) == original
    assert configuration_hash(load(write(second), ["seed=4"])) != original
    file = write(second)
    (second / "robot.urdf").write_text(ROBOT.replace('name="robot"', 'name="other"'))
    assert configuration_hash(load(file)) != original


def test_scenarios_are_frozen_and_hashable(tmp_path: Path) -> None:
    scenario = load(write(tmp_path))
    with pytest.raises(FrozenInstanceError):
        scenario.seed = 5  # type: ignore[misc]
    assert len({scenario, load(write(tmp_path))}) == 1


def test_a_file_goes_before_a_shipped_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path).rename(tmp_path / "envisat_unforced")
    monkeypatch.chdir(tmp_path)
    scenario: Scenario = load("envisat_unforced")
    assert scenario.file == tmp_path / "envisat_unforced" and scenario.seed == 3


def test_robot_beside_the_scenario_goes_before_the_shared_one(tmp_path: Path) -> None:
    file = write(tmp_path, changed("servicer.urdf", "servicer.urdf"))
    (tmp_path / "servicer.urdf").write_text(ROBOT)
    assert load(file).servicer.urdf == tmp_path / "servicer.urdf"


def test_unreadable_shipped_scenario_is_listed_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("a: [")
    (folder / "good.yaml").write_text("description: two\n  lines")
    monkeypatch.setattr(sys.modules["hil_relative_dynamics.scenario.load"], "share", lambda: tmp_path)
    (bad, reason), good = available()
    assert bad == "bad" and "bad.yaml: line 1 = 'a: [' must be valid YAML" in reason
    assert good == ("good", "two lines")


class TestShare:
    @pytest.fixture
    def index(self, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        packages = ModuleType("ament_index_python.packages")
        monkeypatch.setitem(sys.modules, "ament_index_python", ModuleType("ament_index_python"))
        monkeypatch.setitem(sys.modules, "ament_index_python.packages", packages)
        return packages

    def test_ament_index_first(self, index: ModuleType, tmp_path: Path) -> None:
        index.get_package_share_directory = lambda package: str(tmp_path / package)  # type: ignore[attr-defined]
        assert share() == tmp_path / "hil_relative_dynamics"

    @pytest.mark.parametrize("error", [LookupError, OSError])
    def test_source_tree_where_the_package_is_not_registered(
        self, index: ModuleType, error: type[Exception]
    ) -> None:
        def raising(package: str) -> str:
            raise error(package)

        index.get_package_share_directory = raising  # type: ignore[attr-defined]
        assert share() == SOURCE_TREE

    def test_source_tree_without_ament(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ament_index_python.packages", None)
        assert share() == SOURCE_TREE

    def test_data_files_of_pip(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setitem(sys.modules, "ament_index_python.packages", None)
        monkeypatch.setattr(share_module, "SOURCE_TREE", tmp_path)
        assert share() == Path(sys.prefix) / "share" / "hil_relative_dynamics"
