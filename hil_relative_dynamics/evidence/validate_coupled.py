"""The facility in continuous time beside the orbit that it stands for, integrated as one system.

The orbit: nominal (4), client (2), and base with arm (12) by pinocchio's articulated-body algorithm. The
facility: client (2) and (11), base (13) and (18) for the joints of the arm on the ground, and that arm under
gravity (20) with the torque (22). Only the nominal goes from one to the other; their difference is the error.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validate_flight import GRAVITY, HOLD, NO_WRENCH, POSTURES, Flight, Inputs
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.spatial import JointSample, MotionSample, rk4_step
from hil_relative_dynamics.spatial.integrate import Poses


class Orbit:
    """Nominal, client and servicer: three poses, their twists, q, dq, impulse received and work received."""

    def __init__(self, flight: Flight) -> None:
        self._client, self._servicer, self._torque = flight.client, flight.servicer, flight.torque

    def rate(self, poses: Poses, twists: Sequence[pin.Motion], arm: np.ndarray, inputs: Inputs) -> np.ndarray:
        q, dq = arm
        push, thrust, contact, posture = inputs
        torque = self._torque(posture, q, dq)
        base_to_tip, joints_to_tip = self._servicer.jacobians(q)
        pose_end_effector = poses[1].actInv(poses[2] * self._servicer.end_effector_in_base(q))
        wrench_client = push - pose_end_effector.act(contact)  # Assumption 3
        acceleration, ddq = self._servicer.forward_dynamics(q, twists[2], dq, thrust, torque, contact)
        work = twists[2].dot(thrust) + dq @ torque
        work += (base_to_tip @ twists[2].vector + joints_to_tip @ dq) @ contact.vector
        return np.concatenate(
            [
                self._client.acceleration(twists[0], NO_WRENCH).vector,
                self._client.acceleration(twists[1], wrench_client).vector,
                acceleration.vector,
                dq,
                ddq,
                (poses[1].act(push) + poses[2].act(thrust)).vector,
                [twists[1].dot(wrench_client), work],
            ]
        )


class Laboratory:
    """Client and servicer as the blocks simulate and command them, and the arm on the ground."""

    def __init__(self, flight: Flight) -> None:
        self._model, self._torque = flight.servicer, flight.torque
        self._client = ClientDynamics(flight.client)
        self._servicer = ServicerDynamics(flight.servicer, momentum_form=False)
        self._feed_forward = ArmFeedForward(flight.servicer, flight.calibration, GRAVITY)
        self._up = flight.calibration.rotation.T @ -GRAVITY

    def rate(
        self,
        poses: Poses,
        twists: Sequence[pin.Motion],
        arm: np.ndarray,
        inputs: Inputs,
        nominal: MotionSample,
    ) -> np.ndarray:
        client = PairState.of(poses[0], twists[0], poses[1], twists[1])
        servicer = PairState.of(poses[2], twists[2], poses[3], twists[3])
        pose_end_effector = poses[1].actInv(poses[3] * self._model.end_effector_in_base(arm[0]))
        wrench_client = inputs.push - pose_end_effector.act(inputs.contact)
        motion = self._client.derivative(client, wrench_client, nominal)
        base, ddq = self._base_and_arm(servicer, arm, inputs, nominal)
        return np.concatenate([motion.array[:, 0, 13:].ravel(), base.array[:, 0, 13:].ravel(), arm[1], ddq])

    def _base_and_arm(
        self, state: PairState, arm: np.ndarray, inputs: Inputs, nominal: MotionSample
    ) -> tuple[MatchedMotion, np.ndarray]:
        """(18) and (20) together: base and arm accelerate each other, so that both are solved for at once."""
        _, thrust, contact, posture = inputs
        q, dq = arm
        held = JointSample.of(q, dq)  # with ddq = 0
        base = self._servicer.derivative(state, thrust, contact, held, nominal)
        laboratory, orbit = base.commanded.start, base.simulated.start
        commanded = self._feed_forward.step(self._torque(posture, q, dq), held, laboratory, orbit).total
        mass = self._model.mass_matrix(q)
        mass_base, coupling, mass_arm = mass[:6, :6], mass[:6, 6:], mass[6:, 6:]
        up = pin.Motion(laboratory.pose.rotation.T @ self._up, np.zeros(3))
        effort = commanded + self._model.jacobians(q)[1].T @ contact.vector
        effort -= self._model.nonlinear_effects(q, laboratory.twist, dq)[6:]
        effort -= coupling.T @ (laboratory.acceleration + up).vector
        ddq = np.linalg.solve(mass_arm - coupling.T @ np.linalg.solve(mass_base, coupling), effort)
        moving = JointSample.of(q, dq, ddq)
        return self._servicer.derivative(state, thrust, contact, moving, nominal), ddq


class Snapshot(NamedTuple):
    """Everything at one instant."""

    nominal: MotionSample
    client: MotionSample
    servicer: MotionSample
    client_robot: MotionSample
    servicer_robot: MotionSample
    arm: JointSample
    arm_on_ground: JointSample
    impulse: pin.Force  # of pushes and thrusters, in the inertial frame
    work: np.ndarray  # on client and servicer [J]


class Coupled:
    """Orbit and laboratory as one system of seven poses and a vector."""

    def __init__(self, flight: Flight) -> None:
        self._flight, self._orbit, self._laboratory = flight, Orbit(flight), Laboratory(flight)
        self._inputs = flight.inputs[0]

    def run(self, inputs: Sequence[Inputs], every: int) -> Iterator[Snapshot]:
        """Snapshots at the start and after every so many holds."""
        poses, vector = self._start()
        yield self._snapshot(poses, vector)
        for k, self._inputs in enumerate(inputs, start=1):
            poses, vector = rk4_step(self._law, 0.0, poses, vector, HOLD)
            if k % every == 0:
                yield self._snapshot(poses, vector)

    def _start(self) -> tuple[Poses, np.ndarray]:
        client, servicer = self._flight.client_start, self._flight.servicer_start
        pose_robot, twist_robot = relative_motion(servicer.pose, servicer.twist, client)
        orbit = [client.pose, client.pose, servicer.pose]
        laboratory = [client.pose, pin.SE3.Identity(), servicer.pose, pose_robot]
        twist_client, twist_servicer = client.twist.vector, servicer.twist.vector
        arm = np.concatenate([POSTURES[0], np.zeros(7)])
        vector = [twist_client, twist_client, twist_servicer, arm, np.zeros(8)]
        vector += [twist_client, np.zeros(6), twist_servicer, twist_robot.vector, arm]
        return orbit + laboratory, np.concatenate(vector)

    def _law(self, time: float, poses: Poses, vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
        orbit, arm, _, laboratory, arm_on_ground = np.split(vector, [18, 32, 40, 64])
        twists = [pin.Motion(part) for part in np.concatenate([orbit, laboratory]).reshape(7, 6)]
        rate = self._orbit.rate(poses[:3], twists[:3], arm.reshape(2, 7), self._inputs)
        nominal = MotionSample.of(poses[0], twists[0], pin.Motion(rate[:6]))
        ground = arm_on_ground.reshape(2, 7)
        rate_laboratory = self._laboratory.rate(poses[3:], twists[3:], ground, self._inputs, nominal)
        return twists, np.concatenate([rate, rate_laboratory])

    def _snapshot(self, poses: Poses, vector: np.ndarray) -> Snapshot:
        twists, rate = self._law(0.0, poses, vector)
        accelerations = np.concatenate([rate[:18], rate[40:64]]).reshape(7, 6)
        nominal, client, servicer, _, client_robot, _, servicer_robot = (
            MotionSample.of(*motion) for motion in zip(poses, twists, map(pin.Motion, accelerations))
        )
        arm, on_ground = (
            JointSample.of(vector[k : k + 7], vector[k + 7 : k + 14], rate[k + 7 : k + 14]) for k in (18, 64)
        )
        received = pin.Force(vector[32:38]), vector[38:40]
        return Snapshot(nominal, client, servicer, client_robot, servicer_robot, arm, on_ground, *received)
