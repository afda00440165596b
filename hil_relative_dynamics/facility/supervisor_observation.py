"""What the supervisor looks at, at one instant."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.supervisor_events import Event
from hil_relative_dynamics.spatial import JointReading, MotionPoints, MotionSample


class Stamps(NamedTuple):
    """When each signal of an observation was taken [ns]; ignored for signals that are missing."""

    client_robot: int
    servicer_robot: int
    arm: int
    client_measured: int
    servicer_measured: int
    client_commanded: int
    servicer_commanded: int
    client_wrench: int
    client_sensor: int
    servicer_sensor: int
    arm_torque: int

    @classmethod
    def all_at(cls, stamp: int) -> Stamps:
        return cls(*[stamp] * len(cls._fields))


class Observation(NamedTuple):
    """Measurements and, before the commanders, commands; None for what has not come yet.

    Attributes:
        client_robot, servicer_robot, arm: readings of the devices.
        client_measured, servicer_measured: g_c, V_c and g_s, V_s.
        client_commanded, servicer_commanded: the same as commanded, at this instant and the next.
        client_wrench: contact on the client in its body frame, the mock-up's weight taken off.
        client_sensor, servicer_sensor: raw wrenches of the F/T sensors, in their frames.
        arm_torque: commanded [N m].
        stamps: of the signals above; None: all are of the tick.
        events: what the node reports.
    """

    client_robot: JointReading | None
    servicer_robot: JointReading | None
    arm: JointReading | None
    client_measured: MotionSample | None
    servicer_measured: MotionSample | None
    client_commanded: MotionPoints | None
    servicer_commanded: MotionPoints | None
    client_wrench: pin.Force | None
    client_sensor: pin.Force | None
    servicer_sensor: pin.Force | None
    arm_torque: np.ndarray | None
    stamps: Stamps | None = None
    events: tuple[Event, ...] = ()


SIGNALS = (
    "client_robot/joint_states",
    "servicer_robot/joint_states",
    "arm/joint_states",
    "client/measured",
    "servicer/measured",
    "client/commanded",
    "servicer/commanded",
    "client/wrench",
    "client_robot/ft_sensor",
    "servicer_robot/ft_sensor",
    "arm/torque",
)
"""Names of the signals of an observation, in its order."""
