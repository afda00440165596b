"""Signals on topics: which message type carries which signal, with the names of a scenario."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.matching.arm_feedforward import ArmTorque
from hil_relative_dynamics.matching.passivity import STABILITY
from hil_relative_dynamics.onboard.status import OnboardStatus
from hil_relative_dynamics.ros.raw import RawMessageWire, RawSafetyWire, RawWire
from hil_relative_dynamics.ros.wire import (
    CommandWire,
    JointReadingWire,
    JointSampleWire,
    JointVectorWire,
    MotionWire,
    ReadingsWire,
    StateWire,
    StatusWire,
    TorqueTermsWire,
    Wire,
    WrenchWire,
)
from hil_relative_dynamics.sensors.suite import FIELDS, SensorReadings
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointReading, JointSample, MotionPoints, MotionSample

#: numbers that are not of joints, as JointState names them
FIELD_NAMES = {
    signals.GRIPPER_COMMAND: ["close"],
    signals.GRIPPER_STATE: ["opening", "latched"],
    signals.STABILITY: list(STABILITY),
}


class SignalWires:
    """Makes the wire of each signal; every user gets one of its own, because wires reuse their buffers."""

    def __init__(self, table: TickTable, joint_names: dict[str, list[str]]) -> None:
        """`joint_names` by device: arm, client_robot, servicer_robot."""
        self._table, self._joint_names = table, joint_names

    def make(self, signal: str) -> RawWire | RawSafetyWire | RawMessageWire:
        kind = signals.KINDS[signal]
        if kind is OnboardStatus:
            return RawMessageWire(StatusWire("onboard_software"))
        if kind is SafetyState:
            return RawSafetyWire("safety_supervisor")
        wire, shape, build = self._parts(signal, kind)
        to_array = _pose_and_twist if build is _state else signals.to_array(signal)
        return RawWire(wire, shape, to_array, build)

    def make_command(self, signal: str) -> CommandWire:
        """For the controller's own topic of a stamped command."""
        return CommandWire(len(self._joint_names[signal.split("/")[0]]))

    def _parts(self, signal: str, kind: type) -> tuple[Wire, tuple[int, ...], Callable[[np.ndarray], Any]]:
        device = signal.split("/")[0]
        if kind is SensorReadings:
            return ReadingsWire(), (len(FIELDS),), SensorReadings
        if device == "sensors":
            return StateWire("orbit", signal.split("/")[1]), (13,), _state
        if kind is MotionSample or kind is MotionPoints:
            offsets = self._offsets(signal)
            frame = "orbit" if signal.endswith(("absolute", "simulated")) or signal == signals.NOMINAL else "nominal"
            wire = MotionWire(kind is MotionSample, frame, device, offsets)
            return wire, (SAMPLE_SIZE,) if kind is MotionSample else (len(offsets), SAMPLE_SIZE), kind
        if kind is pin.Force:
            return WrenchWire(signals.WRENCH_FRAMES[signal]), (6,), pin.Force
        names = FIELD_NAMES.get(signal) or self._joint_names[device]
        if kind is JointSample:
            return JointSampleWire(names), (3, len(names)), JointSample
        if kind is JointReading:
            return JointReadingWire(names), (3, len(names)), JointReading
        if kind is ArmTorque:
            return TorqueTermsWire(names), (5, len(names)), ArmTorque
        field = "effort" if device == "arm" else "position"
        return JointVectorWire(names, field), (len(names),), _same

    def _offsets(self, signal: str) -> tuple[int, ...]:
        if signals.KINDS[signal] is MotionSample:
            return (0,)
        period = self._table.every(signal)
        return (0, period // 2, period) if signal == signals.NOMINAL else (0, period)


def _pose_and_twist(sample: MotionSample) -> np.ndarray:
    return sample.array[:13]


def _state(numbers: np.ndarray) -> MotionSample:
    return MotionSample(np.concatenate([numbers, np.zeros(6)]))


def _same(array: np.ndarray) -> np.ndarray:
    return array
