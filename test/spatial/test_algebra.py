"""Ad and ad: group axioms, dualities, and derivatives against finite differences."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from hil_relative_dynamics.spatial import (
    adjoint,
    adjoint_dual,
    adjoint_rate,
    bracket,
    bracket_dual,
    orientation_error,
    position_error,
    transport_wrench,
    transported_twist_rate,
)

from .strategies import directions, poses, repeatable, twists, vectors, wrenches
from .tolerance import assert_near


def rate_of(function, step: float = 1e-3) -> np.ndarray:
    """Derivative at zero: central differences, extrapolated to order six."""
    slope = [(function(h) - function(-h)) / (2 * h) for h in (step, step / 2, step / 4)]
    once = [(4 * slope[1] - slope[0]) / 3, (4 * slope[2] - slope[1]) / 3]
    return (16 * once[1] - once[0]) / 15


# ---- the group ----


@repeatable
@given(poses, poses)
def test_adjoint_of_a_product_is_the_product_of_adjoints(a, b):
    assert_near(adjoint(a * b), adjoint(a) @ adjoint(b), atol=1e-13)
    assert_near(adjoint_dual(a * b), adjoint_dual(a) @ adjoint_dual(b), atol=1e-13)


@repeatable
@given(poses)
def test_adjoint_of_the_inverse_is_the_inverse(pose):
    assert_near(adjoint(pose.inverse()) @ adjoint(pose), np.eye(6), atol=1e-13)


def test_adjoint_of_nothing_is_nothing():
    assert_near(adjoint(pin.SE3.Identity()), np.eye(6), atol=0)
    assert_near(adjoint_dual(pin.SE3.Identity()), np.eye(6), atol=0)


@repeatable
@given(poses, twists)
def test_adjoint_carries_the_motion_to_the_other_frame(pose, twist):
    """g exp(V) g^-1 = exp(Ad(g) V)"""
    there = pose * pin.exp6(twist) * pose.inverse()
    carried = pin.exp6(pin.Motion(adjoint(pose) @ twist.vector))
    assert_near(there.homogeneous, carried.homogeneous, atol=1e-12)


@repeatable
@given(twists)
def test_adjoint_of_an_exponential_is_the_exponential_of_the_bracket(twist):
    assert_near(adjoint(pin.exp6(twist)), expm(bracket(twist)), atol=1e-11)


# ---- the algebra ----


@repeatable
@given(twists)
def test_bracket_is_the_derivative_of_adjoint(twist):
    assert_near(bracket(twist), rate_of(lambda h: adjoint(pin.exp6(twist * h))), atol=1e-10)


@repeatable
@given(twists, twists, twists)
def test_bracket_is_antisymmetric_and_keeps_jacobi_s_identity(a, b, c):
    assert_near(bracket(a) @ b.vector, -bracket(b) @ a.vector, atol=1e-13)
    around = [bracket(x) @ bracket(y) @ z.vector for x, y, z in ((a, b, c), (b, c, a), (c, a, b))]
    assert_near(sum(around), np.zeros(6), atol=1e-12)


@repeatable
@given(poses, twists, twists)
def test_adjoint_respects_the_bracket(pose, a, b):
    carried_a, carried_b = pin.Motion(adjoint(pose) @ a.vector), adjoint(pose) @ b.vector
    assert_near(bracket(carried_a) @ carried_b, adjoint(pose) @ bracket(a) @ b.vector, atol=1e-11)


@repeatable
@given(poses, twists, wrenches)
def test_matrices_say_what_pinocchio_does(pose, twist, wrench):
    assert_near(adjoint(pose) @ twist.vector, pose.act(twist).vector, atol=1e-13)
    assert_near(adjoint_dual(pose) @ wrench.vector, pose.act(wrench).vector, atol=1e-13)
    assert_near(bracket(twist) @ twist.vector, np.zeros(6), atol=1e-13)
    assert_near(bracket_dual(twist) @ wrench.vector, twist.cross(wrench).vector, atol=1e-13)


# ---- dualities ----


@repeatable
@given(poses, twists)
def test_duals_are_inverse_and_negative_transposes(pose, twist):
    assert_near(adjoint_dual(pose), np.linalg.inv(adjoint(pose)).T, atol=1e-12)
    assert_near(bracket_dual(twist), -bracket(twist).T, atol=0)


@repeatable
@given(poses, twists, wrenches)
def test_power_is_the_same_in_every_frame(pose, twist, wrench):
    there = float((adjoint(pose) @ twist.vector) @ (adjoint_dual(pose) @ wrench.vector))
    assert there == pytest.approx(twist.dot(wrench), abs=1e-11)
    assert pose.act(twist).dot(transport_wrench(wrench, pose)) == pytest.approx(twist.dot(wrench), abs=1e-11)


@repeatable
@given(wrenches, poses, poses)
def test_a_wrench_goes_two_ways_in_one_or_in_two(wrench, a, b):
    direct = transport_wrench(wrench, a * b)
    assert_near(direct.vector, transport_wrench(transport_wrench(wrench, b), a).vector, atol=1e-11)


def test_a_force_at_a_lever_is_a_moment():
    ahead = pin.SE3(np.eye(3), np.array([2.0, 0.0, 0.0]))
    moved = transport_wrench(pin.Force(np.array([0.0, 0.0, 5.0]), np.zeros(3)), ahead)
    assert_near(moved.vector, [0.0, 0.0, 5.0, 0.0, -10.0, 0.0], atol=0)


# ---- rates along a motion ----


@repeatable
@given(poses, twists, twists)
def test_rate_of_the_inverse_adjoint(pose, twist, acceleration):
    def along(t: float) -> np.ndarray:
        return adjoint((pose * pin.exp6(twist * t + acceleration * (t * t / 2))).inverse())

    assert_near(adjoint_rate(pose, twist), rate_of(along), atol=1e-8)


@repeatable
@given(poses, twists, twists, twists, twists)
def test_rate_of_a_transported_twist(pose, twist, acceleration, twist_nominal, acceleration_nominal):
    """Along a motion that turns and speeds up, in a nominal frame that does so too."""

    def along(t: float) -> np.ndarray:
        body = pose * pin.exp6(twist * t + acceleration * (t * t / 2))
        return body.actInv(twist_nominal + acceleration_nominal * t).vector

    rate = transported_twist_rate(pose, twist, twist_nominal, acceleration_nominal)
    assert_near(rate.vector, rate_of(along), atol=1e-8)


@repeatable
@given(poses, twists, twists)
def test_a_nominal_that_stands_still_transports_nothing(pose, twist, acceleration):
    rate = transported_twist_rate(pose, twist, pin.Motion.Zero(), acceleration)
    assert_near(rate.vector, pose.actInv(acceleration).vector, atol=1e-13)


# ---- errors ----


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-15, 1e-12, 1e-8, 1e-4, 1.0, 3.0, np.pi - 1e-7, np.pi])
@repeatable
@given(axis=directions)
def test_orientation_error_is_accurate_to_the_last_digits(angle, axis):
    turned = pin.SE3(pin.exp3(angle * axis), np.zeros(3))
    assert orientation_error(pin.SE3.Identity(), turned) == pytest.approx(angle, rel=1e-14, abs=1e-300)


@repeatable
@given(poses, directions, st.floats(0.0, np.pi))
def test_orientation_error_between_any_two_poses(pose, axis, angle):
    """The product of two rotations is rounded: a few units of 1e-16 is all that can be asked."""
    turned = pose * pin.SE3(pin.exp3(angle * axis), np.ones(3))
    assert orientation_error(pose, turned) == pytest.approx(angle, abs=4e-15)
    assert orientation_error(turned, pose) == pytest.approx(angle, abs=4e-15)


@repeatable
@given(poses, directions)
def test_a_turn_of_1e_15_rad_is_seen_between_any_two_poses(pose, axis):
    turned = pose * pin.SE3(pin.exp3(1e-15 * axis), np.zeros(3))
    assert orientation_error(pose, turned) < 3e-15


@repeatable
@given(poses, vectors, vectors)
def test_position_error_is_the_distance(pose, a, b):
    at_a, at_b = pose * pin.SE3(np.eye(3), a), pose * pin.SE3(pin.exp3(b), b)
    assert position_error(at_a, at_b) == pytest.approx(np.linalg.norm(a - b), abs=1e-13)
