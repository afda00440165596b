"""A flexible client relative to a nominal: matching, conservation, limits."""
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.evidence.validate_flexible_laws import skewed_body
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.flexible_client import FlexibleClientDynamics
from hil_relative_dynamics.spatial import (
    MotionPoints,
    MotionSample,
    orientation_error,
    position_error,
    rk4_step,
    transported_twist_rate,
)

from .motions import points_of, swaying

TUMBLE = pin.Motion(np.array([0.1, 0.0, -0.2]), np.array([0.05, -0.04, 0.08]))
PUSH = pin.Force(np.array([3.0, -2.0, 1.0]), np.array([0.2, 0.5, -0.3]))
NO_WRENCH, START = pin.Force.Zero(), pin.SE3.Identity()


def still(time):
    return MotionSample.of(START)


def slow_body() -> FlexibleBody:
    """The skewed one, undamped, with beams so soft that 10 ms follow them well."""
    stiff = skewed_body()
    softer = [
        replace(part, beam=replace(part.beam, stiffness=0.02 * part.beam.stiffness), modes=2, damping=0.0)
        for part in stiff.appendages
    ]
    return FlexibleBody(stiff.hub, softer)


@pytest.fixture(scope="module")
def body():
    return slow_body()


def fly(client, nominal, wrench, duration=2.0, dt=0.01, q=None):
    state = client.initial_state(START, TUMBLE, nominal(0.0), **({} if q is None else {"q": q}))
    for k in range(round(duration / dt)):
        state, _ = client.step(state, wrench, points_of(nominal, k * dt, dt), dt)
    return state


BENT = np.array([0.05, 0.01, -0.08, 0.0])


@pytest.mark.parametrize("wrench", [NO_WRENCH, PUSH], ids=["free", "pushed"])
def test_nominal_times_relative_is_absolute(body, wrench):
    state = fly(FlexibleClientDynamics(body), swaying, wrench, q=BENT)
    reached = swaying(2.0).pose * state.pose_commanded
    assert position_error(reached, state.pose_simulated) < 1e-8
    assert orientation_error(reached, state.pose_simulated) < 1e-8


def test_orbit_and_modes_do_not_depend_on_the_nominal(body):
    client = FlexibleClientDynamics(body)
    one, other = (fly(client, nominal, PUSH, q=BENT) for nominal in (swaying, still))
    assert_allclose(one.q, other.q, atol=1e-14)
    assert_allclose(one.array[:7], other.array[:7], atol=1e-13)
    assert position_error(one.pose_commanded, other.pose_commanded) > 0.1  # while the laboratory's motion does


def test_momentum_and_energy_stay_while_panels_ring(body):
    client = FlexibleClientDynamics(body)
    start = client.initial_state(START, TUMBLE, still(0.0), BENT)
    end = fly(client, still, NO_WRENCH, duration=5.0, dt=0.005, q=BENT)

    def momentum(state):
        return body.momentum(state.pose_simulated, state.twist_simulated, state.q, state.dq).vector.copy()

    assert_allclose(momentum(end), momentum(start), rtol=1e-9, atol=1e-9)
    energies = [body.energy(state.twist_simulated, state.q, state.dq) for state in (start, end)]
    assert_allclose(energies[1], energies[0], rtol=1e-6)
    assert np.abs(end.dq).max() > 1e-2  # they do ring


def test_steps_are_of_order_four(body):
    client = FlexibleClientDynamics(body)
    ends = [fly(client, swaying, PUSH, 0.64, dt, BENT).array for dt in (0.04, 0.02, 0.01, 0.0025)]
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.6)
    assert_allclose(np.log2(errors[1] / errors[2]), 4.0, atol=0.4)


def test_without_appendages_it_is_the_rigid_client(body):
    bare = FlexibleClientDynamics(FlexibleBody(body.hub, []))
    rigid = ClientDynamics(RigidBody(body.hub))
    one, other = (fly(client, swaying, PUSH) for client in (bare, rigid))
    assert_allclose(one.array, other.array, atol=1e-12)


def test_the_samples_of_a_step_are_its_ends(body):
    client = FlexibleClientDynamics(body)
    state = client.initial_state(START, TUMBLE, swaying(0.0), BENT)
    after, motion = client.step(state, PUSH, points_of(swaying, 0.0, 0.01), 0.01)
    assert_allclose(motion.array[:, :1], client.derivative(state, PUSH, swaying(0.0)).array, atol=1e-13)
    assert_allclose(motion.array[:, 1:], client.derivative(after, PUSH, swaying(0.01)).array, atol=1e-9)
    assert motion.simulated.array.shape == (2, 19)


def test_quaternions_stay_of_unit_length(body):
    """A length off by 1e-16 would double in every step."""
    client, motion = FlexibleClientDynamics(body), MotionPoints.of(*[still(0.0)] * 3)
    state = client.initial_state(START, pin.Motion(np.zeros(3), np.array([0.3, -0.2, 0.5])), still(0.0))
    for _ in range(400):
        state, _ = client.step(state, NO_WRENCH, motion, 0.02)
    assert_allclose(np.linalg.norm(state.array[3:7]), 1.0, atol=1e-15)
    rotation = state.pose_simulated.rotation
    assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)


def test_a_step_is_rk4_of_the_body_in_numpy(body):
    """The kernel, against the law of bodies/flexible.py and the integrator of spatial/."""
    client, dt, count = FlexibleClientDynamics(body), 0.02, body.modes
    state = client.initial_state(START, TUMBLE, swaying(0.0), BENT)

    def law(time, poses, x):
        nominal, relative = swaying(time), pin.Motion(x[6:12])
        acceleration, ddq = body.acceleration(x[:6], x[12 : 12 + count], x[12 + count :], PUSH.vector)
        carried = transported_twist_rate(poses[1], relative, nominal.twist, nominal.acceleration)
        rate = np.concatenate([acceleration, acceleration - carried.vector, x[12 + count :], ddq])
        return [pin.Motion(x[:6]), relative], rate

    poses, x = rk4_step(law, 0.0, [state.pose_simulated, state.pose_commanded], state.array[14:], dt)
    after, motion = client.step(state, PUSH, points_of(swaying, 0.0, dt), dt)
    assert_allclose(after.pose_simulated.homogeneous, poses[0].homogeneous, atol=1e-14)
    assert_allclose(after.pose_commanded.homogeneous, poses[1].homogeneous, atol=1e-14)
    assert_allclose(after.array[14:], x, atol=1e-14)
    start = law(0.0, [state.pose_simulated, state.pose_commanded], state.array[14:])[1]
    assert_allclose(motion.array[:, 0, 13:].ravel(), start[:12], atol=1e-13)
