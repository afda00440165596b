"""What a run leaves on disk, and that it can be run again from there."""
from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.evidence import run_folder as module
from hil_relative_dynamics.evidence.run_folder import Verdict, judge, new_folder, run_folder, write_summary
from hil_relative_dynamics.scenario import Scenario, configuration_hash, load


@pytest.fixture
def scenario() -> Scenario:
    return load("envisat_pulses", ["duration_s=0.05", "seed=7"])


class StoppedClock(datetime):
    @classmethod
    def now(cls, tz: object = None) -> StoppedClock:
        return cls(2031, 5, 17, 12, 30, 45)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "datetime", StoppedClock)


def test_runs_within_one_second_get_folders_of_their_own(
    scenario: Scenario, tmp_path: Path, stopped: None
) -> None:
    folders = [new_folder(scenario, tmp_path / "runs") for _ in range(3)]
    stem = "envisat_pulses-20310517-123045"
    assert [folder.name for folder in folders] == [stem, f"{stem}-2", f"{stem}-3"]
    assert all(folder.is_dir() for folder in folders)


def test_a_hundred_runs_within_one_second_are_too_many(
    scenario: Scenario, tmp_path: Path, stopped: None
) -> None:
    for _ in range(99):
        new_folder(scenario, tmp_path)
    with pytest.raises(RuntimeError, match="exist already"):
        new_folder(scenario, tmp_path)


def test_a_place_where_no_folder_can_be(scenario: Scenario, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(RuntimeError, match=rf"^the run's folder cannot be made in {file}: Not a directory$"):
        new_folder(scenario, file)


def test_a_run_that_leaves_nothing_leaves_no_folder(scenario: Scenario, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), run_folder(scenario, tmp_path):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_a_run_that_failed_half_way_keeps_what_it_wrote(scenario: Scenario, tmp_path: Path) -> None:
    with pytest.raises(OSError), run_folder(scenario, tmp_path) as folder:
        (folder / "summary.json").write_text("{}")
        raise OSError
    assert (folder / "summary.json").exists()


class TestJudge:
    def test_up_to_the_limit(self) -> None:
        scenario = load("envisat_pulses", ["criteria={energy_error_J: 0.5, arm_joint_error_rad: 1e-3}"])
        verdicts = judge(scenario, {"energy_error_J": 0.5, "arm_joint_error_rad": 2e-3, "other": 9.0})
        assert verdicts == [
            Verdict("arm_joint_error_rad", 2e-3, 1e-3, False),
            Verdict("energy_error_J", 0.5, 0.5, True),
        ]

    def test_nan_and_infinity_fail(self, scenario: Scenario) -> None:
        largest = {"relative_position_error_m": math.nan, "relative_orientation_error_rad": math.inf}
        assert [verdict.ok for verdict in judge(scenario, largest)] == [False, False]

    def test_without_criteria_nothing_is_judged(self) -> None:
        assert judge(load("envisat_pulses", ["criteria={}"]), {"energy_error_J": math.nan}) == []


class TestSummary:
    def test_names_what_was_run_and_with_what(self, scenario: Scenario, tmp_path: Path) -> None:
        verdicts = [Verdict("energy_error_J", 0.1, 0.5, True)]
        returned = write_summary(tmp_path, scenario, verdicts, {"real_time_factor": 20.0})
        summary = json.loads((tmp_path / "summary.json").read_text())
        assert summary == returned
        assert summary["scenario"] == "envisat_pulses" and summary["seed"] == 7 and summary["passed"] is True
        judged = {"criterion": "energy_error_J", "value": 0.1, "limit": 0.5, "ok": True}
        assert summary["criteria"] == [judged]
        assert summary["configuration_hash"] == configuration_hash(scenario)
        assert {"hil_relative_dynamics", "python", "numpy", "scipy"} <= set(summary["versions"])

    @pytest.mark.parametrize("ok", [True, False])
    @pytest.mark.parametrize("interrupted", [True, False])
    def test_passed(self, scenario: Scenario, tmp_path: Path, ok: bool, interrupted: bool) -> None:
        verdicts = [Verdict("energy_error_J", 0.1, 0.5, ok), Verdict("other", 0.1, 0.5, True)]
        summary = write_summary(tmp_path, scenario, verdicts, {"interrupted": interrupted})
        assert summary["passed"] is (ok and not interrupted)

    def test_stays_json_when_numbers_are_none(self, scenario: Scenario, tmp_path: Path) -> None:
        verdicts = [Verdict("energy_error_J", math.nan, 0.5, False)]
        facts = {"largest": {"energy_error_J": math.nan, "other": math.inf}}
        write_summary(tmp_path, scenario, verdicts, facts)
        text = (tmp_path / "summary.json").read_text()
        summary = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert summary["largest"] == {"energy_error_J": None, "other": None}
        assert summary["criteria"][0]["value"] is None and summary["passed"] is False


def test_the_written_scenario_runs_again_with_the_same_result(scenario: Scenario, tmp_path: Path) -> None:
    write_summary(tmp_path, scenario, [], {})
    again = load(tmp_path / "scenario.yaml")
    assert again == scenario and configuration_hash(again) == configuration_hash(scenario)
    first, second = (run(assemble(some), some.duration_ns) for some in (scenario, again))
    for name in first.signals:
        np.testing.assert_array_equal(second[name], first[name])
