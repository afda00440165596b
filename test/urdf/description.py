"""Expanding the package's xacro files and loading what comes out, for the tests in this folder."""
from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pinocchio as pin
import xacro

URDF_FOLDER = Path(__file__).resolve().parents[2] / "urdf"
CONTROLLERS_FILE = URDF_FOLDER.parent / "config" / "controllers.yaml"
ARM_JOINTS = tuple(f"joint_{index}" for index in range(1, 8))
DEVICES = ("client_robot", "servicer_robot", "arm")

UR_FILES = {
    "script_filename": "/ur/external_control.urscript",
    "input_recipe_filename": "/ur/rtde_input_recipe.txt",
    "output_recipe_filename": "/ur/rtde_output_recipe.txt",
}
KUKA = {"hardware": "real", "vendor": "kuka", "client_ip": "192.0.2.1", "ft_ip": "192.0.2.2"}
UR = {"hardware": "real", "vendor": "ur", "robot_ip": "192.0.2.3", "ft_driver": "builtin", **UR_FILES}
KUKA_FRI = {"hardware": "real", "vendor": "kuka_fri", "controller_ip": "192.0.2.4", "client_ip": "192.0.2.1"}
FRANKA = {"hardware": "real", "vendor": "franka", "robot_ip": "192.0.2.5"}

NOT_REAL = ({}, {"hardware": "sim"}, {"hardware": "mock"})
VARIANTS = (
    ("servicer", {}),
    ("facility", {}),
    *((robot, arguments) for robot in DEVICES[:2] for arguments in (*NOT_REAL, KUKA, UR)),
    *(("arm", arguments) for arguments in (*NOT_REAL, KUKA_FRI, FRANKA)),
)


def expand(name: str, **arguments: str) -> str:
    """The URDF that `xacro urdf/<name>.urdf.xacro key:=value ...` prints."""
    document = xacro.process_file(str(URDF_FOLDER / f"{name}.urdf.xacro"), mappings=arguments)
    return document.toprettyxml(indent="  ")


def parse(name: str, **arguments: str) -> ElementTree.Element:
    return ElementTree.fromstring(expand(name, **arguments))


def load(name: str, **arguments: str) -> pin.Model:
    """Pinocchio model of a description, its root fixed to the world."""
    return pin.buildModelFromXML(expand(name, **arguments))


def frame_poses(model: pin.Model, configuration) -> dict[str, pin.SE3]:
    """Pose in the root frame of every frame of the model, by name."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, configuration)
    return {frame.name: data.oMf[index].copy() for index, frame in enumerate(model.frames)}
