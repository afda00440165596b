"""Storage functions, power of a contact and bounds, (25) to (29)."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.passivity import (
    STABILITY,
    StabilityWatch,
    client_storage,
    contact_power_in_laboratory,
    contact_power_in_orbit,
    displacement,
    servicer_storage,
    velocity_bound,
)
from hil_relative_dynamics.spatial import JointSample, MotionSample

from .motions import points_of, swaying
from .strategies import bodies, joints, motions, poses, repeatable, twists, wrenches


@pytest.fixture(scope="module", params=["servicer", "branched"])
def body(request) -> FreeFlyer:
    return request.getfixturevalue(request.param)


def in_orbit(nominal: MotionSample, measured: MotionSample) -> MotionSample:
    return RelativeMapping().step(nominal, measured, measured)[0]


# ---- (25) ----


@repeatable
@given(bodies, motions, motions)
def test_what_the_client_robot_stores_is_the_energy_in_orbit(body, nominal, measured):
    expected = body.kinetic_energy(in_orbit(nominal, measured).twist)
    assert_allclose(client_storage(body, measured, nominal), expected, rtol=1e-11, atol=1e-12)


def test_the_client_robot_is_loss_less(envisat):
    """Under any nominal, though the robot itself speeds up and slows down."""
    twist = pin.Motion(np.array([0.1, 0.0, -0.1]), np.array([0.03, -0.05, 0.02]))
    client, dt = ClientDynamics(envisat), 0.004
    state = client.initial_state(pin.SE3.Identity(), twist, swaying(0.0))
    stored, speeds = [], []
    for k in range(2500):
        state, motion = client.step(state, pin.Force.Zero(), points_of(swaying, k * dt, dt), dt)
        stored.append(client_storage(envisat, motion.commanded.end, swaying((k + 1) * dt)))
        speeds.append(np.linalg.norm(motion.commanded.end.twist.linear))
    assert_allclose(stored, envisat.kinetic_energy(twist), rtol=1e-11)
    assert np.ptp(speeds) > 0.1


@repeatable
@given(bodies, poses, twists, wrenches)
def test_the_storage_grows_by_the_power_of_the_wrench(body, pose, twist, wrench):
    """dW/dt = V_t^T M_t dV_t = V_t^T F_c: C_t does no work."""
    client, nominal = ClientDynamics(body), swaying(0.5)
    motion = client.derivative(client.initial_state(pose, twist, nominal), wrench, nominal)
    momentum = body.inertia * twist
    rate = momentum.vector @ motion.simulated.start.acceleration.vector
    size = np.linalg.norm(momentum.vector) * np.linalg.norm(motion.simulated.start.acceleration.vector)
    assert_allclose(rate, twist.dot(wrench), atol=1e-11 * (1.0 + size))


# ---- (26) ----


@repeatable
@given(data=st.data(), nominal=motions, measured=motions)
def test_what_servicer_robot_and_arm_store_is_the_energy_in_orbit(body, data, nominal, measured):
    arm = data.draw(joints(body.joint_count))
    velocity = np.concatenate([in_orbit(nominal, measured).twist.vector, arm.velocity])
    expected = 0.5 * velocity @ body.mass_matrix(arm.position) @ velocity
    assert_allclose(servicer_storage(body, measured, arm, nominal), expected, rtol=1e-11, atol=1e-12)


@repeatable
@given(data=st.data(), twist=twists, thrust=wrenches, contact=wrenches)
def test_the_storage_of_the_servicer_grows_by_thrust_torque_and_contact(body, data, twist, thrust, contact):
    """Along (12), by a difference of the energy over a short time both ways."""
    arm = data.draw(joints(body.joint_count))
    q, dq, torque = arm.array
    acceleration, ddq = body.forward_dynamics(q, twist, dq, thrust, torque, contact)
    nominal, delta = swaying(0.0), 1e-6
    pose = swaying(2.0).pose  # of the robot relative to the nominal; held, as energy does not depend on it
    energies = []
    for sign in (-1.0, 1.0):
        absolute = twist + acceleration * (sign * delta)
        measured = MotionSample.of(pose, absolute - pose.actInv(nominal.twist))
        moved = JointSample.of(q + sign * delta * dq, dq + sign * delta * ddq)
        energies.append(servicer_storage(body, measured, moved, nominal))
    tip = pin.Motion(np.hstack(body.jacobians(q)) @ np.concatenate([twist.vector, dq]))
    power = twist.dot(thrust) + torque @ dq + tip.dot(contact)
    size = max(energies) + np.abs(power) + np.linalg.norm(acceleration.vector) + np.linalg.norm(ddq)
    assert_allclose((energies[1] - energies[0]) / (2 * delta), power, atol=1e-8 * (1.0 + size))


# ---- (27) = (28) ----


@repeatable
@given(data=st.data(), nominal=motions, client=motions, servicer_robot=motions, wrench=wrenches)
def test_the_power_of_a_contact_is_the_same_in_orbit_and_laboratory(
    body, data, nominal, client, servicer_robot, wrench
):
    arm = data.draw(joints(body.joint_count))
    in_laboratory = contact_power_in_laboratory(body, servicer_robot, arm, client, wrench)
    target, base = RelativeMapping().step(nominal, client, servicer_robot)
    tip_to_base, tip_to_joints = body.jacobians(arm.position)
    tip = pin.Motion(tip_to_base @ base.twist.vector + tip_to_joints @ arm.velocity)
    end_effector_in_client = target.pose.actInv(base.pose * body.end_effector_in_base(arm.position))
    reaction = -end_effector_in_client.act(wrench)  # Assumption 3, moved to the client's own point
    in_space = contact_power_in_orbit(tip, wrench, target.twist, reaction)
    size = abs(tip.dot(wrench)) + abs(target.twist.dot(reaction))
    assert_allclose(in_laboratory, in_space, atol=1e-12 * (1.0 + size))


def test_a_contact_gives_power_only_to_what_moves_against_each_other(servicer):
    """Once grasped (V_a = V_c at the contact) no power flows; pushed along its motion, the arm gains."""
    wrench = pin.Force(np.array([5.0, -3.0, 2.0]), np.array([0.4, 0.1, -0.2]))
    still = JointSample.of(np.full(7, 0.4), np.zeros(7))
    robot = MotionSample.of(swaying(1.0).pose, swaying(1.0).twist)
    client_pose = swaying(2.0).pose
    grasped = MotionSample.of(client_pose, client_pose.actInv(robot.pose.act(robot.twist)))
    assert_allclose(contact_power_in_laboratory(servicer, robot, still, grasped, wrench), 0.0, atol=1e-13)
    resting = MotionSample.of(client_pose)
    tip = servicer.end_effector_in_base(still.position).actInv(robot.twist)
    along = pin.Force(tip.vector)
    power = contact_power_in_laboratory(servicer, robot, still, resting, along)
    assert_allclose(power, tip.vector @ tip.vector, rtol=1e-12)


# ---- (29) and displacement ----


@repeatable
@given(motions, motions)
def test_the_velocity_bound_holds_and_has_the_right_sides(measured, nominal):
    left, right = velocity_bound(measured, nominal)
    drift = measured.pose.actInv(nominal.twist)
    assert left <= right * (1.0 + 1e-12)
    assert_allclose(left, np.linalg.norm(measured.twist.vector), rtol=1e-14)
    expected = np.linalg.norm((measured.twist + drift).vector) + np.linalg.norm(drift.vector)
    assert_allclose(right, expected, rtol=1e-14)


@repeatable
@given(poses, poses)
def test_displacement_does_not_depend_on_the_frame(start, shift):
    step = pin.SE3(pin.exp3(np.array([0.0, 0.6, 0.8]) * 0.3), np.array([0.3, -0.4, 1.2]))
    for begin in (start, shift * start):
        metres, radians = displacement(MotionSample.of(begin * step), MotionSample.of(begin))
        assert_allclose((metres, radians), (1.3, 0.3), atol=1e-12)


def test_who_does_not_move_has_no_displacement():
    assert displacement(swaying(1.0), swaying(1.0)) == pytest.approx((0.0, 0.0), abs=1e-15)


# ---- all of it while a run goes on ----


@repeatable
@given(data=st.data(), client_body=bodies, nominal=motions, client=motions, robot=motions, wrench=wrenches)
def test_the_watch_tells_what_happens_in_orbit(body, data, client_body, nominal, client, robot, wrench):
    """Against the mapping (23), which it does not use, and the power on each body by itself."""
    arm = data.draw(joints(body.joint_count))
    watch = StabilityWatch(client_body, body)
    state = watch.step(watch.initial_state(), client, robot, arm, wrench, 0.1)
    told = dict(zip(STABILITY, watch.numbers(state, client, robot, arm, wrench, nominal), strict=True))
    target, base = RelativeMapping().step(nominal, client, robot)
    velocity = np.concatenate([base.twist.vector, arm.velocity])
    tool = pin.Motion(np.hstack(body.jacobians(arm.position)) @ velocity)
    in_client = target.pose.actInv(base.pose * body.end_effector_in_base(arm.position))
    on_client, on_tool = target.twist.dot(wrench), -tool.dot(in_client.actInv(wrench))
    assert_allclose(told["client_storage"], client_body.kinetic_energy(target.twist), rtol=1e-10, atol=1e-12)
    stored = 0.5 * velocity @ body.mass_matrix(arm.position) @ velocity
    assert_allclose(told["servicer_storage"], stored, rtol=1e-10, atol=1e-12)
    size = 1e-12 * (1.0 + abs(on_client) + abs(on_tool))
    assert_allclose(told["contact_power_in_orbit"], on_client + on_tool, atol=size)
    assert_allclose(told["contact_power_in_laboratory"], on_client + on_tool, atol=size)
    assert told["contact_energy"] == told["client_displacement"] == told["servicer_displacement"] == 0.0


def pressed(servicer: FreeFlyer, stiffness: float, damping: float, dt: float) -> np.ndarray:
    """What the watch tells of an arm that a swaying robot presses onto a resting client's spring and damper."""
    arm = JointSample.of(np.full(7, 0.4), np.zeros(7))
    watch = StabilityWatch(RigidBody(pin.Inertia.Random()), servicer)
    client, state, rows = MotionSample.of(pin.SE3.Identity()), watch.initial_state(), []
    for time in np.arange(0.0, 2.0 + 0.5 * dt, dt):
        place, speed = 0.01 * np.sin(3.0 * time), 0.03 * np.cos(3.0 * time)
        robot = MotionSample.of(pin.SE3(np.eye(3), np.array([place, 0.0, 0.0])), pin.Motion(speed * np.eye(6)[0]))
        tool = robot.pose * servicer.end_effector_in_base(arm.position)
        force = np.array([stiffness * place + damping * speed, 0.0, 0.0])  # at the tool, where it presses
        on_client = pin.Force(force, np.cross(tool.translation, force))
        state = watch.step(state, client, robot, arm, on_client, dt)
        rows.append(watch.numbers(state, client, robot, arm, on_client, swaying(time)))
    return np.array(rows)


def test_a_spring_gives_back_what_it_took_and_a_damper_does_not(servicer):
    """Closed form: what contact has brought in is -k x^2/2 of a spring, -int d v^2 dt of a damper."""
    times = np.arange(0.0, 2.001, 0.002)
    in_spring = -0.5 * 900.0 * (0.01 * np.sin(3.0 * times)) ** 2
    burnt = -40.0 * 0.03**2 * (times / 2.0 + np.sin(6.0 * times) / 12.0)
    energy = STABILITY.index("contact_energy")
    assert_allclose(pressed(servicer, 900.0, 0.0, 0.002)[:, energy], in_spring, atol=1e-6)
    assert_allclose(pressed(servicer, 0.0, 40.0, 0.002)[:, energy], burnt, atol=1e-6)
    assert pressed(servicer, 0.0, -40.0, 0.002)[-1, energy] == pytest.approx(-burnt[-1], rel=1e-3)  # not passive: seen


def test_displacements_are_counted_from_the_first_instant(servicer):
    moved = pressed(servicer, 0.0, 0.0, 0.02)[:, STABILITY.index("servicer_displacement")]
    assert_allclose(moved, np.abs(0.01 * np.sin(3.0 * np.arange(0.0, 2.01, 0.02))), atol=1e-15)
