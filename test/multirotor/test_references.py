"""References: set-points that agree with themselves, with orbits, and with their scales."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.multirotor.references import Circle, FreeDrift, TwoImpulse
from hil_relative_dynamics.multirotor.scaling import Demand, Scaling
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.targeting import SingularTransfer

START = np.array([4.3743, 2.4216, 1.0178])
TARGET = pin.SE3(np.eye(3), np.array([0.0, 0.0, 3.0]))
LOW = Orbit(6.7e6)


def approach(transfer: float = 60.0, scaling: Scaling | None = None) -> TwoImpulse:
    return TwoImpulse(LOW, START, transfer, scaling or Scaling(), TARGET, np.eye(3))


def drift(duration: float = 5458.0) -> FreeDrift:
    start = np.array([200.0, 0.0, 50.0, 0.0, -0.4624, 0.0])
    return FreeDrift(Orbit(6.7e6, 0.0037), start, duration, Scaling(100.0, 60.0), TARGET, np.eye(3))


@pytest.mark.parametrize("reference", [Circle(np.ones(3), 1.8, 30.0, 3), approach(1200.0, Scaling(1, 10)), drift()])
def test_velocity_and_acceleration_are_the_rates_of_position(reference):
    step = 1e-3
    for time in np.linspace(1.0, 0.9 * reference.duration, 9):
        before, now, after = (reference.at(time + offset) for offset in (-step, 0.0, step))
        moved = (after.pose.translation - before.pose.translation) / (2 * step)
        gained = (after.velocity - before.velocity) / (2 * step)
        np.testing.assert_allclose(now.velocity, moved, atol=1e-6)
        np.testing.assert_allclose(now.acceleration, gained, atol=1e-6)
        turned = pin.log3(before.pose.rotation.T @ after.pose.rotation) / (2 * step)
        np.testing.assert_allclose(now.rate, turned, atol=1e-8)


def test_the_circle_looks_at_its_centre():
    circle = Circle(np.array([1.0, 2.0, 3.0]), 1.8, 30.0, 3)
    for time in (0.0, 7.0, 33.0):
        pose = circle.at(time).pose
        centre = pose.actInv(np.array([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(centre, [1.8, 0.0, 0.0], atol=1e-12)


def test_the_approach_begins_at_its_start_and_ends_at_the_target():
    path = approach()
    np.testing.assert_allclose(path.at(0.0).pose.translation, TARGET.translation + START, atol=1e-12)
    np.testing.assert_allclose(path.at(60.0).pose.translation, TARGET.translation, atol=1e-9)


@pytest.mark.parametrize("transfer", [LOW.period, 0.5 * LOW.period])
def test_singular_transfer_times_are_refused(transfer):
    with pytest.raises(SingularTransfer):
        approach(transfer)


def test_a_scaled_flight_is_the_same_path_faster_and_smaller():
    plain, scaled = approach(1200.0), approach(1200.0, Scaling(2.0, 10.0))
    for share in (0.0, 0.3, 0.9):
        orbit = plain.at(share * plain.duration)
        hall = scaled.at(share * scaled.duration)
        away, there = hall.pose.translation - TARGET.translation, orbit.pose.translation - TARGET.translation
        np.testing.assert_allclose(2.0 * away, there, atol=1e-12)
        np.testing.assert_allclose(hall.velocity, 5.0 * orbit.velocity, atol=1e-12)
        np.testing.assert_allclose(hall.acceleration, 50.0 * orbit.acceleration, atol=1e-12)


def test_free_drift_is_the_difference_of_two_kepler_orbits():
    """A leader-follower pair in one circular orbit keeps its chord: known without integrating anything."""
    angle = 2e-5
    chord = np.array([LOW.semi_major_axis * (np.cos(angle) - 1.0), LOW.semi_major_axis * np.sin(angle), 0.0])
    path = FreeDrift(LOW, np.concatenate([chord, np.zeros(3)]), 2000.0, Scaling(), TARGET, np.eye(3))
    np.testing.assert_allclose(path.relative(1733.3)[:3], chord, atol=1e-7)


def test_a_push_has_its_like():
    scaling = Scaling(100.0, 60.0)
    assert scaling.force(500.0, 2.1) == pytest.approx(36.0 * 2.1 / 500.0)
    np.testing.assert_allclose(scaling.torque([100.0, 200.0], [0.03, 0.055]), [3600 * 3e-4, 3600 * 2.75e-4])
    assert Demand(0.2, 0.7, 0.1).largest == 0.7
