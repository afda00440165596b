"""Servicer and target as one system: what is conserved, whatever happens between them."""
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.berthing.pair import BerthingPair, Commands
from hil_relative_dynamics.berthing.sequence import FACING
from hil_relative_dynamics.scenario import load_mission
from hil_relative_dynamics.spatial import orientation_error, position_error

REST = Commands(pin.Force.Zero(), np.zeros(7))


@pytest.fixture(scope="module")
def pair(servicer):
    scenario = load_mission("berthing")
    return BerthingPair(servicer, scenario.target, scenario.contact)


def docked(pair, gap=0.0, speed=0.0, world=None):
    """Ports facing each other, the servicer moving towards the target; both turning."""
    world = pin.SE3.Identity() if world is None else world
    base = pin.SE3(FACING, pair.port_target.translation - FACING @ pair.port_base.translation + [gap, 0, 0])
    turn = pin.Motion(np.zeros(3), np.array([0.002, -0.003, 0.001]))
    twist = base.actInv(turn) + pin.Motion(np.array([speed, 0, 0]), np.zeros(3))
    joints = np.radians([0, -8.67, 0, -118.77, 0, -110.1, 0])
    return pair.start(world * base, twist, joints, world, turn)


def energy(pair, state):
    layout, x = pair.layout, state.vector
    moving = pair.servicer.kinetic_energy(x[layout.joints], pin.Motion(x[layout.twist_base]), x[layout.rates])
    moving += pair.target.kinetic_energy(pin.Motion(x[layout.twist_target]))
    return moving + pair.meet(state.base, state.target, x, state).stored


def test_ports_that_bump_keep_momentum_and_lose_energy(pair):
    state = docked(pair, gap=0.001, speed=0.02)
    momentum, energies = pair.momentum(state).vector, [energy(pair, state)]
    touched = 0.0
    for _ in range(400):
        state = pair.step(state, REST, 0.002)
        energies.append(energy(pair, state))
        meeting = pair.meet(state.base, state.target, state.vector, state)
        touched = max(touched, meeting.port.press.pressures.max() if meeting.port and meeting.port.press else 0.0)
    assert touched > 20.0
    assert_allclose(pair.momentum(state).vector, momentum, atol=1e-7)
    assert np.diff(energies).max() < 1e-7 and energies[-1] < energies[0] - 1e-3


def test_contact_does_not_depend_on_where_in_space_it_happens(pair):
    world = pin.exp6(pin.Motion(np.array([5.0, -3.0, 2.0, 0.7, -1.1, 0.4])))
    here, there = docked(pair, 0.001, 0.02), docked(pair, 0.001, 0.02, world)
    for _ in range(100):
        here, there = pair.step(here, REST, 0.004), pair.step(there, REST, 0.004)
    assert position_error(there.base, world * here.base) < 1e-10
    assert orientation_error(there.target, world * here.target) < 1e-10


def test_a_latch_holds_and_creates_nothing(pair):
    contact = load_mission("berthing").contact
    state = pair.latched(docked(pair, speed=0.01), contact)
    momentum, energies = pair.momentum(state).vector, [energy(pair, state)]
    for _ in range(200):
        state = pair.step(state, REST, 0.01)
        energies.append(energy(pair, state))
    assert_allclose(pair.momentum(state).vector, momentum, atol=1e-7)
    assert np.diff(energies).max() < 1e-6
    port = state.target.actInv(state.base) * pair.port_base
    assert np.linalg.norm(port.translation - pair.port_target.translation) < 1e-3


def moving(pair):
    """At the bar, the arm, base and target all moving."""
    random, state = np.random.default_rng(4), docked(pair, gap=0.3)
    vector = state.vector.copy()
    vector[pair.layout.velocity] += 0.01 * random.standard_normal(13)
    vector[pair.layout.twist_target] += 0.01 * random.standard_normal(6)
    return replace(state, vector=vector)


def test_a_grasp_joins_inelastically(pair):
    free = moving(pair)
    held = pair.grasped(free)
    assert_allclose(pair.momentum(held).vector, pair.momentum(free).vector, atol=1e-10)
    assert energy(pair, held) < energy(pair, free) - 1e-4
    again = pair.grasped(replace(held, held=None))  # once they move as one, joining changes nothing
    assert_allclose(again.vector, held.vector, atol=1e-12)


def test_what_is_held_moves_as_one_and_keeps_momentum_and_energy(pair):
    state = pair.grasped(moving(pair))
    momentum, start = pair.momentum(state).vector, energy(pair, state)
    kept = state.held.target_in_tool
    for _ in range(200):
        state = pair.step(state, REST, 0.01)
    tool = state.base * pair.servicer.end_effector_in_base(state.vector[pair.layout.joints])
    assert position_error(tool.actInv(state.target), kept) < 1e-12
    assert_allclose(pair.momentum(state).vector, momentum, atol=1e-8)
    assert energy(pair, state) == pytest.approx(start, rel=1e-8)


def test_released_it_goes_on_as_it_was(pair):
    state = pair.grasped(moving(pair))
    free = replace(state, held=None)
    one, two = pair.step(state, REST, 1e-4), pair.step(free, REST, 1e-4)
    assert position_error(one.target, two.target) < 1e-6
    assert_allclose(pair.momentum(two).vector, pair.momentum(one).vector, atol=1e-10)


def test_thrust_is_all_the_momentum_there_is(pair):
    state, thrust = docked(pair, gap=0.5), Commands(pin.Force(np.array([3, -2, 1, 0.5, 1, -1])), np.zeros(7))
    before = pair.momentum(state).vector
    for _ in range(100):
        state = pair.step(state, thrust, 0.01)
    gained = pair.momentum(state).vector - before
    assert np.linalg.norm(gained) > 1.0
    assert_allclose(state.vector[pair.layout.impulse], gained, atol=1e-9)
