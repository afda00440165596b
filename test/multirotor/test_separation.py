"""Distances: which are meant, where they come from, and that the commander keeps them."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.multirotor.commander import FLYING, RULED, STOPPED, Commander
from hil_relative_dynamics.multirotor.downwash import Wake
from hil_relative_dynamics.multirotor.references import TwoImpulse
from hil_relative_dynamics.multirotor.scaling import Scaling
from hil_relative_dynamics.multirotor.separation import Braking, Separation
from hil_relative_dynamics.orbit.kepler import Orbit

RULE = Separation(0.397, 0.5, 11.0)
TARGET = np.array([0.0, 0.0, 3.0])
WAKE = Wake(20.6, 0.127, 584.0, 0.08)


def test_the_smallest_distance_is_the_size_and_half_of_it():
    assert RULE.beside == pytest.approx(1.191)
    assert RULE.centres(0.74) == pytest.approx(1.534)
    assert RULE.centres(0.0) == pytest.approx(0.794)  # tips touch


@pytest.mark.parametrize(
    "place, broken",
    [((1.2, 0, 0), False), ((1.18, 0, 0), True), ((0, 0, 12), False), ((0.8, 0.8, -9), True), ((2, 0, 0.1), False)],
)
def test_too_near_is_beside_and_not_above(place, broken):
    assert RULE.broken(TARGET + place, TARGET) is broken
    assert (RULE.breach(TARGET + place, TARGET) > 0.0) is broken


def test_accuracy_keeps_so_much_more():
    careful = Separation(0.397, 0.5, 11.0, accuracy=0.16)
    assert careful.broken(TARGET + (1.34, 0, 0), TARGET) and not careful.broken(TARGET + (1.36, 0, 0), TARGET)


def test_braking_takes_the_reaction_and_the_square_of_the_speed():
    way = Braking(0.5, 0.3).way(np.array([0.3, 0.4, 0.0]))
    np.testing.assert_allclose(way, np.array([0.6, 0.8, 0.0]) * (0.25 + 0.25 / 0.6))


def test_the_wake_gets_weaker_with_distance_below_and_beside():
    speeds = [WAKE.speed(below) for below in (0.0, 1.0, 3.0, 10.0)]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[0] == pytest.approx(2.0 * WAKE.induced_speed)
    assert WAKE.speed(3.0, 1.0) < WAKE.speed(3.0)


def test_the_lower_vehicle_needs_more_thrust_the_nearer_it_is():
    needs = [WAKE.thrust_increase(below) for below in (2.0, 5.0, 10.0)]
    assert needs == sorted(needs, reverse=True) and needs[-1] > 0.0
    assert WAKE.thrust_increase(5.0, 20.0) == pytest.approx(0.0, abs=1e-6)


def test_heights_are_where_the_increase_is_what_was_asked():
    for increase in (0.1, 0.15, 0.2):
        assert WAKE.thrust_increase(WAKE.height(increase)) == pytest.approx(increase)
    assert WAKE.height(1e3) == 0.0


def commander(stop: float, accuracy: float = 0.16) -> Commander:
    pose = pin.SE3(np.eye(3), TARGET)
    start = np.array([4.3743, 2.4216, 1.0178])
    path = TwoImpulse(Orbit(6.7e6), start, 60.0, Scaling(), pose, np.eye(3))
    return Commander(path, Separation(0.397, 0.5, 11.0, accuracy), Braking(0.5, 0.3), stop, feed_forward=True)


def flown(block: Commander) -> tuple[list[str], np.ndarray]:
    """A vehicle that follows perfectly."""
    state, place, velocity = block.initial_state(), np.array([4.3743, 2.4216, 4.0178]), np.zeros(3)
    doing, places = [], []
    for tick in range(-50, 3500):
        state, wanted = block.step(state, 0.02 * tick, place, velocity, TARGET)
        place, velocity = wanted.pose.translation, wanted.velocity
        doing.append(state.doing)
        places.append(place)
    return doing, np.array(places)


def test_an_allowed_approach_ends_at_its_stop():
    doing, places = flown(commander(1.534))
    assert doing[0] == FLYING and doing[-1] == STOPPED and RULED not in doing
    assert np.hypot(*places[-1, :2]) == pytest.approx(1.534, abs=2e-3)
    np.testing.assert_array_equal(places[:50], np.tile(places[0], (50, 1)))  # it waits until its time


def test_one_that_would_come_too_near_is_stopped_by_the_rule():
    doing, places = flown(commander(0.74))
    assert doing[-1] == RULED and STOPPED not in doing
    beside = np.hypot(places[:, 0], places[:, 1])
    assert beside.min() >= RULE.beside + 0.16 - 2e-3
    assert beside[-1] == pytest.approx(RULE.beside + 0.16, abs=5e-3)


def test_a_stop_by_the_rule_stays():
    block = commander(0.74)
    state, wanted = block.step(block.initial_state(), 1.0, TARGET + (1.2, 0, 0), np.zeros(3), TARGET)
    later, again = block.step(state, 2.0, TARGET + (3.0, 0, 0), np.zeros(3), TARGET)
    assert later is state and again is wanted
    np.testing.assert_array_equal(again.velocity, np.zeros(3))


def test_a_target_that_comes_nearer_stops_it_too():
    block = commander(1.534)
    waiting = block.step(block.initial_state(), -1.0, TARGET + (4.4, 2.4, 1), np.zeros(3), TARGET + (3.8, 2.2, 1))[0]
    assert waiting.doing == RULED
