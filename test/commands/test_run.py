"""`hil run`: what it says, what it writes, and its exit status."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil_relative_dynamics.commands import run as run_command
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.report import write_report
from hil_relative_dynamics.evidence.run import load_run

from .calling import Hil

SHORT = ("--set", "duration_s=0.1")


def only_folder(root: Path = Path("runs")) -> Path:
    (folder,) = root.iterdir()
    return folder


def summary(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def test_a_run_that_keeps_its_criteria(hil: Hil) -> None:
    answer = hil("run", "envisat_pulses", *SHORT)
    folder = only_folder()
    assert answer.status == 0 and folder.name.startswith("envisat_pulses-20")
    written = {file.name for file in folder.iterdir()}
    assert written >= {"summary.json", "scenario.yaml", "signals.npz", "measures.npz", "overview.png", "report.html"}
    told = summary(folder)
    assert told["passed"] is True and told["mode"] == "offline" and told["interrupted"] is False
    assert told["simulated_s"] == 0.1 and told["real_time_factor"] > 0.0
    assert "2 of 2 criteria met" in answer.out and str(folder) in answer.out
    assert "times real time" in answer.out and "FAILED" not in answer.out
    assert "running envisat_pulses" in answer.err  # progress does not mix with results


@pytest.mark.parametrize(("found", "shown"), [(None, ".venv/bin/hil list"), ("/usr/bin/hil", " hil list")])
def test_what_it_suggests_can_be_typed(
    hil: Hil, monkeypatch: pytest.MonkeyPatch, found: str | None, shown: str
) -> None:
    monkeypatch.setattr("sys.argv", [".venv/bin/hil", "run"])
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert shown in hil("run", "envisat_pulses", *SHORT, "--no-figure").out


def test_signals_are_thinned_to_ten_milliseconds(hil: Hil) -> None:
    hil("run", "envisat_pulses", *SHORT, "--no-figure")
    recording = Recording.load(only_folder() / "signals.npz")
    assert list(recording.stamps(signals.ARM_JOINTS)) == [k * 10_000_000 for k in range(10)]


def test_without_figure(hil: Hil) -> None:
    assert hil("run", "envisat_pulses", *SHORT, "--no-figure").status == 0
    assert not (only_folder() / "overview.png").exists()


def test_a_failing_criterion_gives_status_1(hil: Hil) -> None:
    arguments = ("--set", "criteria.arm_joint_error_rad=1e-30", "--no-figure")
    answer = hil("run", "envisat_pulses", *SHORT, *arguments)
    assert answer.status == 1 and "FAILED" in answer.out and "2 of 3 criteria met" in answer.out
    told = summary(only_folder())
    assert told["passed"] is False
    failed = [verdict["criterion"] for verdict in told["criteria"] if not verdict["ok"]]
    assert failed == ["arm_joint_error_rad"]


def test_a_run_that_diverges_fails_its_criteria(hil: Hil) -> None:
    stiff = "onboard={kind: scripted, stiffness_N_m_rad: 1e9, damping_N_m_s_rad: 1e9}"
    settings = (stiff, "servicer.joint_rates_deg_s=[1,1,1,1,1,1,1]", "criteria={energy_error_J: 1e300}")
    words = [word for setting in settings for word in ("--set", setting)]
    answer = hil("run", "envisat_unforced", *SHORT, *words, "--no-figure")
    assert answer.status == 1 and "nan" in answer.out and "FAILED" in answer.out
    assert summary(only_folder())["largest"]["energy_error_J"] is None


def test_out_and_set_are_obeyed_and_the_written_scenario_runs_again(hil: Hil) -> None:
    hil("run", "envisat_pulses", *SHORT, "--set", "client.mass_kg=5000", "--out", "a/b", "--no-figure")
    first = only_folder(Path("a/b"))
    answer = hil("run", str(first / "scenario.yaml"), "--out", "again", "--no-figure")
    second = only_folder(Path("again"))
    assert answer.status == 0 and second.name.startswith("scenario-20")
    assert (second / "scenario.yaml").read_text() == (first / "scenario.yaml").read_text()
    assert "mass_kg: 5000" in (first / "scenario.yaml").read_text()
    for key in ("configuration_hash", "largest", "criteria"):
        assert summary(second)[key] == summary(first)[key]
    for name in Recording.load(first / "signals.npz").signals:
        before, after = (Recording.load(folder / "signals.npz")[name] for folder in (first, second))
        assert before.tobytes() == after.tobytes()


def interrupting(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between two blocks of the tick at `after` [ns]."""
    assemble = run_command.assemble

    def with_interruption(scenario):
        table = assemble(scenario)
        stage = table["servicer_dynamics"]

        def act(stamp, *inputs):
            if stamp == after:
                raise KeyboardInterrupt
            return stage_act(stamp, *inputs)

        stage_act = stage.act
        object.__setattr__(stage, "act", act)
        return table

    monkeypatch.setattr(run_command, "assemble", with_interruption)


