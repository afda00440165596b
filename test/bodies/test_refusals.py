"""What a free-flyer is not made of, said in one sentence."""
import re

import pytest

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.scenario import ScenarioError

from .robots import Robot, chain


def refusal(path, end_effector="tip") -> str:
    with pytest.raises(ScenarioError) as caught:
        FreeFlyer.from_urdf(path, end_effector)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert caught.value.__cause__ is None
    return sentence


def written(tmp_path, text: str):
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_missing_file(tmp_path):
    assert "must be a readable file (No such file or directory)" in refusal(tmp_path / "nowhere.urdf")


def test_a_folder(tmp_path):
    assert "must be a readable file (Is a directory)" in refusal(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "servicer",
        "<robot name='test'>",
        "<robot name='test'><link name='base'></robot>",
        "<robot name='test'/>",
        "<sdf version='1.9'><model name='test'/></sdf>",
        "<robot name='test'><link name='base'/><link name='tip'/></robot>",
        chain(2).urdf().replace('<parent link="base"/>', '<parent link="nobody"/>'),
        chain(2).urdf().replace('type="revolute"', 'type="spherical"'),
    ],
    ids=["empty", "prose", "open", "crossed", "no link", "sdf", "two roots", "no parent", "spherical"],
)
def test_what_is_no_urdf(text, tmp_path):
    assert "must be a URDF that loads" in refusal(written(tmp_path, text))


def test_what_is_no_text(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(b"\xff\xfe\x00robot")
    assert "must be a URDF that loads" in refusal(path)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_joints_of_several_degrees_of_freedom(kind, tmp_path):
    robot = Robot().joint("shoulder", "base", "arm").joint("wrist", "arm", "tip", kind)
    sentence = refusal(written(tmp_path, robot.urdf()))
    assert "wrist = " in sentence
    assert "must be revolute, continuous, prismatic or fixed" in sentence


@pytest.mark.parametrize("link", ["base", "link_1", "tip"])
def test_a_moving_link_without_inertia_which_would_give_no_numbers(link, tmp_path):
    robot = Robot().joint("shoulder", "base", "link_1").joint("elbow", "link_1", "tip")
    text = re.sub(rf'(<link name="{link}">)<inertial>.*?</inertial>', r"\1", robot.urdf())
    assert "link_1" in text and text != robot.urdf()
    if link == "link_1":  # in the middle it is allowed: what it carries has inertia
        FreeFlyer.from_urdf(written(tmp_path, text), "tip")
    else:
        assert "must give every moving link mass and inertia" in refusal(written(tmp_path, text))


@pytest.mark.parametrize("mass", ["-3", "nan", "heavy"])
def test_a_mass_that_is_none(mass, tmp_path):
    text = chain(2).urdf().replace('mass value="3.0"', f'mass value="{mass}"')
    refusal(written(tmp_path, text))


@pytest.mark.parametrize("name", ["hand", "", "joint_1", "root_joint", "universe"])
def test_an_end_effector_that_is_no_link(name, tmp_path):
    sentence = refusal(written(tmp_path, chain(2).urdf()), name)
    assert "end_effector" in sentence
    assert "must be one of the links base, link_1, tip" in sentence
