"""Impedance causality: robots of another inertia that are pushed so as to move like client and servicer."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.evidence.validate_flight import (
    DURATION,
    END_EFFECTOR,
    NO_WRENCH,
    POSTURES,
    Flight,
    inputs_at,
)
from hil_relative_dynamics.evidence.validate_tools import Worst, largest, random_pose, random_twist
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.matching.client import ClientImpedance
from hil_relative_dynamics.matching.pair import relative_motion
from hil_relative_dynamics.matching.servicer import ServicerImpedance
from hil_relative_dynamics.spatial import JointSample, MotionSample, rk4_step, transported_twist_rate
from hil_relative_dynamics.spatial.integrate import Law, Poses

STEP = 0.01  # [s]
ROBOT_INERTIA = pin.Inertia(90.0, np.array([0.05, -0.1, 0.2]), np.diag([12.0, 20.0, 15.0]))
STATES = 200


def checks(flight: Flight) -> Iterator[Check]:
    robot = RigidBody(ROBOT_INERTIA)
    worst = Worst()
    for poses in client_flight(flight, robot):
        worst.add(poses[0] * poses[2], poses[1])
    what = "robot of 90 kg under (3) and (9) against the client in orbit, 60 s, 10 ms"
    yield from worst.checks("impedance.client", "(3), (9)", what, (1e-8, 1e-8))
    worst = Worst()
    servicer = ServicerRobot.of(flight.servicer)
    for poses in servicer_flight(flight, servicer):
        worst.add(poses[0] * poses[2], poses[1])
    what = "robot base of 90 kg under (14) and (16) corrected against the servicer in orbit, 60 s, 10 ms"
    yield from worst.checks("impedance.servicer", "(14), (16)", what, (1e-8, 1e-8))
    yield from erratum_checks(servicer)


def erratum_checks(robot: ServicerRobot) -> Iterator[Check]:
    """How well the wrench (16) achieves the matching condition (15), corrected and as printed."""
    corrected, printed = zip(*[residuals(robot, np.random.default_rng(seed)) for seed in range(STATES)])
    what = f"residual of the matching condition (15), {{}}, {STATES} states"
    source, unit = "(15), (16)", "m/s^2, rad/s^2"
    value, form = largest(*corrected), what.format("(16) corrected")
    yield Check("impedance.corrected", source, form, value, 1e-10, unit, reached=1e-15)
    value, form = float(np.min(printed)), what.format("(16) as printed")
    note = "an erratum: the printed form counts the contact twice and omits ddq"
    yield Check("impedance.erratum", source, form, value, 1e-3, unit, ">=", reached=1e-2, note=note)


def client_flight(flight: Flight, robot: RigidBody) -> Iterator[Poses]:
    """g_n, g_t and g_c after every step; the robot obeys (3)."""
    law = ClientImpedance(flight.client, robot)

    def under(wrench: pin.Force) -> Law:
        def rates(time: float, poses: Poses, vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            twists = [pin.Motion(part) for part in vector.reshape(3, 6)]
            nominal = nominal_sample(flight, poses[0], twists[0])
            control = law.wrench(MotionSample.of(poses[2], twists[2]), wrench, nominal)
            in_orbit = flight.client.acceleration(twists[1], wrench)
            of_robot = robot.acceleration(twists[2], wrench + control)
            return twists, np.concatenate([nominal.acceleration.vector, in_orbit.vector, of_robot.vector])

        return rates

    start = flight.client_start
    poses: Poses = [start.pose, start.pose, pin.SE3.Identity()]
    vector = np.concatenate([start.twist.vector, start.twist.vector, np.zeros(6)])
    for k in range(round(DURATION / STEP)):
        poses, vector = rk4_step(under(inputs_at(k * STEP).push), 0.0, poses, vector, STEP)
        yield poses


def nominal_sample(flight: Flight, pose: pin.SE3, twist: pin.Motion) -> MotionSample:
    return MotionSample.of(pose, twist, flight.client.acceleration(twist, NO_WRENCH))


@dataclass(frozen=True)
class ServicerRobot:
    """The servicer, the same arm on the base that the robot has, and the law (16) between them."""

    servicer: FreeFlyer
    robot: FreeFlyer
    law: ServicerImpedance

    @classmethod
    def of(cls, servicer: FreeFlyer) -> ServicerRobot:
        model = servicer.model.copy()
        model.inertias[1] = ROBOT_INERTIA
        robot = FreeFlyer(model, END_EFFECTOR)
        return cls(servicer, robot, ServicerImpedance(servicer, robot))


def base_acceleration(
    body: FreeFlyer, twist: pin.Motion, joints: JointSample, wrench: pin.Force, wrench_end_effector: pin.Force
) -> pin.Motion:
    """Base row of (12), or (14), for given joints."""
    q, dq, ddq = joints.array
    mass = body.mass_matrix(q)
    total = wrench.vector + body.jacobians(q)[0].T @ wrench_end_effector.vector
    total -= body.nonlinear_effects(q, twist, dq)[:6] + mass[:6, 6:] @ ddq
    return pin.Motion(np.linalg.solve(mass[:6, :6], total))


def servicer_flight(flight: Flight, robot: ServicerRobot) -> Iterator[Poses]:
    """g_n, g_b and g_s after every step; base and arm in orbit obey (12), the robot (14)."""

    def under(time: float) -> Law:
        _, thrust, contact, posture = inputs_at(time)

        def rates(time: float, poses: Poses, vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            twists = [pin.Motion(part) for part in vector[:18].reshape(3, 6)]
            q, dq = vector[18:].reshape(2, 7)
            nominal = nominal_sample(flight, poses[0], twists[0])
            torque = flight.torque(posture, q, dq)
            in_orbit, ddq = flight.servicer.forward_dynamics(q, twists[1], dq, thrust, torque, contact)
            joints = JointSample.of(q, dq, ddq)
            control = robot.law.wrench(MotionSample.of(poses[2], twists[2]), joints, thrust, contact, nominal)
            of_robot = base_acceleration(robot.robot, twists[2], joints, control, contact)
            accelerations = nominal.acceleration.vector, in_orbit.vector, of_robot.vector
            return twists, np.concatenate([*accelerations, dq, ddq])

        return rates

    client, servicer = flight.client_start, flight.servicer_start
    pose_robot, twist_robot = relative_motion(servicer.pose, servicer.twist, client)
    poses: Poses = [client.pose, servicer.pose, pose_robot]
    twists = [client.twist.vector, servicer.twist.vector, twist_robot.vector]
    vector = np.concatenate([*twists, POSTURES[0], np.zeros(7)])
    for k in range(round(DURATION / STEP)):
        poses, vector = rk4_step(under(k * STEP), 0.0, poses, vector, STEP)
        yield poses


def residuals(robot: ServicerRobot, random: np.random.Generator) -> tuple[float, float]:
    """|dV_b - dV_s - d(Delta V_s)| with the wrench (16), corrected and as printed, in a random state."""
    nominal = MotionSample.of(random_pose(random), random_twist(random), random_twist(random))
    measured = MotionSample.of(random_pose(random), random_twist(random))
    joints = JointSample(random.uniform(-1.0, 1.0, (3, 7)) * [[2.0], [0.5], [0.5]])
    thrust, contact = (pin.Force(random.uniform(-30.0, 30.0, 6)) for _ in range(2))
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    expected = base_acceleration(robot.servicer, twist, joints, thrust, contact) - transported_twist_rate(
        measured.pose, measured.twist, nominal.twist, nominal.acceleration
    )
    controls = (
        robot.law.wrench(measured, joints, thrust, contact, nominal),
        as_printed(robot, measured, joints, thrust, contact, nominal),
    )
    corrected, printed = (
        largest((base_acceleration(robot.robot, measured.twist, joints, control, contact) - expected).vector)
        for control in controls
    )
    return corrected, printed


def as_printed(
    robot: ServicerRobot,
    measured: MotionSample,
    joints: JointSample,
    thrust: pin.Force,
    contact: pin.Force,
    nominal: MotionSample,
) -> pin.Force:
    """F_s of (16) word for word, with F_e brought to the right."""
    q, dq, _ = joints.array
    twist_s = measured.twist
    twist_b = twist_s + measured.pose.actInv(nominal.twist)
    rate = transported_twist_rate(measured.pose, twist_s, nominal.twist, nominal.acceleration)
    coriolis_b = robot.servicer.coriolis_matrix(q, twist_b, dq)[:6]
    coriolis_s = robot.robot.coriolis_matrix(q, twist_s, dq)[:6]
    mass_b = robot.servicer.mass_matrix(q)[:6, :6]
    ratio = robot.robot.mass_matrix(q)[:6, :6] @ np.linalg.inv(mass_b)
    at_base = robot.servicer.jacobians(q)[0].T @ contact.vector
    wrench = coriolis_s[:, :6] @ twist_s.vector + (coriolis_s[:, 6:] - ratio @ coriolis_b[:, 6:]) @ dq
    wrench += ratio @ (thrust.vector + at_base - coriolis_b[:, :6] @ twist_b.vector - mass_b @ rate.vector)
    return pin.Force(wrench + ratio @ at_base)