def test_an_interrupted_run_writes_what_there_is(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupting(50_000_000, monkeypatch)
    answer = hil("run", "envisat_pulses", *SHORT)
    assert answer.status == 130 and "interrupted at 0.1 s; writing what there is" in answer.err
    told = summary(only_folder())
    assert told["interrupted"] is True and told["passed"] is False and told["simulated_s"] == 0.05
    assert (only_folder() / "overview.png").exists()


def test_a_run_interrupted_at_once_writes_nothing(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupting(0, monkeypatch)
    answer = hil("run", "envisat_pulses", *SHORT)
    assert answer.status == 130 and answer.err.endswith("interrupted\n")
    assert not list(Path("runs").iterdir())


def test_validate_exit_status_and_json(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    from hil_relative_dynamics.commands import validate
    from hil_relative_dynamics.evidence.validation import Check

    checks = [
        Check("good", "(2)", "an error", 1e-12, 1e-9, "m"),
        Check("bad", "(22)", "an effect", 1e-3, 1e-2, "N m", relation=">="),
    ]
    monkeypatch.setattr(validate, "validate", lambda group, progress: checks)
    answer = hil("validate", "method")
    assert answer.status == 1 and "1 of 2 checks hold; failed: bad" in answer.err
    assert "FAILED" in answer.out and "an effect" in answer.out
    told = json.loads(hil("validate", "method", "--json").out)
    assert [(check["id"], check["ok"]) for check in told] == [("good", True), ("bad", False)]
    monkeypatch.setattr(validate, "validate", lambda group, progress: checks[:1])
    assert hil("validate").status == 0


def test_bench_json(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    from hil_relative_dynamics.commands import bench

    monkeypatch.setattr(bench, "run", lambda group, progress: {"tick_us": 12.5, "joints": [{"joints": 6}]})
    assert json.loads(hil("bench", "method", "--json").out) == {"tick_us": 12.5, "joints": [{"joints": 6}]}
    assert json.loads(hil("bench", "--json").out)["method"]["tick_us"] == 12.5
    text = hil("bench").out
    assert "tick_us" in text and "12.5" in text and "joints.0.joints" in text


def test_a_capture_that_never_grasped_fails_by_its_criteria(hil: Hil) -> None:
    answer = hil("run", "envisat_capture", "--set", "facility.kind=none", "--set", "duration_s=0.1", "--no-figure")
    judged = {entry["criterion"]: entry for entry in summary(only_folder())["criteria"]}
    assert answer.status == 1 and summary(only_folder())["passed"] is False
    assert judged["grasp_by_s"] == {"criterion": "grasp_by_s", "value": None, "limit": 34.0, "ok": False}
    assert judged["contact_force_N"]["ok"] and judged["robot_displacement_m"]["ok"]
    line = next(line for line in answer.out.splitlines() if "grasp_by_s" in line)
    assert "nan" in line and " 34 " in line and "FAILED" in line
    page = write_report(load_run(only_folder())).read_text()
    assert "grasp_by_s" in page and "not a number" in page
