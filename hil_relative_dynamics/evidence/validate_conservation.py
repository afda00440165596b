"""Ten minutes without any force: what must not change, and the facility that is loss-less, (25)."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validate_flight import NO_WRENCH, POSTURES, Flight
from hil_relative_dynamics.evidence.validate_tools import largest
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.matching.passivity import client_storage
from hil_relative_dynamics.spatial import rk4_step
from hil_relative_dynamics.spatial.integrate import Poses

DURATION = 600.0
CLIENT_STEP = 0.004
ARM_STEP = 0.005
SAMPLING = 10.0  # [s]


def checks(flight: Flight) -> Iterator[Check]:
    momenta, energies, stored = zip(*client_history(flight))
    yield from rows("client", "(2)", "client, 600 s unforced, 4 ms", momenta, energies)
    what = "storage of the client robot relative to -Delta V_c, relative change, 600 s unforced"
    yield Check("passivity.client", "(25)", what, change(np.array(stored)), 1e-10, "-")
    momenta, energies = zip(*servicer_history(flight))
    yield from rows("servicer", "(12)", "base with its arm swinging freely, 600 s, 5 ms", momenta, energies)


def rows(
    name: str, source: str, what: str, momenta: Sequence[np.ndarray], energies: Sequence[float]
) -> Iterator[Check]:
    linear, angular = np.split(np.array(momenta), 2, axis=1)
    changes = {
        "linear momentum": change(linear),
        "angular momentum": change(angular),
        "kinetic energy": change(np.array(energies)),
    }
    for quantity, value in changes.items():
        row = f"{name}.conserved.{quantity.replace(' ', '_')}"
        yield Check(row, source, f"{quantity} of the {what}, relative change", value, 1e-10, "-")


def change(values: np.ndarray) -> float:
    """Largest difference from the start, relative to the start."""
    return largest(values - values[0]) / largest(values[0])


def client_history(flight: Flight) -> Iterator[tuple[np.ndarray, float, float]]:
    """Momentum and energy in orbit, and the storage function in the laboratory.

    The client drifts besides tumbling, and the nominal is not its own motion: nothing is trivially zero.
    """
    drift = pin.Motion(np.array([0.01, -0.02, 0.015]), np.zeros(3))
    pose, twist = pin.SE3.Identity(), flight.client_start.twist + drift
    other = pin.Motion(np.array([0.0, 0.01, 0.0]), np.array([0.002, -0.04, 0.003]))
    nominal = UnforcedNominal(flight.client, pose, other)
    client, period = ClientDynamics(flight.client), round(CLIENT_STEP * 1e9)
    motion, start = nominal.step(nominal.initial_state(), 0, 0)
    state = client.initial_state(pose, twist, start.start)
    for k in range(1, round(DURATION / CLIENT_STEP) + 1):
        motion, points = nominal.step(motion, k * period, period)
        state, matched = client.step(state, NO_WRENCH, points, CLIENT_STEP)
        if k == 1 or k % round(SAMPLING / CLIENT_STEP) == 0:
            orbit, robot = matched.simulated.end, matched.commanded.end
            momentum = flight.client.momentum(orbit.pose, orbit.twist).vector
            stored = client_storage(flight.client, robot, points.end)
            yield momentum, flight.client.kinetic_energy(orbit.twist), stored


def servicer_history(flight: Flight) -> Iterator[tuple[np.ndarray, float]]:
    """Base and arm, (12), without thrust and torque."""
    servicer = flight.servicer

    def law(time: float, poses: Poses, vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
        twist, q, dq = pin.Motion(vector[:6]), vector[6:13], vector[13:]
        acceleration, ddq = servicer.forward_dynamics(q, twist, dq, NO_WRENCH, np.zeros(7), NO_WRENCH)
        return [twist], np.concatenate([acceleration.vector, dq, ddq])

    start = flight.servicer_start
    poses: Poses = [start.pose]
    rates = np.radians([1.0, -0.5, 0.8, 1.0, -1.5, 0.7, 2.0])
    vector = np.concatenate([start.twist.vector, POSTURES[0], rates])
    for k in range(round(DURATION / ARM_STEP) + 1):
        if k % round(SAMPLING / ARM_STEP) == 0:
            arm = vector[6:13], pin.Motion(vector[:6]), vector[13:]
            yield poses[0].act(servicer.momentum_in_base(*arm)).vector, servicer.kinetic_energy(*arm)
        poses, vector = rk4_step(law, 0.0, poses, vector, ARM_STEP)
