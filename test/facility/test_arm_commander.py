"""Torques of the arm: limits, and the hold when it is not enabled."""
from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.arm_commander import BLEND_TIME, ArmCommander, ArmCommanderState
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.facility.safety_state import ENABLED, SafetyState
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.laboratory import Commanding
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionSample

DT = 1e-3
SCENARIO = load("envisat_unforced")
SERVICER = FreeFlyer.from_urdf(SCENARIO.servicer.urdf, SCENARIO.servicer.end_effector)
NOMINAL = SCENARIO.laboratory.pose_nominal(SCENARIO.client.grasp_point.pose_in_client)
GRAVITY = np.array([0.0, 0.0, -9.81])
LIMITS = np.array([176.0, 176.0, 100.0, 100.0, 100.0, 38.0, 38.0])
READY = np.array(SCENARIO.servicer.joints)
BASE = MotionSample.of(SCENARIO.servicer.pose_in_client)
STOP = SafetyState(False, "contact force is 312 N, allowed 250, since 3.2 s.", latched=True)
TORQUE = np.array([10.0, -60.0, 5.0, -20.0, 3.0, 2.0, -1.0])


def commander(**options) -> ArmCommander:
    return ArmCommander(SERVICER, NOMINAL, GRAVITY, Commanding(), **options)


def reading(q: np.ndarray = READY, dq: np.ndarray | None = None) -> JointReading:
    return JointReading.of(q, np.zeros(7) if dq is None else dq)


def run(block: ArmCommander, state: ArmCommanderState, cycles: int, torque: np.ndarray, safety: SafetyState):
    efforts = []
    for _ in range(cycles):
        state, effort = block.step(state, torque, safety, reading(), BASE)
        efforts.append(effort)
    return state, np.array(efforts)


def weight(q: np.ndarray, base: MotionSample) -> np.ndarray:
    """g(q) as the feed-forward knows it."""
    joints = JointSample.of(q, np.zeros(7))
    return ArmFeedForward(SERVICER, NOMINAL, GRAVITY).step(np.zeros(7), joints, base, base).gravity


def test_torques_pass_unchanged_from_the_first_cycle_on():
    block = commander()
    state, efforts = run(block, block.initial_state(), 3, TORQUE, ENABLED)
    assert_array_equal(efforts, [TORQUE] * 3)
    assert (state.sentence, state.limited) == ("", 0)


@settings(max_examples=100, deadline=None)
@given(some.lists(some.floats(-400.0, 400.0), min_size=7, max_size=7))
def test_each_torque_is_held_to_its_limit(torque):
    block, torque = commander(), np.array(torque)
    state, effort = block.step(block.initial_state(), torque, ENABLED, reading(), BASE)
    assert_array_equal(effort, np.clip(torque, -LIMITS, LIMITS))
    assert state.limited == int(np.any(np.abs(torque) > LIMITS))


def test_a_limited_torque_is_named():
    block, torque = commander(), TORQUE.copy()
    torque[5] = -80.25
    state, _ = block.step(block.initial_state(), torque, ENABLED, reading(), BASE)
    assert state.sentence == "joint 6 of the arm is told -80.2 N m, allowed -38 to 38."


@pytest.mark.parametrize("seed", range(5))
def test_hold_is_the_weight_wherever_the_base_is_turned(seed):
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, 7)
    base = MotionSample.of(pin.SE3.Random())
    block = commander()
    _, effort = block.step(block.initial_state(), np.zeros(7), STOP, reading(q), base)
    assert_allclose(effort, weight(q, base), atol=1e-10)


def test_an_arm_that_carries_its_own_weight_is_only_calmed():
    block = commander(arm_compensates_gravity=True)
    _, still = block.step(block.initial_state(), np.zeros(7), STOP, reading(), BASE)
    assert_allclose(still, np.zeros(7), atol=1e-12)
    rates = 0.1 * np.arange(1.0, 8.0)
    _, moving = block.step(block.initial_state(), np.zeros(7), STOP, reading(READY, rates), BASE)
    assert moving @ rates < 0.0


@settings(max_examples=50, deadline=None)
@given(some.lists(some.floats(-2.0, 2.0), min_size=14, max_size=14))
def test_damping_always_takes_energy_out(numbers):
    q, rates = np.array(numbers[:7]), np.array(numbers[7:])
    block = commander()
    _, effort = block.step(block.initial_state(), np.zeros(7), STOP, reading(q, 0.1 * rates), BASE)
    assert (effort - weight(q, BASE)) @ rates <= 1e-12


