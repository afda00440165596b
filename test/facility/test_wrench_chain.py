"""From raw to contact wrench, against a sensor simulated by hand: Newton and Euler at the mock-up's CoM."""
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.robot_model import client_robot
from hil_relative_dynamics.facility.wrench_chain import (
    ContactGate,
    PassivityController,
    PassivityState,
    WrenchChain,
    WrenchState,
)
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.laboratory import WrenchSettings
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

SCENARIO = load("envisat_unforced")
ROBOT = client_robot()
SERVICER = FreeFlyer.from_urdf(SCENARIO.servicer.urdf, SCENARIO.servicer.end_effector)
GRASP = SCENARIO.client.grasp_point.pose_in_client
NOMINAL = SCENARIO.laboratory.pose_nominal(GRASP)
GRAVITY = np.array([0.0, 0.0, -9.81])
WORKING = ROBOT.solve_anywhere(SCENARIO.laboratory.grasp_point.pose)
JOINTS = JointSample.of(np.array(SCENARIO.servicer.joints), np.zeros(7))
AT_REST = MotionSample.of(SCENARIO.servicer.pose_in_client)
GATED = WrenchSettings(start_tare=0.0, filter=0.0)
OPEN = replace(GATED, gate_force=0.0, gate_torque=0.0)
DT = 0.004
NOTHING = np.zeros(3)


def chain(
    chosen: WrenchSettings = OPEN, nominal: pin.SE3 = NOMINAL, gravity: np.ndarray = GRAVITY
) -> WrenchChain:
    return WrenchChain(ROBOT, SERVICER, nominal, GRASP, gravity, chosen)


