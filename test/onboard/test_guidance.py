"""The approach: at rest at both ends, and derivatives that belong together."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from matching.motions import numerical_rate, numerical_twist

from hil_relative_dynamics.onboard.guidance import StraightApproach, grasp_pose

START = pin.SE3(pin.rpy.rpyToMatrix(0.2, -0.4, 2.5), np.array([3.3, 0.1, -0.2]))
END = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.1, 3.0), np.array([2.9, 0.0, 0.0]))
DURATION = 23.5


@pytest.fixture
def approach() -> StraightApproach:
    return StraightApproach(START, END, DURATION)


@pytest.mark.parametrize(("time", "pose"), [(0.0, START), (-1.0, START), (DURATION, END), (DURATION + 9.0, END)])
def test_it_is_at_rest_at_both_ends_and_stays_there(approach: StraightApproach, time: float, pose: pin.SE3) -> None:
    waypoint = approach.at(time)
    np.testing.assert_allclose(waypoint.pose.homogeneous, pose.homogeneous, atol=1e-12)
    np.testing.assert_allclose(waypoint.twist.vector, 0.0, atol=1e-12)
    np.testing.assert_allclose(waypoint.acceleration.vector, 0.0, atol=1e-12)


@pytest.mark.parametrize("time", [0.5, 4.0, 11.75, 18.0, 23.0])
def test_twist_and_acceleration_are_derivatives(approach: StraightApproach, time: float) -> None:
    waypoint = approach.at(time)
    twist = numerical_twist(lambda t: approach.at(t).pose, time, 1e-3)
    np.testing.assert_allclose(waypoint.twist.vector, twist, atol=1e-10)
    acceleration = numerical_rate(lambda t: approach.at(t).twist.vector, time, 1e-3)
    np.testing.assert_allclose(waypoint.acceleration.vector, acceleration, atol=1e-10)


def test_halfway_in_time_is_halfway_and_fastest(approach: StraightApproach) -> None:
    middle = approach.at(DURATION / 2)
    half = START * pin.exp6(0.5 * pin.log6(START.actInv(END)))
    np.testing.assert_allclose(middle.pose.homogeneous, half.homogeneous, atol=1e-12)
    speeds = [np.linalg.norm(approach.at(t).twist.vector) for t in np.linspace(0.0, DURATION, 101)]
    assert int(np.argmax(speeds)) == 50


def test_the_start_is_kept_even_if_its_owner_moves_on() -> None:
    start = START.copy()
    approach = StraightApproach(start, END, DURATION)
    start.translation += 1.0
    np.testing.assert_allclose(approach.at(0.0).pose.homogeneous, START.homogeneous, atol=1e-12)


def test_the_gripper_looks_at_the_client_with_its_fingers_across_the_ring() -> None:
    pose = grasp_pose(END)
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(pose.rotation[:, 2], -END.rotation[:, 0])
    np.testing.assert_allclose(np.abs(pose.rotation[:, 0]), np.abs(END.rotation[:, 2]))
    np.testing.assert_array_equal(pose.translation, END.translation)
