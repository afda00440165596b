"""The servicer: (13) and (18) in admittance, (14) and (16) in impedance causality."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.nominal import FixedNominal
from hil_relative_dynamics.matching.servicer import ServicerDynamics, ServicerImpedance
from hil_relative_dynamics.spatial import (
    JointSample,
    MotionSample,
    orientation_error,
    position_error,
    transported_twist_rate,
)

from .motions import numerical_rate, numerical_twist, points_of, swaying
from .strategies import joints, motions, poses, repeatable, twists, wrenches

NO_WRENCH = pin.Force.Zero()
THRUST = pin.Force(np.array([30.0, -20.0, 10.0]), np.array([5.0, 8.0, -6.0]))
CONTACT = pin.Force(np.array([-4.0, 6.0, 3.0]), np.array([1.0, -0.5, 0.8]))
POSE = pin.SE3(pin.exp3(np.array([0.4, -0.2, 0.7])), np.array([1.0, 2.0, -0.5]))
TWIST = pin.Motion(np.array([0.05, -0.02, 0.03]), np.array([0.1, -0.2, 0.15]))
FORMS = pytest.mark.parametrize("momentum_form", [True, False], ids=["momentum", "acceleration"])


@pytest.fixture(scope="module", params=["servicer", "branched"])
def body(request) -> FreeFlyer:
    return request.getfixturevalue(request.param)


def arm_at(count: int, time: float) -> JointSample:
    """Joints with constant acceleration: exactly what a step assumes between its samples."""
    start, rate = np.linspace(-0.6, 0.9, count), np.linspace(0.3, -0.4, count)
    acceleration = np.linspace(-0.1, 0.2, count)
    position = start + time * rate + 0.5 * time**2 * acceleration
    return JointSample.of(position, rate + time * acceleration, acceleration)


def fly(block: ServicerDynamics, count: int, nominal_at=swaying, pose=POSE, forces=(THRUST, CONTACT)):
    """The motion after 2 s in so many steps, with an arm that moves as `arm_at` says."""
    number, dt = block.servicer.joint_count, 2.0 / count
    state = block.initial_state(pose, TWIST, arm_at(number, 0.0), nominal_at(0.0))
    for k in range(count):
        arm = arm_at(number, k * dt)
        state, motion = block.step(state, *forces, arm, points_of(nominal_at, k * dt, dt), dt)
    return motion


def momentum_in_space(servicer: FreeFlyer, motion: MotionSample, arm: JointSample) -> np.ndarray:
    mass = servicer.mass_matrix(arm.position)[:6]
    return motion.pose.act(pin.Force(mass @ np.concatenate([motion.twist.vector, arm.velocity]))).vector


def inertia_of(matrix: np.ndarray) -> pin.Inertia:
    """The body whose 6x6 inertia this is."""
    mass, lever = matrix[0, 0], np.array([matrix[5, 1], matrix[3, 2], matrix[4, 0]]) / matrix[0, 0]
    cross = pin.skew(lever)
    return pin.Inertia(mass, lever, matrix[3:, 3:] + mass * cross @ cross)


# ---- one instant ----


@FORMS
@repeatable
@given(data=st.data(), pose=poses, twist=twists, thrust=wrenches, contact=wrenches, nominal=motions)
def test_accelerations_obey_the_equations(body, momentum_form, data, pose, twist, thrust, contact, nominal):
    """(13) and (18), put together from pinocchio's matrices."""
    arm = data.draw(joints(body.joint_count))
    block = ServicerDynamics(body, momentum_form)
    motion = block.derivative(block.initial_state(pose, twist, arm, nominal), thrust, contact, arm, nominal)
    orbit, laboratory = motion.simulated.start, motion.commanded.start
    q, dq, ddq = arm.array
    mass, coriolis = body.mass_matrix(q), body.coriolis_matrix(q, twist, dq)
    forces = thrust.vector + body.jacobians(q)[0].T @ contact.vector
    bias = mass[:6, 6:] @ ddq + coriolis[:6, :6] @ twist.vector + coriolis[:6, 6:] @ dq
    rate = transported_twist_rate(laboratory.pose, laboratory.twist, nominal.twist, nominal.acceleration)
    fictitious = mass[:6, :6] @ rate.vector
    limit = 1e-11 * (1.0 + np.linalg.norm(forces) + np.linalg.norm(bias) + np.linalg.norm(fictitious))
    assert_allclose(orbit.twist.vector, twist.vector, atol=1e-11)
    assert_allclose(mass[:6, :6] @ orbit.acceleration.vector + bias, forces, atol=limit)
    left = mass[:6, :6] @ laboratory.acceleration.vector + bias
    assert_allclose(left, forces - fictitious, atol=limit)


