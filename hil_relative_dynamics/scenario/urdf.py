"""What a scenario must know of a robot description before anything is built from it."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from hil_relative_dynamics.scenario.reader import Place

TURNING = ("revolute", "continuous")


@dataclass(frozen=True)
class Outline:
    """Names of the links and of the moving joints, in the order of the file."""

    links: tuple[str, ...]
    joints: tuple[str, ...]


def outline(path: Path, at: Place) -> Outline:
    """Links and moving joints of a URDF; all of these must turn, as the scenario gives them in degrees."""
    try:
        robot = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError) as problem:  # last two: encodings
        raise at.error(path, f"must be well-formed XML ({problem})") from None
    if robot.tag != "robot":
        raise at.error(path, f"must be a URDF with the root element <robot>, not <{robot.tag}>")
    moving = [joint for joint in robot.findall("joint") if joint.get("type") != "fixed"]
    for joint in moving:
        if joint.get("type") not in TURNING:
            turns = f"must have only fixed, revolute and continuous joints, but {joint.get('name')} is"
            raise at.error(path, f"{turns} {joint.get('type')}")
    return Outline(
        links=tuple(link.get("name", "") for link in robot.findall("link")),
        joints=tuple(joint.get("name", "") for joint in moving),
    )
