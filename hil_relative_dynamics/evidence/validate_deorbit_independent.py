"""Two bodies in space against other means: Newton and Euler integrated tightly, statics, momentum."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.deorbit.flight import cluster_of, pair_of
from hil_relative_dynamics.deorbit.pair import PairState
from hil_relative_dynamics.deorbit.statics import internal_loads
from hil_relative_dynamics.evidence.deorbit_reference import TwoBodies
from hil_relative_dynamics.evidence.validate_deorbit_space import bodies_of
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.scenario.deorbit import DeorbitBodies


def checks(seconds: float = 2.0) -> Iterator[Check]:
    """The same by Newton and Euler, integrated at 1e-12; momentum; (16) against what the feet carry."""
    for name in ("deorbit_friction", "deorbit_frictionless"):
        bodies, kind = bodies_of(name), name.removeprefix("deorbit_")
        pair, thrust = pair_of(bodies), cluster_of(bodies.boost).wrench(np.ones(4, dtype=bool))
        state, dt = pair.start(), 1e-9 * bodies.step_ns
        for _ in range(round(seconds / dt)):
            state = pair.step(state, thrust, dt)
        places, turns = TwoBodies(bodies).positions(np.array([0.0, seconds]))
        poses, centres = (state.pose_target, state.pose_chaser), (bodies.target.com, bodies.chaser.com)
        ways = [np.linalg.norm(pose.act(np.array(com)) - at) for pose, com, at in zip(poses, centres, places[-1])]
        quantity = f"{kind}, both CoMs after {seconds:g} s at 10 ms: against integration at 1e-12"
        yield Check(f"deorbit.reference.{kind}", "(10) to (15)", quantity, float(max(ways)), 1e-7, "m")
        off = max(float(np.abs(pose.rotation - turn).max()) for pose, turn in zip(poses, turns[-1]))
        yield Check(f"deorbit.reference.{kind}.attitude", "(11)", f"{kind}, both attitudes", off, 1e-7, "")
        if kind == "friction":
            yield _balanced(bodies, state, thrust)
    yield from _momentum()


def _balanced(bodies: DeorbitBodies, state: PairState, thrust: pin.Force) -> Check:
    """(16) from the target's motion alone."""
    pair = pair_of(bodies)
    now, inertia = pair.instant(state, thrust), bodies.target.inertia
    wrench = inertia * now.acceleration_target + state.twist_target.cross(inertia * state.twist_target)
    at_com = pin.SE3(np.eye(3), inertia.lever).actInv(wrench)
    feet = now.pose.rotation @ pair.contact.feet + now.pose.translation[:, None]
    loads = internal_loads(at_com, feet - inertia.lever[:, None], feet.mean(axis=1) - inertia.lever)
    off = float(np.abs(loads.normal - now.pressed.forces[0]).max())
    return Check(
        "deorbit.16", "(16)", "forces of six contacts from the target's motion, against the feet", off, 1e-3, "N"
    )


def _momentum() -> Iterator[Check]:
    """Bodies that meet without thrust: momentum stays, energy falls."""
    pair = pair_of(bodies_of("deorbit_friction", "bodies.contact.friction=coulomb"))
    start = pair.start()
    start.vector[6:12] = 0.05, 0.02, -0.01, 0.002, 0.004, -0.003
    state, none = start, pin.Force.Zero()
    energies = [pair.energy(state, pair.instant(state, none))]
    for _ in range(1000):
        state = pair.step(state, none, 1e-3)
        energies.append(pair.energy(state, pair.instant(state, none)))
    before, after = pair.momentum(start), pair.momentum(state)
    for name, change, size in (
        ("linear", after.linear - before.linear, before.linear),
        ("angular", after.angular - before.angular, before.angular),
    ):
        off = float(np.linalg.norm(change) / np.linalg.norm(size))
        yield Check(
            f"deorbit.momentum.{name}",
            "(14), (15)",
            f"{name} momentum through an impact at 1 ms, relative",
            off,
            1e-9,
            "",
        )
    rise = float(max(0.0, np.diff(energies).max())) / energies[0]
    yield Check("deorbit.energy.impact", "(1)", "largest rise of energy in one step, relative", rise, 1e-12, "")
    yield Check(
        "deorbit.energy.lost",
        "(1)",
        "energy lost in that impact, relative",
        1.0 - energies[-1] / energies[0],
        0.01,
        "",
        ">=",
    )