@repeatable
@given(data=st.data(), twist=twists, thrust=wrenches, contact=wrenches)
def test_with_the_arm_left_to_itself_it_is_the_free_flyer(body, data, twist, thrust, contact):
    """(13) with the joint accelerations of (12) gives the base acceleration of (12)."""
    arm = data.draw(joints(body.joint_count))
    torque = arm.acceleration * 3.0
    base, ddq = body.forward_dynamics(arm.position, twist, arm.velocity, thrust, torque, contact)
    moving = JointSample.of(arm.position, arm.velocity, ddq)
    block, nominal = ServicerDynamics(body, momentum_form=False), swaying(0.7)
    state = block.initial_state(POSE, twist, moving, nominal)
    motion = block.derivative(state, thrust, contact, moving, nominal)
    scale = 1.0 + np.linalg.norm(base.vector) + np.linalg.norm(ddq)
    assert_allclose(motion.simulated.start.acceleration.vector, base.vector, atol=1e-10 * scale)


def test_dropping_the_joint_acceleration_is_seen(servicer):
    arm, nominal = arm_at(7, 0.0), swaying(0.0)
    block = ServicerDynamics(servicer, momentum_form=False)
    state = block.initial_state(POSE, TWIST, arm, nominal)
    blind = JointSample.of(arm.position, arm.velocity)
    seen, missed = (block.derivative(state, THRUST, CONTACT, sample, nominal) for sample in (arm, blind))
    difference = seen.simulated.start.acceleration - missed.simulated.start.acceleration
    mass = servicer.mass_matrix(arm.position)
    expected = -np.linalg.solve(mass[:6, :6], mass[:6, 6:] @ arm.acceleration)
    assert_allclose(difference.vector, expected, atol=1e-14)
    assert np.linalg.norm(expected) > 1e-4


def test_the_momentum_form_knows_the_velocity_without_the_joint_acceleration(body):
    arm, nominal = arm_at(body.joint_count, 0.0), swaying(0.0)
    block = ServicerDynamics(body)
    state = block.initial_state(POSE, TWIST, arm, nominal)
    blind = JointSample.of(arm.position, arm.velocity)
    seen, missed = (block.derivative(state, THRUST, CONTACT, sample, nominal) for sample in (arm, blind))
    assert_array_equal(seen.simulated.start.twist.vector, missed.simulated.start.twist.vector)
    assert_array_equal(seen.commanded.start.twist.vector, missed.commanded.start.twist.vector)


# ---- matching ----


@FORMS
def test_nominal_and_laboratory_make_the_orbit(body, momentum_form):
    motion = fly(ServicerDynamics(body, momentum_form), 1000)
    nominal, orbit, laboratory = swaying(2.0), motion.simulated.end, motion.commanded.end
    assert position_error(nominal.pose * laboratory.pose, orbit.pose) < 1e-9
    assert orientation_error(nominal.pose * laboratory.pose, orbit.pose) < 1e-10
    twist = laboratory.twist + laboratory.pose.actInv(nominal.twist)
    assert_allclose(twist.vector, orbit.twist.vector, atol=1e-9)


def test_both_forms_are_the_same_motion(body):
    by_momentum, by_acceleration = (fly(ServicerDynamics(body, form), 500) for form in (True, False))
    assert_allclose(by_momentum.simulated.end.array, by_acceleration.simulated.end.array, atol=1e-9)
    assert_allclose(by_momentum.commanded.end.array, by_acceleration.commanded.end.array, atol=1e-9)


