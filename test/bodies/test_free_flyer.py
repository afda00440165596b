"""Base and arm, eq. (12): any tree of joints, matrices against finite differences, C against pinocchio."""
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose
from spatial.tolerance import assert_near

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.spatial import JointSample, MotionSample

from .robots import ROBOTS, Robot, chain

SERVICER = Path(__file__).resolve().parents[2] / "urdf" / "servicer.urdf"
STATES = 5


@pytest.fixture(scope="module", params=[*ROBOTS, "servicer.urdf"])
def free_flyer(request, tmp_path_factory) -> FreeFlyer:
    if request.param not in ROBOTS:
        return FreeFlyer.from_urdf(SERVICER, "gripper")
    robot, end_effector, _ = ROBOTS[request.param]
    return read(robot, end_effector, tmp_path_factory.mktemp("robot"))


def read(robot: Robot, end_effector: str, folder: Path) -> FreeFlyer:
    path = folder / "robot.urdf"
    path.write_text(robot.urdf(), encoding="utf-8")
    return FreeFlyer.from_urdf(path, end_effector)


def states(free_flyer: FreeFlyer) -> Iterator[tuple[np.ndarray, pin.Motion, np.ndarray]]:
    """(q, V_b, dq); joints go round more than once, as continuous ones may."""
    random = np.random.default_rng(11)
    for _ in range(STATES):
        n = free_flyer.joint_count
        yield random.uniform(-4.0, 4.0, n), pin.Motion(random.normal(size=6)), random.normal(size=n)


def together(twist: pin.Motion, dq: np.ndarray) -> np.ndarray:
    return np.concatenate([twist.vector, dq])


def rate_of(function, step: float = 1e-3) -> np.ndarray:
    """Derivative at zero: central differences, extrapolated to order four."""
    slope = [(function(h) - function(-h)) / (2 * h) for h in (step, step / 2)]
    return (4 * slope[1] - slope[0]) / 3


# ---- reading ----


@pytest.mark.parametrize("name", ROBOTS)
def test_every_moving_joint_is_one_number(name, tmp_path):
    robot, end_effector, joints = ROBOTS[name]
    free_flyer = read(robot, end_effector, tmp_path)
    assert free_flyer.joint_count == joints == len(free_flyer.joint_names)
    assert free_flyer.model.nq == 7 + joints
    assert free_flyer.model.nv == 6 + joints


@pytest.mark.parametrize("name", ROBOTS)
def test_no_mass_is_lost(name, tmp_path):
    robot, end_effector, _ = ROBOTS[name]
    links = robot.urdf().count("<link")
    assert read(robot, end_effector, tmp_path).mass == pytest.approx(50.0 + 3.0 * (links - 1), rel=1e-14)


def test_fixed_joints_are_merged_into_what_carries_them(tmp_path):
    free_flyer = read(*ROBOTS["fixed joints"][:2], tmp_path)
    assert free_flyer.joint_names == ["shoulder", "elbow"]
    masses = [inertia.mass for inertia in free_flyer.model.inertias][1:]
    assert_allclose(masses, [56.0, 6.0, 6.0], rtol=1e-14)


def test_joints_come_in_pinocchio_s_order_parents_first(tmp_path):
    free_flyer = read(*ROBOTS["tree"][:2], tmp_path)
    assert set(free_flyer.joint_names) == {"left_1", "left_2", "right_1", "right_2", "right_3", "right_4"}
    assert all(free_flyer.model.parents[joint] < joint for joint in range(1, free_flyer.model.njoints))


def test_a_continuous_joint_has_no_limits_even_if_its_effort_has(tmp_path):
    robot = Robot(7).joint("wheel", "base", "disc", "continuous")
    text = robot.urdf().replace("</joint>", '<limit effort="5" velocity="2"/></joint>')
    path = tmp_path / "wheel.urdf"
    path.write_text(text, encoding="utf-8")
    model = FreeFlyer.from_urdf(path, "disc").model
    assert model.upperPositionLimit[7] > 1e9
    assert model.lowerPositionLimit[7] < -1e9


