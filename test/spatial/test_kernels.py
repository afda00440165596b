"""The algebra and the integrator in C say the same as those in Python."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.matching.pair import relative_motion
from hil_relative_dynamics.spatial import MotionPoints, MotionSample, rk4_step, transported_twist_rate

from .strategies import directions, inertias, poses, repeatable, twists, vectors, wrenches
from .tolerance import assert_near


@repeatable
@given(inertias, poses, twists, poses, twists, twists, wrenches)
def test_client_derivative(inertia, pose, twist, pose_nominal, twist_nominal, acceleration_nominal, wrench):
    """(2) and (11), with the rate of the transported twist."""
    body = RigidBody(inertia)
    nominal = MotionSample.of(pose_nominal, twist_nominal, acceleration_nominal)
    client = ClientDynamics(body)
    motion = client.derivative(client.initial_state(pose, twist, nominal), wrench, nominal)

    pose_relative, twist_relative = relative_motion(pose, twist, nominal)
    acceleration = body.acceleration(twist, wrench)
    rate = transported_twist_rate(pose_relative, twist_relative, twist_nominal, acceleration_nominal)
    size = 1.0 + np.linalg.norm(acceleration.vector) + np.linalg.norm(rate.vector)
    assert_near(motion.simulated.start.acceleration.vector, acceleration.vector, atol=1e-13 * size)
    assert_near(
        motion.commanded.start.acceleration.vector, (acceleration - rate).vector, atol=1e-13 * size
    )


@repeatable
@given(poses, twists, twists, poses, twists, twists)
def test_mapping(pose_nominal, twist_nominal, acceleration_nominal, pose, twist, acceleration):
    """(23), and its rate."""
    nominal = MotionSample.of(pose_nominal, twist_nominal, acceleration_nominal)
    measured = MotionSample.of(pose, twist, acceleration)
    for mapped in RelativeMapping().step(nominal, measured, measured):
        rate = transported_twist_rate(pose, twist, twist_nominal, acceleration_nominal)
        assert_near(mapped.pose.homogeneous, (pose_nominal * pose).homogeneous, atol=2e-14)
        assert_near(mapped.twist.vector, (twist + pose.actInv(twist_nominal)).vector, atol=1e-13)
        assert_near(mapped.acceleration.vector, (acceleration + rate).vector, atol=2e-13)


@repeatable
@given(inertias, poses, twists, st.sampled_from([1e-3, 1e-2, 0.1]))
def test_nominal_is_two_half_steps_of_rk4(inertia, pose, twist, dt):
    body = RigidBody(inertia)
    twist = twist * 0.3
    _, points = UnforcedNominal(body, pose, twist).step(MotionSample.of(pose, twist), 0, round(1e9 * dt))

    def law(time, poses, vector):
        now = pin.Motion(vector)
        return [now], body.acceleration(now, pin.Force.Zero()).vector

    here, vector = [pose], twist.vector
    for index in range(3):
        assert_near(points[index].pose.homogeneous, here[0].homogeneous, atol=2e-14)
        assert_near(points[index].twist.vector, vector, atol=2e-14)
        assert_near(points[index].acceleration.vector, law(0, here, vector)[1], atol=2e-13)
        here, vector = rk4_step(law, 0.0, here, vector, dt / 2)


@repeatable
@given(inertias, poses, twists, poses, twists, wrenches, st.sampled_from([1e-3, 0.1]))
def test_client_step_is_rk4(inertia, pose, twist, pose_nominal, twist_nominal, wrench, dt):
    """Body in orbit and its image in the laboratory together, with a nominal known at three points."""
    body, twist, twist_nominal = RigidBody(inertia), twist * 0.3, twist_nominal * 0.3
    nominal = UnforcedNominal(body, pose_nominal, twist_nominal)
    _, points = nominal.step(nominal.initial_state(), 0, round(1e9 * dt))
    client = ClientDynamics(body)
    state, motion = client.step(client.initial_state(pose, twist, points.start), wrench, points, dt)

    def law(time, poses, vector):
        now = points[round(2 * time / dt)]
        twist, twist_relative = pin.Motion(vector[:6]), pin.Motion(vector[6:])
        acceleration = body.acceleration(twist, wrench)
        rate = transported_twist_rate(poses[1], twist_relative, now.twist, now.acceleration)
        return [twist, twist_relative], np.concatenate([acceleration.vector, (acceleration - rate).vector])

    pose_relative, twist_relative = relative_motion(pose, twist, points.start)
    start = np.concatenate([twist.vector, twist_relative.vector])
    (orbit, laboratory), vector = rk4_step(law, 0.0, [pose, pose_relative], start, dt)
    size = 1.0 + np.abs(pose_relative.translation).max()
    assert_near(state.pose_simulated.homogeneous, orbit.homogeneous, atol=1e-14 * size)
    assert_near(state.pose_commanded.homogeneous, laboratory.homogeneous, atol=1e-14 * size)
    assert_near(state.array[14:], vector, atol=1e-14 * size)
    assert_near(motion.commanded.end.twist.vector, vector[6:], atol=1e-14 * size)


@pytest.mark.parametrize("angle", [0.0, 1e-200, 1e-9, 1e-3, 0.1999999, 0.2, 0.2000001, 1.0, 3.1, 6.0])
@repeatable
@given(axis=directions, linear=vectors)
def test_exponential(angle, axis, linear):
    """A wrench that keeps the twist constant: one step of any length is then one exponential."""
    body = RigidBody(pin.Inertia(2.0, np.zeros(3), np.eye(3)))
    twist = pin.Motion(linear, angle * axis)
    still = MotionPoints.of(*[MotionSample.of(pin.SE3.Identity())] * 3)
    client = ClientDynamics(body)
    start = client.initial_state(pin.SE3.Identity(), twist, still.start)
    state, _ = client.step(start, body.coriolis_wrench(twist), still, 1.0)
    assert_near(state.pose_simulated.homogeneous, pin.exp6(twist).homogeneous, atol=3e-14)
    assert_near(state.pose_commanded.homogeneous, pin.exp6(twist).homogeneous, atol=3e-14)


@repeatable
@given(poses, twists)
def test_poses_stay_poses(pose, twist):
    """Quaternions keep their length over two thousand half steps."""
    body = RigidBody(pin.Inertia(2.0, np.array([0.1, 0.0, 0.2]), np.diag([1.0, 2.0, 2.5])))
    nominal = UnforcedNominal(body, pose, twist)
    state = nominal.initial_state()
    for _ in range(1000):
        state, _ = nominal.step(state, 0, 10_000_000)
    assert np.linalg.norm(state.array[3:7]) == pytest.approx(1.0, abs=4e-16)
