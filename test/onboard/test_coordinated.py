"""Coordinated control: what it commands gives the accelerations that it was asked for."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.onboard.coordinated import CoordinatedControl
from hil_relative_dynamics.scenario import load

NO_WRENCH = pin.Force.Zero()


@pytest.fixture(scope="module")
def servicer() -> FreeFlyer:
    return World(load("envisat_capture", [])).servicer


def a_state(seed: int) -> tuple[np.ndarray, np.ndarray, pin.Motion]:
    """q, dq and the base's twist: the start posture and about it, moving faster than a capture does."""
    random = np.random.default_rng(seed)
    posture = np.radians([45.1, 90.6, -89.4, -91.7, 90.6, -90.6, 46.6])
    twist = pin.Motion(random.uniform(-0.3, 0.3, 3), random.uniform(-0.1, 0.1, 3))
    return posture + random.uniform(-0.2, 0.2, 7), random.uniform(-0.2, 0.2, 7), twist


@pytest.mark.parametrize("seed", range(4))
def test_efforts_are_the_inverse_of_the_dynamics(servicer: FreeFlyer, seed: int) -> None:
    control, (q, dq, twist) = CoordinatedControl(servicer), a_state(seed)
    random = np.random.default_rng(100 + seed)
    wanted, ddq = pin.Motion(random.normal(size=6) * 0.05), random.normal(size=7) * 0.3
    control.look(q, dq, twist)
    thrust, torque = control.efforts(wanted, ddq)
    reached, reached_ddq = servicer.forward_dynamics(q, twist, dq, thrust, torque, NO_WRENCH)
    np.testing.assert_allclose(reached.vector, wanted.vector, atol=1e-10)
    np.testing.assert_allclose(reached_ddq, ddq, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_end_effector_accelerates_as_wanted_whatever_the_base_does(servicer: FreeFlyer, seed: int) -> None:
    control, (q, dq, twist) = CoordinatedControl(servicer), a_state(seed)
    random = np.random.default_rng(200 + seed)
    base, wanted = pin.Motion(random.normal(size=6) * 0.05), random.normal(size=6) * 0.1
    now = control.look(q, dq, twist)
    ddq = control.joint_accelerations(now, base, wanted, random.normal(size=7))
    reached = now.jacobian_base @ base.vector + now.jacobian_joints @ ddq + now.drift
    np.testing.assert_allclose(reached, wanted, atol=0.02)  # damped least squares


def test_jacobians_and_drift_agree_with_the_motion_itself(servicer: FreeFlyer) -> None:
    control, (q, dq, twist) = CoordinatedControl(servicer), a_state(7)
    dt = 1e-5

    def twist_of_end_effector(time: float) -> np.ndarray:
        by_base, by_joints = servicer.jacobians(q + time * dq)
        return by_base @ twist.vector + by_joints @ dq

    drift = (twist_of_end_effector(dt) - twist_of_end_effector(-dt)) / (2 * dt)
    np.testing.assert_allclose(control.look(q, dq, twist).drift, drift, atol=1e-8)


def held(
    servicer: FreeFlyer,
    state: tuple[np.ndarray, np.ndarray, pin.Motion],
    torque: np.ndarray,
    acceleration_of_hold: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations of base and joints while the end-effector is held by something that accelerates as given."""
    q, dq, twist = state
    mass, bias = servicer.mass_matrix(q), servicer.nonlinear_effects(q, twist, dq)
    jacobian = np.hstack(servicer.jacobians(q))
    drift = CoordinatedControl(servicer).look(q, dq, twist).drift
    free = np.concatenate([np.zeros(6), torque]) - bias
    system = np.block([[mass, -jacobian.T], [jacobian, np.zeros((6, 6))]])
    solution = np.linalg.solve(system, np.concatenate([free, acceleration_of_hold - drift]))
    return solution[:6], solution[6:13]


@pytest.mark.parametrize("seed", range(4))
def test_by_contact_the_base_goes_along_with_what_it_holds_exactly(servicer: FreeFlyer, seed: int) -> None:
    """Base, arm and client turn as one: no joint moves."""
    control, (q, _, twist) = CoordinatedControl(servicer), a_state(seed)
    at_rest, wanted = np.zeros(7), pin.Motion(np.random.default_rng(300 + seed).normal(size=6) * 0.02)
    now = control.look(q, at_rest, twist)
    torque = control.efforts_by_contact(now, wanted, damping=50.0)
    along = now.jacobian_base @ wanted.vector + now.drift
    base, ddq = held(servicer, (q, at_rest, twist), torque, along)
    np.testing.assert_allclose(base, wanted.vector, atol=1e-9)
    np.testing.assert_allclose(ddq, 0.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_by_contact_the_base_moves_nearly_as_wanted_against_what_stays(servicer: FreeFlyer, seed: int) -> None:
    """Here the joints have to move; the arm's own inertia, a few percent of the base's, is what is neglected."""
    control, (q, _, _) = CoordinatedControl(servicer), a_state(seed)
    at_rest, still = np.zeros(7), pin.Motion.Zero()
    wanted = pin.Motion(np.random.default_rng(400 + seed).normal(size=6) * 0.01)
    now = control.look(q, at_rest, still)
    torque = control.efforts_by_contact(now, wanted, damping=0.0)
    base, _ = held(servicer, (q, at_rest, still), torque, np.zeros(6))
    assert np.linalg.norm(base - wanted.vector) < 0.1 * np.linalg.norm(wanted.vector)


def test_motion_of_the_joints_dies_away_at_the_rate_asked_for(servicer: FreeFlyer) -> None:
    control, (q, dq, twist) = CoordinatedControl(servicer), a_state(3)
    now = control.look(q, dq, twist)
    with_damping, without = (control.efforts_by_contact(now, pin.Motion.Zero(), damping) for damping in (50.0, 0.0))
    inertia = servicer.mass_matrix(q)[6:, 6:]
    np.testing.assert_allclose(with_damping - without, -50.0 * inertia @ dq, atol=1e-9)
