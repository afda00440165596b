"""The straight line through errors, and its prediction interval."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from hil_relative_dynamics.multirotor.measures import LinearFit, repeatability
from hil_relative_dynamics.multirotor.turbulence import Turbulence


def test_the_line_is_the_one_of_scipy():
    random = np.random.default_rng(1)
    x = np.sort(random.uniform(0.0, 40.0, 60))
    y = 0.03 + 0.001 * x + 0.02 * random.standard_normal(60)
    fit, line = LinearFit.of(x, y), stats.linregress(x, y)
    assert (fit.slope, fit.intercept) == pytest.approx((line.slope, line.intercept))
    assert fit.deviation / np.sqrt(fit.spread) == pytest.approx(line.stderr)


def test_new_samples_lie_within_the_interval_as_often_as_it_says():
    """The level holds for samples that the fit has not seen, also for few of them and at the ends."""
    random = np.random.default_rng(2)
    x = np.linspace(0.0, 10.0, 8)
    hits = []
    for _ in range(4000):
        fit = LinearFit.of(x, random.standard_normal(8))
        hits.append(abs(random.standard_normal() - fit.at(np.array([12.0]))[0]) <= fit.half_width(np.array([12.0]))[0])
    assert np.mean(hits) == pytest.approx(0.95, abs=0.012)


def test_through_two_samples_no_line_is_fitted():
    fit = LinearFit.of(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    assert np.isnan(fit.slope) and np.isnan(fit.half_width(np.array([0.5]))[0])


@pytest.mark.parametrize("dt", [0.005, 0.5])
def test_turbulence_keeps_its_size_and_memory_at_any_step(dt):
    air = Turbulence(0.2, 0.02, 1.0, np.random.default_rng(0))
    wrench, samples = air.initial_state(), []
    for tick in range(20000):
        wrench = air.step(wrench, dt)
        if tick % max(1, round(0.5 / dt)) == 0:
            samples.append(wrench)
    rows = np.array(samples)
    deviations = rows.std(axis=0)
    assert deviations[:3] == pytest.approx(np.full(3, 0.2), rel=0.25 if dt < 0.1 else 0.05)
    assert deviations[3:] == pytest.approx(np.full(3, 0.02), rel=0.25 if dt < 0.1 else 0.05)
    if dt > 0.1:
        correlation = np.mean(rows[1:] * rows[:-1], axis=0) / rows.var(axis=0)
        assert correlation == pytest.approx(np.full(6, np.exp(-0.5)), abs=0.03)


def test_repeatability_is_what_turns_differ_by():
    times = np.arange(-10, 90) * 1.0
    angles = 2.0 * np.pi * times / 30.0
    places = np.array([np.cos(angles), np.sin(angles), np.zeros_like(angles)]).T
    places[times >= 60.0, 2] += 0.3  # the third turn is higher: two means of 0.1 and 0.2 away
    flight = SimpleNamespace(chaser=places, times=times, ended=90.0)
    assert repeatability(flight, 3) == pytest.approx(0.2)  # type: ignore[arg-type]
