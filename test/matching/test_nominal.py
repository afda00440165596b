"""Nominal motions: each is consistent in itself (twist and acceleration are the derivatives of the pose)."""
from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.matching.nominal import (
    FixedNominal,
    FunctionNominal,
    SampledNominal,
    UnforcedNominal,
    read_motion,
)
from hil_relative_dynamics.spatial import MotionSample, position_error

from .motions import NANOSECONDS, numerical_rate, numerical_twist, swaying
from .strategies import bodies, poses, repeatable, twists

PERIOD = 4_000_000
TWIST = pin.Motion(np.array([0.1, -0.2, 0.3]), np.array([0.4, -0.5, 0.3]))
Motion = Callable[[float], MotionSample]
HEADER = "t,x,y,z,qx,qy,qz,qw"


def sampled(step: float, until: float = 6.0) -> SampledNominal:
    """The swaying motion, known every so often."""
    times = np.arange(0.0, until + 0.5 * step, step)
    rows = np.array([swaying(time).array[:7] for time in times])
    return SampledNominal(times, rows[:, :3], rows[:, 3:])


def sample_at(nominal, time: float) -> MotionSample:
    """What a nominal says of an instant, by way of its step."""
    stamp = round(time * NANOSECONDS)
    return nominal.step(nominal.initial_state(), stamp, PERIOD)[1].start


def assert_consistent(motion: Motion, time: float, delta: float, limit: float) -> None:
    now = motion(time)
    assert_allclose(numerical_twist(lambda t: motion(t).pose, time, delta), now.twist.vector, atol=limit)
    rate = numerical_rate(lambda t: motion(t).twist.vector, time, delta)
    assert_allclose(rate, now.acceleration.vector, atol=limit)


# ---- unforced, (4) ----


@repeatable
@given(bodies, poses, twists)
def test_an_unforced_nominal_obeys_its_equation_and_is_consistent(body, pose, twist):
    nominal = UnforcedNominal(body, pose, twist)
    _, points = nominal.step(nominal.initial_state(), 0, PERIOD)
    assert_allclose(points.start.pose.homogeneous, pose.homogeneous, atol=1e-14)
    assert_array_equal(points.start.twist.vector, twist.vector)
    for sample in points:
        residual = body.inertia * sample.acceleration + body.coriolis_wrench(sample.twist)
        scale = np.linalg.norm(body.inertia.matrix()) * (1.0 + np.linalg.norm(twist.vector) ** 2)
        assert_allclose(residual.vector, np.zeros(6), atol=1e-13 * scale)
    assert_consistent(lambda t: flown(nominal, t), 0.04, 1e-3, 2e-8)


def flown(nominal: UnforcedNominal, time: float) -> MotionSample:
    """The motion after so many seconds, in steps of 1 ms."""
    state = nominal.initial_state()
    for _ in range(round(time / 1e-3)):
        state, _ = nominal.step(state, 0, 1_000_000)
    return state


def test_points_are_at_the_start_the_middle_and_the_end(envisat):
    nominal = UnforcedNominal(envisat, pin.SE3.Identity(), TWIST)
    state, points = nominal.step(nominal.initial_state(), 0, 2_000_000)
    _, first = nominal.step(nominal.initial_state(), 0, 1_000_000)
    _, second = nominal.step(first.end, 1_000_000, 1_000_000)
    assert len(points) == 3
    assert_allclose(points[1].array, first.end.array, atol=1e-15)
    assert_allclose(points[2].array, second.end.array, atol=1e-15)
    assert_array_equal(state.array, points.end.array)
    following, more = nominal.step(state, 2_000_000, 2_000_000)
    assert_array_equal(more.start.array, points.end.array)
    assert position_error(following.pose, points.end.pose) > 1e-4


def test_a_symmetric_nominal_precesses_as_in_the_textbook():
    top = RigidBody(pin.Inertia(10.0, np.zeros(3), np.diag([5.0, 5.0, 8.0])))
    omega, duration = np.array([0.3, -0.2, 0.5]), 10.0
    nominal = UnforcedNominal(top, pin.SE3.Identity(), pin.Motion(np.zeros(3), omega))
    state = nominal.initial_state()
    for k in range(1000):
        state, _ = nominal.step(state, k * 10_000_000, 10_000_000)
    spin = np.array([0.0, 0.0, (1.0 - 8.0 / 5.0) * omega[2]])
    expected = pin.exp3(np.array([5.0, 5.0, 8.0]) * omega / 5.0 * duration) @ pin.exp3(spin * duration)
    assert_allclose(state.pose.rotation, expected, atol=1e-11)


def test_an_unforced_nominal_conserves_momentum_and_energy(envisat):
    nominal = UnforcedNominal(envisat, pin.SE3.Identity(), TWIST)
    state = nominal.initial_state()
    for k in range(5000):
        state, _ = nominal.step(state, k * PERIOD, PERIOD)
    momentum = envisat.momentum(pin.SE3.Identity(), TWIST).vector
    assert_allclose(envisat.momentum(state.pose, state.twist).vector, momentum, rtol=1e-10)
    assert_allclose(envisat.kinetic_energy(state.twist), envisat.kinetic_energy(TWIST), rtol=1e-11)


# ---- fixed, function ----


@repeatable
@given(poses)
def test_a_fixed_nominal_never_moves(pose):
    nominal = FixedNominal(pose)
    state = nominal.initial_state()
    for stamp in (0, PERIOD, 1000 * PERIOD):
        state, points = nominal.step(state, stamp, PERIOD)
        assert len(points) == 3
        for sample in points:
            assert_allclose(sample.pose.homogeneous, pose.homogeneous, atol=1e-14)
            assert_array_equal(sample.array[7:], np.zeros(12))


