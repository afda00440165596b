"""What a vehicle measures: its IMU on board, and the laboratory's cameras that see it."""
from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.vehicle import GRAVITY, VehicleState

_UP = np.array([0.0, 0.0, GRAVITY])


@dataclass(frozen=True)
class ImuErrors:
    """White noise as densities, constant biases as standard deviations."""

    accelerometer_noise: float  # [m/s^2/sqrt(Hz)]
    gyro_noise: float  # [rad/s/sqrt(Hz)]
    accelerometer_bias: float  # [m/s^2]
    gyro_bias: float  # [rad/s]


@dataclass(frozen=True)
class MocapErrors:
    """Standard deviation on each axis."""

    position: float  # [m]
    attitude: float  # [rad]


class ImuReading(NamedTuple):
    """Means over the time since the last reading, as an IMU that integrates at kilohertz gives them."""

    force: np.ndarray  # specific force, axes of the vehicle at the start of the interval [m/s^2]
    rate: np.ndarray  # [rad/s]


class Imu:
    """Accelerometer and gyro; the biases are drawn once."""

    def __init__(self, errors: ImuErrors, random: np.random.Generator) -> None:
        self._random = random
        self._deviation = np.repeat([errors.accelerometer_noise, errors.gyro_noise], 3)
        self.bias = np.repeat([errors.accelerometer_bias, errors.gyro_bias], 3) * random.standard_normal(6)

    def measure(self, before: VehicleState, after: VehicleState, dt: float) -> ImuReading:
        errors = self.bias + self._deviation * (self._random.standard_normal(6) / sqrt(dt))
        gained = (after.velocity - before.velocity) / dt + _UP
        turned = pin.log3(before.pose.rotation.T @ after.pose.rotation) / dt
        return ImuReading(gained @ before.pose.rotation + errors[:3], turned + errors[3:])


class Mocap:
    """The pose as the cameras see it."""

    def __init__(self, errors: MocapErrors, random: np.random.Generator) -> None:
        self._random = random
        self._deviation = np.repeat([errors.position, errors.attitude], 3)

    def measure(self, state: VehicleState) -> pin.SE3:
        errors = self._deviation * self._random.standard_normal(6)
        pose = state.pose
        return pin.SE3(pose.rotation @ pin.exp3(errors[3:]), pose.translation + errors[:3])
