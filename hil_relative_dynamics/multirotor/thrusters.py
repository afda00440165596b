"""A chaser with thrusters as one system of equations, paper 003, eqs. (10) and (11), with their signs put right."""
from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.orbit.attitude import RelativeAttitude
from hil_relative_dynamics.orbit.kepler import OrbitPoint

_POSITION, _VELOCITY, _ATTITUDE, _RATE = (slice(3 * i, 3 * i + 3) for i in range(4))


class Thrusters:
    r"""\( f_c = F_a f_a \), \( t_c = T_a f_a \): what the thrusters' forces f_a make of force and torque.

    Args:
        positions: of the thrusters from the centre of mass, one per row, chaser axes [m].
        directions: in which each pushes the chaser, one per row.
    """

    def __init__(self, positions: np.ndarray, directions: np.ndarray) -> None:
        unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        self.force = unit.T.copy()  # F_a, in chaser axes
        self.torque = np.cross(positions, unit).T.copy()  # T_a

    @classmethod
    def cube(cls, half: float) -> Thrusters:
        """Twelve on the faces of a cube, two on each face beside its middle: full rank in force and torque."""
        axes = np.eye(3)
        sides = [(axis, sign, beside) for axis in range(3) for sign in (-1.0, 1.0) for beside in (-0.5, 0.5)]
        positions = [half * (sign * axes[axis] + beside * axes[(axis + 1) % 3]) for axis, sign, beside in sides]
        return cls(np.array(positions), np.array([-sign * axes[axis] for axis, sign, _ in sides]))


class Matrices(NamedTuple):
    """Of  dx = A x - n_d + B f_a,  (11)."""

    state: np.ndarray  # A, 12x12
    offset: np.ndarray  # n_d, 12
    thrust: np.ndarray  # B, 12 x thrusters


@dataclass(frozen=True)
class Rendezvous:
    r"""State x: position, velocity (LVLH axes), vector part of the quaternion and rate relative to the target.

    In print, (10) adds n_t and n_r where (2), (6) and (11) subtract them, (9) multiplies D_t by the velocity and (4)
    has \( \dot\theta \) in place of its square; none of these leaves two bodies on their orbits.

    Args:
        mass, inertia: of the chaser [kg, kg m^2].
        inertia_target: of the target [kg m^2].
        thrusters: their forces act along chaser axes; the LVLH axes and the target's are taken as parallel.
        mu: gravitational parameter [m^3/s^2].
    """

    mass: float
    inertia: np.ndarray
    inertia_target: np.ndarray
    thrusters: Thrusters
    mu: float

    def matrices(self, state: np.ndarray, point: OrbitPoint, rate_target: np.ndarray) -> Matrices:
        """At one state; `rate_target`: of the target in inertial space, in its axes [rad/s]."""
        attitude = _rotation(state[_ATTITUDE])
        inverse = np.linalg.inv(self.inertia)
        change, offset = np.zeros((12, 12)), np.zeros(12)
        change[_POSITION, _VELOCITY] = np.eye(3)
        change[_VELOCITY, _POSITION], change[_VELOCITY, _VELOCITY], offset[_VELOCITY] = self._orbital(state, point)
        vector = state[_ATTITUDE]
        change[_ATTITUDE, _RATE] = 0.5 * (sqrt(1.0 - vector @ vector) * np.eye(3) + pin.skew(vector))  # T / 2
        carried = attitude.T @ rate_target
        turn = pin.skew(carried)
        coriolis = self.inertia @ turn + turn @ self.inertia - pin.skew(self.inertia @ (state[_RATE] + carried))  # (7)
        change[_RATE, _RATE] = -inverse @ coriolis
        still = RelativeAttitude(self.inertia, self.inertia_target)
        offset[_RATE] = -still.acceleration(np.zeros(3), attitude, rate_target)  # J^-1 n_r, (8)
        thrust = np.zeros((12, self.thrusters.force.shape[1]))
        thrust[_VELOCITY] = attitude @ self.thrusters.force / self.mass
        thrust[_RATE] = inverse @ self.thrusters.torque
        return Matrices(change, offset, thrust)

    def derivative(
        self, state: np.ndarray, point: OrbitPoint, rate_target: np.ndarray, forces: np.ndarray
    ) -> np.ndarray:
        """(11), with the forces of the thrusters [N]."""
        change, offset, thrust = self.matrices(state, point, rate_target)
        return np.asarray(change @ state - offset + thrust @ forces)

    def _orbital(self, state: np.ndarray, point: OrbitPoint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """-D_t / m, -C_t / m and n_t / m: (3) to (5)."""
        w, dw, radius = point.rate, point.rate_change, point.radius
        x, y, z = state[_POSITION]
        cubed = ((radius + x) ** 2 + y * y + z * z) ** 1.5
        pull = self.mu / cubed
        stiffness = np.array([[w * w - pull, dw, 0.0], [-dw, w * w - pull, 0.0], [0.0, 0.0, -pull]])
        coriolis = 2.0 * w * np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        return stiffness, coriolis, np.array([self.mu * (radius / cubed - 1.0 / radius**2), 0.0, 0.0])


def _rotation(vector: np.ndarray) -> np.ndarray:
    """Chaser to target axes, of the vector part of a quaternion whose scalar part is positive."""
    x, y, z = vector
    return pin.Quaternion(sqrt(1.0 - vector @ vector), x, y, z).toRotationMatrix()
