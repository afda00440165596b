import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.orbit.kepler import EARTH, Orbit


@pytest.mark.parametrize("e", [0.0, 0.1, 0.7, 0.97])
def test_energy_momentum_and_period(e):
    orbit = Orbit(7.5e6, e, 0.7)
    for time in np.linspace(-0.7, 2.3, 13) * orbit.period:
        position, velocity, rotation = orbit.state_at(time)
        energy = 0.5 * velocity @ velocity - EARTH / np.linalg.norm(position)
        assert_allclose(energy, -0.5 * EARTH / 7.5e6, rtol=1e-13)
        assert_allclose(np.cross(position, velocity), [0.0, 0.0, orbit.momentum], rtol=1e-13)
        assert_allclose(rotation.T @ position, [np.linalg.norm(position), 0.0, 0.0], atol=1e-8)
    assert_allclose(orbit.anomaly_at(orbit.period) - orbit.anomaly_at(0.0), 2.0 * np.pi, rtol=1e-13)
    assert_allclose(orbit.anomaly_at(0.0), 0.7, rtol=1e-13)


def test_rates_are_the_derivatives():
    orbit, time, h = Orbit(7.5e6, 0.3, 1.1), 900.0, 0.1
    before, now, after = (orbit.at(t) for t in (time - h, time, time + h))
    assert_allclose((after.radius - before.radius) / (2 * h), now.climb, rtol=1e-7)
    assert_allclose((after.anomaly - before.anomaly) / (2 * h), now.rate, rtol=1e-7)
    assert_allclose((after.rate - before.rate) / (2 * h), now.rate_change, rtol=1e-7)


def test_the_orbit_through_a_state_is_the_one_it_came_from():
    orbit = Orbit(9e6, 0.25, 2.0)
    position, velocity, _ = orbit.state_at(1234.0)
    found = Orbit.from_state(position, velocity)
    assert_allclose((found.semi_major_axis, found.eccentricity), (9e6, 0.25), rtol=1e-13)
    assert_allclose(np.cos(found.anomaly - orbit.anomaly_at(1234.0)), 1.0, atol=1e-14)


WRONG = [{"eccentricity": 1.0}, {"eccentricity": -0.1}, {"mu": -1.0}, {"eccentricity": np.nan}]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_ellipse_is_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Orbit(**{"semi_major_axis": 7e6, **wrong})
    with pytest.raises(ValueError, match="must be"):
        Orbit(-7e6)
