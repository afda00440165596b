"""What the flights rest on: navigation, references, distances, scales."""
from __future__ import annotations

from collections.abc import Iterator
from math import pi

import numpy as np
import pinocchio as pin
from scipy import stats
from scipy.integrate import quad

from hil_relative_dynamics.evidence.validate_multirotor_flight import APPROACH, CIRCLES, scenario
from hil_relative_dynamics.evidence.validate_tools import largest
from hil_relative_dynamics.evidence.validation import Check, Comparison
from hil_relative_dynamics.multirotor.build import build, separation
from hil_relative_dynamics.multirotor.downwash import AIR_DENSITY, Wake
from hil_relative_dynamics.multirotor.references import TwoImpulse
from hil_relative_dynamics.multirotor.scaling import Scaling
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.multirotor.vehicle import GRAVITY
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion


def rows() -> Iterator[Check | Comparison]:
    yield from navigation(range(30))
    yield from references()
    yield from distances()
    yield from scales()


def navigation(seeds: range) -> Iterator[Check]:
    """Normalised errors of independent flights, each a chi-square number of 15 degrees of freedom if all is right."""
    total = sum(nees(seed) for seed in seeds)
    freedom = 15 * len(seeds)
    tail = stats.chi2.cdf(total, freedom)
    what = f"EKF: mean squared error by its covariance over {len(seeds)} flights, chi-square, two-sided probability"
    note = f"{total / freedom:.3f} times the expected"
    yield Check("navigation.consistency", "Fig. 4", what, 2.0 * min(tail, 1.0 - tail), 0.05, "-", ">=", note=note)


def nees(seed: int, seconds: float = 3.0) -> float:
    """Of all 15 states at the end of a short hover of one vehicle."""
    flown = scenario(CIRCLES, f"seed={1000 + seed}")
    platform, dt = build(flown).chaser, 1e-9 * flown.step_ns
    pose = pin.SE3(np.eye(3), np.array([0.0, 0.0, 3.0]))
    state, wanted = platform.initial_state(pose), SetPoint(pose)
    for tick in range(round(seconds / dt)):
        state = platform.step(state, wanted, tick, dt)
    error = state.estimated.error(state.vehicle.pose, state.vehicle.velocity, platform.imu.bias)
    return float(error @ np.linalg.solve(platform.navigation.carried_over(state.estimated), error))


def references() -> Iterator[Check]:
    """Hill's approach against the nonlinear equations from the same start, and set-points against their differences."""
    flown = scenario(APPROACH)
    orbit, start = Orbit(flown.orbit.semi_major_axis), np.array(flown.transfer.start if flown.transfer else ())
    pose = pin.SE3(np.eye(3), np.array(flown.target))
    path = TwoImpulse(orbit, start, 60.0, Scaling(), pose, np.eye(3))
    exact = RelativeMotion(orbit).propagate(0.0, path.relative(0.0).tolist(), 60.0)
    what = "Hill's approach of 60 s against the nonlinear equations, at the target"
    yield Check("reference.linear", "(20)", what, largest((path.relative(60.0) - exact)[:3]), 1e-7, "m")
    what = "its arrival at the target"
    yield Check("reference.arrival", "(20)", what, largest(path.relative(60.0)[:3]), 1e-12, "m")
    scaled = TwoImpulse(orbit, start, 1200.0, Scaling(1.0, 10.0), pose, np.eye(3))
    step, worst = 1e-3, 0.0
    for time in np.linspace(1.0, 100.0, 20):
        before, now, after = (scaled.at(time + offset) for offset in (-step, 0.0, step))
        moved = (after.pose.translation - before.pose.translation) / (2 * step) - now.velocity
        gained = (after.velocity - before.velocity) / (2 * step) - now.acceleration
        worst = largest(worst, moved, gained)
    what = "velocity and acceleration of its scaled set-points, against differences"
    yield Check("reference.scaled", "(20)", what, worst, 1e-8, "m/s, m/s^2")


def distances() -> Iterator[Check | Comparison]:
    flown = scenario(APPROACH)
    rule, vehicle = separation(flown), flown.vehicle
    size = 2.0 * rule.tip_radius
    note = "tip to tip 0.79 m and 50 %; horizontal, between the centres"
    yield Comparison("separation.D_min", "Fig. 3", "D_min", 1.5 * 0.79, rule.beside, "m", 0.01, note=note)
    what = "size of a vehicle less the published 0.74 m: as a distance of centres the propellers would meet"
    yield Check("separation.reading", "Sec. V-B", what, size - 0.74, 0.0, "m", ">=")
    what = "horizontal distance of the centres at the stop, 0.74 m between tips, less D_min and the published accuracy"
    value = rule.centres(0.74) - rule.beside - 0.16
    yield Check("separation.agrees", "Fig. 3", what, value, 0.0, "m", ">=")
    lift = vehicle.mass * GRAVITY
    wake = Wake(lift, 0.5 * vehicle.propeller, 584.0, vehicle.solidity)
    heights = [wake.height(increase) for increase in (0.2, 0.15, 0.1)]
    what = "thrust that a vehicle at H_min needs more, off the 20, 15 and 10 % that define it"
    value = max(abs(wake.thrust_increase(height) - increase) for height, increase in zip(heights, (0.2, 0.15, 0.1)))
    note = f"H_min {', '.join(f'{height:.3g} m' for height in heights)}: in a hall of 8 m nobody flies above another"
    yield Check("separation.H_min", "Fig. 3", what, value, 1e-9, "-", note=note)
    fluxes = [quad(lambda r, h=height: _flux(wake, h, r), 0.0, np.inf)[0] for height in heights]
    what = "momentum of the wake at these heights, off the vehicle's weight, relative"
    yield Check("separation.wake", "Fig. 3", what, largest(np.array(fluxes) / lift - 1.0), 1e-9, "-")


def _flux(wake: Wake, below: float, beside: float) -> float:
    return 2.0 * pi * beside * AIR_DENSITY * wake.speed(below, beside) ** 2


def scales() -> Iterator[Check]:
    """A push on a satellite of 500 kg for a minute, and its like on the vehicle."""
    scaling = Scaling(100.0, 60.0)
    push, satellite, vehicle, duration = 3.0, 500.0, 2.1, 60.0
    there = 0.5 * push / satellite * duration**2
    here = 0.5 * push * scaling.force(satellite, vehicle) / vehicle * (duration / scaling.time) ** 2
    what = "way of a vehicle under the scaled push, off the scaled way of the satellite, relative"
    yield Check("scaling.push", "Sec. IV-B", what, abs(here * scaling.length / there - 1.0), 1e-12, "-")
