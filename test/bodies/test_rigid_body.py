"""A rigid body: closed forms, MuJoCo, one motion from two frames, balances of energy and momentum."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from spatial.strategies import inertias, poses, repeatable, twists, wrenches
from spatial.tolerance import assert_near

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.rigid_body import packed_inertia
from hil_relative_dynamics.spatial import rk4_step, transport_wrench

LOPSIDED = RigidBody(pin.Inertia(7.0, np.array([0.3, -0.1, 0.2]), np.diag([1.0, 2.0, 2.5])))


def no_wrench(time, pose):
    return pin.Force.Zero()


def flown(body, pose, twist, wrench_at, duration, count):
    """RK4 under a wrench that depends on time and pose."""

    def law(time, poses, vector):
        now = pin.Motion(vector)
        return [now], body.acceleration(now, wrench_at(time, poses[0])).vector

    here, vector, dt = [pose], twist.vector, duration / count
    for index in range(count):
        here, vector = rk4_step(law, index * dt, here, vector, dt)
    return here[0], pin.Motion(vector)


# ---- closed forms ----


@repeatable
@given(inertias, twists, wrenches)
def test_newton_and_euler_at_the_centre_of_mass(inertia, twist, wrench):
    """m (dv + w x v) = f,  J dw + w x J w = n, with the origin at the centre of mass."""
    tensor = inertia.inertia
    body = RigidBody(pin.Inertia(inertia.mass, np.zeros(3), tensor))
    v, w = twist.linear, twist.angular
    acceleration = body.acceleration(twist, wrench)
    assert_near(acceleration.linear, wrench.linear / inertia.mass - np.cross(w, v), atol=1e-12)
    euler = np.linalg.solve(tensor, wrench.angular - np.cross(w, tensor @ w))
    assert_near(acceleration.angular, euler, atol=1e-11 * (1.0 + np.abs(euler).max()))


def test_an_axisymmetric_body_precesses():
    """w turns about the axis of symmetry at (J_a - J_t) / J_t times the spin."""
    body = RigidBody(pin.Inertia(5.0, np.zeros(3), np.diag([2.0, 2.0, 3.0])))
    spin, wobble, duration = 0.8, 0.3, 30.0
    start = pin.Motion(np.zeros(3), np.array([wobble, 0.0, spin]))
    _, twist = flown(body, pin.SE3.Identity(), start, no_wrench, duration, 3000)
    phase = (3.0 - 2.0) / 2.0 * spin * duration
    assert_near(twist.angular, [wobble * np.cos(phase), wobble * np.sin(phase), spin], atol=1e-10)


def test_a_free_body_turns_about_its_centre_of_mass():
    """Seen from a frame elsewhere on the body: the origin circles, the centre of mass stays."""
    lever, angular = np.array([-3.862, -0.009, 0.003]), np.array([0.0, 0.0, 0.4])
    body = RigidBody(pin.Inertia(7828.0, lever, np.diag([17023.3, 124825.7, 129112.2])))
    twist = pin.Motion(-np.cross(angular, lever), angular)
    pose, _ = flown(body, pin.SE3.Identity(), twist, no_wrench, 20.0, 2000)
    assert_near(pose.act(lever), lever, atol=1e-11)
    assert_near(pin.log3(pose.rotation @ pin.exp3(-8.0 * np.eye(3)[2])), np.zeros(3), atol=1e-12)


# ---- MuJoCo ----


def test_accelerations_are_those_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    random = np.random.default_rng(5)
    points = random.normal(size=(6, 3))
    tensor = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    lever, mass = np.array([0.4, -0.2, 0.7]), 8.0
    spec = mujoco.MjSpec()
    spec.option.gravity = np.zeros(3)
    link = spec.worldbody.add_body(name="body", mass=mass, ipos=lever, explicitinertial=True)
    link.fullinertia = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    link.add_freejoint()
    model = spec.compile()
    data = mujoco.MjData(model)
    body = RigidBody(pin.Inertia(mass, lever, tensor))
    for _ in range(20):
        rotation, position = pin.exp3(random.normal(size=3)), random.normal(size=3)
        twist, wrench = pin.Motion(random.normal(size=6)), pin.Force(random.normal(size=6))
        x, y, z, w = pin.Quaternion(rotation).coeffs()
        data.qpos[:] = [*position, w, x, y, z]
        data.qvel[:] = np.concatenate([rotation @ twist.linear, twist.angular])
        at_centre = rotation @ (wrench.angular - np.cross(lever, wrench.linear))
        data.xfrc_applied[1] = np.concatenate([rotation @ wrench.linear, at_centre])
        mujoco.mj_forward(model, data)
        acceleration = body.acceleration(twist, wrench)
        classical = acceleration.linear + np.cross(twist.angular, twist.linear)
        assert_near(rotation.T @ data.qacc[:3], classical, atol=1e-12)
        assert_near(data.qacc[3:], acceleration.angular, atol=1e-12)


# ---- the same body from two frames ----


@repeatable
@given(inertias, twists, wrenches, poses)
def test_one_motion_described_from_two_frames(inertia, twist, wrench, pose_b_in_a):
    """Frames a and b are fixed to the body: what is known in one follows in the other."""
    body_a, body_b = RigidBody(inertia), RigidBody(pose_b_in_a.actInv(inertia))
    twist_b, wrench_b = pose_b_in_a.actInv(twist), pose_b_in_a.actInv(wrench)
    acceleration_a = body_a.acceleration(twist, wrench)
    acceleration_b = body_b.acceleration(twist_b, wrench_b)
    size = 1.0 + np.abs(acceleration_a.vector).max()
    assert_near(pose_b_in_a.act(acceleration_b).vector, acceleration_a.vector, atol=1e-10 * size)
    assert body_b.kinetic_energy(twist_b) == pytest.approx(body_a.kinetic_energy(twist), rel=1e-11, abs=1e-11)
    coriolis = transport_wrench(body_b.coriolis_wrench(twist_b), pose_b_in_a)
    assert_near(coriolis.vector, body_a.coriolis_wrench(twist).vector, atol=1e-8)
    moved = body_b.momentum(pose_b_in_a, twist_b)
    assert_near(moved.vector, body_a.momentum(pin.SE3.Identity(), twist).vector, atol=1e-8)


# ---- balances ----


@repeatable
@given(inertias, twists, wrenches)
def test_kinetic_energy_changes_with_the_power_of_the_wrench(inertia, twist, wrench):
    body, v = RigidBody(inertia), twist.vector
    assert body.kinetic_energy(twist) == pytest.approx(0.5 * v @ inertia.matrix() @ v, abs=1e-9)
    rate = (inertia * body.acceleration(twist, wrench)).dot(twist)
    assert rate == pytest.approx(twist.dot(wrench), abs=1e-10)
    assert twist.dot(body.coriolis_wrench(twist)) == pytest.approx(0.0, abs=1e-9)


def test_momentum_and_energy_are_kept_without_a_wrench():
    start = pin.SE3(pin.exp3(np.ones(3)), np.array([1.0, -2.0, 3.0]))
    twist = pin.Motion(np.linspace(0.1, 0.6, 6))
    end, twist_end = flown(LOPSIDED, start, twist, no_wrench, 10.0, 5000)
    before, after = LOPSIDED.momentum(start, twist), LOPSIDED.momentum(end, twist_end)
    assert_near(after.vector, before.vector, atol=1e-11)
    assert LOPSIDED.kinetic_energy(twist_end) == pytest.approx(LOPSIDED.kinetic_energy(twist), rel=1e-12)
    assert np.linalg.norm(end.translation - start.translation) > 1.0


def test_momentum_changes_by_the_impulse_of_a_force_fixed_in_space():
    wrench_world = pin.Force(np.arange(1.0, 7.0))
    start, twist = pin.SE3.Identity(), pin.Motion(np.full(6, 0.2))
    end, twist_end = flown(LOPSIDED, start, twist, lambda time, pose: pose.actInv(wrench_world), 1.0, 1000)
    change = LOPSIDED.momentum(end, twist_end) - LOPSIDED.momentum(start, twist)
    assert_allclose(change.vector, wrench_world.vector, rtol=1e-9)


# ---- what the kernels get ----


@repeatable
@given(inertias)
def test_packed_inertia_is_mass_first_moment_and_tensor_about_the_origin(inertia):
    packed = packed_inertia(inertia)
    assert packed.shape == (13,)
    assert packed[0] == inertia.mass
    assert_allclose(packed[1:4], inertia.mass * inertia.lever, rtol=1e-15)
    about_origin = inertia.inertia - inertia.mass * pin.skew(inertia.lever) @ pin.skew(inertia.lever)
    assert_allclose(packed[4:].reshape(3, 3), about_origin, rtol=1e-13, atol=1e-12)
    assert_near(RigidBody(inertia).inverse_matrix() @ inertia.matrix(), np.eye(6), atol=1e-9)
