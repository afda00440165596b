"""What must hold for the motion of a flexible client: conservation, limits, matching, and the loop with a robot."""
from __future__ import annotations

from collections.abc import Iterator
from math import pi

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.appendage import Appendage, deflections_of
from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.evidence.flexible_flight import flown
from hil_relative_dynamics.evidence.validate_flexible_exact import loaded, loop_through_robot
from hil_relative_dynamics.evidence.validate_tools import Worst
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.facility.flexible_rig import nominal_of, simulated_body
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.flexible_client import FlexibleClientDynamics
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient

NO_WRENCH, START = pin.Force.Zero(), pin.SE3.Identity()
QUIET = ("force_torque.noise_N=0", "force_torque.noise_N_m=0")


def conservation_checks() -> Iterator[Check]:
    """Momentum while panels ring, and what damping leaves of their energy."""
    for name in ("flexible_symmetric", "flexible_four_panels", "flexible_tumble"):
        scenario = loaded(name, "variant=simulated")
        measured = flown(scenario)
        body, deflections = simulated_body(scenario), deflections_of(scenario.appendages)
        # of what hub and panels exchange: a body at rest as a whole has no momentum to compare with
        swing = float(np.abs(body.stiffness * deflections).max() / body.frequencies()[0][0])
        carried = body.momentum(START, scenario.hub.twist.vector, deflections, 0.0 * deflections)
        for kind, unit, size in (("linear", "N_s", carried.linear), ("angular", "N_m_s", carried.angular)):
            change = measured[f"{kind}_momentum_error_{unit}"] / max(swing, float(np.linalg.norm(size)))
            what = f"{name}, {1e-9 * scenario.duration_ns:g} s: {kind} momentum, relative change"
            yield Check(f"momentum.{name}.{kind}", "(1)", what, change, 1e-9, "-")
        if name == "flexible_symmetric":
            clamped = body.appendages[0].beam.modes(1).frequencies[0]
            coupled = 2 * pi * measured["simulated_frequency_Hz"]
            expected = scenario.appendages[0].damping * coupled / clamped
            error = abs(measured["simulated_damping_ratio"] / expected - 1.0)
            what = "decay of the coupled vibration against zeta w / w_clamped, relative"
            yield Check("damping.coupled", "Table I", what, error, 1e-4, "-")
            spent = measured["energy_error_J"] / body.energy(np.zeros(6), deflections, 0.0 * deflections)
            yield Check("energy.balance", "(1)", "energy that damping does not explain, relative", spent, 1e-6, "-")


def rigid_limit_checks() -> Iterator[Check]:
    """Stiff appendages make a rigid body; those of Table I do not."""
    for name, stiffness, relation, limit in (("stiff", 3e4, "<=", 1e-9), ("soft", 0.46, ">=", 1e-6)):
        beam, axis = Beam(0.64, 0.83, stiffness), np.array([0.0, 1.0, 0.0])
        sides = ((0.0, np.array([0.5, 0.0, 0.0])), (pi, np.array([-0.5, 0.0, 0.0])))
        beams = [Appendage(beam, pin.SE3(pin.utils.rotate("z", yaw), at), axis, 1) for yaw, at in sides]
        body = FlexibleBody(pin.Inertia(50.0, np.zeros(3), np.diag([7.0, 8.0, 9.0])), beams)
        twist = pin.Motion(np.zeros(3), np.array([0.03, -0.02, 0.05]))
        nominal = UnforcedNominal(RigidBody(body.rigid), START, twist)
        flexible, rigid = FlexibleClientDynamics(body), ClientDynamics(RigidBody(body.rigid))
        worst = Worst()
        motion, points = nominal.step(nominal.initial_state(), 0, 500_000)
        state = flexible.initial_state(START, twist, points.start)
        other = rigid.initial_state(START, twist, points.start)
        for _ in range(4000):
            state, _ = flexible.step(state, NO_WRENCH, points, 5e-4)
            other, _ = rigid.step(other, NO_WRENCH, points, 5e-4)
            motion, points = nominal.step(motion, 0, 500_000)
            worst.add(state.pose_simulated, other.pose_simulated)
        what = f"tumbling for 2 s with {name} beams (EI {stiffness:g}): largest angle from the rigid body"
        value = max(worst.position, worst.orientation)
        yield Check(f"rigid_limit.{name}", "(2)", what, value, limit, "rad", relation=relation)  # type: ignore[arg-type]


