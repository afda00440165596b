"""Two bodies in space, (10) to (19): held by friction, and sliding without it."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.deorbit import measures
from hil_relative_dynamics.deorbit.flight import fly
from hil_relative_dynamics.deorbit.statics import (
    lateral_force,
    lateral_force_diagonal,
    rigid_start,
    sliding_frequencies,
)
from hil_relative_dynamics.deorbit.track import Track
from hil_relative_dynamics.evidence.validation import Check, Comparison
from hil_relative_dynamics.scenario import load_mission
from hil_relative_dynamics.scenario.deorbit import Deorbit, DeorbitBodies

ELSEWHERE = "bodies.target.com_m=[5, 0.38, 0.38]"
"""The deviation as the paper has it in another place."""
TWO = "the paper has 0.35 m in one place and 0.38 m in another"


def bodies_of(name: str, *overrides: str) -> DeorbitBodies:
    scenario = load_mission(name, overrides)
    assert isinstance(scenario, Deorbit) and scenario.bodies is not None
    return scenario.bodies


def flown(name: str, seconds: int, *overrides: str) -> Track:
    return fly(bodies_of(name, *overrides), seconds * 10**9)


def statics() -> Iterator[Check | Comparison]:
    """Mass properties, (16), (17), (19)."""
    bodies = bodies_of("deorbit_friction", "bodies.target.com_m=[5, 0, 0]")
    both = bodies.target.inertia + bodies.chaser.inertia
    moments = np.diag(both.inertia)
    rounded = 65.0  # 1046.8 kg times the change of 6.23^2 m^2 within its rounding
    yield Comparison("deorbit.com", "5.1", "CoM of both", 4.205, float(both.lever[0]), "m", 5e-4)
    yield Comparison("deorbit.I_xx", "5.1", "I_xx of both", 226650.0, float(moments[0]), "kg m^2", 0.5)
    note = "a digit too many: 51 573 would be printed, and differs as I_zz does"
    yield Comparison("deorbit.I_yy", "5.1", "I_yy of both", 515730.0, float(moments[1]), "kg m^2", 0.5, rounded, note)
    note = "distance of the CoMs 6.225 m; rounded to 6.23 m, as in the text, it gives 269 579"
    yield Comparison("deorbit.I_zz", "5.1", "I_zz of both", 269570.0, float(moments[2]), "kg m^2", 0.5, rounded, note)

    bodies = bodies_of("deorbit_friction")
    target, chaser, thrust = bodies.target.inertia, bodies.chaser.inertia, pin.Force(np.eye(6)[0] * 1500.0)
    both = target + chaser
    wrench, _ = rigid_start(target, chaser, thrust)
    arm = target.lever - both.lever
    seventeen = lateral_force(target.mass, both.inertia, -both.lever, thrust.linear, arm)
    off = float(np.abs(seventeen[1:] - wrench.linear[1:]).max())
    yield Check("deorbit.17", "(17)", "lateral force at the start against the rigid composite", off, 1e-9, "N")
    diagonal = np.diag(np.diag(both.inertia))
    exact = lateral_force(target.mass, diagonal, -both.lever, thrust.linear, arm)
    nineteen = lateral_force_diagonal(target.mass, np.diag(diagonal), -both.lever, 1500.0, arm)
    off = float(np.abs(nineteen - exact).max())
    yield Check("deorbit.19", "(19)", "corrected, against (17) with the same diagonal inertia", off, 1e-9, "N")
    moments = np.diag(diagonal)
    swapped = lateral_force_diagonal(target.mass, moments[[0, 2, 1]], -both.lever, 1500.0, arm)
    off = float(np.abs(swapped - exact).max())
    yield Check("deorbit.19.printed", "(19)", "the same with I_2 and I_3 swapped, as printed", off, 10.0, "N", ">=")


def held() -> Iterator[Check | Comparison]:
    """5.2.1: friction holds."""
    track, other = flown("deorbit_friction", 50), flown("deorbit_friction", 50, ELSEWHERE)
    yield from _lateral(track, other)
    yield from _opening(track, other)
    each, together = measures.friction_suffices(track, 0.5, 0.8)
    note = f"no foot beyond its own cone when all share equally; all together: {together:.1f} s"
    yield Comparison("deorbit.friction", "5.2.1", "friction of 0.5 suffices until", 40.0, each, "s", 5.0, note=note)
    slid = flown("deorbit_friction", 50, "bodies.contact.friction=coulomb")
    way = np.linalg.norm(slid.deviation - track.deviation, axis=1)
    early = float(way[slid.times <= 40.0].max())
    yield Check("deorbit.coulomb", "(18)", "slid by 40 s with Coulomb friction of 0.5", early, 0.01, "m")
    for name, run in (("held", track), ("coulomb", slid)):
        given = float(max(0.0, -np.diff(run.heat).min()))
        yield Check(f"deorbit.heat.{name}", "(1)", f"energy that the contact ever gave, {name}", given, 1e-9, "J")
        off = float(np.abs(run.balance).max())
        yield Check(f"deorbit.balance.{name}", "(11)", f"energy, work and heat, of 22 kJ, {name}", off, 1e-2, "J")


def _lateral(track: Track, other: Track) -> Iterator[Check | Comparison]:
    level, peak = measures.lateral_start(track)
    other_level, other_peak = measures.lateral_start(other)
    note = f"after a peak of {peak:.1f} N; with 0.38 m {other_level:.1f} N after {other_peak:.1f} N: {TWO}"
    quantity, spread = "lateral force at the start", other_level - level
    yield Comparison("deorbit.lateral", "Fig. 9", quantity, 65.0, level, "N", 0.5, spread, note)
    early = (track.times > measures.SETTLED) & (track.times <= 15.0)
    share = float((measures.lateral(track)[early] / track.force[early, 0]).max())
    yield Check("deorbit.tenth", "3.3", "lateral over normal force, 2 to 15 s", share, 0.1, "")
    torque = measures.torque_x(track)
    yield Comparison("deorbit.tau_x", "5.2.1", "largest tau_x while all feet press", 5.0, torque, "N m", 0.5)
    yield Check("deorbit.tau_x.range", "5.2.1", "the same, within the published range", torque, 5.0, "N m")


def _opening(track: Track, other: Track) -> Iterator[Check | Comparison]:
    time, force = measures.graze(track)
    other_time, other_force = measures.graze(other)
    opened = measures.opens(flown("deorbit_friction", 40, ELSEWHERE.replace("0.38", "0.382")))
    note = (
        f"with 0.35 m the least loaded foot only grazes, {force:.1f} N at {time:.1f} s, and lifts the next time round"
    )
    yield Comparison("deorbit.opens", "Fig. 9", "first contact opens", 38.0, measures.opens(track), "s", 0.5, note=note)
    note = f"{other_force:.1f} N are left; with 0.382 m, which rounds to 0.38, the foot lifts at {opened:.1f} s: {TWO}"
    quantity = "least loaded contact at its lowest, with 0.38 m"
    yield Comparison("deorbit.grazes", "Fig. 9", quantity, 38.0, other_time, "s", 0.5, note=note)
    yield Check("deorbit.graze", "Fig. 9", "least loaded foot near 40 s, with 0.35 m", force, 20.0, "N", reached=18.0)
    yield Check("deorbit.graze.time", "Fig. 9", "how far from 40 s that is", abs(time - 40.0), 0.5, "s")


def sliding() -> Iterator[Check | Comparison]:
    """5.2.2: no friction, a robot that damps."""
    track = flown("deorbit_frictionless", 150)
    largest = np.abs(track.robot).max(axis=0)
    most = np.abs(flown("deorbit_frictionless", 60, ELSEWHERE).robot).max(axis=0)
    loose = flown("deorbit_frictionless", 60, ELSEWHERE, "bodies.robot.damping_N_s_m=[0, 0]")
    bounds = np.abs(loose.deviation_rate).max(axis=0) * np.array([75.0, 25.0])
    for index, (name, paper) in enumerate((("F_y", 6.0), ("F_z", 11.2))):
        note = (
            f"{most[index]:.1f} N with 0.38 m; even without any damping the bodies slide no faster than what would"
            f" give {bounds[index]:.1f} N: the printed data do not lead to the printed force"
        )
        ours = float(largest[index])
        yield Comparison(f"deorbit.{name}", "Fig. 11", f"largest robot force {name}", paper, ours, "N", 0.05, note=note)
        quantity = f"{name} that the printed data could give at most"
        yield Check(f"deorbit.{name}.bound", "Fig. 11", quantity, float(bounds[index]), paper, "N")
    note, torque = f"{most[2]:.1f} N m with 0.38 m; follows from the forces", float(largest[2])
    yield Comparison("deorbit.robot.tau_x", "Fig. 11", "largest robot torque", 31.0, torque, "N m", 0.05, note=note)
    end = float(np.linalg.norm(track.deviation[-1]))
    yield Comparison("deorbit.converges", "Fig. 10", "deviation after 150 s", 0.0, end, "m", 0.005)
    least = float(measures.least_loaded(track)[track.times > measures.SETTLED].min())
    yield Check("deorbit.compressed", "Fig. 11", "least loaded foot, ever", least, 100.0, "N", ">=")
    yield _calm(track)
    yield from _frequency()


def _calm(track: Track) -> Check:
    """Once settled, the composite still turns a little: the third term of (13)."""
    bodies = bodies_of("deorbit_frictionless")
    arm = bodies.target.com[0] - float((bodies.target.inertia + bodies.chaser.inertia).lever[0])
    turning = bodies.target.mass * arm * float((track.rate[-1, 1:] ** 2).sum())
    expected = 1500.0 * bodies.target.mass / (bodies.target.mass + bodies.chaser.mass) - turning
    off = abs(float(track.normal[-1].sum()) - expected)
    return Check("deorbit.calm", "(13), (14)", "normal force after 150 s against thrust and turning", off, 0.01, "N")


def _frequency() -> Iterator[Check]:
    """Small and undamped, the sliding has a closed form."""
    name, small = "deorbit_frictionless", "bodies.target.com_m=[5, 0.01, 0.01]"
    overrides = small, "bodies.robot.damping_N_s_m=[0, 0]"
    bodies, track = bodies_of(name, *overrides), flown(name, 60, *overrides)
    expected = sliding_frequencies(bodies.target.inertia, bodies.chaser.inertia, 1500.0)
    for axis, column in (("y", 0), ("z", 1)):
        values = track.deviation[:, column]
        crossings = np.flatnonzero(np.diff(np.sign(values)))
        measured = np.pi * (len(crossings) - 1) / (track.times[crossings[-1]] - track.times[crossings[0]])
        off = abs(float(measured) / expected[column] - 1.0)
        yield Check(
            f"deorbit.sliding.{axis}", "(19)", f"frequency of sliding in {axis} against its closed form", off, 0.05, ""
        )
