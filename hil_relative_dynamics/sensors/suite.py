"""The servicer's sensors together: what the on-board software gets at a tick."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.sensors import Sensors
from hil_relative_dynamics.sensors.gyro import Gyro
from hil_relative_dynamics.sensors.relative_pose import PoseReading, RelativePose
from hil_relative_dynamics.sensors.sampled import Measurement
from hil_relative_dynamics.sensors.star_tracker import StarTracker
from hil_relative_dynamics.spatial import MotionSample

NEVER = -1
"""Acquisition stamp of a measurement that has not come yet."""

#: the numbers of `SensorReadings`, by name
FIELDS = [
    *(f"rate_{axis}" for axis in "xyz"),
    "star_tracker_stamp",
    *(f"attitude_{part}" for part in ("x", "y", "z", "w")),
    "relative_pose_stamp",
    *(f"grasp_point_{axis}" for axis in "xyz"),
    *(f"grasp_point_{part}" for part in ("qx", "qy", "qz", "qw")),
]


class SensorReadings:
    """The newest measurement of each sensor, with its acquisition stamp [ns], as one array of numbers."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def rate(self) -> np.ndarray:
        """Gyro, base axes [rad/s]."""
        return self.array[:3]

    @property
    def star_tracker(self) -> tuple[int, np.ndarray]:
        """Attitude of the base in the inertial frame, quaternion x, y, z, w."""
        return int(self.array[3]), self.array[4:8]

    @property
    def relative_pose(self) -> tuple[int, pin.SE3]:
        """The client's grasp point in the servicer's base; only if its stamp is not `NEVER`."""
        return int(self.array[8]), pin.XYZQUATToSE3(self.array[9:16])

    @property
    def complete(self) -> bool:
        return bool(self.array[3] != NEVER and self.array[8] != NEVER)


class Arrived(NamedTuple):
    """The measurements that came at this tick."""

    rate: Measurement[np.ndarray] | None = None
    attitude: Measurement[np.ndarray] | None = None
    pose: Measurement[PoseReading] | None = None


class SuiteState(NamedTuple):
    gyro: Any
    star_tracker: Any
    relative_pose: Any
    readings: np.ndarray
    arrived: Arrived = Arrived()


class SensorSuite:
    """Gyro, star tracker and relative pose, sampled together."""

    def __init__(self, settings: Sensors, pose_grasp_point: pin.SE3, seed: int, tick: int) -> None:
        devices = settings.devices
        self._gyro = Gyro(devices.gyro, seed, tick)
        self._star_tracker = StarTracker(devices.star_tracker, seed, tick)
        self._relative_pose = RelativePose(devices.relative_pose, pose_grasp_point, seed, tick)

    @property
    def gyro_covariance(self) -> np.ndarray:
        return self._gyro.covariance

    def initial_state(self) -> SuiteState:
        readings = np.zeros(len(FIELDS))
        readings[[3, 8]] = NEVER
        readings[[7, 15]] = 1.0
        gyro, tracker = self._gyro.initial_state(), self._star_tracker.initial_state()
        return SuiteState(gyro, tracker, self._relative_pose.initial_state(), readings)

    def step(
        self, state: SuiteState, client: MotionSample, servicer: MotionSample, stamp: int
    ) -> tuple[SuiteState, SensorReadings]:
        """`client`, `servicer`: their absolute motions now."""
        gyro, rate = self._gyro.step(state.gyro, servicer, stamp)
        tracker, attitude = self._star_tracker.step(state.star_tracker, servicer, stamp)
        relative, pose = self._relative_pose.step(state.relative_pose, client, servicer, stamp)
        readings = state.readings.copy()
        if rate is not None:
            readings[:3] = rate.value
        if attitude is not None:
            readings[3], readings[4:8] = attitude.stamp, attitude.value
        if pose is not None:
            readings[8], readings[9:16] = pose.stamp, pose.value.array
        arrived = Arrived(rate, attitude, pose)
        return SuiteState(gyro, tracker, relative, readings, arrived), SensorReadings(readings)
