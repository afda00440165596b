"""The signals that blocks exchange: one name, one kind, one producer. Over ROS 2 each is a topic."""
from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.matching.arm_feedforward import ArmTorque
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

NOMINAL = "nominal"
CLIENT_MEASURED = "client/measured"
CLIENT_WRENCH = "client/wrench"
CLIENT_ABSOLUTE = "client/absolute"
CLIENT_SIMULATED = "client/simulated"
CLIENT_COMMANDED = "client/commanded"
SERVICER_MEASURED = "servicer/measured"
SERVICER_ABSOLUTE = "servicer/absolute"
SERVICER_SIMULATED = "servicer/simulated"
SERVICER_COMMANDED = "servicer/commanded"
SERVICER_THRUST = "servicer/thrust"
END_EFFECTOR_WRENCH = "end_effector/wrench"
ARM_JOINTS = "arm/joints"
ARM_ONBOARD_TORQUE = "arm/onboard_torque"
ARM_TORQUE = "arm/torque"
ARM_TORQUE_TERMS = "arm/torque_terms"

KINDS: dict[str, type] = {
    NOMINAL: MotionPoints,
    CLIENT_MEASURED: MotionSample,
    CLIENT_WRENCH: pin.Force,
    CLIENT_ABSOLUTE: MotionSample,
    CLIENT_SIMULATED: MotionPoints,
    CLIENT_COMMANDED: MotionPoints,
    SERVICER_MEASURED: MotionSample,
    SERVICER_ABSOLUTE: MotionSample,
    SERVICER_SIMULATED: MotionPoints,
    SERVICER_COMMANDED: MotionPoints,
    SERVICER_THRUST: pin.Force,
    END_EFFECTOR_WRENCH: pin.Force,
    ARM_JOINTS: JointSample,
    ARM_ONBOARD_TORQUE: np.ndarray,
    ARM_TORQUE: np.ndarray,
    ARM_TORQUE_TERMS: ArmTorque,
}


#: the body or sensor on which, and in whose frame, each wrench is
WRENCH_FRAMES = {
    CLIENT_WRENCH: "client",
    END_EFFECTOR_WRENCH: "gripper",
    SERVICER_THRUST: "servicer",
}


def to_array(signal: str) -> Callable[[Any], np.ndarray]:
    """How to get the numbers of a signal's value, as they cross the wire."""
    kind = KINDS[signal]
    if kind is np.ndarray:
        return lambda value: value
    return attrgetter({pin.Force: "vector", ArmTorque: "rows"}.get(kind, "array"))