def test_an_axis_need_not_have_unit_length(tmp_path):
    axes = (0.0, 3.0, 4.0), (0.0, 0.6, 0.8)
    long, unit = (read(Robot(8).joint("turn", "base", "tip", axis=axis), "tip", tmp_path) for axis in axes)
    q, dq = np.array([0.7]), np.array([1.3])
    twist = pin.Motion(np.linspace(-1.0, 1.0, 6))
    assert_near(long.mass_matrix(q), unit.mass_matrix(q), atol=1e-13)
    momenta = [flyer.momentum_in_base(q, twist, dq).vector for flyer in (long, unit)]
    assert_near(momenta[0], momenta[1], atol=1e-13)


def test_there_is_no_gravity(free_flyer):
    assert_near(free_flyer.model.gravity.vector, np.zeros(6), atol=0)


# ---- mass matrix, energy, momentum ----


def test_mass_matrix_is_symmetric_positive_and_gives_the_energy(free_flyer):
    for q, twist, dq in states(free_flyer):
        mass, v = free_flyer.mass_matrix(q), together(twist, dq)
        assert_near(mass, mass.T, atol=0)
        assert np.linalg.eigvalsh(mass).min() > 0.0
        assert free_flyer.kinetic_energy(q, twist, dq) == pytest.approx(0.5 * v @ mass @ v, rel=1e-12)


def test_kinetic_energy_is_the_sum_over_the_links(free_flyer):
    """From the velocity of every body in space: independent of the mass matrix."""
    model, data = free_flyer.model, free_flyer.model.createData()
    for q, twist, dq in states(free_flyer):
        configuration = pin.neutral(model)
        configuration[7:] = q
        pin.forwardKinematics(model, data, configuration, together(twist, dq))
        energies = [RigidBody(model.inertias[i]).kinetic_energy(data.v[i]) for i in range(1, model.njoints)]
        assert free_flyer.kinetic_energy(q, twist, dq) == pytest.approx(sum(energies), rel=1e-12)


def test_momentum_in_c_is_the_base_row_of_the_mass_matrix(free_flyer):
    for q, twist, dq in states(free_flyer):
        expected = free_flyer.mass_matrix(q)[:6] @ together(twist, dq)
        momentum = free_flyer.momentum_in_base(q, twist, dq)
        assert_near(momentum.vector, expected, atol=1e-12 * (1.0 + np.abs(expected).max()))


def test_momentum_in_c_is_pinocchio_s_centroidal_momentum(free_flyer):
    model, data = free_flyer.model, free_flyer.model.createData()
    for q, twist, dq in states(free_flyer):
        configuration = pin.neutral(model)
        configuration[7:] = q
        about_centre = pin.computeCentroidalMomentum(model, data, configuration, together(twist, dq))
        expected = pin.SE3(np.eye(3), data.com[0]).act(about_centre).vector
        momentum = free_flyer.momentum_in_base(q, twist, dq).vector
        assert_near(momentum, expected, atol=1e-12 * (1.0 + np.abs(expected).max()))


# ---- Coriolis matrix ----


def test_coriolis_matrix_times_velocity_is_the_nonlinear_effect(free_flyer):
    for q, twist, dq in states(free_flyer):
        effect = free_flyer.nonlinear_effects(q, twist, dq)
        product = free_flyer.coriolis_matrix(q, twist, dq) @ together(twist, dq)
        assert_near(product, effect, atol=1e-12 * (1.0 + np.abs(effect).max()))


def test_rate_of_mass_minus_twice_coriolis_is_skew(free_flyer):
    """What the passivity of (25) and (26) rests on; the rate by finite differences along dq."""
    for q, twist, dq in states(free_flyer):
        rate = rate_of(lambda h, q=q, dq=dq: free_flyer.mass_matrix(q + h * dq))
        skew = rate - 2.0 * free_flyer.coriolis_matrix(q, twist, dq)
        assert_near(skew, -skew.T, atol=1e-9 * (1.0 + np.abs(rate).max()))


def test_momentum_in_space_does_not_change_without_forces(free_flyer):
    """d/dt (Ad*(g_b) p) = 0 under the accelerations of (12), whatever the joint torques; numerically."""
    random = np.random.default_rng(2)
    none = pin.Force.Zero()
    for q, twist, dq in states(free_flyer):
        torque = random.normal(size=free_flyer.joint_count)
        dV, ddq = free_flyer.forward_dynamics(q, twist, dq, none, torque, none)

        def momentum(h, q=q, twist=twist, dq=dq, dV=dV, ddq=ddq):
            pose = pin.exp6(twist * h + dV * (h * h / 2))
            now = free_flyer.momentum_in_base(q + h * dq + h * h / 2 * ddq, twist + dV * h, dq + h * ddq)
            return pose.act(now).vector

        size = 1.0 + np.abs(momentum(0.0)).max() * (1.0 + np.abs(ddq).max(initial=0.0)) ** 2
        assert_near(rate_of(momentum, 1e-4), np.zeros(6), atol=1e-8 * size)