def motion(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> MotionSample:
    """(g_c, V_c, dV_c) of exact joint motion."""
    pin.forwardKinematics(ROBOT.model, ROBOT.data, q, dq, ddq)
    frame = ROBOT.carried
    pin.updateFramePlacement(ROBOT.model, ROBOT.data, frame)
    local = pin.ReferenceFrame.LOCAL
    pose = NOMINAL.actInv(ROBOT.data.oMf[frame] * GRASP.inverse())
    twist = GRASP.act(pin.getFrameVelocity(ROBOT.model, ROBOT.data, frame, local))
    acceleration = GRASP.act(pin.getFrameAcceleration(ROBOT.model, ROBOT.data, frame, local))
    return MotionSample.of(pose, twist, acceleration)


def sensed(client: MotionSample, push: np.ndarray = NOTHING, twisting: np.ndarray = NOTHING) -> pin.Force:
    """What the sensor reads while a force (laboratory axes) pushes at the grasp point, and a torque acts."""
    body = NOMINAL * client.pose
    rotation, omega = body.rotation, body.rotation @ client.twist.angular
    alpha = body.rotation @ client.acceleration.angular
    classical = client.acceleration.linear + np.cross(client.twist.angular, client.twist.linear)
    sensor = body * GRASP * ROBOT.pose_sensor_in_carried
    com = sensor.act(ROBOT.load.lever)
    arm = com - body.translation
    acceleration = rotation @ classical + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    inertia = sensor.rotation @ ROBOT.load.inertia @ sensor.rotation.T
    force = push - ROBOT.load.mass * (acceleration - GRAVITY)
    point = (body * GRASP).translation
    torque = twisting + np.cross(point - sensor.translation, push)
    torque -= inertia @ alpha + np.cross(omega, inertia @ omega)
    torque -= np.cross(com - sensor.translation, ROBOT.load.mass * (acceleration - GRAVITY))
    return pin.Force(sensor.rotation.T @ force, sensor.rotation.T @ torque)


def random_motion(seed: int) -> MotionSample:
    random = np.random.default_rng(seed)
    return motion(WORKING + 0.3 * random.normal(size=6), random.normal(size=6), 3.0 * random.normal(size=6))


STILL = motion(WORKING, np.zeros(6), np.zeros(6))


def once(block: WrenchChain, raw: pin.Force, client: MotionSample, **options) -> tuple[pin.Force, pin.Force]:
    return block.step(block.initial_state(), raw, client, AT_REST, JOINTS, DT, **options)[1]


def test_free_tool_reads_its_weight_downwards():
    """The convention of the stock filters, on which multiplier 1 rests."""
    sensor = NOMINAL * STILL.pose * GRASP * ROBOT.pose_sensor_in_carried
    assert_allclose(sensor.rotation @ sensed(STILL).linear, [0.0, 0.0, -40.0 * 9.81], atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_weight_and_inertia_are_taken_off_exactly(seed):
    client = random_motion(seed)
    raw = sensed(client)
    assert np.linalg.norm(raw.linear) > 100.0
    assert_allclose(once(chain(), raw, client)[0].vector, np.zeros(6), atol=1e-9)


@pytest.mark.parametrize("axis", range(3))
def test_push_on_the_mockup_is_a_push_on_the_client(axis):
    """By hand along +x, +y or +z of the laboratory, where client axes are laboratory axes at the start."""
    push = 20.0 * np.eye(3)[axis]
    on_client, _ = once(chain(), sensed(STILL, push), STILL)
    assert_allclose(on_client.linear, push, atol=1e-9)
    assert_allclose(on_client.angular, np.cross([2.9, 0.0, 0.0], push), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_contact_comes_out_in_motion(seed):
    random = np.random.default_rng(seed + 50)
    client, push, twisting = random_motion(seed), 30.0 * random.normal(size=3), 5.0 * random.normal(size=3)
    on_client, _ = once(chain(), sensed(client, push, twisting), client)
    rotation = (NOMINAL * client.pose).rotation
    at_grasp_point = GRASP.actInv(on_client)
    turned = rotation @ GRASP.rotation
    assert_allclose(turned @ at_grasp_point.linear, push, atol=1e-9)
    assert_allclose(turned @ at_grasp_point.angular, twisting, atol=1e-9)


def test_reaction_acts_on_the_end_effector_at_the_same_place():
    on_client, on_end_effector = once(chain(), sensed(STILL, np.array([10.0, 20.0, 30.0])), STILL)
    end_effector = AT_REST.pose * SERVICER.end_effector_in_base(JOINTS.position)
    total = STILL.pose.act(on_client) + end_effector.act(on_end_effector)  # both in the nominal frame
    assert_allclose(total.vector, np.zeros(6), atol=1e-9)


def test_reaction_is_opposite_in_the_middle_of_the_step_in_which_both_are_held():
    """Whatever moves: what is left over shrinks with the square of the step."""
    random = np.random.default_rng(4)
    client = random_motion(1)
    servicer = MotionSample.of(AT_REST.pose, pin.Motion(random.normal(size=6)))
    joints = JointSample.of(JOINTS.position, random.normal(size=7), random.normal(size=7))
    raw, left = sensed(client, np.array([10.0, 20.0, 30.0])), []
    for dt in (0.004, 0.002):
        block = chain()
        on_client, on_end_effector = block.step(block.initial_state(), raw, client, servicer, joints, dt)[1]
        half = 0.5 * dt
        q = joints.position + half * joints.velocity + 0.5 * half**2 * joints.array[2]
        tumbled = client.pose * pin.exp6(client.twist * half)
        end_effector = servicer.pose * pin.exp6(servicer.twist * half) * SERVICER.end_effector_in_base(q)
        left.append(np.abs((tumbled.act(on_client) + end_effector.act(on_end_effector)).vector).max())
    assert left[1] == pytest.approx(left[0] / 4.0, rel=0.05) and left[0] < 2e-3


def test_sensor_of_the_other_sign():
    client = random_motion(2)
    raw = sensed(client, np.array([5.0, 6.0, 7.0]))
    turned = chain(replace(OPEN, multiplier=-1))
    assert_allclose(once(turned, -raw, client)[0].vector, once(chain(), raw, client)[0].vector, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_depends_on_how_the_laboratory_is_turned(seed):
    """Turn room, robot and gravity together: the same wrench on the client."""
    client, turn = random_motion(seed), pin.SE3.Random()
    raw = sensed(client, np.array([50.0, -20.0, 10.0]))
    elsewhere = chain(OPEN, turn * NOMINAL, turn.rotation @ GRAVITY)
    for here, there in zip(once(chain(), raw, client), once(elsewhere, raw, client)):
        assert_allclose(here.vector, there.vector, atol=1e-10)


def run(
    block: WrenchChain, state: WrenchState, raws: list[pin.Force], client: MotionSample = STILL
) -> tuple[WrenchState, list[pin.Force]]:
    outputs = []
    for raw in raws:
        state, wrenches = block.step(state, raw, client, AT_REST, JOINTS, DT)
        outputs.append(wrenches[0])
    return state, outputs


def test_tare_takes_the_bias_off():
    bias, noise = pin.Force(np.array([5.0, -3.0, 2.0, 0.3, -0.2, 0.1])), np.random.default_rng(0)
    block = chain()
    shaky = [sensed(STILL) + bias + pin.Force(0.1 * noise.normal(size=6)) for _ in range(250)]
    state, _ = run(block, block.initial_state(), shaky)
    state = block.tare(state)
    assert_allclose(state.bias.vector, bias.vector, atol=0.03)
    _, (after,) = run(block, state, [sensed(STILL, np.array([10.0, 0.0, 0.0])) + bias])
    assert_allclose(after.linear, [10.0, 0.0, 0.0], atol=0.03)


def test_tare_at_the_start():
    """Half a second of silence, then contact without the bias."""
    bias, block = pin.Force(np.array([4.0, -3.0, 6.0, 0.3, 0.2, -0.2])), chain(replace(OPEN, start_tare=0.5))
    state, silent = run(block, block.initial_state(), [sensed(STILL) + bias] * 125)
    assert not np.any([wrench.vector for wrench in silent])
    assert_allclose(state.bias.vector, bias.vector, atol=1e-9)
    _, (contact,) = run(block, state, [sensed(STILL, np.array([0.0, 8.0, 0.0])) + bias])
    assert_allclose(contact.linear, [0.0, 8.0, 0.0], atol=1e-9)


def test_tare_forgets_what_was_long_ago():
    block = chain()
    state, _ = run(block, block.initial_state(), [sensed(STILL, np.array([100.0, 0.0, 0.0]))] * 500)
    state, _ = run(block, state, [sensed(STILL)] * 251)  # 1 s: two windows
    assert_allclose(block.tare(state).bias.vector, np.zeros(6), atol=1e-9)


def test_tare_before_the_first_sample_changes_nothing():
    block = chain()
    assert block.tare(block.initial_state()) == block.initial_state()


def test_tare_acts_at_once_behind_the_filter():
    block = chain(replace(OPEN, filter=1.0))
    bias = pin.Force(np.full(6, 2.0))
    state, _ = run(block, block.initial_state(), [sensed(STILL) + bias] * 500)
    _, (after,) = run(block, block.tare(state), [sensed(STILL) + bias])
    assert_allclose(after.vector, np.zeros(6), atol=1e-9)


def test_filter_follows_a_step_as_first_order():
    block = chain(replace(OPEN, filter=10.0))
    state, _ = run(block, block.initial_state(), [sensed(STILL)])
    _, outputs = run(block, state, [sensed(STILL, np.array([10.0, 0.0, 0.0]))] * 10)
    expected = 10.0 * (1.0 - np.exp(-2.0 * np.pi * 10.0 * DT * np.arange(1, 11)))
    assert_allclose([output.linear[0] for output in outputs], expected, atol=1e-9)


def test_gate_is_exactly_zero_below_and_exact_above():
    block = chain(GATED)
    for wrench in once(block, sensed(STILL, np.array([2.9, 0.0, 0.0])), STILL):
        assert_array_equal(wrench.vector, np.zeros(6))
    for push in (np.array([6.1, 0.0, 0.0]), np.array([0.0, 0.0, -60.0])):
        assert_allclose(once(block, sensed(STILL, push), STILL)[0].linear, push, atol=1e-9)


def test_latched_grasp_keeps_the_gate_open():
    block = chain(GATED)
    on_client, _ = once(block, sensed(STILL, np.array([1.0, 0.0, 0.0])), STILL, latched=True)
    assert_allclose(on_client.linear, [1.0, 0.0, 0.0], atol=1e-9)


def test_drift_of_a_free_client_under_noise_is_zero():
    """0.1 N of bias would move a servicer by millimetres: the gate keeps it out altogether."""
    noise, block = np.random.default_rng(5), chain(replace(WrenchSettings(), start_tare=0.0))
    scale = np.array([0.5, 0.5, 0.5, 0.05, 0.05, 0.05])
    raws = [sensed(STILL) + pin.Force(scale * noise.normal(size=6) + 0.1 * scale) for _ in range(5000)]
    _, outputs = run(block, block.initial_state(), raws)
    assert not np.any([output.vector for output in outputs])


NUMBERS = some.lists(some.floats(-10.0, 10.0), min_size=6, max_size=6)


@settings(max_examples=200, deadline=None)
@given(NUMBERS)
def test_gate_leaves_the_sign_of_the_power_and_takes_no_axis_for_another(numbers):
    gate, wrench = ContactGate(3.0, 0.5), pin.Force(np.array(numbers))
    opening = gate.opening(wrench)
    assert 0.0 <= opening <= 1.0
    turn = pin.SE3(pin.SE3.Random().rotation, np.zeros(3))
    assert gate.opening(turn.act(wrench)) == pytest.approx(opening, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(some.floats(0.1, 30.0), some.floats(0.1, 30.0))
def test_gate_passes_more_of_more(first, second):
    gate = ContactGate(3.0, 0.5)
    passed = [push * gate.opening(pin.Force(np.array([push, 0, 0, 0, 0, 0]))) for push in (first, second)]
    assert (passed[0] - passed[1]) * (first - second) >= 0.0


@settings(max_examples=100, deadline=None)
@given(some.lists(some.floats(0.0, 2e-3), min_size=2, max_size=8), some.floats(1e3, 1e5), some.floats(0, 500))
def test_gate_never_creates_energy(turning_points, stiffness, damping):
    """A client pressed into a spring with damping, in and out along any path back to its start."""
    gate, work = ContactGate(3.0, 0.5), 0.0
    corners = [0.0, *turning_points, 0.0]
    path = np.concatenate([np.linspace(a, b, 400) for a, b in pairwise(corners)])
    for start, end in pairwise(path):
        depth, speed = 0.5 * (start + end), (end - start) / 1e-3
        force = min(-stiffness * depth - damping * speed, 0.0)  # pushes back, never pulls
        opening = gate.opening(pin.Force(np.array([force, 0, 0, 0, 0, 0])))
        work += opening * force * (end - start)
    assert work <= 1e-9 + 2e-3 * 0.5 * stiffness * max(turning_points) ** 2 / 400


def bounce(delay_steps: int, controlled: bool, mass: float = 80.0, stiffness: float = 1e4) -> float:
    """Restitution of a client on a spring, its robot late by some steps of 4 ms."""
    controller, state = PassivityController(pin.SE3.Identity()), PassivityState()
    position, speed, dt = -0.05, 0.02, DT
    commanded = [(position - speed * dt * step, speed) for step in range(delay_steps, -1, -1)]
    before = speed
    for _ in range(4000):
        late_position, late_speed = commanded[-1 - delay_steps]
        force = -stiffness * max(late_position, 0.0)
        wrench = pin.Force(np.array([force, 0, 0, 0, 0, 0]))
        if controlled:
            port = MotionPoints.of(moving(before), moving(speed))
            state, wrench = controller.step(state, wrench, wrench, moving(late_speed), port, dt)
        before = speed
        speed += wrench.linear[0] / mass * dt
        position += 0.5 * (before + speed) * dt
        commanded.append((position, speed))
        if position < -0.05:
            break
    return -speed / 0.02


def moving(speed: float) -> MotionSample:
    return MotionSample.of(pin.SE3.Identity(), pin.Motion(np.array([speed, 0, 0, 0, 0, 0])))


def test_delay_alone_bounces_back_too_fast():
    """About exp(pi w tau / 2), w = sqrt(K / m): four steps of 4 ms and half a step of hold."""
    w, delay = np.sqrt(1e4 / 80.0), 0.016 + 0.5 * DT
    assert bounce(4, controlled=False) == pytest.approx(np.exp(np.pi * w * delay / 2), rel=0.05)


@pytest.mark.parametrize("delay_steps", [1, 2, 4, 8])
def test_passivity_controller_takes_the_energy_of_the_delay_out(delay_steps):
    assert 0.8 < bounce(delay_steps, controlled=True) < 1.03


def test_passivity_controller_leaves_a_passive_contact_alone():
    assert bounce(0, controlled=False) < 1.1
    controller, state = PassivityController(GRASP), PassivityState()
    wrench, sample = pin.Force(np.array([-5.0, 0, 0, 0, 0, 0])), moving(-0.01)
    for _ in range(10):  # pushed back and moving back, robot and port alike
        state, applied = controller.step(state, wrench, wrench, sample, MotionPoints.of(sample, sample), DT)
        assert_allclose(applied.vector, wrench.vector, atol=1e-12)


def test_passivity_is_off_by_default_and_on_by_its_setting():
    assert chain()._passivity is None
    block = chain(replace(OPEN, passivity=True))
    points = MotionPoints.of(STILL, STILL)
    on_client, _ = once(block, sensed(STILL, np.array([10.0, 0.0, 0.0])), STILL, port=points)
    assert_allclose(on_client.linear, [10.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_handed_on_and_forgotten(bad):
    block = chain(GATED)
    state, _ = run(block, block.initial_state(), [sensed(STILL)])
    broken = pin.Force(np.array([0.0, bad, 0.0, 0.0, 0.0, 0.0]))
    after, (output,) = run(block, state, [broken])
    assert np.isnan(output.vector).all() and after == state
    _, (output,) = run(block, after, [sensed(STILL)])
    assert_array_equal(output.vector, np.zeros(6))
