"""Signals as messages and back: the one place where quaternion order and message fields are known.

A wire fills one message over and over: publishing serialises at once, and making a message costs more than
filling it. What is read back is bit for bit what was written (float64, quaternions as they are).
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Transform, Twist, WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import (
    JointTrajectory,
    JointTrajectoryPoint,
    MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint,
)

from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.matching.arm_feedforward import ArmTorque
from hil_relative_dynamics.onboard.status import OnboardStatus
from hil_relative_dynamics.sensors.suite import FIELDS, SensorReadings
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointReading, JointSample, MotionPoints, MotionSample

BILLION = 1_000_000_000


class BadMessage(ValueError):
    """A message that does not fit its signal: wrong size or names. The sentence says which."""


def write_time(time: Time | Duration, nanoseconds: int) -> None:
    time.sec, time.nanosec = divmod(nanoseconds, BILLION)


def read_time(time: Time | Duration) -> int:
    return time.sec * BILLION + time.nanosec


class Wire(Protocol):
    """One kind of signal on one message type."""

    message_type: type

    def write(self, stamp: int, value: Any) -> Any:
        """The message; valid until the next call."""

    def read(self, message: Any) -> Any:
        """The value; raises BadMessage."""


class MotionWire:
    """Samples of a motion: MultiDOFJointTrajectory with a point for each sample."""

    message_type = MultiDOFJointTrajectory

    def __init__(self, single: bool, frame: str, body: str, offsets: Sequence[int] = (0,)) -> None:
        """`offsets`: times of the points after the stamp [ns]; `single`: a MotionSample rather than MotionPoints."""
        self._single, self._count = single, len(offsets)
        self._message = MultiDOFJointTrajectory(joint_names=[body])
        self._message.header.frame_id = frame
        for offset in offsets:
            point = MultiDOFJointTrajectoryPoint(
                transforms=[Transform()], velocities=[Twist()], accelerations=[Twist()]
            )
            write_time(point.time_from_start, offset)
            self._message.points.append(point)

    def write(self, stamp: int, value: MotionSample | MotionPoints) -> MultiDOFJointTrajectory:
        message = self._message
        write_time(message.header.stamp, stamp)
        rows = [value.array.tolist()] if self._single else value.array.tolist()
        for point, row in zip(message.points, rows):
            transform = point.transforms[0]
            position, rotation = transform.translation, transform.rotation
            position.x, position.y, position.z = row[:3]
            rotation.x, rotation.y, rotation.z, rotation.w = row[3:7]
            _write_twist(point.velocities[0], row, 7)
            _write_twist(point.accelerations[0], row, 13)
        return message

    def read(self, message: MultiDOFJointTrajectory) -> MotionSample | MotionPoints:
        points = message.points
        if len(points) != self._count:
            raise BadMessage(f"{len(points)} points instead of {self._count}")
        rows: list[float] = []
        for point in points:
            if not (point.transforms and point.velocities and point.accelerations):
                raise BadMessage("a point without transform, velocity and acceleration")
            position, rotation = point.transforms[0].translation, point.transforms[0].rotation
            rows += (position.x, position.y, position.z, rotation.x, rotation.y, rotation.z, rotation.w)
            for twist in (point.velocities[0], point.accelerations[0]):
                linear, angular = twist.linear, twist.angular
                rows += (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
        if self._single:
            return MotionSample(np.array(rows))
        return MotionPoints(np.array(rows).reshape(self._count, SAMPLE_SIZE))


def _write_twist(twist: Twist, row: list[float], start: int) -> None:
    linear, angular = twist.linear, twist.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = row[start : start + 6]


class WrenchWire:
    """A wrench on the body whose frame the header names."""

    message_type = WrenchStamped

    def __init__(self, frame: str) -> None:
        self._message = WrenchStamped()
        self._message.header.frame_id = frame

    def write(self, stamp: int, value: pin.Force) -> WrenchStamped:
        message = self._message
        write_time(message.header.stamp, stamp)
        force, torque = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, torque.x, torque.y, torque.z = value.vector.tolist()
        return message

    def read(self, message: WrenchStamped) -> pin.Force:
        force, torque = message.wrench.force, message.wrench.torque
        return pin.Force(np.array((force.x, force.y, force.z, torque.x, torque.y, torque.z)))


class JointSampleWire:
    """Joints with their acceleration: JointTrajectory with one point (JointState has no place for it)."""

    message_type = JointTrajectory

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._message = JointTrajectory(joint_names=self._names, points=[_full_point(len(self._names))])

    def write(self, stamp: int, value: JointSample) -> JointTrajectory:
        message = self._message
        write_time(message.header.stamp, stamp)
        point = message.points[0]
        point.positions, point.velocities, point.accelerations = value.array.tolist()
        return message

    def read(self, message: JointTrajectory) -> JointSample:
        _check_names(self._names, message.joint_names)
        if len(message.points) != 1:
            raise BadMessage(f"{len(message.points)} points instead of 1")
        point = message.points[0]
        return JointSample(_rows(len(self._names), point.positions, point.velocities, point.accelerations))


class JointReadingWire:
    """A device's joints: JointState as joint_state_broadcaster publishes it, in any order of joints."""

    message_type = JointState

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._message = JointState(name=self._names)

    def write(self, stamp: int, value: JointReading) -> JointState:
        message = self._message
        write_time(message.header.stamp, stamp)
        message.position, message.velocity, message.effort = value.array.tolist()
        return message

    def read(self, message: JointState) -> JointReading:
        names, count = list(message.name), len(self._names)
        absent = [0.0] * len(names)  # drivers may leave velocity or effort out
        rows = [message.position, message.velocity or absent, message.effort or absent]
        if names != self._names:
            if not set(self._names) <= set(names) or len(set(names)) != len(names):
                raise BadMessage(f"joints {', '.join(names)} instead of {', '.join(self._names)}")
            order = [names.index(name) for name in self._names]
            rows = [[row[index] for index in order] if len(row) == len(names) else row for row in rows]
        return JointReading(_rows(count, *rows))


