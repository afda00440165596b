"""Help that a newcomer can go by, and the commands that only tell."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hil_relative_dynamics import __version__, cli
from hil_relative_dynamics.evidence import bench, validation
from hil_relative_dynamics.scenario import available

from .calling import Hil

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = sorted(path.stem for path in Path(cli.__file__).parent.glob("commands/*.py"))
PARTS = ("__init__", "terminal", "groups", "run_mission", "execution", "restore")
COMMANDS = [name for name in COMMANDS if name not in PARTS]


def test_help_names_every_command_the_exit_status_and_examples(hil: Hil) -> None:
    answer = hil("--help")
    assert answer.status == 0 and answer.err == ""
    for name in COMMANDS:
        assert re.search(rf"^    {name} +[a-z]", answer.out, re.MULTILINE), name
    assert "exit status: 0 " in answer.out and "hil run envisat_pulses" in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_says_what_it_does_and_explains_every_argument(hil: Hil, name: str) -> None:
    answer = hil(name, "--help")
    assert answer.status == 0 and answer.err == ""
    paragraphs = answer.out.split("\n\n")
    assert paragraphs[0].startswith(f"usage: hil {name} ")
    assert re.match(r"[A-Z].{10,}\.$", paragraphs[1])
    for line in re.findall(r"^  (?:-|[a-z]).*(?:\n {8,}.*)*", answer.out, re.MULTILINE):
        assert len(line.split()) > 3, f"no explanation: {line}"


@pytest.mark.parametrize(("name", "groups"), [("validate", validation.GROUPS), ("bench", bench.GROUPS)])
def test_help_names_the_groups(hil: Hil, name: str, groups: dict[str, str]) -> None:
    out = " ".join(hil(name, "--help").out.split())
    for group in groups:
        assert re.search(rf"which group: .*\b{group}\b.*\(default: all\)", out)


def test_version(hil: Hil) -> None:
    assert hil("--version").out == f"hil_relative_dynamics {__version__}\n"


def test_list_names_and_describes_the_shipped_scenarios(hil: Hil) -> None:
    answer = hil("list")
    text = " ".join(answer.out.split())
    assert answer.status == 0
    for name, description in available():
        assert name in text and description.split()[0] in text


def test_doctor_as_json(hil: Hil) -> None:
    answer = hil("doctor", "--json")
    findings = {finding["name"]: finding for finding in json.loads(answer.out)}
    assert {"Python", "pinocchio", "kernels", "rclpy", "cores", "C compiler", "mujoco"} <= set(findings)
    assert findings["kernels"]["state"] == "ok" and findings["pinocchio"]["state"] == "ok"
    for finding in findings.values():
        assert set(finding) == {"name", "state", "found", "remedy"}
        assert finding["state"] in ("ok", "optional", "missing") and finding["found"]
        assert finding["state"] == "ok" or finding["remedy"]
    assert answer.status == (1 if any(finding["state"] == "missing" for finding in findings.values()) else 0)


def test_doctor_as_text_shows_the_same(hil: Hil) -> None:
    names = [finding["name"] for finding in json.loads(hil("doctor", "--json").out)]
    text = hil("doctor").out
    assert all(re.search(rf"^{name} ", text, re.MULTILINE) for name in names)


def test_doctor_says_how_to_get_what_is_missing(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "rclpy" else find(name))
    answer = hil("doctor", "--json")
    (rclpy,) = [finding for finding in json.loads(answer.out) if finding["name"] == "rclpy"]
    assert answer.status == 1 and rclpy["state"] == "missing" and "make setup" in rclpy["remedy"]


def test_as_a_program_of_its_own(tmp_path: Path) -> None:
    """A refusal through the real process: one sentence, status 2, no traceback, nothing on disk."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "hil_relative_dynamics.cli", "run", "envisat_pulse"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("hil run: envisat_pulse must be") and done.stderr.count("\n") == 1
    assert "did you mean envisat_pulses?" in done.stderr
    assert not list(tmp_path.iterdir())
