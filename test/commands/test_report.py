"""`hil report` and `hil compare`: what they write, and what they say of folders that are no runs."""
from __future__ import annotations

from pathlib import Path

import pytest

from .calling import Hil
from .test_run import only_folder

SHORT = ("--set", "duration_s=0.02")


def test_report_draws_again_what_a_run_left_out(hil: Hil) -> None:
    hil("run", "envisat_pulses", *SHORT, "--no-figure")
    folder = only_folder()
    assert not (folder / "report.html").exists()
    answer = hil("report", str(folder))
    assert answer.status == 0 and "envisat_pulses: passed" in answer.out and str(folder / "report.html") in answer.out
    assert (folder / "report.html").exists() and (folder / "relative_position.png").exists()


def test_compare(hil: Hil) -> None:
    for mass in ("7828", "5000"):
        hil("run", "envisat_pulses", *SHORT, "--set", f"client.mass_kg={mass}", "--no-figure", "--out", mass)
    runs = [str(only_folder(Path(mass))) for mass in ("7828", "5000")]
    answer = hil("compare", *runs, "--out", "both")
    assert answer.status == 0 and "client.mass_kg" in answer.out and "7828" in answer.out
    assert "duration_s" not in answer.out and Path("both/compare.html").exists()


@pytest.mark.parametrize("command", [("report",), ("compare", "empty")])
def test_folders_that_are_no_runs(hil: Hil, command: tuple[str, ...]) -> None:
    Path("empty").mkdir()
    Path("foreign/recording").mkdir(parents=True)
    Path("foreign/recording/bag_0.mcap").write_text("not one")
    for folder, sentence in (("nowhere", "there is no such run folder"), ("empty", "hold"), ("foreign", "")):
        answer = hil(command[0], folder, *command[1:])
        assert answer.status == 2 and answer.err.startswith(f"hil {command[0]}: ") and sentence in answer.err
        assert answer.err.count("\n") == 1 and "Traceback" not in answer.err
    if command == ("report",):
        assert "is not an MCAP recording" in answer.err


def test_a_run_without_summary_is_restored_from_its_recording(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rclpy")
    monkeypatch.setattr("hil_relative_dynamics.commands.report.draw", lambda run: iter(()))  # is tested elsewhere
    hil("run", "envisat_pulses", *SHORT, "--no-figure")
    folder = only_folder()
    for name in ("summary.json", "signals.npz", "measures.npz", "scenario.yaml"):
        (folder / name).unlink()
    answer = hil("report", str(folder))
    assert answer.status == 0 and "not passed" in answer.out and "comes from its recording" in answer.out
    assert {file.name for file in folder.iterdir()} >= {"summary.json", "signals.npz", "scenario.yaml", "report.html"}


@pytest.mark.parametrize(("topics", "left"), [("none", False), ("nominal", True)])
def test_what_is_recorded_can_be_chosen(hil: Hil, topics: str, left: bool) -> None:
    pytest.importorskip("rclpy")
    assert hil("run", "envisat_pulses", *SHORT, "--no-figure", "--record", topics).status == 0
    assert (only_folder() / "recording" / "metadata.yaml").exists() is left


def test_without_ros_a_run_says_what_it_does_not_record(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hil_relative_dynamics.ros.recorder", None)
    answer = hil("run", "envisat_pulses", *SHORT, "--no-figure")
    assert answer.status == 0 and "no MCAP recording" in answer.err and "signals.npz holds the run" in answer.err
    assert not (only_folder() / "recording").exists()