def matching_checks(duration: float = 60.0) -> Iterator[Check]:
    """A tumbling flexible Envisat: nominal times relative against an absolute simulation by another integrator."""
    scenario = loaded("flexible_tumble")
    body, times = simulated_body(scenario), np.arange(0.0, duration + 1e-9, 1.0)
    worst, departure = Worst(), 0.0
    flights = zip(relative_flight(body, scenario, times), absolute_flight(body, scenario, times))
    for (nominal, relative), reference in flights:
        worst.add(nominal * relative, reference)
        departure = max(departure, float(np.linalg.norm(pin.log6(relative).vector)))
    what = f"g_n g_c of a tumbling flexible Envisat, {duration:g} s at 4 ms, against its absolute motion (DOP853 1e-12)"
    yield from worst.checks("matching.tumble", "(11) with modes", what, (1e-8, 1e-8))
    what = "how far the panel takes the client from the rigid nominal"
    yield Check("matching.matters", "(11) with modes", what, departure, 1e-4, "m, rad", relation=">=")


def relative_flight(
    body: FlexibleBody, scenario: FlexibleClient, times: np.ndarray
) -> Iterator[tuple[pin.SE3, pin.SE3]]:
    """g_n and g_c."""
    client, nominal, step = FlexibleClientDynamics(body), nominal_of(scenario), scenario.step_ns
    motion, points = nominal.step(nominal.initial_state(), 0, step)
    state = client.initial_state(START, scenario.hub.twist, points.start, deflections_of(scenario.appendages))
    wanted = set(np.round(times * 1e9 / step).astype(int).tolist())
    for k in range(max(wanted) + 1):
        if k in wanted:
            yield points.start.pose, state.pose_commanded
        state, _ = client.step(state, NO_WRENCH, points, 1e-9 * step)
        motion, points = nominal.step(motion, 0, step)


def absolute_flight(body: FlexibleBody, scenario: FlexibleClient, times: np.ndarray) -> Iterator[pin.SE3]:
    """Position, quaternion, twist and modes as one vector, by scipy."""
    count, none = body.modes, np.zeros(6)

    def rate(_: float, x: np.ndarray) -> np.ndarray:
        rotation = pin.Quaternion(x[3:7] / np.linalg.norm(x[3:7])).toRotationMatrix()
        twist, dq = x[7:13], x[13 + count :]
        acceleration, ddq = body.acceleration(twist, x[13 : 13 + count], dq, none)
        (a, b, c), w = x[3:6], x[6]
        half = 0.5 * np.array([[w, -c, b], [c, w, -a], [-b, a, w], [-a, -b, -c]]) @ twist[3:]
        return np.concatenate([rotation @ twist[:3], half, acceleration, dq, ddq])

    deflections = deflections_of(scenario.appendages)
    start = np.concatenate([[0, 0, 0, 0, 0, 0, 1.0], scenario.hub.twist.vector, deflections, 0.0 * deflections])
    flown = solve_ivp(rate, (0.0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-13)
    for x in flown.y.T:
        yield pin.SE3(pin.Quaternion(x[3:7] / np.linalg.norm(x[3:7])).toRotationMatrix(), x[:3])


def loop_checks(duration: float = 20.0) -> Iterator[Check]:
    """Physical appendages through sensor and robot against the linear loop in closed form."""
    for name in ("flexible_symmetric_25", "flexible_symmetric", "flexible_symmetric_100"):
        scenario = loaded(name, "variant=physical", f"duration_s={duration:g}", *QUIET)
        measured, (frequency, damping) = flown(scenario), loop_through_robot(scenario)
        what = f"hub {scenario.hub.mass:g} kg flown by a robot of 2.5 Hz and 32 ms"
        value = abs(measured["physical_frequency_Hz"] / frequency - 1.0)
        yield Check(f"loop.{name}.frequency", "Fig. 5", f"{what}: frequency against the closed loop", value, 1e-5, "-")
        value = abs(measured["physical_damping_ratio"] - damping)
        quantity = f"{what}: damping ratio ({damping:+.4f}) against the closed loop"
        yield Check(f"loop.{name}.damping", "Fig. 5", quantity, value, 1e-5, "-")
