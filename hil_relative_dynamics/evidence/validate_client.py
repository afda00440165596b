"""The client: relative against absolute motion, MuJoCo, and what the choice of integrator is worth."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference
from hil_relative_dynamics.evidence.validate_flight import (
    DURATION,
    INERTIA,
    MASS,
    NO_JOINTS,
    NO_WRENCH,
    PUSHES,
    Flight,
    wrench_at,
)
from hil_relative_dynamics.evidence.validate_tools import Worst, order
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.matching.pair import PairState
from hil_relative_dynamics.spatial import MotionSample, euler_step, position_error, rk4_step
from hil_relative_dynamics.spatial.integrate import Law, Poses

Scheme = Callable[[Law, float, Poses, np.ndarray, float], tuple[list[pin.SE3], np.ndarray]]
MATCHING = "(5), (11)"


def checks(flight: Flight) -> Iterator[Check]:
    against_mujoco = Worst()
    truth = poses_in_mujoco(flight)
    for milliseconds in (1, 4):
        matching = Worst()
        for k, (nominal, state) in enumerate(poses_of_blocks(flight, milliseconds)):
            matching.add(nominal * state.pose_commanded, state.pose_simulated)
            against_mujoco.add(state.pose_simulated, truth[k])
        what = f"g_n g_c against g_t, Lie-group RK4 {milliseconds} ms, 60 s"
        yield from matching.checks(
            f"client.matching.{milliseconds}ms", MATCHING, what, (1e-9, 1e-10), reached=(1e-12, 5e-14)
        )
    what = "client in orbit against MuJoCo RK4 1 ms, 60 s"
    yield from against_mujoco.checks("client.mujoco", "(2)", what, (1e-8, 1e-8))
    yield from integrator_checks(flight)


def integrator_checks(flight: Flight) -> Iterator[Check]:
    """Errors of simpler schemes at the facility's steps, and the order of each from coarse ones."""
    simpler = matching_error(flight, rk4_without_commutators, 0.004)
    what = "g_n g_c against g_t, RK4 without commutators 4 ms, 60 s"
    yield Check("client.integrator.no_commutators", MATCHING, what, simpler, 1e-8, "m", reached=1.5e-10)
    euler = matching_error(flight, semi_implicit_euler, 0.001)
    what = "g_n g_c against g_t, semi-implicit Euler 1 ms, 60 s"
    yield Check("client.integrator.euler", MATCHING, what, euler, 1e-4, "m", reached=5e-5)
    schemes: dict[str, tuple[Scheme, int]] = {
        "rk4": (rk4_step, 4),
        "no_commutators": (rk4_without_commutators, 2),
        "euler": (semi_implicit_euler, 1),
    }
    for name, (scheme, expected) in schemes.items():
        coarse, fine = (matching_error(flight, scheme, dt) for dt in (0.2, 0.1))
        measured = order(coarse, fine)
        what = f"order of accuracy, difference from {expected}, steps of 200 and 100 ms"
        yield Check(f"client.order.{name}", MATCHING, what, abs(measured - expected), 0.1, "-")


def poses_of_blocks(flight: Flight, milliseconds: int) -> Iterator[tuple[pin.SE3, PairState]]:
    """g_n and the client's state every 0.1 s."""
    start, dt = flight.client_start, 1e-3 * milliseconds
    nominal, client = UnforcedNominal(flight.client, start.pose, start.twist), ClientDynamics(flight.client)
    motion, state = nominal.initial_state(), client.initial_state(start.pose, start.twist, start)
    for k in range(round(DURATION / dt)):
        motion, points = nominal.step(motion, k * milliseconds * 10**6, milliseconds * 10**6)
        state, _ = client.step(state, wrench_at(PUSHES, k * dt), points, dt)
        if (k + 1) % (100 // milliseconds) == 0:
            yield motion.pose, state


def poses_in_mujoco(flight: Flight) -> list[pin.SE3]:
    """The pushed client every 0.1 s."""
    mujoco, start = MujocoReference.rigid_body(MASS, np.zeros(3), INERTIA), flight.client_start
    mujoco.start(start.pose, start.twist, NO_JOINTS, NO_JOINTS)
    poses = []
    for k in range(round(DURATION / 0.1)):
        mujoco.step(wrench_at(PUSHES, 0.1 * k), NO_WRENCH, NO_JOINTS, count=100)
        poses.append(mujoco.state.pose)
    return poses


def matching_error(flight: Flight, scheme: Scheme, dt: float) -> float:
    """Distance between g_n g_c and g_t after 60 s [m], all three integrated by a given scheme."""
    start = flight.client_start
    poses: Poses = [start.pose, start.pose, pin.SE3.Identity()]
    twists = np.concatenate([start.twist.vector, start.twist.vector, np.zeros(6)])
    for k in range(round(DURATION / dt)):
        poses, twists = scheme(law_under(flight, wrench_at(PUSHES, k * dt)), k * dt, poses, twists, dt)
    return position_error(poses[0] * poses[2], poses[1])


def law_under(flight: Flight, wrench: pin.Force) -> Law:
    """Nominal (4), client in orbit (2) and in the laboratory (11) under a held wrench."""
    client = ClientDynamics(flight.client)

    def law(time: float, poses: Poses, vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
        twist_nominal, twist, twist_relative = (pin.Motion(part) for part in vector.reshape(3, 6))
        acceleration_nominal = flight.client.acceleration(twist_nominal, NO_WRENCH)
        nominal = MotionSample.of(poses[0], twist_nominal, acceleration_nominal)
        motion = client.derivative(PairState.of(poses[1], twist, poses[2], twist_relative), wrench, nominal)
        orbit, laboratory = motion.simulated.start.acceleration, motion.commanded.start.acceleration
        rates = [acceleration.vector for acceleration in (acceleration_nominal, orbit, laboratory)]
        return [twist_nominal, twist, twist_relative], np.concatenate(rates)

    return law


def rk4_without_commutators(
    law: Law, time: float, poses: Poses, vector: np.ndarray, dt: float
) -> tuple[list[pin.SE3], np.ndarray]:
    """What `rk4_step` would be if rotations commuted: second order."""
    rates = [law(time, poses, vector)]
    for fraction in (0.5, 0.5, 1.0):
        twists, rate = rates[-1]
        stage = [pose * pin.exp6(twist * (fraction * dt)) for pose, twist in zip(poses, twists)]
        rates.append(law(time + fraction * dt, stage, vector + fraction * dt * rate))
    means = [(a + b * 2.0 + c * 2.0 + d) * (1 / 6) for a, b, c, d in zip(*[twists for twists, _ in rates])]
    mean_rate = sum(weight * rate for weight, (_, rate) in zip((1 / 6, 1 / 3, 1 / 3, 1 / 6), rates))
    return [pose * pin.exp6(mean * dt) for pose, mean in zip(poses, means)], vector + dt * mean_rate


def semi_implicit_euler(
    law: Law, time: float, poses: Poses, vector: np.ndarray, dt: float
) -> tuple[list[pin.SE3], np.ndarray]:
    twists, rate = law(time, poses, vector)
    accelerations = [pin.Motion(part) for part in rate.reshape(-1, 6)]
    moved = [euler_step(pose, twist, a, dt) for pose, twist, a in zip(poses, twists, accelerations)]
    return [pose for pose, _ in moved], np.concatenate([twist.vector for _, twist in moved])