@FORMS
def test_steps_are_of_order_four(body, momentum_form):
    block = ServicerDynamics(body, momentum_form)
    ends = [fly(block, count) for count in (20, 40, 80, 1280)]
    for part in (0, 1):
        errors = [np.linalg.norm((end.array - ends[-1].array)[part, 1]) for end in ends[:-1]]
        assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 4.0, atol=0.3)


@FORMS
def test_twists_and_accelerations_are_derivatives_of_the_poses(body, momentum_form):
    block, dt = ServicerDynamics(body, momentum_form), 1e-3
    state = block.initial_state(POSE, TWIST, arm_at(body.joint_count, 0.0), swaying(0.0))
    moments = []
    for k in range(5):
        arm = arm_at(body.joint_count, k * dt)
        state, motion = block.step(state, THRUST, CONTACT, arm, points_of(swaying, k * dt, dt), dt)
        moments.append((motion.simulated.start, motion.commanded.start))
    for which in (0, 1):
        motion = [moment[which] for moment in moments]
        twist = numerical_twist(lambda t, m=motion: m[round(t / dt)].pose, 2 * dt, dt)
        rate = numerical_rate(lambda t, m=motion: m[round(t / dt)].twist.vector, 2 * dt, dt)
        assert_allclose(twist, motion[2].twist.vector, atol=1e-9)
        assert_allclose(rate, motion[2].acceleration.vector, atol=1e-8)


# ---- limit cases ----


@FORMS
def test_without_joints_it_is_the_client(lump, momentum_form):
    block, client = ServicerDynamics(lump, momentum_form), ClientDynamics(RigidBody(lump.model.inertias[1]))
    none, at_base = JointSample(np.zeros((3, 0))), THRUST + CONTACT
    state = block.initial_state(POSE, TWIST, none, swaying(0.0))
    expected_state = client.initial_state(POSE, TWIST, swaying(0.0))
    for k in range(500):
        points = points_of(swaying, k * 0.004, 0.004)
        state, motion = block.step(state, THRUST, CONTACT, none, points, 0.004)
        expected_state, expected = client.step(expected_state, at_base, points, 0.004)
    assert_allclose(motion.simulated.end.array, expected.simulated.end.array, atol=1e-9)
    assert_allclose(motion.commanded.end.array, expected.commanded.end.array, atol=1e-9)


@FORMS
def test_with_the_arm_locked_it_is_one_rigid_body(body, momentum_form):
    arm = JointSample.of(arm_at(body.joint_count, 1.0).position, np.zeros(body.joint_count))
    composite = inertia_of(body.mass_matrix(arm.position)[:6, :6])
    block, client = ServicerDynamics(body, momentum_form), ClientDynamics(RigidBody(composite))
    state = block.initial_state(POSE, TWIST, arm, swaying(0.0))
    expected_state = client.initial_state(POSE, TWIST, swaying(0.0))
    for k in range(500):
        points = points_of(swaying, k * 0.004, 0.004)
        state, motion = block.step(state, THRUST, NO_WRENCH, arm, points, 0.004)
        expected_state, expected = client.step(expected_state, THRUST, points, 0.004)
    assert_allclose(motion.simulated.end.array, expected.simulated.end.array, atol=1e-10)
    assert_allclose(motion.commanded.end.array, expected.commanded.end.array, atol=1e-10)


@FORMS
def test_a_fixed_nominal_is_the_absolute_formulation(body, momentum_form):
    origin = pin.SE3(pin.exp3(np.array([0.3, 0.8, -0.2])), np.array([3.0, -1.0, 2.0]))
    _, points = FixedNominal(origin).step(None, 0, 1)
    motion = fly(ServicerDynamics(body, momentum_form), 200, nominal_at=lambda time: points.start)
    orbit, laboratory = motion.simulated.end, motion.commanded.end
    assert_allclose((origin * laboratory.pose).homogeneous, orbit.pose.homogeneous, atol=1e-12)
    assert_allclose(laboratory.array[7:], orbit.array[7:], atol=1e-12)


