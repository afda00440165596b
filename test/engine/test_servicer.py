"""Robot descriptions that load, and those that no servicer can have."""
from __future__ import annotations

from pathlib import Path

import pytest

from hil_relative_dynamics.engine.servicer import free_flyer
from hil_relative_dynamics.scenario import ScenarioError, load

TENSOR = '<inertia ixx="{x}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
BODY = f'<inertial><mass value="{{mass}}"/>{TENSOR}</inertial>'
SOUND = BODY.format(mass=10, x=1)


STRAY = '<joint name="stray" type="fixed"><parent link="none"/><child link="base"/></joint>'


def robot(base: str = SOUND, arm: str = SOUND, tool: str = "", joint: str = "") -> str:
    limit = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    return (
        f'<robot name="r"><link name="base">{base}</link><link name="arm">{arm}</link>'
        f'<link name="tool">{tool}</link>'
        f'<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>{limit}</joint>'
        f'<joint name="hold" type="fixed"><parent link="arm"/><child link="tool"/></joint>{joint}</robot>'
    )


def build(folder: Path, text: str) -> object:
    path = folder / "robot.urdf"
    path.write_text(text)
    overrides = [f"servicer.urdf={path}", "servicer.end_effector=tool", "servicer.joints_deg=[0]"]
    return free_flyer(load("envisat_unforced", overrides).servicer)


@pytest.mark.parametrize(
    "text",
    [
        robot(),
        robot(arm="", tool=SOUND),  # joined rigidly: one body with mass
        robot(base=BODY.format(mass=10, x=2)),  # a flat plate
    ],
)
def test_sound_robots(text: str, tmp_path: Path) -> None:
    assert build(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (robot(base=""), "must give every moving link mass and inertia"),
        (robot(arm=""), "must give every moving link mass and inertia"),
        (robot(base=BODY.format(mass=-10, x=1)), "must give every moving link mass and inertia"),
        (robot(arm=BODY.format(mass=-1, x=1)), "what elbow carries has a mass of -1 kg"),
        (robot(arm=BODY.format(mass="nan", x=1)), "elbow"),
        (robot(base=BODY.format(mass=10, x=-0.5)), "the base has an inertia that is not positive definite"),
        (robot(tool=BODY.format(mass=10, x=-1.5)), "what elbow carries has an inertia that is not positive"),
        (robot(arm=BODY.format(mass=10, x=3)), "what elbow carries has an inertia that breaks the triangle"),
        (robot(joint=STRAY), "must be a URDF that loads"),
        (robot().replace("</robot>", '<link name="second"/></robot>'), "Two root links found"),
    ],
)
def test_refused(text: str, problem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ScenarioError) as caught:
        build(tmp_path, text)
    sentence = str(caught.value)
    assert sentence.startswith(f"{tmp_path / 'robot.urdf'} must ") and problem in sentence
    assert "\n" not in sentence
    assert capfd.readouterr().err == ""  # the parser's own words are in the sentence, not beside it
