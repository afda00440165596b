"""The vehicle's extended Kalman filter: IMU carried on, camera poses correct it (paper 003, Fig. 4)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.sensing import ImuErrors, ImuReading, MocapErrors
from hil_relative_dynamics.multirotor.vehicle import GRAVITY

_DOWN = np.array([0.0, 0.0, -GRAVITY])
_POSITION, _VELOCITY, _ATTITUDE, _FORCE_BIAS, _RATE_BIAS = (slice(3 * i, 3 * i + 3) for i in range(5))
_SEEN = np.r_[0:3, 6:9]  # what the cameras measure: position and attitude
_ONE = np.eye(3)


class Estimate(NamedTuple):
    """What the vehicle believes of itself, and how much."""

    position: np.ndarray  # laboratory [m]
    velocity: np.ndarray  # laboratory axes [m/s]
    rotation: np.ndarray  # vehicle to laboratory
    rate: np.ndarray  # vehicle axes [rad/s]
    force_bias: np.ndarray  # [m/s^2]
    rate_bias: np.ndarray  # [rad/s]
    covariance: np.ndarray  # of position, velocity, attitude (vehicle axes), force bias, rate bias, 15x15
    since: float  # time that the covariance has not been carried over yet [s]
    velocity_then: np.ndarray
    rotation_then: np.ndarray

    def error(self, pose: pin.SE3, velocity: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Truth less estimate in the coordinates of the covariance."""
        turn = pin.log3(self.rotation.T @ pose.rotation)
        moved = pose.translation - self.position, velocity - self.velocity
        return np.concatenate([*moved, turn, bias[:3] - self.force_bias, bias[3:] - self.rate_bias])


class Navigation:
    r"""Error-state EKF of 15 states.

    Between camera pictures position, velocity and attitude are integrated from the IMU; the covariance is carried over
    once per picture, \( P \leftarrow \Phi P \Phi^T + Q \): at 100 Hz that loses nothing.
    """

    def __init__(self, imu: ImuErrors, mocap: MocapErrors) -> None:
        self._imu = imu
        self._noise = np.diag(np.repeat([mocap.position**2, mocap.attitude**2], 3))

    def initial_state(self, measured: pin.SE3) -> Estimate:
        """From the first picture of a vehicle at rest."""
        biases = self._imu.accelerometer_bias, self._imu.gyro_bias
        deviations = self._noise[0, 0] ** 0.5, 0.01, self._noise[3, 3] ** 0.5, *biases
        zero, rotation = np.zeros(3), measured.rotation.copy()
        covariance = np.diag(np.repeat(np.square(deviations), 3))
        return Estimate(measured.translation.copy(), zero, rotation, zero, zero, zero, covariance, 0.0, zero, rotation)

    def predict(self, state: Estimate, reading: ImuReading, dt: float) -> Estimate:
        """One IMU reading further."""
        rate = reading.rate - state.rate_bias
        velocity = state.velocity + dt * (state.rotation @ (reading.force - state.force_bias) + _DOWN)
        return state._replace(
            position=state.position + (0.5 * dt) * (state.velocity + velocity),
            velocity=velocity,
            rotation=state.rotation @ pin.exp3(rate * dt),
            rate=rate,
            since=state.since + dt,
        )

    def correct(self, state: Estimate, measured: pin.SE3) -> Estimate:
        """With one picture."""
        covariance = self.carried_over(state)
        seen = covariance[:, _SEEN]
        gain = np.linalg.solve(seen[_SEEN] + self._noise, seen.T).T
        moved = measured.translation - state.position
        change = gain @ np.concatenate([moved, pin.log3(state.rotation.T @ measured.rotation)])
        covariance = covariance - gain @ seen.T
        velocity = state.velocity + change[_VELOCITY]
        # orthonormal again: products of a hundred thousand small turns are not
        rotation = pin.Quaternion(state.rotation @ pin.exp3(change[_ATTITUDE])).normalized().toRotationMatrix()
        return Estimate(
            state.position + change[_POSITION],
            velocity,
            rotation,
            state.rate - change[_RATE_BIAS],
            state.force_bias + change[_FORCE_BIAS],
            state.rate_bias + change[_RATE_BIAS],
            0.5 * (covariance + covariance.T),
            0.0,
            velocity,
            rotation,
        )

    def carried_over(self, state: Estimate) -> np.ndarray:
        r"""The covariance now: \( \Phi P \Phi^T + Q \) over the time since the last picture."""
        dt = state.since
        if dt == 0.0:
            return state.covariance
        felt = state.velocity - state.velocity_then - dt * _DOWN  # integral of the specific force, laboratory axes
        transition = np.eye(15)
        transition[_POSITION, _VELOCITY] = dt * _ONE
        transition[_VELOCITY, _ATTITUDE] = -pin.skew(felt) @ state.rotation_then
        transition[_POSITION, _ATTITUDE] = 0.5 * dt * transition[_VELOCITY, _ATTITUDE]
        transition[_VELOCITY, _FORCE_BIAS] = -dt * state.rotation_then
        transition[_POSITION, _FORCE_BIAS] = -0.5 * dt * dt * state.rotation_then
        transition[_ATTITUDE, _ATTITUDE] = state.rotation.T @ state.rotation_then
        transition[_ATTITUDE, _RATE_BIAS] = -dt * _ONE
        return transition @ state.covariance @ transition.T + self._process_noise(dt)

    def _process_noise(self, dt: float) -> np.ndarray:
        force, rate = self._imu.accelerometer_noise**2, self._imu.gyro_noise**2
        noise = np.zeros((15, 15))
        for block, value in (
            ((_POSITION, _POSITION), force * dt**3 / 3.0),
            ((_POSITION, _VELOCITY), force * dt**2 / 2.0),
            ((_VELOCITY, _POSITION), force * dt**2 / 2.0),
            ((_VELOCITY, _VELOCITY), force * dt),
            ((_ATTITUDE, _ATTITUDE), rate * dt),
        ):
            noise[block] = value * _ONE
        return noise
