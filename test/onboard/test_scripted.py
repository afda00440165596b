"""The scripted on-board software: smooth moves, the controller that follows them, and thruster pulses."""
from __future__ import annotations

import numpy as np
import pytest

from hil_relative_dynamics.onboard.scripted import ScriptedOnboard, minimum_jerk
from hil_relative_dynamics.scenario.events import ArmMove, Thrust
from hil_relative_dynamics.scenario.onboard import Onboard
from hil_relative_dynamics.spatial import JointSample

SECOND = 1_000_000_000
START = np.array([0.1, -0.2])
MOVES = (
    ArmMove(start_ns=1 * SECOND, duration_ns=2 * SECOND, joints=(1.1, 0.8)),
    ArmMove(start_ns=4 * SECOND, duration_ns=1 * SECOND, joints=(-0.4, 0.8)),
)
AT_REST = JointSample.of(np.zeros(2), np.zeros(2))


def reference(stamp: int, joints: JointSample = AT_REST) -> np.ndarray:
    """Position and velocity asked for, seen through a controller of unit gains, one at a time."""
    stiff = ScriptedOnboard(Onboard(kind="scripted", arm_moves=MOVES, stiffness=1.0), START)
    damped = ScriptedOnboard(Onboard(kind="scripted", arm_moves=MOVES, stiffness=0.0, damping=1.0), START)
    return np.array([block.step(stamp, joints)[1] for block in (stiff, damped)])


def test_minimum_jerk_is_at_rest_at_both_ends() -> None:
    assert minimum_jerk(0.0) == (0.0, 0.0) == minimum_jerk(-1.0)
    assert minimum_jerk(1.0) == (1.0, 0.0) == minimum_jerk(7.0)
    for fraction in (1e-4, 1.0 - 1e-4):
        progress, rate = minimum_jerk(fraction)
        assert min(progress, 1.0 - progress) < 1e-11  # third order: no velocity and no acceleration either
        assert rate < 1e-6


def test_minimum_jerk_is_symmetric_and_its_rate_is_its_derivative() -> None:
    for fraction in np.linspace(0.01, 0.99, 33):
        progress, rate = minimum_jerk(fraction)
        assert progress + minimum_jerk(1.0 - fraction)[0] == pytest.approx(1.0, abs=1e-14)
        slope = (minimum_jerk(fraction + 1e-6)[0] - minimum_jerk(fraction - 1e-6)[0]) / 2e-6
        assert rate == pytest.approx(slope, abs=1e-8)
    assert minimum_jerk(0.5) == (0.5, 1.875)


def test_moves_start_from_where_the_last_one_ended_and_hold() -> None:
    first, second = (1.1, 0.8), (-0.4, 0.8)
    for time, position in ((0, START), (1, START), (3, first), (3.9, first), (5, second), (9, second)):
        asked, rate = reference(int(time * SECOND))
        np.testing.assert_allclose(asked, position, atol=1e-15)
        np.testing.assert_array_equal(rate, 0.0)


def test_the_reference_has_no_jump_and_its_velocity_is_its_derivative() -> None:
    step = SECOND // 1000
    stamps = range(0, 6 * SECOND, step)
    asked = np.array([reference(stamp) for stamp in stamps])
    position, velocity = asked[:, 0], asked[:, 1]
    assert np.abs(np.diff(position, axis=0)).max() < 3.0 * 1e-3  # the fastest: 1.875 x 1.5 rad / 1 s
    np.testing.assert_allclose(np.gradient(position, 1e-3, axis=0)[1:-1], velocity[1:-1], atol=1e-4)


def test_torque_of_the_joint_controller() -> None:
    script = Onboard(kind="scripted", stiffness=(10.0, 20.0), damping=(1.0, 2.0))
    joints = JointSample.of(START + [0.01, -0.02], np.array([0.3, -0.4]))
    thrust, torque = ScriptedOnboard(script, START).step(0, joints)
    np.testing.assert_allclose(torque, [-10 * 0.01 - 0.3, 20 * 0.02 + 2 * 0.4])
    assert not np.any(thrust.vector)


def test_one_gain_serves_all_joints() -> None:
    script = Onboard(kind="scripted", stiffness=10.0)
    _, torque = ScriptedOnboard(script, START).step(0, AT_REST)
    np.testing.assert_allclose(torque, 10 * START)


def test_pulses_act_from_start_to_end_and_add() -> None:
    pulses = (
        Thrust(start_ns=10, duration_ns=10, force=(1.0, 0.0, 0.0)),
        Thrust(start_ns=15, duration_ns=10, force=(0.0, 2.0, 0.0), torque=(0.0, 0.0, 3.0)),
    )
    block = ScriptedOnboard(Onboard(kind="scripted", thrust=pulses), START)
    given = {stamp: list(block.step(stamp, AT_REST)[0].vector) for stamp in (9, 10, 14, 15, 19, 20, 24, 25)}
    first, both, second, none = [1, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 3], [0, 2, 0, 0, 0, 3], [0] * 6
    assert given == {9: none, 10: first, 14: first, 15: both, 19: both, 20: second, 24: second, 25: none}


def test_no_onboard_software_gives_neither_thrust_nor_torque() -> None:
    thrust, torque = ScriptedOnboard(Onboard(), START).step(5, JointSample.of(START + 1.0, START))
    assert not np.any(thrust.vector) and not np.any(torque)
