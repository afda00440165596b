"""The integrators: their order, measured, and that the C version is the same scheme."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.spatial import euler_step, orientation_error, position_error, rk4_step

from .strategies import poses, repeatable, twists
from .tolerance import assert_near

BODY = RigidBody(pin.Inertia(12.0, np.array([0.1, -0.2, 0.3]), np.diag([3.0, 5.0, 4.0])))
TWIST = np.array([0.3, -0.2, 0.5, 1.0, 0.7, -0.4])
WRENCH = pin.Force(np.array([1.0, 2.0, -1.0, 0.5, 0.3, -0.7]))
DURATION = 2.0
STEPS = (16, 32, 64, 128)


def pushed_body(time, poses, vector):
    """A tumbling body under a changing wrench: twists at different times do not commute."""
    twist = pin.Motion(vector)
    return [twist], BODY.acceleration(twist, WRENCH * float(np.cos(time))).vector


def without_commutators(law, time, poses, vector, dt):
    """RK4 as it is for vectors, with exp in place of the sum."""

    def advanced(increment):
        return [poses[0] * pin.exp6(increment)]

    (a,), rate_1 = law(time, poses, vector)
    (b,), rate_2 = law(time + dt / 2, advanced(a * (dt / 2)), vector + dt / 2 * rate_1)
    (c,), rate_3 = law(time + dt / 2, advanced(b * (dt / 2)), vector + dt / 2 * rate_2)
    (d,), rate_4 = law(time + dt, advanced(c * dt), vector + dt * rate_3)
    rate = rate_1 + 2 * rate_2 + 2 * rate_3 + rate_4
    return advanced((a + b * 2.0 + c * 2.0 + d) * (dt / 6)), vector + dt / 6 * rate


def semi_implicit_euler(law, time, poses, vector, dt):
    (twist,), rate = law(time, poses, vector)
    pose, twist = euler_step(poses[0], twist, pin.Motion(rate), dt)
    return [pose], twist.vector


def flown(step, count: int) -> tuple[pin.SE3, np.ndarray]:
    here, vector, dt = [pin.SE3.Identity()], TWIST, DURATION / count
    for index in range(count):
        here, vector = step(pushed_body, index * dt, here, vector, dt)
    return here[0], vector


@pytest.fixture(scope="module")
def reference() -> tuple[pin.SE3, np.ndarray]:
    """The same motion by a general integrator, on the matrix of the pose."""

    def rates(time, state):
        _, acceleration = pushed_body(time, [], state[16:])
        velocity = np.zeros((4, 4))
        velocity[:3, :3], velocity[:3, 3] = pin.skew(state[19:]), state[16:19]
        return np.concatenate([(state[:16].reshape(4, 4) @ velocity).ravel(), acceleration])

    start = np.concatenate([np.eye(4).ravel(), TWIST])
    end = solve_ivp(rates, (0.0, DURATION), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return pin.SE3(end[:16].reshape(4, 4)), end[16:]


def orders(step, reference) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How fast position, orientation and twist converge when the step is halved."""
    pose, twist = reference
    ends = [flown(step, count) for count in STEPS]
    errors = np.array(
        [(position_error(g, pose), orientation_error(g, pose), np.linalg.norm(v - twist)) for g, v in ends]
    )
    return tuple(np.log2(errors[:-1] / errors[1:]).T)


def test_rk4_is_of_order_four_for_poses_and_vectors(reference):
    for order in orders(rk4_step, reference):
        assert_near(order, 4.0, atol=0.1)


def test_without_the_commutators_poses_are_only_of_order_two(reference):
    position, orientation, twist = orders(without_commutators, reference)
    assert_near(position, 2.0, atol=0.1)
    assert_near(orientation, 2.0, atol=0.1)
    assert_near(twist, 4.0, atol=0.1)


def test_euler_is_of_order_one(reference):
    for order in orders(semi_implicit_euler, reference):
        assert_near(order[-1], 1.0, atol=0.15)


@pytest.mark.parametrize("step, limit", [(rk4_step, 1e-9), (semi_implicit_euler, 1e-1)])
def test_both_go_where_a_general_integrator_goes(step, limit, reference):
    pose, twist = flown(step, 512)
    assert position_error(pose, reference[0]) < limit
    assert_near(twist, reference[1], atol=limit)


@repeatable
@given(poses, twists, st.floats(1e-6, 1.0))
def test_a_constant_twist_is_followed_exactly(pose, twist, dt):
    exact = pose * pin.exp6(twist * dt)
    (by_rk4,), vector = rk4_step(lambda *state: ([twist], np.zeros(0)), 0.0, [pose], np.zeros(0), dt)
    by_euler, _ = euler_step(pose, twist, pin.Motion.Zero(), dt)
    assert_near(by_rk4.homogeneous, exact.homogeneous, atol=1e-13)
    assert_near(by_euler.homogeneous, exact.homogeneous, atol=1e-13)
    assert vector.shape == (0,)


def test_vectors_alone_are_classical_rk4():
    """Exact for polynomials of time up to the third power, without any pose."""
    nowhere, end = rk4_step(lambda time, *state: ([], np.array([4 * time**3])), 1.0, [], np.ones(1), 2.0)
    assert nowhere == []
    assert_allclose(end, [81.0], rtol=1e-15)


def test_poses_of_one_system_do_not_mix():
    first, second = pin.Motion(TWIST), pin.Motion(TWIST[::-1].copy())

    def law(time, poses, vector):
        return [first * (1 + time), second * (1 - time)][: len(poses)], np.zeros(0)

    both, _ = rk4_step(law, 0.0, [pin.SE3.Identity()] * 2, np.zeros(0), 0.3)
    alone, _ = rk4_step(law, 0.0, [pin.SE3.Identity()], np.zeros(0), 0.3)
    assert_array_equal(both[0].homogeneous, alone[0].homogeneous)


def test_euler_uses_the_new_twist():
    pose, twist = euler_step(pin.SE3.Identity(), pin.Motion.Zero(), pin.Motion(np.eye(6)[0]), 0.5)
    assert_near(twist.vector, 0.5 * np.eye(6)[0], atol=0)
    assert_near(pose.translation, [0.25, 0.0, 0.0], atol=0)
