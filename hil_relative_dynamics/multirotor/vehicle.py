"""The flying vehicle: a rigid body under rotors, gravity and air, paper 003, eqs. (21) to (23)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.multirotor.mixer import Mixer
from hil_relative_dynamics.spatial import rk4_step

GRAVITY = 9.80665
"""[m/s^2], down the z axis of the laboratory."""
_DOWN = np.array([0.0, 0.0, -GRAVITY])


class VehicleState(NamedTuple):
    """Where it is, how it moves, how fast its rotors turn."""

    pose: pin.SE3  # vehicle to laboratory, origin at the centre of mass
    twist: pin.Motion  # in vehicle axes
    speeds: np.ndarray  # of the rotors [rad/s]

    @property
    def velocity(self) -> np.ndarray:
        """In laboratory axes [m/s]."""
        return self.pose.rotation @ self.twist.linear


class Vehicle:
    r"""(21) in body axes:  \( M \dot V + C(V) V = H \omega^2 + R^T (m g + F_{ext} - d v) \).

    Each rotor follows its commanded speed with a lag of first order. The air resists in proportion to speed (the
    drag of the turning rotors, which dominates at walking pace). The gyroscopic moments of the rotors are left out,
    as in the paper: neighbours turn in opposite directions and cancel.

    Args:
        body: mass and inertia about the centre of mass.
        mixer: rotors as they are; a controller may believe in slightly different ones.
        lag: time constant of a motor [s].
        air_drag: d [N s/m].
    """

    def __init__(self, body: RigidBody, mixer: Mixer, lag: float, air_drag: float) -> None:
        self.body, self.mixer, self.lag, self.air_drag = body, mixer, lag, air_drag
        self._weight = body.inertia.mass * _DOWN

    def hover(self, pose: pin.SE3) -> VehicleState:
        """At rest, level or not, rotors carrying the weight."""
        lift = np.concatenate([-pose.rotation.T @ self._weight, np.zeros(3)])
        return VehicleState(pose, pin.Motion.Zero(), self.mixer.speeds(lift))

    def acceleration(self, state: VehicleState, wrench_air: np.ndarray) -> pin.Motion:
        """Derivative of the body twist; `wrench_air`: [force in laboratory axes; torque in vehicle axes]."""
        wrench = self.mixer.wrench(state.speeds)
        wrench[3:] += wrench_air[3:]
        return self._acceleration(state.pose.rotation, state.twist, wrench, self._weight + wrench_air[:3])

    def _acceleration(
        self, rotation: np.ndarray, twist: pin.Motion, wrench: np.ndarray, force_world: np.ndarray
    ) -> pin.Motion:
        felt = pin.Force(wrench)
        felt.linear += force_world @ rotation - self.air_drag * twist.linear
        return self.body.acceleration(twist, felt)

    def step(
        self, state: VehicleState, commanded: np.ndarray, wrench_air: np.ndarray, dt: float
    ) -> VehicleState:
        """One step of RK4 on SE(3), commanded rotor speeds and wrench of the air held; the motors' lag is exact."""
        behind = state.speeds - commanded
        speeds = commanded + np.exp(np.array([0.0, -0.5, -1.0]) * (dt / self.lag))[:, None] * behind
        wrenches = (speeds * speeds) @ self.mixer.matrix.T  # rows: at the start, the middle and the end
        wrenches[:, 3:] += wrench_air[3:]
        force_world = self._weight + wrench_air[:3]

        def law(
            time: float, poses: Sequence[pin.SE3], twist: np.ndarray
        ) -> tuple[list[pin.Motion], np.ndarray]:
            motion = pin.Motion(twist)
            wrench = wrenches[round(2.0 * time / dt)]
            return [motion], self._acceleration(poses[0].rotation, motion, wrench, force_world).vector

        poses, twist = rk4_step(law, 0.0, [state.pose], state.twist.vector, dt)
        return VehicleState(poses[0], pin.Motion(twist), speeds[2])

    def energy(self, state: VehicleState) -> float:
        """Kinetic and potential [J]."""
        return self.body.kinetic_energy(state.twist) - float(self._weight @ state.pose.translation)
