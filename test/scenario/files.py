"""A small valid scenario with a two-joint robot, to be spoilt by the tests."""
from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

ROBOT = """<?xml version="1.0"?>
<robot name="robot">
  <link name="base"/> <link name="upper"/> <link name="lower"/> <link name="hand"/>
  <joint name="first" type="revolute"><parent link="base"/><child link="upper"/></joint>
  <joint name="second" type="continuous"><parent link="upper"/><child link="lower"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="hand"/></joint>
</robot>
"""

VALID: dict[str, Any] = {
    "description": "A client and a servicer.",
    "duration_s": 10,
    "seed": 3,
    "rates_ms": {"arm": 1, "dynamics": 2},
    "client": {
        "mass_kg": 100.0,
        "com_m": [0.1, 0, 0],
        "inertia_kg_m2": [[10, 1, 0], [1, 12, 0], [0, 0, 14]],
        "position_m": [1, 2, 3],
        "orientation_rpy_deg": [10, 20, 30],
        "linear_velocity_m_s": [0.1, 0.2, 0.3],
        "angular_velocity_deg_s": [0, -2.5, 1],
        "grasp_point": {"position_m": [0.5, 0, 0]},
    },
    "servicer": {
        "urdf": "robot.urdf",
        "end_effector": "hand",
        "position_m": [2, 0, 0.5],
        "orientation_rpy_deg": [0, 0, 180],
        "joints_deg": [10, -20],
    },
    "onboard": {
        "kind": "scripted",
        "thrust": [{"start_s": 1, "duration_s": 0.5, "force_N": [1, 2, 3]}],
        "arm_moves": [
            {"start_s": 1, "duration_s": 2, "joints_deg": [30, 40]},
            {"start_s": 3, "duration_s": 1, "joints_deg": [0, 0]},
        ],
        "stiffness_N_m_rad": 50,
        "damping_N_m_s_rad": [5, 6],
    },
    "external_wrenches": [
        {"on": "client", "start_s": 2, "duration_s": 1, "force_N": [0, 0, 9], "point_m": [1, 0, 0]},
        {"on": "contact", "start_s": 2.5, "duration_s": 1, "torque_N_m": [0, 1, 0]},
    ],
    "criteria": {"relative_position_error_m": 1e-9},
}

REMOVED = object()


def changed(key: str, value: object, document: dict[str, Any] = VALID) -> dict[str, Any]:
    """A copy with one dotted key set, or removed."""
    document = deepcopy(document)
    *path, last = (int(part) if part.isdigit() else part for part in key.split("."))
    node: Any = document
    for part in path:
        node = node[part] if isinstance(part, int) else node.setdefault(part, {})
    if value is REMOVED:
        del node[last]
    else:
        node[last] = value
    return document


def write(folder: Path, document: object = VALID) -> Path:
    """The scenario file (a text as it is, anything else as YAML) beside its robot."""
    (folder / "robot.urdf").write_text(ROBOT)
    file = folder / "spoilt.yaml"
    file.write_text(document if isinstance(document, str) else yaml.safe_dump(document, sort_keys=False))
    return file
