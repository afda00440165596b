"""Thruster matrices, and (11) as a whole: against the nonlinear equations, and over time against two orbits."""
from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from hil_relative_dynamics.evidence.validate_multirotor_errata import MODEL, rows
from hil_relative_dynamics.multirotor.thrusters import Thrusters
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion


def test_every_row_of_the_errata_holds():
    failed = [row.id for row in rows() if not row.ok]
    assert not failed


def test_a_pair_turns_without_pushing_and_another_pushes_without_turning():
    directions = np.array([[2.0, 0, 0], [-2.0, 0, 0], [3.0, 0, 0]])
    thrusters = Thrusters(np.array([[0, 1, 0], [0, -1, 0], [0, 1, 0]]), directions)
    couple, push = np.array([1.0, 1.0, 0.0]), np.array([0.0, -1.0, 1.0])  # the second backwards: both push along x
    np.testing.assert_allclose(thrusters.force @ couple, 0.0, atol=1e-15)
    np.testing.assert_allclose(thrusters.torque @ couple, [0.0, 0.0, -2.0])
    np.testing.assert_allclose(thrusters.force @ push, [2.0, 0.0, 0.0])
    np.testing.assert_allclose(thrusters.torque @ push, 0.0, atol=1e-15)


def test_twelve_on_a_cube_give_every_force_and_torque_without_pulling():
    """Every direction of force and torque has thrusts that are not negative."""
    matrix = np.vstack([Thrusters.cube(0.5).force, Thrusters.cube(0.5).torque])
    for direction in np.vstack([np.eye(6), -np.eye(6)]):
        assert nnls(matrix, direction)[1] < 1e-12


def test_over_time_it_flies_the_nonlinear_orbit():
    orbit = Orbit(6.7e6, 0.1, 0.4)
    start = np.concatenate([[40.0, -70.0, 25.0, 0.01, -0.05, 0.02], np.zeros(6)])
    silent = np.zeros(12)
    exact = RelativeMotion(orbit).propagate(0.0, start[:6].tolist(), 300.0)

    def law(time: float, state: np.ndarray) -> np.ndarray:
        return MODEL.derivative(state, orbit.at(time), np.zeros(3), silent)

    end = solve_ivp(law, (0.0, 300.0), start, rtol=1e-10, atol=1e-10).y[:, -1]
    np.testing.assert_allclose(end[:6], exact, atol=1e-6)
