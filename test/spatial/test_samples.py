"""Samples: what goes in comes out, to the last bit."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointSample, MotionPoints, MotionSample

from .strategies import poses, repeatable, twists
from .tolerance import assert_near

any_numbers = st.lists(st.floats(allow_nan=False), min_size=SAMPLE_SIZE, max_size=SAMPLE_SIZE).map(np.array)


@repeatable
@given(poses, twists, twists)
def test_numbers_survive_the_wire(pose, twist, acceleration):
    sent = MotionSample.of(pose, twist, acceleration)
    received = MotionSample(np.frombuffer(sent.array.tobytes()))
    assert received.array.tobytes() == sent.array.tobytes()
    assert received.twist.vector.tobytes() == twist.vector.tobytes()
    assert received.acceleration.vector.tobytes() == acceleration.vector.tobytes()
    assert received.pose.translation.tobytes() == pose.translation.tobytes()
    assert_array_equal(received.pose.rotation, sent.pose.rotation)


@repeatable
@given(any_numbers)
def test_a_sample_keeps_whatever_numbers_it_is_given(numbers):
    assert MotionSample(numbers).array.tobytes() == numbers.tobytes()
    assert MotionSample(numbers).twist.vector.tobytes() == numbers[7:13].tobytes()
    assert MotionSample(numbers).acceleration.vector.tobytes() == numbers[13:].tobytes()


@repeatable
@given(poses)
def test_the_pose_is_the_one_given(pose):
    sample = MotionSample.of(pose)
    assert_near(sample.pose.homogeneous, pose.homogeneous, atol=1e-15)
    assert np.linalg.norm(sample.array[3:7]) == pytest.approx(1.0, abs=4e-16)
    assert_array_equal(sample.array[7:], np.zeros(12))


def test_quaternions_are_ordered_as_in_ros():
    turn_about_z = pin.exp3(np.array([0.0, 0.0, np.pi / 2]))
    sample = MotionSample.of(pin.SE3(turn_about_z, np.array([1.0, 2.0, 3.0])))
    assert_near(sample.array[:7], [1, 2, 3, 0, 0, np.sqrt(0.5), np.sqrt(0.5)], atol=4e-16)


def test_linear_velocity_comes_first():
    sample = MotionSample.of(pin.SE3.Identity(), pin.Motion(np.array([1.0, 2, 3, 4, 5, 6])))
    assert_array_equal(sample.array[7:13], [1, 2, 3, 4, 5, 6])
    assert_array_equal(sample.twist.angular, [4, 5, 6])


def test_points_are_their_samples():
    samples = [MotionSample(np.arange(SAMPLE_SIZE) + 100.0 * k) for k in range(3)]
    points = MotionPoints.of(*samples)
    assert len(points) == 3
    for index, sample in enumerate(points):
        assert_array_equal(sample.array, samples[index].array)
        assert_array_equal(points[index].array, samples[index].array)
    assert_array_equal(points.start.array, samples[0].array)
    assert_array_equal(points.end.array, samples[2].array)
    assert_array_equal(points[-1].array, samples[2].array)


def test_points_do_not_follow_the_samples_they_were_made_of():
    sample = MotionSample(np.zeros(SAMPLE_SIZE))
    points = MotionPoints.of(sample, sample)
    sample.array[0] = 1.0
    assert_array_equal(points.array, np.zeros((2, SAMPLE_SIZE)))


def test_joints_are_rows():
    sample = JointSample.of(np.array([1, 2]), np.array([3, 4]), np.array([5, 6]))
    assert sample.array.dtype == np.float64
    assert_array_equal(sample.position, [1, 2])
    assert_array_equal(sample.velocity, [3, 4])
    assert_array_equal(sample.acceleration, [5, 6])
    assert_array_equal(JointSample.of(np.ones(2), np.ones(2)).acceleration, [0, 0])
    assert JointSample.of(np.zeros(0), np.zeros(0)).array.shape == (3, 0)
