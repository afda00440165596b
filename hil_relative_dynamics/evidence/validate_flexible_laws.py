"""What must hold for the law of a flexible client: exact frequencies, and every term of (7)."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.appendage import Appendage
from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.evidence.validate_flexible_exact import (
    antisymmetric_frequency,
    loaded,
    symmetric_frequency,
)
from hil_relative_dynamics.evidence.validate_tools import largest
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.facility.flexible_rig import simulated_body

GAUSS = 24  # points along a beam: exact for two modes to round-off


def frequency_checks() -> Iterator[Check]:
    """Two modes per beam against the continuous beams on a free hub."""
    for name in ("flexible_symmetric_25", "flexible_symmetric", "flexible_symmetric_100", "flexible_four_panels"):
        scenario = loaded(name)
        part, count, hub = scenario.appendages[0], len(scenario.appendages), scenario.hub
        beam = Beam(part.length, part.mass, part.stiffness)
        frequencies, shapes = simulated_body(scenario).frequencies()
        along_z, about_y = (float(frequencies[np.argmax(np.abs(shapes[row, :count]))]) for row in (2, 4))
        # beams along y, if there are any, sway with the hub but neither bend nor resist when it turns about y
        exact_y = antisymmetric_frequency(beam, 2, hub.inertia_about_com[1][1], part.position[0], about_y)
        what = f"hub {hub.mass:g} kg, {count} beams, two modes each"
        for kind, found, exact in (
            ("swaying", along_z, symmetric_frequency(beam, count, hub.mass, along_z)),
            ("turning", about_y, exact_y),
        ):
            quantity, error = f"{what}, {kind}: frequency against the exact one", abs(found / exact - 1.0)
            yield Check(f"frequency.{name}.{kind}", "(2)", quantity, error, 1e-5, "-", reached=5e-6)


def law_checks() -> Iterator[Check]:
    """(7) against d'Alembert at points along the beams, and with the signs as printed."""
    random = np.random.default_rng(1)
    body = skewed_body()
    worst, printed = 0.0, np.inf
    for _ in range(20):
        twist, wrench = random.normal(size=6), random.normal(size=6)
        q, dq = 0.2 * random.normal(size=body.modes), random.normal(size=body.modes)
        rates = body.acceleration(twist, q, dq, wrench)
        scale = np.linalg.norm(body.mass_matrix(q) @ np.concatenate(rates))
        worst = largest(worst, dalembert_residual(body, twist, *rates, q, dq, wrench) / float(scale))
        hub = body.quadratic_velocity(twist, q, dq)[:6]
        printed = min(printed, float(np.linalg.norm(2.0 * hub_terms(body, twist)) / np.linalg.norm(hub)))
    what = "every term of (7) against d'Alembert at 24 points per beam, relative, 20 states"
    yield Check("law.dalembert", "(1) to (7)", what, worst, 1e-12, "-")
    what = "what the printed signs of the hub's terms in (7) change of its rows, relative, at least"
    yield Check("law.printed_signs", "(7)", what, printed, 1e-2, "-", relation=">=", note="they need minus signs")


def skewed_body() -> FlexibleBody:
    """Nothing on an axis and no two alike."""
    tilted = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.5, 1.1), np.array([0.4, -0.2, 0.3]))
    other = pin.SE3(pin.rpy.rpyToMatrix(-1.0, 0.2, 2.5), np.array([-0.6, 0.1, -0.2]))
    hub = pin.Inertia(9.0, np.array([0.05, -0.1, 0.02]), np.diag([1.0, 1.4, 1.7]))
    panel = Appendage(Beam(1.3, 2.0, 40.0, 0.5), tilted, np.array([0.0, 0.6, 0.8]), 3, 0.01)
    rod = Appendage(Beam(0.8, 1.1, 5.0), other, np.array([0.0, 1.0, 0.0]), 2, 0.02)
    return FlexibleBody(hub, [panel, rod])


def hub_terms(body: FlexibleBody, twist: np.ndarray) -> np.ndarray:
    """m w x (w x r) and w x I w of the hub, as the first two rows of (7) have them."""
    turn, lever = pin.skew(twist[3:]), body.hub.lever
    rotary = body.hub.matrix()[3:, 3:]
    return np.concatenate([body.hub.mass * turn @ turn @ lever, turn @ rotary @ twist[3:]])


def dalembert_residual(
    body: FlexibleBody,
    twist: np.ndarray,
    acceleration: np.ndarray,
    ddq: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    wrench: np.ndarray,
) -> float:
    """Force that is missing when each piece of the body has the acceleration it should have; no modal integral used."""
    v, w = twist[:3], pin.skew(twist[3:])
    dv, dw = acceleration[:3], pin.skew(acceleration[3:])

    def inertial(r: np.ndarray, dr: np.ndarray, ddr: np.ndarray) -> np.ndarray:
        return dv + w @ v + dw @ r + w @ w @ r + 2.0 * w @ dr + ddr

    hub, rest = body.hub, np.zeros(3)
    force = hub.mass * inertial(hub.lever, rest, rest)
    torque = np.cross(hub.lever, force) + hub.inertia @ acceleration[3:] + w @ hub.inertia @ twist[3:]
    missing, first = np.zeros(body.modes), 0
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    for appendage in body.appendages:
        beam, here = appendage.beam, slice(first, first + appendage.modes)
        modes, axis = beam.modes(appendage.modes), appendage.bending_axis
        across = appendage.pose.rotation @ np.cross(axis, [1.0, 0.0, 0.0])
        for s, weight in zip(0.5 * beam.length * (nodes + 1.0), 0.5 * beam.mass * weights):
            shape = modes.shape(np.array([s]))[:, 0]
            for side in (-1.0, 1.0):  # two points across have the moments of an even strip
                root = appendage.pose.act(np.array([s, 0.0, 0.0]) + side * beam.width / np.sqrt(12.0) * axis)
                r = root + shape @ q[here] * across
                a = 0.5 * weight * inertial(r, shape @ dq[here] * across, shape @ ddq[here] * across)
                force, torque = force + a, torque + np.cross(r, a)
                missing[here] += shape * (across @ a)
        first += appendage.modes
    missing -= body.elastic_force(q, dq)
    return float(np.linalg.norm(np.concatenate([force - wrench[:3], torque - wrench[3:], missing])))
