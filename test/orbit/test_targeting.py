import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.orbit import clohessy_wiltshire, yamanaka_ankersen
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion
from hil_relative_dynamics.orbit.targeting import SingularTransfer, nearest_regular, two_impulse

START = np.array([10.0, -200.0, 5.0, 0.01, 0.0, -0.02])


def test_two_impulses_end_at_rest_at_the_goal():
    transition = clohessy_wiltshire.transition(1.1e-3, 1200.0)
    first, second, arrival = two_impulse(transition, START, [0.0, -30.0, 0.0])
    end = transition @ (START + np.r_[np.zeros(3), first]) + np.r_[np.zeros(3), second]
    assert_allclose(end, [0.0, -30.0, 0.0, 0.0, 0.0, 0.0], atol=1e-10)
    assert_allclose(arrival, end - np.r_[np.zeros(3), second], atol=1e-10)


def test_elliptic_targeting_meets_the_goal_in_the_nonlinear_orbit_where_the_circular_one_does_not():
    orbit, goal = Orbit(7.5e6, 0.1, 0.7), np.array([0.0, -30.0, 0.0])

    def miss(transition):
        first = two_impulse(transition, START, goal)[0]
        end = RelativeMotion(orbit).propagate(0.0, START + np.r_[np.zeros(3), first], 1500.0, longest=5.0)
        return np.linalg.norm(end[:3] - goal)

    assert miss(yamanaka_ankersen.transition(orbit, 0.0, 1500.0)) < 0.02
    assert miss(clohessy_wiltshire.transition(orbit.mean_motion, 1500.0)) > 5.0


@pytest.mark.parametrize("turns", [0.5, 1.0, 1.5, 2.0])
def test_singular_times_are_refused(turns):
    orbit = Orbit(7e6)
    for transition in (
        clohessy_wiltshire.transition(orbit.mean_motion, turns * orbit.period),
        yamanaka_ankersen.transition(orbit, 0.0, turns * orbit.period),
    ):
        with pytest.raises(SingularTransfer, match="does not decide"):
            two_impulse(transition, START, [0.0, 0.0, 0.0])


def test_the_singular_time_in_the_plane_between_two_half_revolutions_is_refused_too():
    # root of 8 (1 - cos u) = 3 u sin u between 2 pi and 3 pi
    with pytest.raises(SingularTransfer):
        two_impulse(clohessy_wiltshire.transition(1e-3, 8.83874284415204e3), START, [0.0, 0.0, 0.0])


def test_nearest_regular_times_bracket_a_singular_one():
    def transition(dt):
        return clohessy_wiltshire.transition(1e-3, dt)

    below, above = nearest_regular(transition, np.pi * 1e3)
    assert 3000.0 < below < np.pi * 1e3 < above < 3300.0
    for time in (below, above):
        two_impulse(transition(time), START, [0.0, 0.0, 0.0])
