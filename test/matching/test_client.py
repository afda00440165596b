"""The client: (2) and (11) in admittance, (3) and (9) in impedance causality."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.matching.client import ClientDynamics, ClientImpedance
from hil_relative_dynamics.matching.nominal import FixedNominal, UnforcedNominal
from hil_relative_dynamics.matching.pair import PairState
from hil_relative_dynamics.spatial import (
    MotionSample,
    orientation_error,
    position_error,
    rk4_step,
    transported_twist_rate,
)

from .motions import numerical_rate, numerical_twist, points_of, swaying
from .strategies import bodies, motions, poses, repeatable, twists, wrenches

NO_WRENCH = pin.Force.Zero()
TUMBLE = pin.Motion(np.array([0.01, -0.02, 0.03]), np.array([0.2, -0.4, 0.3]))
PUSH = pin.Force(np.array([20.0, -35.0, 15.0]), np.array([8.0, 12.0, -9.0]))
TENSOR = np.array([[9.0, 0.5, -0.3], [0.5, 12.0, 0.4], [-0.3, 0.4, 7.0]])
BODY = RigidBody(pin.Inertia(80.0, np.array([0.2, -0.1, 0.3]), TENSOR))


def fly(client, state, wrench, nominal_at, duration, count):
    """State after `count` steps under a constant wrench (in body axes)."""
    dt = duration / count
    for k in range(count):
        state, _ = client.step(state, wrench, points_of(nominal_at, k * dt, dt), dt)
    return state


def started(body, nominal_at, pose=None, twist=TUMBLE):
    client = ClientDynamics(body)
    pose = pin.SE3(pin.exp3(np.array([0.4, -0.2, 0.7])), np.array([1.0, 2.0, -0.5])) if pose is None else pose
    return client, client.initial_state(pose, twist, nominal_at(0.0))


# ---- one instant ----


@repeatable
@given(bodies, poses, twists, wrenches, motions)
def test_accelerations_obey_the_equations(body, pose, twist, wrench, nominal):
    client = ClientDynamics(body)
    motion = client.derivative(client.initial_state(pose, twist, nominal), wrench, nominal)
    orbit, laboratory = motion.simulated.start, motion.commanded.start
    mass = body.inertia.matrix()
    coriolis = twist.cross(body.inertia * twist).vector  # C_t(V_t) V_t
    rate = transported_twist_rate(laboratory.pose, laboratory.twist, nominal.twist, nominal.acceleration)
    limit = 1e-11 * (1.0 + np.linalg.norm(wrench.vector) + np.linalg.norm(coriolis) + np.linalg.norm(mass))
    assert_allclose(mass @ orbit.acceleration.vector + coriolis, wrench.vector, atol=limit)  # (2)
    left = mass @ laboratory.acceleration.vector + coriolis
    assert_allclose(left, wrench.vector - mass @ rate.vector, atol=limit)  # (11)


def test_the_commanded_acceleration_is_the_rate_of_the_commanded_twist():
    """Eq. (7) without the formula for d(Ad V_n)/dt: g_c and V_c as they come, differentiated."""
    client, state = started(BODY, swaying)
    dt, moments = 1e-3, {}
    for k in range(5):
        moments[k * dt] = client.derivative(state, PUSH, swaying(k * dt)).commanded.start
        state, _ = client.step(state, PUSH, points_of(swaying, k * dt, dt), dt)
    middle = moments[2 * dt]
    pose_at, twist_at = (lambda t: moments[round(t, 6)].pose), (lambda t: moments[round(t, 6)].twist.vector)
    assert_allclose(numerical_twist(pose_at, 2 * dt, dt), middle.twist.vector, atol=1e-9)
    assert_allclose(numerical_rate(twist_at, 2 * dt, dt), middle.acceleration.vector, atol=1e-9)


def test_a_step_reports_the_accelerations_at_both_its_ends():
    client, state = started(BODY, swaying)
    after, motion = client.step(state, PUSH, points_of(swaying, 0.0, 0.01), 0.01)
    for moment, time, here in ((motion.simulated.start, 0.0, state), (motion.simulated.end, 0.01, after)):
        expected = client.derivative(here, PUSH, swaying(time))
        assert_allclose(moment.array, expected.simulated.start.array, atol=1e-14)
    expected = client.derivative(after, PUSH, swaying(0.01))
    assert_allclose(motion.commanded.end.array, expected.commanded.start.array, atol=1e-14)
    expected = client.derivative(state, PUSH, swaying(0.0))
    assert_allclose(motion.commanded.start.array, expected.commanded.start.array, atol=1e-14)


# ---- matching ----


@repeatable
@given(bodies, poses, twists, wrenches)
def test_nominal_and_laboratory_make_the_orbit(body, pose, twist, wrench):
    """g_n g_c = g_t under any nominal, here one that no free body would follow."""
    client, state = started(body, swaying, pose, twist)
    count, dt = 200, 0.002
    state = fly(client, state, wrench, swaying, count * dt, count)
    # bound: the scheme's own error for the fastest of these motions
    assert position_error(swaying(count * dt).pose * state.pose_commanded, state.pose_simulated) < 1e-8
    assert orientation_error(swaying(count * dt).pose * state.pose_commanded, state.pose_simulated) < 1e-8


def test_envisat_for_a_minute_in_laboratory_and_orbit(envisat):
    twist = pin.Motion(np.zeros(3), np.radians([0.0, -2.5, 0.0]))
    nominal, client = UnforcedNominal(envisat, pin.SE3.Identity(), twist), ClientDynamics(envisat)
    motion = nominal.initial_state()
    state = client.initial_state(pin.SE3.Identity(), twist, motion)
    for k in range(15000):
        motion, points = nominal.step(motion, 4_000_000 * k, 4_000_000)
        state, _ = client.step(state, PUSH if k % 3000 < 200 else NO_WRENCH, points, 0.004)
    assert position_error(motion.pose * state.pose_commanded, state.pose_simulated) < 1e-11
    assert orientation_error(motion.pose * state.pose_commanded, state.pose_simulated) < 1e-12
    assert position_error(state.pose_commanded, pin.SE3.Identity()) > 0.1  # it did move


def test_an_unforced_client_stands_still_in_the_laboratory(envisat):
    nominal, client = UnforcedNominal(envisat, pin.SE3.Identity(), TUMBLE), ClientDynamics(envisat)
    motion = nominal.initial_state()
    state = client.initial_state(pin.SE3.Identity(), TUMBLE, motion)
    for k in range(2500):
        motion, points = nominal.step(motion, 4_000_000 * k, 4_000_000)
        state, _ = client.step(state, NO_WRENCH, points, 0.004)
    assert_allclose(state.pose_commanded.homogeneous, np.eye(4), atol=1e-12)
    assert_allclose(state.array[20:26], np.zeros(6), atol=1e-12)
    assert orientation_error(state.pose_simulated, pin.SE3.Identity()) > 0.5  # while it tumbles in orbit


def test_a_fixed_nominal_is_the_absolute_formulation():
    origin = pin.SE3(pin.exp3(np.array([0.3, 0.8, -0.2])), np.array([3.0, -1.0, 2.0]))
    _, points = FixedNominal(origin).step(None, 0, 10_000_000)
    client, state = started(BODY, lambda time: points.start)
    for _ in range(300):
        state, motion = client.step(state, PUSH, points, 0.01)
    orbit, laboratory = motion.simulated.end, motion.commanded.end
    assert_allclose((origin * laboratory.pose).homogeneous, orbit.pose.homogeneous, atol=1e-12)
    assert_allclose(laboratory.array[7:], orbit.array[7:], atol=1e-12)


# ---- frame indifference ----


def test_nothing_depends_on_where_the_inertial_frame_is():
    shift = pin.SE3(pin.exp3(np.array([1.0, -0.5, 0.3])), np.array([10.0, -20.0, 5.0]))

    def shifted(time):
        nominal = swaying(time)
        return MotionSample.of(shift * nominal.pose, nominal.twist, nominal.acceleration)

    client, state = started(BODY, swaying)
    _, moved = started(BODY, shifted, pose=shift * state.pose_simulated)
    here, there = fly(client, state, PUSH, swaying, 2.0, 400), fly(client, moved, PUSH, shifted, 2.0, 400)
    assert_allclose(there.pose_simulated.homogeneous, (shift * here.pose_simulated).homogeneous, atol=1e-12)
    assert_allclose(there.pose_commanded.homogeneous, here.pose_commanded.homogeneous, atol=1e-12)
    assert_allclose(there.array[14:], here.array[14:], atol=1e-12)


def test_nothing_depends_on_where_in_the_body_its_frame_is():
    """The same body described from another frame: inertia, twist and wrench transform, the motion stays."""
    pose_frame = pin.SE3(pin.exp3(np.array([0.5, 0.2, -0.9])), np.array([0.7, -0.3, 0.4]))
    other = RigidBody(pose_frame.actInv(BODY.inertia))
    client, state = started(BODY, swaying)
    end = fly(client, state, PUSH, swaying, 2.0, 1000)
    client, state = started(other, swaying, state.pose_simulated * pose_frame, pose_frame.actInv(TUMBLE))
    there = fly(client, state, pose_frame.actInv(PUSH), swaying, 2.0, 1000)
    orbit, laboratory = end.pose_simulated * pose_frame, end.pose_commanded * pose_frame
    assert_allclose(there.pose_simulated.homogeneous, orbit.homogeneous, atol=1e-10)
    assert_allclose(there.pose_commanded.homogeneous, laboratory.homogeneous, atol=1e-10)


# ---- closed forms and conserved quantities ----


def test_a_symmetric_top_precesses_as_in_the_textbook():
    """R(t) = exp(L t / I_1) exp(e_3 lambda t), with lambda = (1 - I_3/I_1) w_3."""
    transverse, axial = 5.0, 8.0
    top = RigidBody(pin.Inertia(10.0, np.zeros(3), np.diag([transverse, transverse, axial])))
    omega = np.array([0.3, -0.2, 0.5])
    client, state = started(top, swaying, pin.SE3.Identity(), pin.Motion(np.zeros(3), omega))
    duration = 20.0
    state = fly(client, state, NO_WRENCH, swaying, duration, 4000)
    momentum = np.array([transverse, transverse, axial]) * omega  # constant in space
    spin = np.array([0.0, 0.0, (1.0 - axial / transverse) * omega[2]])
    expected = pin.exp3(momentum / transverse * duration) @ pin.exp3(spin * duration)
    assert_allclose(state.pose_simulated.rotation, expected, atol=1e-10)
    assert_allclose(state.pose_simulated.translation, np.zeros(3), atol=1e-12)
    assert_allclose((swaying(duration).pose * state.pose_commanded).rotation, expected, atol=1e-10)


def test_a_constant_force_accelerates_and_a_constant_moment_spins_up():
    body = RigidBody(pin.Inertia(4.0, np.zeros(3), np.diag([2.0, 3.0, 4.0])))
    client, state = started(body, swaying, pin.SE3.Identity(), pin.Motion.Zero())
    pushed = fly(client, state, pin.Force(np.array([8.0, 0.0, 0.0]), np.zeros(3)), swaying, 3.0, 60)
    assert_allclose(pushed.pose_simulated.translation, [0.5 * 2.0 * 9.0, 0.0, 0.0], atol=1e-12)
    turned = fly(client, state, pin.Force(np.zeros(3), np.array([0.0, 0.0, 2.0])), swaying, 3.0, 60)
    angle = np.array([0.0, 0.0, 0.5 * 0.5 * 9.0])
    assert_allclose(turned.pose_simulated.rotation, pin.exp3(angle), atol=1e-12)
    assert_allclose(turned.array[14:20], [0.0, 0.0, 0.0, 0.0, 0.0, 1.5], atol=1e-12)


def test_momentum_and_energy_are_conserved_without_wrench(envisat):
    twist = pin.Motion(np.array([0.02, 0.005, -0.01]), np.radians([0.5, -2.5, 0.3]))
    client, state = started(envisat, swaying, pin.SE3.Identity(), twist)
    momentum, energy = envisat.momentum(pin.SE3.Identity(), twist).vector, envisat.kinetic_energy(twist)
    state = fly(client, state, NO_WRENCH, swaying, 60.0, 3000)
    end = pin.Motion(state.array[14:20])
    assert_allclose(envisat.momentum(state.pose_simulated, end).vector, momentum, rtol=1e-11)
    assert_allclose(envisat.kinetic_energy(end), energy, rtol=1e-12)


def test_momentum_grows_by_the_impulse():
    """A wrench that is constant in space (turned into the body in every step) adds F t."""
    client, state = started(BODY, swaying, pin.SE3.Identity())
    force, dt = np.array([5.0, -3.0, 2.0]), 1e-3
    start = BODY.momentum(pin.SE3.Identity(), TUMBLE).linear
    for k in range(1000):
        middle = state.pose_simulated * pin.exp6(pin.Motion(state.array[14:20]) * (0.5 * dt))
        wrench = pin.Force(middle.rotation.T @ force, np.zeros(3))
        state, _ = client.step(state, wrench, points_of(swaying, k * dt, dt), dt)
    end = BODY.momentum(state.pose_simulated, pin.Motion(state.array[14:20])).linear
    assert_allclose(end - start, force * 1.0, atol=1e-6)


# ---- integration ----


def test_a_step_is_rk4_of_the_derivative():
    client, state = started(BODY, swaying)

    def law(time, here, vector):
        twists_here = [pin.Motion(vector[:6]), pin.Motion(vector[6:])]
        pair = PairState.of(here[0], twists_here[0], here[1], twists_here[1])
        motion = client.derivative(pair, PUSH, swaying(time))
        rates = motion.simulated.start.acceleration.vector, motion.commanded.start.acceleration.vector
        return twists_here, np.concatenate(rates)

    dt = 0.05
    expected, vector = rk4_step(law, 0.0, [state.pose_simulated, state.pose_commanded], state.array[14:], dt)
    state, _ = client.step(state, PUSH, points_of(swaying, 0.0, dt), dt)
    assert_allclose(state.pose_simulated.homogeneous, expected[0].homogeneous, atol=1e-14)
    assert_allclose(state.pose_commanded.homogeneous, expected[1].homogeneous, atol=1e-14)
    assert_allclose(state.array[14:], vector, atol=1e-14)


def test_steps_are_of_order_four():
    client, state = started(BODY, swaying)
    ends = [fly(client, state, PUSH, swaying, 2.0, count) for count in (20, 40, 80, 1280)]
    errors = [np.linalg.norm(end.array - ends[-1].array) for end in ends[:-1]]
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 4.0, atol=0.3)


def test_it_moves_as_in_mujoco():
    pytest.importorskip("mujoco")
    from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference

    inertia, none = BODY.inertia, np.zeros(0)
    mujoco = MujocoReference.rigid_body(inertia.mass, inertia.lever, inertia.inertia)
    client, state = started(BODY, swaying)
    mujoco.start(state.pose_simulated, TUMBLE, none, none)
    mujoco.step(PUSH, NO_WRENCH, none, count=5000)
    state = fly(client, state, PUSH, swaying, 5.0, 2000)
    assert position_error(state.pose_simulated, mujoco.state.pose) < 1e-9
    assert orientation_error(state.pose_simulated, mujoco.state.pose) < 1e-9


# ---- impedance ----


@repeatable
@given(bodies, bodies, motions, wrenches, motions)
def test_a_robot_of_any_inertia_moves_as_the_client(body, robot, measured, wrench, nominal):
    """(9) in (3) gives the acceleration of (11)."""
    control = ClientImpedance(body, robot).wrench(measured, wrench, nominal)
    achieved = robot.acceleration(measured.twist, wrench + control)
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    state = PairState.of(nominal.pose * measured.pose, twist, measured.pose, measured.twist)
    expected = ClientDynamics(body).derivative(state, wrench, nominal).commanded.start.acceleration
    scale = 1.0 + np.linalg.norm(expected.vector) + np.linalg.norm(robot.inverse_matrix() @ control.vector)
    assert_allclose(achieved.vector, expected.vector, atol=1e-10 * scale)


@repeatable
@given(bodies, motions, wrenches, motions)
def test_a_robot_with_the_inertia_of_the_client_need_not_know_the_contact(body, measured, wrench, nominal):
    """M_c = M_t makes (9) into (10): no wrench in it."""
    law = ClientImpedance(body, body)
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    rate = transported_twist_rate(measured.pose, measured.twist, nominal.twist, nominal.acceleration)
    coriolis = body.coriolis_wrench(measured.twist) - body.coriolis_wrench(twist)
    expected = coriolis - body.inertia * rate  # (10)
    scale = 1.0 + np.linalg.norm(expected.vector) + np.linalg.norm(body.inertia.matrix())
    for contact in (NO_WRENCH, wrench):
        actual = law.wrench(measured, contact, nominal).vector
        assert_allclose(actual, expected.vector, atol=1e-11 * scale + 1e-11 * np.linalg.norm(contact.vector))


def test_a_robot_of_another_inertia_must_know_the_contact():
    light = RigidBody(pin.Inertia(8.0, np.zeros(3), np.eye(3)))
    law, measured, nominal = ClientImpedance(BODY, light), swaying(1.0), swaying(2.0)
    difference = law.wrench(measured, PUSH, nominal) - law.wrench(measured, NO_WRENCH, nominal)
    ratio = light.inertia.matrix() @ np.linalg.inv(BODY.inertia.matrix())
    assert_allclose(difference.vector, (ratio - np.eye(6)) @ PUSH.vector, atol=1e-11)
    assert np.linalg.norm(difference.vector) > 10.0
