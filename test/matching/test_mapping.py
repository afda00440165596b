"""Relative mapping (23): the laboratory seen as orbit."""
import numpy as np
import pinocchio as pin
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.pair import relative_motion
from hil_relative_dynamics.spatial import MotionSample

from .motions import numerical_rate, numerical_twist, swaying
from .strategies import motions, poses, repeatable, twists


@repeatable
@given(motions, motions, motions)
def test_it_is_the_formula(nominal, client, servicer):
    mapped = RelativeMapping().step(nominal, client, servicer)
    for absolute, measured in zip(mapped, (client, servicer), strict=True):
        pose, twist = nominal.pose * measured.pose, measured.twist + measured.pose.actInv(nominal.twist)
        assert_allclose(absolute.pose.homogeneous, pose.homogeneous, atol=1e-13)
        assert_allclose(absolute.twist.vector, twist.vector, atol=1e-13)


@repeatable
@given(motions, poses, twists, poses, twists)
def test_it_undoes_the_relative_motion(nominal, pose_client, twist_client, pose_servicer, twist_servicer):
    robots = [
        MotionSample.of(*relative_motion(pose, twist, nominal))
        for pose, twist in ((pose_client, twist_client), (pose_servicer, twist_servicer))
    ]
    client, servicer = RelativeMapping().step(nominal, *robots)
    assert_allclose(client.pose.homogeneous, pose_client.homogeneous, atol=1e-12)
    assert_allclose(servicer.pose.homogeneous, pose_servicer.homogeneous, atol=1e-12)
    assert_allclose(client.twist.vector, twist_client.vector, atol=1e-11)
    assert_allclose(servicer.twist.vector, twist_servicer.vector, atol=1e-11)


def test_twist_and_acceleration_are_the_derivatives_of_the_mapped_pose():
    def mapped(time: float) -> MotionSample:
        return RelativeMapping().step(swaying(time), swaying(0.0), swaying(time + 3.0))[1]

    for time in (0.4, 1.9):
        now = mapped(time)
        assert_allclose(numerical_twist(lambda t: mapped(t).pose, time, 1e-3), now.twist.vector, atol=1e-10)
        rate = numerical_rate(lambda t: mapped(t).twist.vector, time, 1e-3)
        assert_allclose(rate, now.acceleration.vector, atol=1e-10)


@repeatable
@given(motions)
def test_the_relative_motion_of_the_two_is_not_changed(nominal):
    """Both are seen from the same nominal, so what a camera between them sees is what the robots do."""
    client, servicer = swaying(1.0), swaying(4.0)
    in_orbit = RelativeMapping().step(nominal, client, servicer)
    expected = client.pose.actInv(servicer.pose)
    assert_allclose(in_orbit[0].pose.actInv(in_orbit[1].pose).homogeneous, expected.homogeneous, atol=1e-12)

    def closing(c: MotionSample, s: MotionSample) -> np.ndarray:
        return (s.twist - s.pose.actInv(c.pose.act(c.twist))).vector

    assert_allclose(closing(*in_orbit), closing(client, servicer), atol=1e-11)


def test_a_nominal_at_rest_at_the_origin_changes_nothing():
    client, servicer = swaying(1.0), swaying(4.0)
    mapped = RelativeMapping().step(MotionSample.of(pin.SE3.Identity()), client, servicer)
    for actual, expected in zip(mapped, (client, servicer), strict=True):
        assert_allclose(actual.array, expected.array, atol=1e-15)


def test_results_are_not_overwritten_by_the_next_step():
    mapping = RelativeMapping()
    first, _ = mapping.step(swaying(0.0), swaying(1.0), swaying(2.0))
    kept = first.array.copy()
    mapping.step(swaying(3.0), swaying(4.0), swaying(5.0))
    assert_array_equal(first.array, kept)
