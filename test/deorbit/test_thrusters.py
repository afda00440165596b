"""Off-modulation: torque by switching off, and the rule that keeps contact."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.deorbit.attitude import BoostAttitude
from hil_relative_dynamics.deorbit.thrusters import ThrusterCluster, drops, is_safe_step, off_pattern

CORNERS = np.array([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]])


def test_all_on_has_no_torque() -> None:
    wrench = ThrusterCluster(375.0, CORNERS).wrench(np.ones(4, dtype=bool))
    assert_allclose(wrench.vector, [1500.0, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_a_thruster_above_the_axis_pitches_as_a_cross_product_says() -> None:
    wrench = ThrusterCluster(375.0, CORNERS).wrench(np.array([True, False, False, False]))
    assert_allclose(wrench.angular, np.cross([0.0, 0.5, 0.5], [375.0, 0.0, 0.0]))


@pytest.mark.parametrize("modulation", ["simple", "staggered"])
def test_mean_torque_is_what_was_asked_for(modulation: str) -> None:
    cluster = ThrusterCluster(375.0, CORNERS)
    for wanted in ([100.0, 0.0], [-30.0, 80.0], [0.0, -120.0], [60.0, 60.0]):
        pattern = off_pattern(cluster.off_shares(np.array(wanted)), 1000, modulation)
        mean = np.mean([cluster.wrench(on).angular[1:] for on in pattern], axis=0)
        assert_allclose(mean, wanted, atol=0.5)


def test_staggered_never_drops_two_at_once() -> None:
    random = np.random.default_rng(1)
    cluster = ThrusterCluster(375.0, CORNERS)
    patterns = [off_pattern(cluster.off_shares(random.normal(size=2) * 250.0), 100, "staggered") for _ in range(200)]
    count = np.concatenate(patterns).sum(axis=1)
    assert count.min() >= 2
    assert np.diff(count).min() >= -1


def test_simple_does() -> None:
    cluster = ThrusterCluster(375.0, CORNERS)
    pattern = off_pattern(cluster.off_shares(np.array([200.0, 0.0])), 100, "simple")
    assert pattern[0].sum() == 2


@pytest.mark.parametrize("before, after", [(4, 3), (4, 2), (3, 2), (2, 1)])
def test_safe_steps(before: int, after: int) -> None:
    assert is_safe_step(before, after)


@pytest.mark.parametrize("before, after", [(4, 1), (3, 1)])
def test_unsafe_steps(before: int, after: int) -> None:
    assert not is_safe_step(before, after)


def test_drops_are_shares_of_what_was_there() -> None:
    assert_allclose(drops(np.array([4.0, 4.0, 1.0, 3.0, 0.0])), [0.0, 0.75, 0.0, 1.0])


def test_attitude_control_turns_a_rigid_body_back_against_a_constant_torque() -> None:
    inertia, disturbance = np.array([5e4, 2.7e5]), np.array([150.0, -120.0])
    law = BoostAttitude(inertia, 0.1)
    state, angle, rate = law.initial_state(), np.array([0.05, -0.02]), np.zeros(2)
    for _ in range(200):
        rotation = pin.exp3(np.array([0.0, *angle]))
        state, torque = law.step(state, rotation, np.array([0.0, *rate]), 1.0)
        rate = rate + (torque + disturbance) / inertia
        angle = angle + rate
    assert_allclose(angle, 0.0, atol=1e-4)
    assert_allclose(torque, -disturbance, rtol=1e-2)
