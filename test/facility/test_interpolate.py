"""Motion between the two points of a step."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.facility.interpolate import Interpolator
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.spatial import MotionPoints, MotionSample, orientation_error, position_error


class Tumble:
    """A true motion to interpolate: an unsymmetric body with its CoM away from the origin."""

    def __init__(self) -> None:
        inertia = pin.Inertia(3.0, np.array([0.2, -0.1, 0.3]), np.diag([1.0, 2.0, 2.5]))
        pose = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([1.0, 2.0, -1.0]))
        twist = pin.Motion(np.array([0.3, -0.2, 0.4]), np.array([1.0, 0.8, -0.6]))
        self._nominal = UnforcedNominal(RigidBody(inertia), pose, twist)

    def at(self, time: int) -> MotionSample:
        """By steps of a millisecond: exact, as far as the interpolation is concerned."""
        state = self._nominal.initial_state()
        for stamp in range(0, time, 1_000_000):
            state, _ = self._nominal.step(state, stamp, 1_000_000)
        return self._nominal.step(state, time, 1_000_000)[1].start


@pytest.fixture(scope="module")
def tumble() -> Tumble:
    return Tumble()


def errors(tumble: Tumble, period: int, time: int) -> tuple[float, float, float, float]:
    points = MotionPoints.of(tumble.at(0), tumble.at(period))
    between, truth = Interpolator(period).at(points, time), tumble.at(time)
    return (
        position_error(between.pose, truth.pose),
        orientation_error(between.pose, truth.pose),
        float(np.abs(between.array[7:13] - truth.array[7:13]).max()),
        float(np.abs(between.array[13:] - truth.array[13:]).max()),
    )


def test_both_ends_are_the_points_to_the_last_bit(tumble: Tumble) -> None:
    points = MotionPoints.of(tumble.at(0), tumble.at(100_000_000))
    interpolator = Interpolator(100_000_000)
    assert interpolator.at(points, 0).array.tobytes() == points.start.array.tobytes()
    assert interpolator.at(points, 100_000_000).array.tobytes() == points.end.array.tobytes()


def test_the_pose_leaves_and_arrives_smoothly(tumble: Tumble) -> None:
    period = 100_000_000
    points = MotionPoints.of(tumble.at(0), tumble.at(period))
    interpolator = Interpolator(period)
    for time, end in ((1, points.start), (period - 1, points.end)):
        near = interpolator.at(points, time)
        assert position_error(near.pose, end.pose) < 1e-8 and orientation_error(near.pose, end.pose) < 1e-8


@pytest.mark.parametrize("fraction", [4, 2])
def test_poses_between_are_of_third_order_and_twists_of_second(tumble: Tumble, fraction: int) -> None:
    coarse = errors(tumble, 160_000_000, 160_000_000 // fraction)
    fine = errors(tumble, 80_000_000, 80_000_000 // fraction)
    position, orientation, twist, acceleration = np.log2(np.array(coarse) / np.array(fine))
    assert position > 2.9 and orientation > 2.9
    assert twist > 1.9 and acceleration > 1.9


def test_between_the_points_of_a_facility_nothing_shows(tumble: Tumble) -> None:
    position, orientation, twist, _ = errors(tumble, 4_000_000, 1_000_000)
    assert position < 1e-10 and orientation < 1e-10 and twist < 1e-5
