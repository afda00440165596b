import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.berthing.handover import FallingState, left_by, neglected, to_contact, to_orbit
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion

ORBIT = Orbit(7.5e6, 0.1, 0.7)


def test_there_and_back_nothing_changes():
    random = np.random.default_rng(1)
    for _ in range(50):
        relative = random.uniform(-4.0, 4.0, 6) * [1, 1, 1, 0.01, 0.01, 0.01]
        time = random.uniform(0.0, 7000.0)
        back = to_orbit(ORBIT, time, to_contact(ORBIT, time, relative))
        assert_allclose(back[:3], relative[:3], atol=1e-14)
        assert_allclose(back[3:], relative[3:], atol=1e-16)


def test_velocity_is_the_difference_of_inertial_velocities():
    """Against absolute positions in space, differentiated."""
    relative, time, h = np.array([2.0, -3.0, 0.5, 0.01, -0.02, 0.003]), 500.0, 0.5
    motion = RelativeMotion(ORBIT)
    ends = [to_contact(ORBIT, time + s * h, motion.propagate(time, relative, s * h)).position for s in (-1, 1)]
    assert_allclose((ends[1] - ends[0]) / (2 * h), to_contact(ORBIT, time, relative).velocity, atol=1e-9)


def test_at_rest_in_lvlh_axes_is_not_at_rest():
    lost = neglected(ORBIT, 0.0, np.array([3.603, 0, 0, 0, 0, 0]), 600.0)
    speed = np.linalg.norm(to_contact(ORBIT, 0.0, np.array([3.603, 0, 0, 0, 0, 0])).velocity)
    assert lost.turn_speed == pytest.approx(speed, rel=1e-12)
    assert 0.003 < speed < 0.006


def test_what_is_neglected_is_tidal():
    """Half of acceleration times time squared, for a short time; with the square of time."""
    relative = np.array([0.0, 3.603, 0.0, 0.0, 0.0, 0.0])
    short, longer = (neglected(ORBIT, 0.0, relative, duration) for duration in (5.0, 10.0))
    assert short.drift == pytest.approx(0.5 * short.acceleration * 25.0, rel=1e-2)
    assert longer.drift / short.drift == pytest.approx(4.0, rel=1e-2)


def test_a_target_that_nobody_moved_is_in_its_orbit():
    found, turned = left_by(ORBIT, 321.0, np.zeros(3), np.zeros(3))
    assert found.semi_major_axis == pytest.approx(7.5e6, rel=1e-12)
    assert_allclose(turned, np.eye(3), atol=1e-12)


def test_a_target_that_was_pushed_is_where_it_went():
    """Its new orbit, turned back, against the relative motion in the old one."""
    time, moved, pushed = 321.0, np.array([0.2, -0.1, 0.3]), np.array([0.01, 0.02, -0.015])
    found, turned = left_by(ORBIT, time, moved, pushed)
    assert_allclose(turned @ turned.T, np.eye(3), atol=1e-14)
    relative = to_orbit(ORBIT, time, FallingState(moved, pushed))
    later = to_contact(ORBIT, time + 600.0, RelativeMotion(ORBIT).propagate(time, relative, 600.0)).position
    new = turned.T @ found.state_at(600.0)[0] - ORBIT.state_at(time + 600.0)[0]
    assert np.linalg.norm(new) > 5.0
    assert_allclose(new, later, atol=1e-6)