def simulate(seconds: float, rates: np.ndarray, push: pin.Force | None = None) -> list[JointSample]:
    """The arm on the ground under the hold."""
    block, arm = commander(), GroundArm(SERVICER, NOMINAL, GRAVITY)
    state, joints, history = block.initial_state(), JointSample.of(READY, rates), []
    for _ in range(round(seconds / DT)):
        device = JointReading.of(joints.position, joints.velocity)
        state, effort = block.step(state, np.full(7, np.nan), STOP, device, BASE)
        joints = arm.step(BASE, BASE, joints, effort, push or pin.Force.Zero(), DT)
        history.append(joints)
    return history


def test_at_rest_it_stays_at_rest():
    end = simulate(2.0, np.zeros(7))[-1]
    assert_allclose(end.position, READY, atol=1e-9)


def test_in_motion_every_joint_calms_down_alike():
    """Slow enough for Coriolis torques to be small: exp(-t / T)."""
    rates = 0.05 * np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
    history = simulate(0.5, rates)
    for time in (0.1, 0.2, 0.3):
        assert_allclose(history[round(time / DT) - 1].velocity, rates * np.exp(-time / 0.1), atol=1.5e-3)
    assert np.abs(history[-1].velocity).max() < 1e-3


def test_fast_motion_loses_energy_all_the_time():
    history = simulate(0.6, np.array([1.5, -1.0, 1.0, 1.5, -2.0, 1.0, -2.0]))
    zero = pin.Motion.Zero()
    energy = [SERVICER.kinetic_energy(joints.position, zero, joints.velocity) for joints in history[::10]]
    assert all(later < earlier for earlier, later in pairwise(energy))
    assert energy[-1] < 1e-3 * energy[0]


def test_it_gives_way_to_a_push():
    pushed = simulate(0.5, np.zeros(7), pin.Force(np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])))[-1]
    assert np.abs(pushed.position - READY).max() > 0.05


def test_transition_is_smooth_both_ways():
    block = commander()
    state, following = run(block, block.initial_state(), 2, TORQUE, ENABLED)
    state, holding = run(block, state, 10, TORQUE, STOP)
    state, again = run(block, state, 10, TORQUE, ENABLED)
    efforts = np.vstack([following, holding, again])
    jump = np.abs(TORQUE - weight(READY, BASE)).max()
    assert np.abs(np.diff(efforts, axis=0)).max() < 1.01 * jump * DT / BLEND_TIME
    assert_allclose(holding[-1], weight(READY, BASE), atol=1e-10)
    assert_array_equal(again[-1], TORQUE)
    assert state.sentence == ""


def test_a_stop_is_told():
    block = commander()
    state, _ = run(block, block.initial_state(), 2, TORQUE, STOP)
    assert state.sentence == STOP.sentence


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_torque_that_is_no_number_is_refused_for_good(bad):
    block, spoilt = commander(), TORQUE.copy()
    spoilt[3] = bad
    state, _ = run(block, block.initial_state(), 2, TORQUE, ENABLED)
    state, efforts = run(block, state, 1, spoilt, ENABLED)
    assert state.sentence == "the arm is told a torque that is not finite."
    state, more = run(block, state, 10, TORQUE, ENABLED)
    assert np.isfinite(efforts).all() and np.isfinite(more).all()
    assert_allclose(more[-1], weight(READY, BASE), atol=1e-10)
    state, after = run(block, block.reset(state), 10, TORQUE, ENABLED)
    assert_array_equal(after[-1], TORQUE)


def test_joints_that_are_not_finite_leave_the_last_effort():
    block = commander()
    state, efforts = run(block, block.initial_state(), 10, TORQUE, STOP)
    lost = reading(np.full(7, np.nan))
    _, effort = block.step(state, TORQUE, STOP, lost, BASE)
    assert_array_equal(effort, efforts[-1])


def test_efforts_of_the_hold_keep_the_limits():
    block = commander()
    _, effort = block.step(block.initial_state(), TORQUE, STOP, reading(READY, np.full(7, 50.0)), BASE)
    assert np.all(np.abs(effort) <= LIMITS)