@FORMS
def test_a_co_rotating_servicer_starts_at_rest_in_the_laboratory(servicer, envisat, momentum_form):
    """V_b(0) = Ad(g_bt) V_t(0) makes V_s(0) = 0."""
    client = MotionSample.of(POSE, TWIST)
    pose = POSE * pin.SE3(pin.exp3(np.array([0.0, 0.0, 3.0])), np.array([4.8, 0.0, 0.0]))
    twist = pose.actInv(POSE.act(TWIST))
    block = ServicerDynamics(servicer, momentum_form)
    arm = JointSample.of(arm_at(7, 0.0).position, np.zeros(7))
    state = block.initial_state(pose, twist, arm, client)
    motion = block.derivative(state, NO_WRENCH, NO_WRENCH, arm, client)
    assert_allclose(motion.commanded.start.twist.vector, np.zeros(6), atol=1e-14)
    assert_allclose(motion.simulated.start.twist.vector, twist.vector, atol=1e-13)


# ---- invariants ----


@FORMS
def test_nothing_depends_on_where_the_inertial_frame_is(body, momentum_form):
    shift = pin.SE3(pin.exp3(np.array([1.0, -0.5, 0.3])), np.array([10.0, -20.0, 5.0]))

    def shifted(time: float) -> MotionSample:
        nominal = swaying(time)
        return MotionSample.of(shift * nominal.pose, nominal.twist, nominal.acceleration)

    block = ServicerDynamics(body, momentum_form)
    here, there = fly(block, 400), fly(block, 400, nominal_at=shifted, pose=shift * POSE)
    expected = shift * here.simulated.end.pose
    assert_allclose(there.simulated.end.pose.homogeneous, expected.homogeneous, atol=1e-12)
    assert_allclose(there.commanded.end.pose.homogeneous, here.commanded.end.pose.homogeneous, atol=1e-12)
    assert_allclose(there.simulated.end.array[7:], here.simulated.end.array[7:], atol=1e-12)


def test_a_moving_arm_does_not_change_the_momentum(body):
    """Momentum form: to rounding. Acceleration form: to the error of its integrator."""
    for momentum_form, limit in ((True, 1e-12), (False, 1e-9)):
        motion = fly(ServicerDynamics(body, momentum_form), 500, forces=(NO_WRENCH, NO_WRENCH))
        arms = arm_at(body.joint_count, 0.0), arm_at(body.joint_count, 2.0)
        start = momentum_in_space(body, MotionSample.of(POSE, TWIST), arms[0])
        end = momentum_in_space(body, motion.simulated.end, arms[1])
        assert_allclose(end, start, atol=limit * np.linalg.norm(start))
        coasting = POSE * pin.exp6(TWIST * 2.0)
        assert position_error(motion.simulated.end.pose, coasting) > 1e-4  # the arm did push


def test_momentum_grows_by_the_impulse_of_thrust_and_contact(body):
    """A wrench that is fixed in space, turned into the body in every step."""
    block, dt, count = ServicerDynamics(body), 1e-3, 500
    arm = arm_at(body.joint_count, 0.0)
    state = block.initial_state(POSE, TWIST, arm, swaying(0.0))
    force, pull, twist = np.array([6.0, -4.0, 9.0]), np.array([2.0, 1.0, -3.0]), TWIST
    start = momentum_in_space(body, MotionSample.of(POSE, TWIST), arm)
    for k in range(count):
        arm = arm_at(body.joint_count, k * dt)
        middle = arm_at(body.joint_count, (k + 0.5) * dt)
        pose = state.pose_simulated * pin.exp6(twist * (0.5 * dt))
        tool = pose * body.end_effector_in_base(middle.position)
        thrust = pin.Force(pose.rotation.T @ force, np.zeros(3))
        contact = pin.Force(tool.rotation.T @ pull, np.zeros(3))
        state, motion = block.step(state, thrust, contact, arm, points_of(swaying, k * dt, dt), dt)
        twist = motion.simulated.end.twist
    end = momentum_in_space(body, motion.simulated.end, arm_at(body.joint_count, count * dt))
    assert_allclose((end - start)[:3], (force + pull) * count * dt, atol=1e-5)


# ---- impedance ----


def on_another_base(servicer: FreeFlyer) -> FreeFlyer:
    """The same arm, Assumption 2, on a lighter base with its mass elsewhere."""
    model = servicer.model.copy()
    model.inertias[1] = pin.Inertia(90.0, np.array([0.05, -0.1, 0.2]), np.diag([12.0, 20.0, 15.0]))
    return FreeFlyer(model, model.frames[servicer.end_effector].name)


