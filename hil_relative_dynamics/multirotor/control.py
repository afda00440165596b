"""Position and attitude control of a fully actuated vehicle, decoupled, as ArduPilot has it (paper 003, Fig. 4)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.mixer import Mixer
from hil_relative_dynamics.multirotor.navigation import Estimate
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.multirotor.vehicle import GRAVITY

_UP = np.array([0.0, 0.0, GRAVITY])


@dataclass(frozen=True)
class Gains:
    """Of the four loops, all as rates: [1/s] for P, [1/s^2] for the integrals."""

    position: float = 1.0
    velocity: float = 2.0
    velocity_integral: float = 1.0
    attitude: float = 4.5
    rate: float = 15.0
    rate_integral: float = 15.0
    largest_velocity: float = 2.0  # beyond the set-point's [m/s]
    largest_integral: float = 2.0  # [m/s^2]
    largest_tilt: float = np.radians(10.0)


class ControlState(NamedTuple):
    """Integrals of the inner loops: accelerations that were needed so far."""

    acceleration: np.ndarray  # laboratory axes [m/s^2]
    turn: np.ndarray  # vehicle axes [rad/s^2]


class Controller:
    r"""P on position and PI on velocity give the force, P on attitude and PI on rate the torque.

    \( a = a_r + k_v (v_r + k_p (p_r - p) - v) + k_i \int (\cdot) \), \( F = m R^T (a + g) \): the force is turned into
    vehicle axes and the rotors give it without tilting. \( \tau = J \dot\omega_r + \omega \times J \omega \) with
    \( \dot\omega_r \) likewise from attitude and rate.
    """

    def __init__(self, inertia: pin.Inertia, mixer: Mixer, gains: Gains) -> None:
        self._mass, self._inertia = inertia.mass, inertia.inertia
        self._mixer, self._gains = mixer, gains

    def initial_state(self) -> ControlState:
        return ControlState(np.zeros(3), np.zeros(3))

    def step(
        self, state: ControlState, wanted: SetPoint, estimated: Estimate, dt: float
    ) -> tuple[ControlState, np.ndarray]:
        """Rotor speeds [rad/s]."""
        gains = self._gains
        # position -> velocity -> acceleration
        correction = gains.position * (wanted.pose.translation - estimated.position)
        velocity_error = wanted.velocity + limited(correction, gains.largest_velocity) - estimated.velocity
        integral = state.acceleration + gains.velocity_integral * dt * velocity_error
        integral = limited(integral, gains.largest_integral)
        acceleration = wanted.acceleration + gains.velocity * velocity_error + integral
        # attitude -> rate -> angular acceleration
        attitude_error = pin.log3(estimated.rotation.T @ level(wanted.pose.rotation, gains.largest_tilt))
        rate_error = wanted.rate + gains.attitude * attitude_error - estimated.rate
        turn = state.turn + gains.rate_integral * dt * rate_error
        spin = self._inertia @ (gains.rate * rate_error + turn)
        wrench = np.empty(6)
        wrench[:3] = self._mass * ((acceleration + _UP) @ estimated.rotation)
        wrench[3:] = spin + _cross(estimated.rate, self._inertia @ estimated.rate)
        return ControlState(integral, turn), self._mixer.speeds(wrench)


def limited(vector: np.ndarray, most: float) -> np.ndarray:
    """Shortened to a length of at most `most`."""
    length = float(vector @ vector) ** 0.5
    return vector if length <= most else vector * (most / length)


def level(rotation: np.ndarray, most: float) -> np.ndarray:
    """An attitude with roll and pitch within `most` [rad]; yaw is left as it is."""
    if rotation[2, 2] >= 1.0 - 1e-15:  # level: nearly always
        return rotation
    roll, pitch, yaw = pin.rpy.matrixToRpy(rotation)
    return pin.rpy.rpyToMatrix(float(np.clip(roll, -most, most)), float(np.clip(pitch, -most, most)), yaw)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.cross takes ten times as long for two vectors."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
