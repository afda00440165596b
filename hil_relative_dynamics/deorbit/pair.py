"""Chaser and target as two rigid bodies, pressed together by thrust, (10) to (15)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.deorbit.contact import FeetOnFace, Pressed
from hil_relative_dynamics.deorbit.robot import DampingRobot
from hil_relative_dynamics.spatial import rk4_step
from hil_relative_dynamics.spatial.integrate import Poses

NO_ROBOT = np.zeros(3)


class PairState(NamedTuple):
    """Both frames start in the contact frame, so that poses start at the identity."""

    pose_target: pin.SE3
    pose_chaser: pin.SE3
    vector: np.ndarray  # twists of target and chaser, bristles, and the three energies below

    @property
    def twist_target(self) -> pin.Motion:
        return pin.Motion(self.vector[:6])

    @property
    def twist_chaser(self) -> pin.Motion:
        return pin.Motion(self.vector[6:12])

    @property
    def bristles(self) -> np.ndarray:
        return self.vector[12:-3].reshape(2, -1)

    @property
    def work_thrust(self) -> float:
        return float(self.vector[-3])

    @property
    def work_robot(self) -> float:
        return float(self.vector[-2])

    @property
    def heat(self) -> float:
        """That the contact has taken [J]; never falls."""
        return float(self.vector[-1])


class Instant(NamedTuple):
    """What acts at one moment."""

    pose: pin.SE3  # of the chaser in the target's frame
    twist: pin.Motion  # relative, in that frame
    pressed: Pressed
    robot: np.ndarray  # F_y, F_z, tau_x on the target [N, N m]
    wrench_target: pin.Force  # contact and robot, at the origin of its frame
    acceleration_target: pin.Motion
    acceleration_chaser: pin.Motion
    powers: tuple[float, float, float]  # thrust, robot, heat [W]


class ContactPair:
    """Both bodies under a thrust on the chaser; the integrator is RK4 on SE(3)."""

    def __init__(
        self, target: RigidBody, chaser: RigidBody, contact: FeetOnFace, robot: DampingRobot | None = None
    ) -> None:
        self.target, self.chaser, self.contact, self.robot = target, chaser, contact, robot

    def start(self) -> PairState:
        """At rest, touching, not pressed."""
        return PairState(pin.SE3.Identity(), pin.SE3.Identity(), np.zeros(12 + 2 * self.contact.count + 3))

    def instant(self, state: PairState, thrust: pin.Force) -> Instant:
        """Forces and accelerations; the thrust acts on the chaser, at the origin of its frame, in its axes."""
        twist_target, twist_chaser = state.twist_target, state.twist_chaser
        pose = state.pose_target.actInv(state.pose_chaser)
        twist = pose.act(twist_chaser) - twist_target
        pressed = self.contact.press(pose, twist, state.bristles)
        wrench, robot, power_robot = pressed.wrench, NO_ROBOT, 0.0
        if self.robot is not None:
            wrench_robot, robot = self.robot.wrench(pose, twist)
            wrench = wrench + wrench_robot
            power_robot = -twist.dot(wrench_robot)
        return Instant(
            pose,
            twist,
            pressed,
            robot,
            wrench,
            self.target.acceleration(twist_target, wrench),
            self.chaser.acceleration(twist_chaser, thrust - pose.actInv(wrench)),
            (twist_chaser.dot(thrust), power_robot, pressed.loss),
        )

    def step(self, state: PairState, thrust: pin.Force, dt: float) -> PairState:
        """Under a thrust that is held."""

        def law(_: float, poses: Poses, vector: np.ndarray) -> tuple[tuple[pin.Motion, pin.Motion], np.ndarray]:
            inner = PairState(poses[0], poses[1], vector)
            now = self.instant(inner, thrust)
            rate = np.empty_like(vector)
            rate[:6], rate[6:12] = now.acceleration_target.vector, now.acceleration_chaser.vector
            rate[12:-3], rate[-3:] = now.pressed.slip.ravel(), now.powers
            return (inner.twist_target, inner.twist_chaser), rate

        poses, vector = rk4_step(law, 0.0, (state.pose_target, state.pose_chaser), state.vector, dt)
        after = PairState(poses[0], poses[1], vector)
        return self._slid(after) if self.contact.slides else after

    def _slid(self, state: PairState) -> PairState:
        """Friction beyond its cone: bristles shorten, and what they held becomes heat."""
        pose = state.pose_target.actInv(state.pose_chaser)
        pressed = self.contact.press(pose, pose.act(state.twist_chaser) - state.twist_target, state.bristles)
        bristles = self.contact.settled(state.bristles, pressed.forces[0])
        vector = state.vector.copy()
        vector[12:-3] = bristles.ravel()
        vector[-1] += 0.5 * self.contact.stiffness * float((state.bristles**2).sum() - (bristles**2).sum())
        return state._replace(vector=vector)

    def energy(self, state: PairState, now: Instant) -> float:
        """Kinetic, and stored in the contact [J]."""
        kinetic = self.target.kinetic_energy(state.twist_target) + self.chaser.kinetic_energy(state.twist_chaser)
        return kinetic + now.pressed.stored

    def momentum(self, state: PairState) -> pin.Force:
        """Of both, in the inertial frame, about its origin."""
        target = self.target.momentum(state.pose_target, state.twist_target)
        return target + self.chaser.momentum(state.pose_chaser, state.twist_chaser)