def acceleration_of(robot: FreeFlyer, twist, arm, control, contact) -> np.ndarray:
    """(14) solved for dV_s."""
    q, dq, ddq = arm.array
    mass = robot.mass_matrix(q)
    forces = control.vector + robot.jacobians(q)[0].T @ contact.vector
    bias = robot.nonlinear_effects(q, twist, dq)[:6] + mass[:6, 6:] @ ddq
    return np.linalg.solve(mass[:6, :6], forces - bias)


@repeatable
@given(data=st.data(), measured=motions, thrust=wrenches, contact=wrenches, nominal=motions)
def test_a_robot_with_another_base_moves_as_the_servicer(body, data, measured, thrust, contact, nominal):
    """(16) corrected, in (14), gives the acceleration of (18)."""
    arm, robot = data.draw(joints(body.joint_count)), on_another_base(body)
    control = ServicerImpedance(body, robot).wrench(measured, arm, thrust, contact, nominal)
    achieved = acceleration_of(robot, measured.twist, arm, control, contact)
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    block = ServicerDynamics(body, momentum_form=False)
    state = block.initial_state(nominal.pose * measured.pose, twist, arm, nominal)
    expected = block.derivative(state, thrust, contact, arm, nominal).commanded.start.acceleration.vector
    size = 1.0 + np.linalg.norm(expected) + np.linalg.norm(control.vector)
    assert_allclose(achieved, expected, atol=1e-11 * size)


@repeatable
@given(data=st.data(), measured=motions, thrust=wrenches, contact=wrenches, nominal=motions)
def test_a_robot_with_the_base_of_the_servicer_needs_eq_17(body, data, measured, thrust, contact, nominal):
    """M_s = M_b: neither contact nor joint acceleration is left in it."""
    arm = data.draw(joints(body.joint_count))
    actual = ServicerImpedance(body, body).wrench(measured, arm, thrust, contact, nominal).vector
    q, dq, _ = arm.array
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    rate = transported_twist_rate(measured.pose, measured.twist, nominal.twist, nominal.acceleration).vector
    in_laboratory, in_orbit = (body.coriolis_matrix(q, v, dq)[:6] for v in (measured.twist, twist))
    terms = [
        in_laboratory[:, :6] @ measured.twist.vector,
        -in_orbit[:, :6] @ twist.vector,
        (in_laboratory[:, 6:] - in_orbit[:, 6:]) @ dq,
        thrust.vector,
        -body.mass_matrix(q)[:6, :6] @ rate,
    ]
    size = sum(np.linalg.norm(term) for term in [*terms, contact.vector, np.ones(1)])
    assert_allclose(actual, sum(terms), atol=1e-12 * size)  # (17)


def test_contact_and_joint_acceleration_matter_for_another_base(servicer):
    """The two corrections of (16), each by itself; as printed, it misses by these."""
    law, robot = ServicerImpedance(servicer, on_another_base(servicer)), on_another_base(servicer)
    arm, measured, nominal = arm_at(7, 0.5), swaying(1.0), swaying(2.0)
    still = JointSample.of(arm.position, arm.velocity)
    mass, mass_robot = servicer.mass_matrix(arm.position), robot.mass_matrix(arm.position)
    ratio = mass_robot[:6, :6] @ np.linalg.inv(mass[:6, :6])
    at_base = servicer.jacobians(arm.position)[0].T @ CONTACT.vector
    base = law.wrench(measured, still, THRUST, NO_WRENCH, nominal).vector
    touched = law.wrench(measured, still, THRUST, CONTACT, nominal).vector - base
    accelerated = law.wrench(measured, arm, THRUST, NO_WRENCH, nominal).vector - base
    assert_allclose(touched, (ratio - np.eye(6)) @ at_base, atol=1e-10)  # printed: 2 K J_b^T F_e
    expected = (np.eye(6) - ratio) @ mass[:6, 6:] @ arm.acceleration  # printed: 0
    assert_allclose(accelerated, expected, atol=1e-10)
    assert min(np.linalg.norm(touched), np.linalg.norm(accelerated)) > 0.1
