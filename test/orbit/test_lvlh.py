import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.evidence.validate_rendezvous_orbit import two_bodies
from hil_relative_dynamics.orbit import clohessy_wiltshire, yamanaka_ankersen
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion, gravity_difference

START = np.array([100.0, -500.0, 50.0, 0.1, -0.2, 0.05])


@pytest.mark.parametrize("e", [0.0, 0.1, 0.3])
def test_one_revolution_as_two_bodies_fly_it(e):
    orbit = Orbit(7.5e6, e, 0.7)
    relative = RelativeMotion(orbit).propagate(0.0, START, orbit.period, longest=5.0)
    inertial = two_bodies(orbit, START, orbit.period)
    assert np.linalg.norm(relative[:3] - inertial[:3]) < 1e-6
    assert np.linalg.norm(relative[3:] - inertial[3:]) < 1e-9


def test_steps_converge_with_order_four():
    orbit = Orbit(7.5e6, 0.3)
    motion = RelativeMotion(orbit)
    end = motion.propagate(0.0, START, 3000.0, longest=2.0)
    coarse, fine = (np.linalg.norm(motion.propagate(0.0, START, 3000.0, step) - end) for step in (120.0, 60.0))
    assert 12.0 < coarse / fine < 20.0


def test_gravity_difference_keeps_its_digits_close_to_the_target():
    orbit = Orbit(7e6)
    point = orbit.at(0.0)
    found = gravity_difference(point, orbit.mu, 1e-3, 0.0, 0.0)[0]
    expected = 2.0 * orbit.mu / point.radius**3 * 1e-3 * (1.0 - 1.5 * 1e-3 / point.radius)
    assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("e, model", [(0.0, "cw"), (0.0, "ya"), (0.1, "ya"), (0.6, "ya")])
def test_what_the_linear_models_leave_out_is_of_second_order(e, model):
    orbit = Orbit(7.5e6, e, 0.7)
    duration = 0.9 * orbit.period
    if model == "cw":
        transition = clohessy_wiltshire.transition(orbit.mean_motion, duration)
    else:
        transition = yamanaka_ankersen.transition(orbit, 0.0, duration)
    errors = []
    for scale in (1.0, 0.5, 0.25):
        exact = RelativeMotion(orbit).propagate(0.0, scale * START, duration, longest=5.0)
        errors.append(np.linalg.norm((transition @ (scale * START) - exact)[:3]))
    assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=0.02)


def test_circular_is_the_limit_of_elliptic_and_wrong_for_it_by_order_e():
    gaps = []
    for e in (0.0, 1e-3, 2e-3):
        orbit = Orbit(7e6, e, 0.4)
        hill = clohessy_wiltshire.transition(orbit.mean_motion, 2000.0)
        gaps.append(np.abs(hill - yamanaka_ankersen.transition(orbit, 300.0, 2000.0))[:3, :3].max())
    assert gaps[0] < 1e-10
    assert_allclose(gaps[2] / gaps[1], 2.0, rtol=0.02)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.8])
def test_transitions_compose_and_preserve_volume(e):
    orbit = Orbit(8e6, e, 2.5)
    first = yamanaka_ankersen.transition(orbit, 0.0, 1000.0)
    second = yamanaka_ankersen.transition(orbit, 1000.0, 2000.0)
    both = yamanaka_ankersen.transition(orbit, 0.0, 3000.0)
    assert_allclose(second @ first, both, rtol=1e-9, atol=1e-9 * np.abs(both).max())
    assert_allclose(np.linalg.det(both), 1.0, rtol=1e-9)  # trace of the rotating-frame equations is zero