# ---- Jacobians ----


def test_jacobians_give_the_twist_of_the_end_effector(free_flyer):
    for q, twist, dq in states(free_flyer):

        def moved(h, q=q, twist=twist, dq=dq):
            there = pin.exp6(twist * h) * free_flyer.end_effector_in_base(q + h * dq)
            return pin.log6(free_flyer.end_effector_in_base(q).actInv(there)).vector

        jacobian_base, jacobian_joints = free_flyer.jacobians(q)
        assert_near(jacobian_base @ twist.vector + jacobian_joints @ dq, rate_of(moved), atol=2e-9)


def test_the_base_jacobian_is_the_adjoint_of_where_the_end_effector_is(free_flyer):
    for q, _, _ in states(free_flyer):
        expected = free_flyer.end_effector_in_base(q).toActionMatrixInverse()
        assert_near(free_flyer.jacobians(q)[0], expected, atol=1e-13)


# ---- forward dynamics ----


def test_forward_dynamics_solves_the_equation_of_motion(free_flyer):
    random = np.random.default_rng(3)
    for q, twist, dq in states(free_flyer):
        thrust, contact = pin.Force(random.normal(size=6)), pin.Force(random.normal(size=6))
        torque = random.normal(size=free_flyer.joint_count)
        dV, ddq = free_flyer.forward_dynamics(q, twist, dq, thrust, torque, contact)
        jacobian = np.hstack(free_flyer.jacobians(q))
        left = free_flyer.mass_matrix(q) @ together(dV, ddq) + free_flyer.nonlinear_effects(q, twist, dq)
        right = np.concatenate([thrust.vector, torque]) + jacobian.T @ contact.vector
        assert_near(left, right, atol=1e-10 * (1.0 + np.abs(ddq).max(initial=0.0)))


def test_forward_dynamics_forgets_the_contact_of_the_call_before(free_flyer):
    (q, twist, dq), *_ = states(free_flyer)
    none, torque = pin.Force.Zero(), np.zeros(free_flyer.joint_count)
    before, _ = free_flyer.forward_dynamics(q, twist, dq, none, torque, none)
    free_flyer.forward_dynamics(q, twist, dq, none, torque, pin.Force(np.full(6, 100.0)))
    after, _ = free_flyer.forward_dynamics(q, twist, dq, none, torque, none)
    assert_near(after.vector, before.vector, atol=0)


def test_results_do_not_change_when_the_next_state_is_asked_for(free_flyer):
    (q, twist, dq), (other_q, other_twist, other_dq), *_ = states(free_flyer)

    def everything(*state):
        yield free_flyer.mass_matrix(state[0])
        yield free_flyer.coriolis_matrix(*state)
        yield free_flyer.nonlinear_effects(*state)
        yield from free_flyer.jacobians(state[0])
        yield free_flyer.momentum_in_base(*state).vector
        yield free_flyer.end_effector_in_base(state[0]).homogeneous

    kept = list(everything(q, twist, dq))
    copies = [np.array(value) for value in kept]
    list(everything(other_q, other_twist, other_dq))
    for value, copy in zip(kept, copies):
        assert_near(value, copy, atol=0)


# ---- the kernels ----


@pytest.mark.parametrize("momentum_form", [True, False])
def test_base_acceleration_in_c_is_pinocchio_s(free_flyer, momentum_form):
    """(13), given the joint accelerations that go with it."""
    random = np.random.default_rng(4)
    dynamics = ServicerDynamics(free_flyer, momentum_form)
    for q, twist, dq in states(free_flyer):
        thrust, contact = pin.Force(random.normal(size=6)), pin.Force(random.normal(size=6))
        torque = random.normal(size=free_flyer.joint_count)
        dV, ddq = free_flyer.forward_dynamics(q, twist, dq, thrust, torque, contact)
        pose, nominal = pin.SE3.Random(), MotionSample.of(pin.SE3.Random(), pin.Motion.Random())
        joints = JointSample.of(q, dq, ddq)
        state = dynamics.initial_state(pose, twist, joints, nominal)
        motion = dynamics.derivative(state, thrust, contact, joints, nominal).simulated.start
        assert_near(motion.twist.vector, twist.vector, atol=1e-12)
        size = 1.0 + np.abs(together(dV, ddq)).max()
        assert_near(motion.acceleration.vector, dV.vector, atol=1e-12 * size)


