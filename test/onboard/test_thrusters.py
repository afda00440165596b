"""Thrusters: saturation, and pulses that on average give what was wanted."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.onboard.thrusters import Thrusters

DT = 0.1


def mean_of(thrusters: Thrusters, wanted: np.ndarray, steps: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Mean wrench over many periods, and all that were given."""
    state, given = thrusters.initial_state(), []
    for _ in range(steps):
        state, wrench = thrusters.step(state, pin.Force(wanted), DT)
        given.append(wrench.vector)
    return np.mean(given, axis=0), np.array(given)


def test_within_their_range_ideal_thrusters_give_what_is_wanted() -> None:
    thrusters = Thrusters(60.0, 25.0)
    wanted = np.array([10.0, -59.0, 0.0, 24.0, -1e-6, 3.0])
    _, wrench = thrusters.step(thrusters.initial_state(), pin.Force(wanted), DT)
    np.testing.assert_array_equal(wrench.vector, wanted)


@pytest.mark.parametrize("minimum", [0.0, 0.02])
def test_each_axis_saturates_by_itself(minimum: float) -> None:
    thrusters = Thrusters(60.0, 25.0, minimum)
    wanted = np.array([1e3, -61.0, 30.0, -1e3, 26.0, 12.0])
    _, given = mean_of(thrusters, wanted, 50)
    np.testing.assert_allclose(given[-1], [60.0, -60.0, 30.0, -25.0, 25.0, 12.0], atol=1e-9)
    assert np.abs(given[:, :3]).max() <= 60.0 + 1e-9 and np.abs(given[:, 3:]).max() <= 25.0 + 1e-9


def test_the_mean_of_short_pulses_is_what_was_wanted() -> None:
    """2 N of 60 would be on for 3.3 ms of 100, a sixth of the shortest pulse."""
    wanted = np.array([2.0, -0.5, 11.0, 0.3, -0.05, 0.0])
    mean, given = mean_of(Thrusters(60.0, 25.0, 0.02), wanted)
    np.testing.assert_allclose(mean, wanted, atol=60.0 * 0.02 / (1000 * DT) + 1e-9)
    assert (given[:, 0] == 0.0).sum() > 500  # mostly waiting


def test_no_pulse_is_shorter_than_the_minimum() -> None:
    random = np.random.default_rng(1)
    thrusters = Thrusters(60.0, 25.0, 0.02)
    state = thrusters.initial_state()
    for _ in range(500):
        state, wrench = thrusters.step(state, pin.Force(random.normal(size=6) * [30, 30, 30, 12, 12, 12]), DT)
        on_time = np.abs(wrench.vector) * DT / np.repeat([60.0, 25.0], 3)
        assert ((on_time == 0.0) | (on_time >= 0.02 - 1e-12)).all()


def test_what_saturation_took_is_not_given_later() -> None:
    thrusters = Thrusters(60.0, 25.0, 0.02)
    state = thrusters.initial_state()
    for _ in range(100):
        state, _ = thrusters.step(state, pin.Force(np.full(6, 500.0)), DT)
    impulse = np.zeros(6)
    for _ in range(100):
        state, wrench = thrusters.step(state, pin.Force.Zero(), DT)
        impulse += wrench.vector * DT
    assert (impulse <= np.repeat([60.0, 25.0], 3) * 0.02 + 1e-9).all()
