"""Bad input of every kind: one sentence on standard error, exit status 2, nothing written."""
from __future__ import annotations

from pathlib import Path

import pytest

from .calling import Hil

SHORT = ("--set", "duration_s=0.01", "--no-figure")
TWO_ROOTS = "<robot name='r'><link name='gripper'/><link name='other'/></robot>"


def refused(hil: Hil, *arguments: str) -> str:
    before = set(Path.cwd().rglob("*"))
    answer = hil(*arguments)
    assert answer.status == 2, answer
    assert answer.out == "", answer.out
    assert answer.err.count("\n") == 1 and answer.err.startswith(f"hil {arguments[0]}: "), answer.err
    assert "Traceback" not in answer.err
    assert set(Path.cwd().rglob("*")) == before, "something was written"
    return answer.err


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        # unknown or missing key
        ("clientt.mass_kg=5", "clientt = {'mass_kg': 5} is no known key, did you mean client?"),
        ("client.mass=5", "client.mass = 5 is no known key, did you mean mass_kg?"),
        ("client={}", "client.mass_kg is missing, it must be a positive number [kg]"),
        # wrong type or size
        ("client.mass_kg=heavy", "client.mass_kg = 'heavy' must be a positive number [kg]"),
        ("client.position_m=[1,2]", "client.position_m = [1, 2] must be a list of 3 numbers [m]"),
        ("servicer.joints_deg=[1,2]", "must be a list of 7 numbers, one per moving joint of servicer.urdf"),
        # numbers that are none, masses and inertias that no body has
        ("client.position_m=[0,.nan,0]", "client.position_m.1 = nan must be a finite number [m]"),
        ("duration_s=.inf", "duration_s = inf must be positive"),
        ("client.mass_kg=0", "client.mass_kg = 0 must be a positive number [kg]"),
        ("client.mass_kg=-7828", "client.mass_kg = -7828 must be a positive number [kg]"),
        ("client.inertia_kg_m2=[[1,0,0],[0,1,0],[0,0,-1]]", "must be positive definite"),
        ("client.inertia_kg_m2=[[1,0,0],[0,1,0],[0,0,3]]", "no principal moment above the sum of the others"),
        # steps
        ("rates_ms.dynamics=0", "rates_ms.dynamics = 0 must be positive"),
        ("rates_ms.arm=-1", "rates_ms.arm = -1 must be positive"),
        ("rates_ms={arm: 2, dynamics: 3}", "rates_ms.dynamics = 3.0 must be a whole multiple of"),
        # contradictions
        ("servicer.linear_velocity_m_s=[0,0,1]", "must be left out with motion: co_rotating"),
        ("nominal={kind: file}", "nominal.file is missing, it must name a readable file with kind: file"),
        # robot descriptions
        ("servicer.urdf=absent.urdf", "servicer.urdf = 'absent.urdf' must name a readable file"),
        ("servicer.end_effector=hand", "servicer.end_effector = 'hand' must be a link of servicer.urdf"),
        # the form of --set itself
        ("seed", "--set 'seed' must be written key=value"),
        ("seed=[", "must be valid YAML"),
        ("client.com_m.3=1", "must name one of 3 items by its index from 0"),
        ("seed.next=1", "sets next of what is neither a list nor a mapping"),
    ],
)
def test_set(hil: Hil, override: str, sentence: str) -> None:
    err = refused(hil, "run", "envisat_unforced", *SHORT, "--set", override)
    assert err.startswith("hil run: --set") and sentence in err


def test_a_start_that_lacks_what_its_kind_needs(hil: Hil) -> None:
    err = refused(hil, "run", "envisat_unforced", *SHORT, "--set", "servicer.motion=free")
    assert "servicer.linear_velocity_m_s is missing, it must be a list of 3 numbers with motion: free" in err


@pytest.mark.parametrize(
    ("urdf", "sentence"),
    [
        ("<robot", "must be well-formed XML"),
        ("<sdf/>", "must be a URDF with the root element <robot>"),
        (TWO_ROOTS, "must be a URDF that loads (Failed to find root link: Two root links found"),
        ("<robot name='r'><link name='gripper'/></robot>", "mass and inertia"),
    ],
)
def test_robot_description(hil: Hil, tmp_path: Path, urdf: str, sentence: str) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(urdf)
    settings = ("--set", f"servicer.urdf={file}", "--set", "servicer.joints_deg=[]")
    err = refused(hil, "run", "envisat_unforced", *SHORT, *settings)
    assert str(file) in err and sentence in err


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("envisat_pulse", "must be a file or the name of a shipped scenario, did you mean envisat_pulses?"),
        ("envisat-unforced", "did you mean envisat_unforced?"),
        ("absent.yaml", "must be a file or the name of a shipped scenario"),
        (".", "must be a readable file (Is a directory)"),
    ],
)
def test_scenario(hil: Hil, name: str, sentence: str) -> None:
    assert sentence in refused(hil, "run", name)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("a: [", "must be valid YAML"),
        ("duration_s: 1\nduration_s: 2\n", "'duration_s' stands twice"),
        ("description: x\n", "duration_s is missing"),
    ],
)
def test_scenario_file(hil: Hil, tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    err = refused(hil, "run", str(file))
    assert str(file) in err and sentence in err


def test_motion_file(hil: Hil, tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_text("time,x,y,z\n")
    override = f"nominal={{kind: file, file: {file}}}"
    err = refused(hil, "run", "envisat_unforced", *SHORT, "--set", override)
    assert "its first line must read t,x,y,z,qx" in err


@pytest.mark.parametrize("command", ["validate", "bench"])
def test_group(hil: Hil, command: str) -> None:
    assert "there is no group 'metod', did you mean method?" in refused(hil, command, "metod")


class TestOut:
    def test_that_is_a_file(self, hil: Hil, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("mine")
        err = refused(hil, "run", "envisat_unforced", *SHORT, "--out", "file")
        assert "the run's folder cannot be made in file: Not a directory" in err
        assert (tmp_path / "file").read_text() == "mine"

    def test_below_a_file(self, hil: Hil, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("mine")
        refused(hil, "run", "envisat_unforced", *SHORT, "--out", "file/runs")

    def test_that_cannot_be_written(self, hil: Hil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(path: Path, *arguments: object, **options: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))  # as root, permissions refuse nothing

        monkeypatch.setattr(Path, "mkdir", refuse)
        err = refused(hil, "run", "envisat_unforced", *SHORT, "--out", "runs")
        assert "the run's folder cannot be made in runs: Permission denied" in err


def test_words_that_argparse_does_not_know(hil: Hil) -> None:
    for arguments in ((), ("fly",), ("run",), ("run", "envisat_pulses", "--out"), ("list", "all")):
        answer = hil(*arguments)
        assert answer.status == 2 and answer.out == ""
        assert "usage: hil" in answer.err and "error: " in answer.err and "Traceback" not in answer.err


def test_a_developer_can_have_the_traceback(hil: Hil, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIL_TRACEBACK", "1")
    with pytest.raises(ValueError, match="must be a file or the name"):
        hil("run", "absent")
