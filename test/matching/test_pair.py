"""Motion relative to a nominal, (5), (6) and (15)."""
import numpy as np
import pinocchio as pin
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import MotionSample

from .motions import numerical_twist, swaying
from .strategies import motions, poses, repeatable, twists


@repeatable
@given(poses, twists, motions)
def test_nominal_and_relative_motion_make_the_absolute_one(pose, twist, nominal):
    pose_relative, twist_relative = relative_motion(pose, twist, nominal)
    assert_allclose((nominal.pose * pose_relative).homogeneous, pose.homogeneous, atol=1e-13)
    assert_allclose((twist_relative + pose_relative.actInv(nominal.twist)).vector, twist.vector, atol=1e-12)


def test_the_relative_twist_is_the_rate_of_the_relative_pose():
    def body(time: float) -> MotionSample:
        return swaying(1.0 - 0.8 * time)  # backwards, so that its twist is -0.8 of the forward one

    def relative(time: float) -> tuple[pin.SE3, pin.Motion]:
        return relative_motion(body(time).pose, body(time).twist * -0.8, swaying(time))

    for time in (0.3, 1.7, 4.0):
        expected = numerical_twist(lambda t: relative(t)[0], time)
        assert_allclose(relative(time)[1].vector, expected, atol=1e-10)


@repeatable
@given(motions)
def test_a_body_that_is_the_nominal_does_not_move_relative_to_it(nominal):
    pose, twist = relative_motion(nominal.pose, nominal.twist, nominal)
    assert_allclose(pose.homogeneous, np.eye(4), atol=1e-14)
    assert_allclose(twist.vector, np.zeros(6), atol=1e-13)


@repeatable
@given(motions, motions)
def test_a_state_keeps_what_it_is_given(simulated, commanded):
    state = PairState.of(simulated.pose, simulated.twist, commanded.pose, commanded.twist)
    assert_allclose(state.pose_simulated.homogeneous, simulated.pose.homogeneous, atol=1e-14)
    assert_allclose(state.pose_commanded.homogeneous, commanded.pose.homogeneous, atol=1e-14)
    assert_array_equal(state.array[14:], [*simulated.twist.vector, *commanded.twist.vector])


def test_a_matched_motion_tells_orbit_from_laboratory_and_start_from_end():
    motion = MatchedMotion(np.arange(2 * 2 * 19.0).reshape(2, 2, 19))
    assert_array_equal(motion.simulated.start.array, np.arange(19.0))
    assert_array_equal(motion.simulated.end.array, np.arange(19.0, 38.0))
    assert_array_equal(motion.commanded.start.array, np.arange(38.0, 57.0))
    assert_array_equal(motion.commanded.end.array, np.arange(57.0, 76.0))
