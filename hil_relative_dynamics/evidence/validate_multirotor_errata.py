"""What is wrong in print in paper 003, each shown by a number; and its matrices (10), (11) put right."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validate_tools import largest
from hil_relative_dynamics.evidence.validation import Check, Comparison
from hil_relative_dynamics.multirotor.thrusters import Rendezvous, Thrusters
from hil_relative_dynamics.orbit import lvlh
from hil_relative_dynamics.orbit.attitude import RelativeAttitude
from hil_relative_dynamics.orbit.kepler import EARTH, Orbit, OrbitPoint

#: as listed: R_0, V and v; r_0 is listed as metres and can only be kilometres
TARGET, CHASER = np.array([1622.341, 5310.122, 3750.451]), np.array([1622.340, 5310.125, 3750.455])
VELOCITY_TARGET = np.array([-7.29936, 0.492329, 2.48304])
VELOCITY_CHASER = np.array([-7.35170, 0.463828, 2.46906])
START = np.array([4.3743, 2.4216, 1.0178])

MODEL = Rendezvous(
    1200.0,
    np.array([[650.0, -10.0, 22.0], [-10.0, 950.0, -4.0], [22.0, -4.0, 900.0]]),
    np.diag([100.0, 200.0, 250.0]),
    Thrusters.cube(0.5),
    EARTH,
)


def rows() -> Iterator[Check | Comparison]:
    yield from listed()
    yield from matrices()
    yield from printed()


def listed() -> Iterator[Check | Comparison]:
    """The initial data of Sec. V-B."""
    source = "Sec. V-B"
    value = float(np.linalg.norm(START))
    yield Comparison("listed.start", source, "|r_0| of the approach", 5.1024, value, "m", 5e-5)
    value = float(np.linalg.norm(TARGET))
    yield Comparison("listed.radius", source, "|R| of the target's orbit", 6700.0, value, "km", 0.5)
    value = 1e3 * float(np.linalg.norm(CHASER - TARGET))
    note = "r_0 is listed in m but is in km, to 1 m; taken as metres it is 6.7e6 m from the target"
    yield Comparison("listed.distance", source, "|r_0 - R_0|, inertial", 5.1024, value, "m", 1e-3, 1.0, note)
    orbit = Orbit.from_state(1e3 * TARGET, 1e3 * VELOCITY_TARGET)
    note = "the listed R_0 and V belong to an ellipse; the approach takes a circle of |R|, as (20) must"
    yield Comparison("listed.circular", source, "eccentricity of R_0, V", 0.0, orbit.eccentricity, "-", 1e-4, note=note)
    value = 1e3 * float(np.linalg.norm(VELOCITY_CHASER - VELOCITY_TARGET))
    what = "|v - V| as listed: no approach of 5 m, whose first impulse is below 0.1 m/s; the LVLH data are used"
    yield Check("listed.velocities", source, what, value, 50.0, "m/s", ">=")


def _case(seed: int) -> tuple[np.ndarray, OrbitPoint, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    state = random.normal(size=12) * np.repeat([10.0, 0.1, 0.2, 0.05], 3)
    point = Orbit(6.7e6, 0.1, random.uniform(0.0, 6.0)).at(0.0)
    return state, point, 0.05 * random.normal(size=3), random.uniform(0.0, 10.0, 12)


def matrices() -> Iterator[Check]:
    """(11) against the nonlinear equations in LVLH axes and Euler's equations of both bodies."""
    orbital, turning = [], []
    for seed in range(20):
        state, point, rate_target, forces = _case(seed)
        change = MODEL.derivative(state, point, rate_target, forces)
        vector = state[6:9]
        attitude = pin.Quaternion(np.sqrt(1.0 - vector @ vector), *vector).toRotationMatrix()
        push = attitude @ MODEL.thrusters.force @ forces / MODEL.mass
        orbital.append(change[3:6] - lvlh.derivative(state[:6].tolist(), point, EARTH, push.tolist())[3:])
        torque = MODEL.thrusters.torque @ forces
        euler = RelativeAttitude(MODEL.inertia, MODEL.inertia_target)
        turning.append(change[9:] - euler.acceleration(state[9:], attitude, rate_target, torque))
    what = "A x - n_d + B f_a, translation, against the nonlinear equations at e = 0.1"
    yield Check("matrices.translation", "(10), (11)", what, largest(*orbital), 1e-14, "m/s^2")
    what = "and rotation, against (6) to (8)"
    yield Check("matrices.rotation", "(10), (11)", what, largest(*turning), 1e-15, "rad/s^2")
    both = np.vstack([MODEL.thrusters.force, MODEL.thrusters.torque])
    what = "rank of F_a and T_a together, twelve thrusters on a cube"
    yield Check("matrices.thrusters", "(10)", what, float(np.linalg.matrix_rank(both)), 6.0, "-", ">=")


def printed() -> Iterator[Check]:
    """How far off the printed forms are for a chaser at rest at the start of the approach."""
    point = Orbit(6.7e6).at(0.0)
    state = np.concatenate([START, np.zeros(3)])
    right = np.array(lvlh.derivative(state.tolist(), point, EARTH)[3:])
    change, offset, _ = MODEL.matrices(np.concatenate([state, np.zeros(6)]), point, np.zeros(3))
    stiffness, pull = change[3:6, :3], offset[3:6]
    w = point.rate
    plain = stiffness + np.diag([w - w * w, w - w * w, 0.0])
    forms = {
        "(4)": ("radial acceleration with dtheta for its square", plain @ START - pull, 0),
        "(9)": ("cross-track acceleration with D_t times the velocity", -pull, 2),
        "(10)": ("radial acceleration with n_t added", stiffness @ START + pull, 0),
    }
    for source, (what, wrong, axis) in forms.items():
        value = abs(float(wrong[axis] - right[axis]) / float(right[axis]))
        text = f"{what}, as printed: error over the acceleration"
        yield Check(f"printed.{source}", source, text, value, 0.9, "-", ">=")
    yield from _gradient()


def _gradient() -> Iterator[Check]:
    """(17) against differences of Newton's law."""
    place = 1e3 * TARGET
    radius = float(np.linalg.norm(place))
    unit = place / radius
    right = np.eye(3) - 3.0 * np.outer(unit, unit)
    off_diagonal = 3.0 * np.outer(unit, unit) * (1.0 - np.eye(3))
    step = 1e3
    columns = [(_gravity(place + step * axis) - _gravity(place - step * axis)) / (2.0 * step) for axis in np.eye(3)]
    measured = -np.array(columns).T * radius**3 / EARTH
    what = "M of (17) with -3 r_i r_j / r^2, against differences of Newton's law"
    yield Check("gradient", "(17)", what, largest(right - measured), 1e-6, "-")
    what = "and as printed, with +3 r_i r_j / r^2"
    yield Check("printed.(17)", "(17)", what, largest(right + 2.0 * off_diagonal - measured), 1.0, "-", ">=")


def _gravity(place: np.ndarray) -> np.ndarray:
    return np.asarray(-EARTH * place / np.linalg.norm(place) ** 3)