class JointVectorWire:
    """One number per joint: the named field of a JointState."""

    message_type = JointState

    def __init__(self, names: Sequence[str], field: str) -> None:
        self._names, self._field = list(names), field
        rest = [0.0] * len(self._names)
        self._message = JointState(name=self._names, position=rest, velocity=rest, effort=rest)

    def write(self, stamp: int, value: np.ndarray) -> JointState:
        write_time(self._message.header.stamp, stamp)
        setattr(self._message, self._field, value.tolist())
        return self._message

    def read(self, message: JointState) -> np.ndarray:
        _check_names(self._names, message.name)
        return _rows(len(self._names), getattr(message, self._field))[0]


class ReadingsWire(JointVectorWire):
    """What the sensors told last, number by number under their names."""

    def __init__(self) -> None:
        super().__init__(FIELDS, "position")

    def write(self, stamp: int, value: SensorReadings) -> JointState:  # type: ignore[override]
        return super().write(stamp, value.array)

    def read(self, message: JointState) -> SensorReadings:  # type: ignore[override]
        return SensorReadings(super().read(message))


class StateWire:
    """Pose and twist of a body: Odometry, the twist in the body's own axes. Covariances are left at zero."""

    message_type = Odometry

    def __init__(self, frame: str, body: str) -> None:
        self._message = Odometry(child_frame_id=body)
        self._message.header.frame_id = frame

    def write(self, stamp: int, value: MotionSample) -> Odometry:
        message, row = self._message, value.array.tolist()
        write_time(message.header.stamp, stamp)
        position, rotation = message.pose.pose.position, message.pose.pose.orientation
        position.x, position.y, position.z = row[:3]
        rotation.x, rotation.y, rotation.z, rotation.w = row[3:7]
        _write_twist(message.twist.twist, row, 7)
        return message

    def read(self, message: Odometry) -> MotionSample:
        position, rotation = message.pose.pose.position, message.pose.pose.orientation
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        row = (position.x, position.y, position.z, rotation.x, rotation.y, rotation.z, rotation.w)
        row += (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
        return MotionSample(np.array(row + (0.0,) * 6))


class CommandWire:
    """What a forward controller is told: numbers without a stamp, whose order is the controller's joints."""

    message_type = Float64MultiArray

    def __init__(self, count: int) -> None:
        self._count, self._message = count, Float64MultiArray()

    def write(self, value: np.ndarray) -> Float64MultiArray:
        self._message.data = value.tolist()
        return self._message

    def read(self, message: Float64MultiArray) -> np.ndarray:
        return _rows(self._count, message.data)[0]


class TorqueTermsWire:
    """The terms of the arm's torque, one point each: total, gravity, ff1, ff2, ff3."""

    message_type = JointTrajectory

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        points = [_full_point(len(self._names)) for _ in range(5)]
        self._message = JointTrajectory(joint_names=self._names, points=points)

    def write(self, stamp: int, value: ArmTorque) -> JointTrajectory:
        write_time(self._message.header.stamp, stamp)
        for point, row in zip(self._message.points, value.rows.tolist()):
            point.effort = row
        return self._message

    def read(self, message: JointTrajectory) -> ArmTorque:
        _check_names(self._names, message.joint_names)
        return ArmTorque(_rows(len(self._names), *(point.effort for point in message.points)))


class SafetyWire:
    """The supervisor's word: one DiagnosticStatus, OK while the robots may move."""

    message_type = DiagnosticArray

    def __init__(self, name: str) -> None:
        self._status = DiagnosticStatus(name=name)
        self._message = DiagnosticArray(status=[self._status])

    def write(self, stamp: int, value: SafetyState) -> DiagnosticArray:
        write_time(self._message.header.stamp, stamp)
        self._status.level = bytes([value.level])
        self._status.message = value.sentence
        self._status.values = [KeyValue(key=key, value=text) for key, text in value.values.items()]
        return self._message

    def read(self, message: DiagnosticArray) -> SafetyState:
        if len(message.status) != 1:
            raise BadMessage(f"{len(message.status)} statuses instead of 1")
        status = message.status[0]
        return SafetyState.of_values(status.message, {pair.key: pair.value for pair in status.values})


class StatusWire:
    """What the on-board software tells of itself: one DiagnosticStatus, ERROR once it has aborted."""

    message_type = DiagnosticArray

    def __init__(self, name: str) -> None:
        self._status = DiagnosticStatus(name=name)
        self._message = DiagnosticArray(status=[self._status])

    def write(self, stamp: int, value: OnboardStatus) -> DiagnosticArray:
        write_time(self._message.header.stamp, stamp)
        self._status.level = DiagnosticStatus.ERROR if value.reason else DiagnosticStatus.OK
        self._status.message = value.reason
        self._status.values = [KeyValue(key=key, value=text) for key, text in value.values.items()]
        return self._message

    def read(self, message: DiagnosticArray) -> OnboardStatus:
        if len(message.status) != 1:
            raise BadMessage(f"{len(message.status)} statuses instead of 1")
        status = message.status[0]
        try:
            return OnboardStatus.of_values(status.message, {pair.key: pair.value for pair in status.values})
        except (KeyError, ValueError) as error:
            raise BadMessage(f"a status without {error}") from None


def _full_point(joints: int) -> JointTrajectoryPoint:
    """Every sequence has its numbers: how an empty one is padded depends on the middleware."""
    rest = [0.0] * joints
    return JointTrajectoryPoint(positions=rest, velocities=rest, accelerations=rest, effort=rest)


def _check_names(expected: list[str], given: Sequence[str]) -> None:
    if list(given) != expected:
        raise BadMessage(f"joints {', '.join(given)} instead of {', '.join(expected)}")


def _rows(count: int, *rows: Sequence[float]) -> np.ndarray:
    for row in rows:
        if len(row) != count:
            raise BadMessage(f"{len(row)} numbers instead of {count}")
    return np.array(rows, dtype=float)
