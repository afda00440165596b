"""The servicer: base and arm in laboratory and orbit, and what else can be said of the coupled flight."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validate_coupled import Coupled, Snapshot
from hil_relative_dynamics.evidence.validate_flight import POSTURES, SAMPLING, Flight
from hil_relative_dynamics.evidence.validate_tools import Worst, largest, random_pose, random_twist
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.passivity import contact_power_in_laboratory, contact_power_in_orbit
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.spatial import JointSample, MotionSample


def checks(flight: Flight) -> Iterator[Check]:
    snapshots = list(Coupled(flight).run(flight.inputs, SAMPLING))
    yield from matching_checks(snapshots)
    yield from arm_checks(snapshots)
    yield from mujoco_checks(flight, snapshots)
    yield from mapping_checks(snapshots)
    yield from start_checks(flight)
    yield from balance_checks(flight, snapshots)
    yield from power_checks(flight, snapshots)


def matching_checks(snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    client, servicer = Worst(), Worst()
    for now in snapshots:
        client.add(now.nominal.pose * now.client_robot.pose, now.client.pose)
        servicer.add(now.nominal.pose * now.servicer_robot.pose, now.servicer.pose)
    what = "g_n g_s against g_b, arm moving 3 rad, contact, 60 s"
    yield from servicer.checks("servicer.matching", "(15), (18)", what, (1e-9, 1e-10), reached=(2e-13, 3e-14))
    what = "g_n g_c against g_t, touched by the arm, 60 s"
    yield from client.checks("client.matching.contact", "(5), (11)", what, (1e-9, 1e-10))


def arm_checks(snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    orbit = np.array([now.arm.position for now in snapshots])
    ground = np.array([now.arm_on_ground.position for now in snapshots])
    what = "arm on the ground, under gravity and (22), against the arm in orbit, 60 s"
    yield Check("arm.matching", "(20), (22)", what, largest(ground - orbit), 1e-9, "rad", reached=1e-14)
    what = "how far the arm moved in that flight"
    yield Check("arm.excursion", "(22)", what, float(np.max(np.ptp(orbit, axis=0))), 3.0, "rad", ">=")


def mujoco_checks(flight: Flight, snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    worst, joints = Worst(), 0.0
    for now, truth in zip(snapshots, flight.reference, strict=True):
        worst.add(now.servicer.pose, truth.pose)
        joints = largest(joints, now.arm.position - truth.q)
    what = "free-flying base with seven joints against MuJoCo RK4 1 ms, 60 s"
    yield from worst.checks("servicer.mujoco", "(12)", what, (1e-8, 1e-8), reached=(6e-12, 3e-11))
    yield Check("servicer.mujoco.joints", "(12)", what, joints, 1e-8, "rad", reached=3e-11)


def mapping_checks(snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    """Laboratory to orbit: poses, twists and accelerations, from consistent initial conditions on."""
    mapping, twist, acceleration, pose = RelativeMapping(), 0.0, 0.0, Worst()
    for now in snapshots:
        mapped = mapping.step(now.nominal, now.client_robot, now.servicer_robot)
        for seen, true in zip(mapped, (now.client, now.servicer)):
            pose.add(seen.pose, true.pose)
            twist = largest(twist, (seen.twist - true.twist).vector)
            acceleration = largest(acceleration, (seen.acceleration - true.acceleration).vector)
    what = "laboratory mapped to orbit, client and servicer, 60 s"
    yield from pose.checks("mapping", "(23)", what, (1e-9, 1e-10))
    yield Check("mapping.twist", "(23)", what, twist, 1e-10, "m/s, rad/s")
    yield Check("mapping.acceleration", "(7), (15)", what, acceleration, 1e-10, "m/s^2, rad/s^2")


def start_checks(flight: Flight) -> Iterator[Check]:
    """Initial conditions in the laboratory, mapped back to orbit."""
    random, pose, twist = np.random.default_rng(23), Worst(), 0.0
    servicer = ServicerDynamics(flight.servicer, momentum_form=False)
    arm = JointSample.of(POSTURES[0], np.zeros(7))
    for _ in range(100):
        nominal, client, base = (MotionSample.of(random_pose(random), random_twist(random)) for _ in range(3))
        states = (
            ClientDynamics(flight.client).initial_state(client.pose, client.twist, nominal),
            servicer.initial_state(base.pose, base.twist, arm, nominal),
        )
        robots = [MotionSample.of(state.pose_commanded, pin.Motion(state.array[20:26])) for state in states]
        for seen, true in zip(RelativeMapping().step(nominal, *robots), (client, base)):
            pose.add(seen.pose, true.pose)
            twist = largest(twist, (seen.twist - true.twist).vector)
    what = "start in the laboratory, mapped to orbit, against the one asked for"
    yield from pose.checks("mapping.start", "(23)", what, (1e-12, 1e-12))
    yield Check("mapping.start.twist", "(23)", what, twist, 1e-12, "m/s, rad/s")


def balance_checks(flight: Flight, snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    """Energy of each body against the work done on it, momentum of both against the external impulse."""
    energies = np.array([kinetic_energies(flight, now) for now in snapshots])
    unexplained = energies - energies[0] - np.array([now.work for now in snapshots])
    momenta = np.array([momentum(flight, now) - now.impulse.vector for now in snapshots])
    relative = largest(unexplained[:, 0]) / energies[0, 0]
    what = "kinetic energy of the client minus the work on it, relative, 60 s"
    yield Check("client.energy_balance", "(2), (25)", what, relative, 1e-10, "-")
    relative = largest(unexplained[:, 1]) / energies[0, 1]
    what = "kinetic energy of the servicer minus the work on it, relative, 60 s"
    yield Check("servicer.energy_balance", "(12), (26)", what, relative, 1e-9, "-")
    relative = largest(momenta - momenta[0]) / largest(momenta[0])
    what = "momentum of client and servicer minus thrust and pushes, relative, 60 s"
    yield Check("contact.momentum_balance", "Assumption 3", what, relative, 1e-10, "-")


def kinetic_energies(flight: Flight, now: Snapshot) -> tuple[float, float]:
    arm = now.arm.position, now.servicer.twist, now.arm.velocity
    return flight.client.kinetic_energy(now.client.twist), flight.servicer.kinetic_energy(*arm)


def momentum(flight: Flight, now: Snapshot) -> np.ndarray:
    """Of client and servicer together, in the inertial frame."""
    arm = now.arm.position, now.servicer.twist, now.arm.velocity
    servicer = now.servicer.pose.act(flight.servicer.momentum_in_base(*arm))
    return (flight.client.momentum(now.client.pose, now.client.twist) + servicer).vector


def power_checks(flight: Flight, snapshots: Sequence[Snapshot]) -> Iterator[Check]:
    """A contact of 62 N and 30 N m tried at every instant: its power in orbit and in the laboratory."""
    model, difference, powers = flight.servicer, 0.0, []
    wrench = pin.Force(np.array([62.0, -20.0, 40.0, 10.0, -30.0, 20.0]))
    for now in snapshots:
        q, dq = now.arm.position, now.arm.velocity
        base_to_tip, joints_to_tip = model.jacobians(q)
        twist = pin.Motion(base_to_tip @ now.servicer.twist.vector + joints_to_tip @ dq)
        in_client = now.client.pose.actInv(now.servicer.pose * model.end_effector_in_base(q))
        orbit = contact_power_in_orbit(twist, wrench, now.client.twist, -in_client.act(wrench))
        laboratory = contact_power_in_laboratory(model, now.servicer_robot, now.arm, now.client_robot, wrench)
        powers.append(orbit)
        difference = largest(difference, orbit - laboratory)
    what = "power of a contact in orbit minus the same in the laboratory"
    note = f"of up to {largest(*powers):.2g} W"
    yield Check("contact.power", "(27), (28)", what, difference, 1e-10, "W", note=note)