def test_joint_rows_in_c_are_pinocchio_s(free_flyer):
    """M_bq^T, g(q) and both Coriolis blocks, through the torque (22)."""
    random = np.random.default_rng(6)
    gravity = np.array([1.0, -2.0, -9.0])
    feed_forward = ArmFeedForward(free_flyer, pin.SE3.Identity(), gravity)
    for q, twist, dq in states(free_flyer):
        slow, acceleration = pin.Motion(random.normal(size=6)), pin.Motion(random.normal(size=6))
        laboratory = MotionSample.of(pin.SE3.Random(), slow, acceleration)
        orbit = MotionSample.of(pin.SE3.Identity(), twist)
        torque = feed_forward.step(np.zeros(len(q)), JointSample.of(q, dq), laboratory, orbit)
        coupling = free_flyer.mass_matrix(q)[:6, 6:].T
        fast_matrix, slow_matrix = (free_flyer.coriolis_matrix(q, V, dq)[6:] for V in (twist, slow))
        up = np.concatenate([laboratory.pose.rotation.T @ -gravity, np.zeros(3)])
        size = 1.0 + np.abs(fast_matrix).max(initial=0.0) * (1.0 + np.abs(dq).max(initial=0.0))
        assert_near(torque.gravity, coupling @ up, atol=1e-11 * size)
        assert_near(torque.acceleration, coupling @ acceleration.vector, atol=1e-11 * size)
        assert_near(torque.coriolis_joints, (slow_matrix - fast_matrix)[:, 6:] @ dq, atol=1e-11 * size)
        base = slow_matrix[:, :6] @ slow.vector - fast_matrix[:, :6] @ twist.vector
        assert_near(torque.coriolis_base, base, atol=1e-11 * size)


def test_joint_accelerations_in_c_are_pinocchio_s(free_flyer):
    """Row two of (12) on a base whose motion is given: the arm in the laboratory, here without gravity."""
    random = np.random.default_rng(8)
    arm = GroundArm(free_flyer, pin.SE3.Identity(), np.zeros(3))
    for q, twist, dq in states(free_flyer):
        thrust, contact = pin.Force(random.normal(size=6)), pin.Force(random.normal(size=6))
        torque = random.normal(size=free_flyer.joint_count)
        dV, ddq = free_flyer.forward_dynamics(q, twist, dq, thrust, torque, contact)
        base = MotionSample.of(pin.SE3.Random(), twist, dV)
        joints = arm.step(base, base, JointSample.of(q, dq), torque, contact, 0.0)
        assert_near(joints.acceleration, ddq, atol=1e-9 * (1.0 + np.abs(ddq).max(initial=0.0)))


def test_without_joints_a_free_flyer_is_a_rigid_body(tmp_path):
    free_flyer = read(*ROBOTS["fixed joints only"][:2], tmp_path)
    body = RigidBody(free_flyer.model.inertias[1])
    twist, wrench = pin.Motion(np.linspace(-1.0, 1.0, 6)), pin.Force(np.linspace(2.0, 3.0, 6))
    none, nothing = pin.Force.Zero(), np.zeros(0)
    expected = body.acceleration(twist, wrench).vector
    dV, ddq = free_flyer.forward_dynamics(nothing, twist, nothing, wrench, nothing, none)
    assert_near(dV.vector, expected, atol=1e-13)
    assert ddq.shape == (0,)
    dynamics = ServicerDynamics(free_flyer)
    joints, nominal = JointSample.of(nothing, nothing), MotionSample.of(pin.SE3.Identity())
    state = dynamics.initial_state(pin.SE3.Identity(), twist, joints, nominal)
    motion = dynamics.derivative(state, wrench, none, joints, nominal)
    assert_near(motion.simulated.start.acceleration.vector, expected, atol=1e-13)


def test_models_are_read_once_and_packed_once(tmp_path):
    free_flyer = read(chain(3), "tip", tmp_path)
    assert free_flyer.packed is free_flyer.packed
    assert free_flyer.packed.size == 2 + 12 + 13 + 3 * (2 + 3 + 12 + 13)