def test_a_function_is_asked_at_the_start_the_middle_and_the_end():
    asked = []
    nominal = FunctionNominal(lambda time: asked.append(time) or swaying(time))
    _, points = nominal.step(nominal.initial_state(), 3_000_000_000, PERIOD)
    assert_allclose(asked, [3.0, 3.002, 3.004], rtol=1e-15)
    for sample, time in zip(points, asked, strict=True):
        assert_array_equal(sample.array, swaying(time).array)


@pytest.mark.parametrize("time", [0.5, 2.0, 4.4])
def test_the_motion_used_in_these_tests_is_consistent(time):
    assert_consistent(swaying, time, 1e-3, 1e-10)


# ---- sampled ----


@pytest.mark.parametrize("time", [0.33, 2.05, 4.47])
def test_a_sampled_nominal_is_consistent_between_its_samples(time):
    """Twist and acceleration are those of the interpolated pose itself, however coarse the samples."""
    coarse = sampled(0.5)
    assert_consistent(lambda t: sample_at(coarse, t), time, 1e-3, 1e-8)


def test_a_sampled_nominal_goes_through_its_samples():
    nominal = sampled(0.5)
    for time in (0.0, 0.5, 3.0, 6.0):
        assert_allclose(sample_at(nominal, time).pose.homogeneous, swaying(time).pose.homogeneous, atol=1e-12)


def test_a_sampled_nominal_converges_to_the_motion_it_was_sampled_from():
    times = (1.23, 2.71, 3.99)
    errors = [
        max(np.abs(sample_at(sampled(step), time).array - swaying(time).array).max() for time in times)
        for step in (0.2, 0.1, 0.05)
    ]
    # acceleration is the least accurate part of a cubic spline: second order
    assert errors[0] < 1e-2
    assert np.all(np.array(errors[:-1]) / errors[1:] > 3.0)


def test_a_sampled_nominal_has_no_jump_in_its_acceleration():
    nominal = sampled(0.5)
    for knot in (1.0, 2.5, 4.0):
        before, after = (sample_at(nominal, knot + offset).acceleration.vector for offset in (-1e-6, 1e-6))
        assert_allclose(before, after, atol=1e-4)


def test_the_sign_of_a_quaternion_does_not_matter():
    times = np.arange(0.0, 3.0, 0.25)
    rows = np.array([swaying(time).array[:7] for time in times])
    flipped = rows.copy()
    flipped[1::2, 3:] *= -1.0
    for time in (0.4, 1.3):
        one, other = (sample_at(SampledNominal(times, r[:, :3], r[:, 3:]), time) for r in (rows, flipped))
        assert_allclose(one.pose.homogeneous, other.pose.homogeneous, atol=1e-12)
        assert_allclose(one.array[7:], other.array[7:], atol=1e-10)


# ---- from a file ----


def written(path, rows, header: str = HEADER) -> str:
    path.write_text("\n".join([header, *[",".join(map(str, row)) for row in rows]]) + "\n")
    return str(path)


def good_rows() -> list[list[float]]:
    return [[time, *swaying(time).array[:7]] for time in np.arange(0.0, 3.01, 0.1)]


def test_a_file_gives_the_motion_that_was_written_to_it(tmp_path):
    nominal = read_motion(written(tmp_path / "motion.csv", good_rows()))
    assert_allclose(nominal.times, np.arange(0.0, 3.01, 0.1), atol=1e-12)
    expected = sample_at(sampled(0.1, until=3.0), 1.234)
    assert_allclose(sample_at(nominal, 1.234).array, expected.array, atol=1e-9)


def test_the_header_may_be_a_comment_and_have_spaces(tmp_path):
    path = written(tmp_path / "motion.csv", good_rows(), "# t, x, y, z, qx, qy, qz, qw")
    assert len(read_motion(path).times) == 31


def spoiled(row: int, column: int, value: object) -> list[list[object]]:
    rows = [list(r) for r in good_rows()]
    rows[row][column] = value
    return rows


@pytest.mark.parametrize(
    "rows, header, complaint",
    [
        (good_rows(), "time,x,y,z,qx,qy,qz,qw", "first line"),
        (good_rows(), "t,x,y,z,qw,qx,qy,qz", "first line"),
        (good_rows()[:3], HEADER, "at least four"),
        ([], HEADER, "at least four"),
        (spoiled(5, 2, "nan"), HEADER, "finite"),
        (spoiled(5, 2, "inf"), HEADER, "finite"),
        (spoiled(5, 0, 0.4), HEADER, "increasing"),
        (spoiled(5, 0, 0.1), HEADER, "increasing"),
        (spoiled(5, 7, 2.0), HEADER, "unit length"),
        (spoiled(5, 3, "far"), HEADER, "far"),
        ([row[:7] for row in good_rows()], HEADER, "8 numbers, not 7"),
        ([[*row, 0.0] for row in good_rows()], HEADER, "8 numbers, not 9"),
    ],
)
@pytest.mark.filterwarnings("ignore:loadtxt")
def test_a_bad_file_is_refused_with_a_reason(tmp_path, rows, header, complaint):
    with pytest.raises(ValueError, match=complaint):
        read_motion(written(tmp_path / "motion.csv", rows, header))


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(OSError):
        read_motion(str(tmp_path / "nowhere.csv"))


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ValueError, match="first line"):
        read_motion(str(tmp_path / "empty.csv"))
