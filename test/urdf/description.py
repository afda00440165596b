"""Expanding the package's xacro files and loading what comes out, for the tests in this folder."""
from pathlib import Path

import pinocchio as pin
import xacro

URDF_FOLDER = Path(__file__).resolve().parents[2] / "urdf"
CONFIG_FOLDER = URDF_FOLDER.parent / "config"
ARM_JOINTS = tuple(f"joint_{index}" for index in range(1, 8))


def expand(name: str, **arguments: str) -> str:
    """The URDF that `xacro urdf/<name> key:=value ...` prints."""
    return xacro.process_file(str(URDF_FOLDER / name), mappings=arguments).toprettyxml(indent="  ")


def load(name: str, root: pin.JointModel | None = None, **arguments: str) -> pin.Model:
    """Pinocchio model of an expanded xacro file, fixed to the world unless a root joint is given."""
    text = expand(name, **arguments)
    return pin.buildModelFromXML(text) if root is None else pin.buildModelFromXML(text, root)
