"""The signals that blocks exchange: one name, one kind, one producer. Over ROS 2 each is a topic."""
from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.matching.arm_feedforward import ArmTorque
from hil_relative_dynamics.onboard.status import OnboardStatus
from hil_relative_dynamics.sensors.suite import SensorReadings
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionPoints, MotionSample

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
SENSORS_CLIENT = "sensors/client"
SENSORS_SERVICER = "sensors/servicer"
SENSORS_READINGS = "sensors/readings"  # not ideal: the newest of gyro, star tracker and relative pose

# devices, on the topics of the stock controllers and broadcasters
CLIENT_ROBOT_JOINTS = "client_robot/joint_states"
SERVICER_ROBOT_JOINTS = "servicer_robot/joint_states"
ARM_JOINT_STATES = "arm/joint_states"
CLIENT_ROBOT_SENSOR = "client_robot/ft_broadcaster/wrench"
SERVICER_ROBOT_SENSOR = "servicer_robot/ft_broadcaster/wrench"
# stamped copies of what the controllers are told: these carry no time
CLIENT_ROBOT_COMMAND = "client_robot/command"
SERVICER_ROBOT_COMMAND = "servicer_robot/command"
ARM_COMMAND = "arm/command"
SAFETY = "safety/state"
GRIPPER_COMMAND = "gripper/command"  # 1: close
GRIPPER_STATE = "gripper/state"  # opening [m], latched
ONBOARD_STATUS = "onboard/status"
STABILITY = "stability"  # with robots: storage, power of contact, displacements, as matching/passivity.py orders them

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
    SENSORS_CLIENT: MotionSample,
    SENSORS_SERVICER: MotionSample,
    SENSORS_READINGS: SensorReadings,
    CLIENT_ROBOT_JOINTS: JointReading,
    SERVICER_ROBOT_JOINTS: JointReading,
    ARM_JOINT_STATES: JointReading,
    CLIENT_ROBOT_SENSOR: pin.Force,
    SERVICER_ROBOT_SENSOR: pin.Force,
    CLIENT_ROBOT_COMMAND: np.ndarray,
    SERVICER_ROBOT_COMMAND: np.ndarray,
    ARM_COMMAND: np.ndarray,
    SAFETY: SafetyState,
    GRIPPER_COMMAND: np.ndarray,
    GRIPPER_STATE: np.ndarray,
    ONBOARD_STATUS: OnboardStatus,
    STABILITY: np.ndarray,
}


#: the body or sensor on which, and in whose frame, each wrench is
WRENCH_FRAMES = {
    CLIENT_WRENCH: "client",
    END_EFFECTOR_WRENCH: "gripper",
    SERVICER_THRUST: "servicer",
    CLIENT_ROBOT_SENSOR: "client_robot_ft_sensor",
    SERVICER_ROBOT_SENSOR: "servicer_robot_ft_sensor",
}
#: from devices: whatever QoS their drivers offer, the newest counts
FROM_DEVICES = frozenset(
    {CLIENT_ROBOT_JOINTS, SERVICER_ROBOT_JOINTS, ARM_JOINT_STATES, CLIENT_ROBOT_SENSOR, SERVICER_ROBOT_SENSOR}
)
#: to devices: the controller's own topic for each stamped copy
CONTROLLER_TOPICS = {
    CLIENT_ROBOT_COMMAND: "client_robot/forward_position_controller/commands",
    SERVICER_ROBOT_COMMAND: "servicer_robot/forward_position_controller/commands",
    ARM_COMMAND: "arm/forward_effort_controller/commands",
}


def to_array(signal: str) -> Callable[[Any], np.ndarray]:
    """How to get the numbers of a signal's value, as they cross the wire."""
    kind = KINDS[signal]
    if kind is np.ndarray:
        return lambda value: value
    if kind is SafetyState:
        return lambda state: np.array([float(state.enabled)])
    if kind is OnboardStatus:
        return OnboardStatus.numbers
    return attrgetter({pin.Force: "vector", ArmTorque: "rows"}.get(kind, "array"))
