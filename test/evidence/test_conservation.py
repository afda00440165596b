"""Balances of momentum and energy: zero where nothing is wrong, and the right size where something is."""
from __future__ import annotations

import numpy as np
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.conservation import client_balance, servicer_balance
from hil_relative_dynamics.scenario import load

WRENCHES = (
    "external_wrenches=["
    "{on: client, start_s: 0.05, duration_s: 0.1, force_N: [-62, 20, 5], point_m: [2.9, 0.2, 0]},"
    "{on: end_effector, start_s: 0.1, duration_s: 0.1, force_N: [5, -5, 3]}]"
)


@pytest.fixture(scope="module")
def world() -> World:
    overrides = [WRENCHES, "duration_s=0.3", "onboard.arm_moves.0.start_s=0", "onboard.thrust.1.start_s=0.05"]
    return World(load("envisat_pulses", overrides))


@pytest.fixture(scope="module")
def recording(world: World) -> Recording:
    return run(assemble(world.scenario), world.scenario.duration_ns)


def spoilt(recording: Recording, signal: str, change: object, start: int = 150) -> Recording:
    """A copy in which one signal was changed from some tick on: `change(values)` in place."""
    values = {name: recording[name].copy() for name in recording.signals}
    change(values[signal][start:])  # type: ignore[operator]
    return Recording({name: recording.stamps(name) for name in recording.signals}, values)


def test_a_true_run_is_balanced(world: World, recording: Recording) -> None:
    client, servicer = client_balance(world.client, recording), servicer_balance(world.servicer, recording)
    assert len(client.times) == len(servicer.times) == 300
    assert client.linear.max() < 1e-6 and client.angular.max() < 1e-6 and client.energy.max() < 1e-9
    assert servicer.linear.max() < 1e-5 and servicer.angular.max() < 1e-5 and servicer.energy.max() < 1e-4


def test_the_balance_is_not_trivially_zero(world: World, recording: Recording) -> None:
    """What acted did change momentum and energy by far more than what is left unexplained."""
    idle = spoilt(recording, signals.CLIENT_WRENCH, lambda rows: rows.fill(0.0), start=0)
    unexplained = client_balance(world.client, idle)
    impulse = 0.1 * np.linalg.norm([-62, 20, 5])
    assert unexplained.linear[-1] == pytest.approx(impulse, rel=1e-4)
    assert unexplained.angular[-1] > 0.1 and unexplained.energy[-1] > 1e-3


def test_a_jump_of_the_clients_velocity_is_caught_with_its_size(world: World, recording: Recording) -> None:
    def jump(rows: np.ndarray) -> None:
        rows[:, :, 7] += 1e-4  # [m/s]

    balance = client_balance(world.client, spoilt(recording, signals.CLIENT_SIMULATED, jump))
    assert balance.linear[:150].max() < 1e-6
    assert balance.linear[150:].min() == pytest.approx(7828 * 1e-4, rel=1e-3)
    assert balance.energy[160:].min() > 1e-6


def test_a_jump_of_the_clients_rotation_is_caught(world: World, recording: Recording) -> None:
    def jump(rows: np.ndarray) -> None:
        rows[:, :, 11] *= 1.001

    balance = client_balance(world.client, spoilt(recording, signals.CLIENT_SIMULATED, jump))
    expected = 1e-3 * 124825.7 * np.radians(2.5)
    assert balance.angular[150:].min() == pytest.approx(expected, rel=0.05)


def test_a_jump_of_the_base_is_caught(world: World, recording: Recording) -> None:
    def jump(rows: np.ndarray) -> None:
        rows[:, :, 8] += 1e-4

    balance = servicer_balance(world.servicer, spoilt(recording, signals.SERVICER_SIMULATED, jump))
    assert balance.linear[150:].min() == pytest.approx(world.servicer.mass * 1e-4, rel=1e-3)


def test_joints_that_did_not_move_as_recorded_are_caught(world: World, recording: Recording) -> None:
    def stuck(rows: np.ndarray) -> None:
        rows[:, 1] = 0.0  # the arm's velocity: its momentum is missing

    balance = servicer_balance(world.servicer, spoilt(recording, signals.ARM_JOINTS, stuck))
    true = servicer_balance(world.servicer, recording)
    assert balance.angular[150:].max() > 1e-2 > 100 * true.angular.max()


@pytest.mark.parametrize("signal", [signals.SERVICER_THRUST, signals.END_EFFECTOR_WRENCH])
def test_a_wrench_that_was_not_recorded_is_missed(world: World, recording: Recording, signal: str) -> None:
    idle = spoilt(recording, signal, lambda rows: rows.fill(0.0), start=0)
    assert servicer_balance(world.servicer, idle).linear[-1] > 0.1


def test_torque_that_was_not_recorded_is_missed_in_the_energy(world: World, recording: Recording) -> None:
    idle = spoilt(recording, signals.ARM_ONBOARD_TORQUE, lambda rows: rows.fill(0.0), start=0)
    true, false = (servicer_balance(world.servicer, some) for some in (recording, idle))
    assert false.energy.max() > 100 * true.energy.max()
    np.testing.assert_array_equal(false.linear, true.linear)  # an inner torque has no part in momentum


def test_a_slower_dynamics_is_balanced_too() -> None:
    overrides = [WRENCHES, "duration_s=0.3", "rates_ms={arm: 1, dynamics: 5}"]
    world = World(load("envisat_pulses", overrides))
    recording = run(assemble(world.scenario), world.scenario.duration_ns)
    balance = servicer_balance(world.servicer, recording)
    assert len(balance.times) == 60 and balance.linear.max() < 1e-3 and balance.angular.max() < 1e-3


def test_a_single_tick_has_nothing_to_balance() -> None:
    world = World(load("envisat_pulses", ["duration_s=0.001"]))
    recording = run(assemble(world.scenario), world.scenario.duration_ns)
    assert client_balance(world.client, recording).linear.tolist() == [0.0]
