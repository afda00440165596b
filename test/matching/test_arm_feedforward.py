"""The torque (22): every term against pinocchio's matrices, the whole against the arm that it is for."""
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.spatial import JointSample, MotionSample

from .motions import swaying
from .strategies import joints, motions, poses, repeatable, twists, wrenches

GRAVITY = np.array([0.3, -0.2, -9.8])  # not along an axis of the laboratory
CALIBRATION = pin.SE3(pin.exp3(np.array([0.3, -0.5, 0.2])), np.array([1.0, -2.0, 1.5]))


@pytest.fixture(scope="module", params=["servicer", "branched"])
def body(request) -> FreeFlyer:
    return request.getfixturevalue(request.param)


def sized(*terms: np.ndarray) -> float:
    """A limit of 1e-12 relative to everything that goes into a sum."""
    return 1e-12 * (1.0 + sum(float(np.linalg.norm(term)) for term in terms))


def in_pinocchio(body: FreeFlyer, arm: JointSample, laboratory: MotionSample, orbit: MotionSample) -> dict:
    """The terms as (22) writes them."""
    q, dq, _ = arm.array
    on_ground, in_orbit = (body.coriolis_matrix(q, motion.twist, dq)[6:] for motion in (laboratory, orbit))
    coupling = body.mass_matrix(q)[6:, :6]
    model = body.model.copy()
    model.gravity = pin.Motion(GRAVITY, np.zeros(3))
    attitude = pin.Quaternion((CALIBRATION * laboratory.pose).rotation)
    configuration = np.concatenate([np.zeros(3), attitude.coeffs(), q])
    return {
        "gravity": pin.computeGeneralizedGravity(model, model.createData(), configuration)[6:],
        "acceleration": coupling @ (laboratory.acceleration - orbit.acceleration).vector,
        "coriolis_joints": (on_ground[:, 6:] - in_orbit[:, 6:]) @ dq,
        "coriolis_base": on_ground[:, :6] @ laboratory.twist.vector - in_orbit[:, :6] @ orbit.twist.vector,
    }


@repeatable
@given(data=st.data(), laboratory=motions, orbit=motions)
def test_each_term_is_the_one_of_the_paper(body, data, laboratory, orbit):
    """ff2 and ff3 one by one too: C is factorised as in pinocchio."""
    arm = data.draw(joints(body.joint_count))
    torque = np.linspace(-3.0, 4.0, body.joint_count)
    actual = ArmFeedForward(body, CALIBRATION, GRAVITY).step(torque, arm, laboratory, orbit)
    expected = in_pinocchio(body, arm, laboratory, orbit)
    limit = 10.0 * sized(*expected.values(), laboratory.array[7:], orbit.array[7:])
    for name, term in expected.items():
        assert_allclose(getattr(actual, name), term, atol=limit, err_msg=name)
    assert_allclose(actual.total, torque + sum(expected.values()), atol=limit)


@repeatable
@given(data=st.data(), laboratory=motions, orbit=motions)
def test_the_sum_of_the_coriolis_terms_does_not_depend_on_a_factorisation(body, data, laboratory, orbit):
    """ff2 + ff3 = nle_q(V_s) - nle_q(V_b)."""
    arm = data.draw(joints(body.joint_count))
    law, nothing = ArmFeedForward(body, CALIBRATION, GRAVITY), np.zeros(body.joint_count)
    actual = law.step(nothing, arm, laboratory, orbit)
    q, dq, _ = arm.array
    on_ground, in_orbit = (body.nonlinear_effects(q, motion.twist, dq)[6:] for motion in (laboratory, orbit))
    limit = 10.0 * sized(on_ground, in_orbit)
    assert_allclose(actual.coriolis_joints + actual.coriolis_base, on_ground - in_orbit, atol=limit)


@repeatable
@given(data=st.data(), laboratory=motions, pose=poses, twist=twists, thrust=wrenches, contact=wrenches)
def test_on_the_ground_the_arm_accelerates_as_in_orbit(body, data, laboratory, pose, twist, thrust, contact):
    """(19) and (20) with (22): the same joint accelerations, whatever the robot below the arm does."""
    arm = data.draw(joints(body.joint_count))
    q, dq, _ = arm.array
    torque = np.linspace(-0.5, 0.8, body.joint_count)
    acceleration, ddq = body.forward_dynamics(q, twist, dq, thrust, torque, contact)
    orbit = MotionSample.of(pose, twist, acceleration)
    commanded = ArmFeedForward(body, CALIBRATION, GRAVITY).step(torque, arm, laboratory, orbit).total
    ground = GroundArm(body, CALIBRATION, GRAVITY)
    achieved = ground.step(laboratory, laboratory, arm, commanded, contact, 0.0).acceleration
    lightest = np.linalg.norm(np.linalg.inv(body.mass_matrix(q)[6:, 6:]))  # a light wrist amplifies rounding
    limit = lightest * sized(commanded, contact.vector, laboratory.array, orbit.array)
    assert_allclose(achieved, ddq, atol=limit)


@pytest.mark.parametrize("left_out", [("gravity",), ("acceleration",), ("coriolis_joints", "coriolis_base")])
def test_leaving_out_a_term_would_be_seen(servicer, left_out):
    """In motions of the size of a capture every term changes the accelerations by far more than rounding."""
    arm = JointSample.of(np.linspace(-0.6, 0.9, 7), np.linspace(0.2, -0.3, 7))
    small = pin.Motion(np.array([0.1, -0.1, 0.05]), np.array([0.02, -0.03, 0.01]))
    laboratory = MotionSample.of(swaying(1.0).pose, small, small * 0.1)
    orbit = MotionSample.of(swaying(2.0).pose, small * -2.0, small * 0.3)
    rows = ArmFeedForward(servicer, CALIBRATION, GRAVITY).step(np.zeros(7), arm, laboratory, orbit)
    ground = GroundArm(servicer, CALIBRATION, GRAVITY)
    short = rows.total - sum(getattr(rows, name) for name in left_out)
    with_all, without = (
        ground.step(laboratory, laboratory, arm, torque, pin.Force.Zero(), 0.0).acceleration
        for torque in (rows.total, short)
    )
    assert np.max(np.abs(with_all - without)) > 1e-3


def test_it_is_what_mujoco_says(servicer):
    pytest.importorskip("mujoco")
    from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference, State
    from hil_relative_dynamics.scenario.share import share

    mujoco = MujocoReference.from_urdf(share() / "urdf" / "servicer.urdf", "gripper")
    law = ArmFeedForward(servicer, CALIBRATION, GRAVITY)
    random = np.random.default_rng(4)
    for _ in range(20):
        q, dq, ddq = random.uniform(-1.0, 1.0, (3, 7))
        orbit, laboratory = swaying(random.uniform(0.0, 9.0)), swaying(random.uniform(0.0, 9.0))
        state = State(orbit.pose, orbit.twist, q, dq)
        in_orbit = mujoco.inverse_dynamics(state, orbit.acceleration, ddq)[1]
        state = State(CALIBRATION * laboratory.pose, laboratory.twist, q, dq)
        on_ground = mujoco.inverse_dynamics(state, laboratory.acceleration, ddq, GRAVITY)[1]
        commanded = law.step(in_orbit, JointSample.of(q, dq), laboratory, orbit).total
        assert_allclose(commanded, on_ground, atol=1e-11)


# ---- limit cases and options ----


def test_a_base_that_moves_as_in_orbit_leaves_only_gravity(body):
    arm, motion = JointSample.of(*np.full((2, body.joint_count), 0.3)), swaying(1.0)
    elsewhere = MotionSample.of(swaying(3.0).pose, motion.twist, motion.acceleration)
    rows = ArmFeedForward(body, CALIBRATION, GRAVITY).step(np.zeros(body.joint_count), arm, motion, elsewhere)
    for term in (rows.acceleration, rows.coriolis_joints, rows.coriolis_base):
        assert_array_equal(term, np.zeros(body.joint_count))
    assert_array_equal(rows.total, rows.gravity)
    assert np.max(np.abs(rows.gravity)) > 1.0


def test_an_arm_that_compensates_gravity_is_not_told_twice(body):
    arm, torque = JointSample.of(*np.full((2, body.joint_count), 0.3)), np.full(body.joint_count, 2.0)
    given_, compensated = (
        ArmFeedForward(body, CALIBRATION, GRAVITY, switch).step(torque, arm, swaying(1.0), swaying(2.0))
        for switch in (False, True)
    )
    assert_array_equal(compensated.rows[1:], given_.rows[1:])  # the terms are told all the same
    assert_allclose(given_.total - compensated.total, given_.gravity, atol=1e-13)
    assert np.max(np.abs(given_.gravity)) > 1.0


def test_gravity_follows_the_attitude_in_the_laboratory(body):
    """Turning the laboratory, or turning gravity the other way, is the same."""
    arm, nothing = JointSample.of(*np.full((2, body.joint_count), 0.4)), np.zeros(body.joint_count)
    motion = swaying(1.0)
    upright = ArmFeedForward(body, pin.SE3.Identity(), CALIBRATION.rotation.T @ GRAVITY)
    turned = ArmFeedForward(body, CALIBRATION, GRAVITY)
    expected, actual = (law.step(nothing, arm, motion, motion).gravity for law in (upright, turned))
    assert_allclose(actual, expected, atol=1e-12)
    hanging = MotionSample.of(pin.SE3(pin.exp3(np.array([0.0, np.pi, 0.0])), np.zeros(3)) * motion.pose)
    assert np.max(np.abs(turned.step(nothing, arm, hanging, motion).gravity - actual)) > 1.0


def test_without_gravity_nothing_is_carried(body):
    arm = JointSample.of(*np.full((2, body.joint_count), 0.4))
    law = ArmFeedForward(body, CALIBRATION, np.zeros(3))
    assert_array_equal(law.step(np.zeros(body.joint_count), arm, swaying(1.0), swaying(2.0)).gravity, 0.0)


def test_the_measured_joints_are_what_counts(servicer):
    law, nothing = ArmFeedForward(servicer, CALIBRATION, GRAVITY), np.zeros(7)
    here = law.step(nothing, JointSample.of(np.full(7, 0.2), np.zeros(7)), swaying(1.0), swaying(2.0)).total
    there = law.step(nothing, JointSample.of(np.full(7, 0.3), np.zeros(7)), swaying(1.0), swaying(2.0)).total
    assert np.max(np.abs(here - there)) > 0.1


@repeatable
@given(data=st.data(), lead=st.floats(0.0, 0.01))
def test_lead_evaluates_at_the_joints_that_will_be(body, data, lead):
    arm, nothing = data.draw(joints(body.joint_count)), np.zeros(body.joint_count)
    q, dq, ddq = arm.array
    later = JointSample.of(q + lead * dq + 0.5 * lead**2 * ddq, dq + lead * ddq, ddq)
    leading, plain = (ArmFeedForward(body, CALIBRATION, GRAVITY, lead=time) for time in (lead, 0.0))
    leading = leading.step(nothing, arm, swaying(1.0), swaying(2.0))
    expected = plain.step(nothing, later, swaying(1.0), swaying(2.0))
    assert_allclose(leading.rows, expected.rows, atol=1e-11)


def test_without_joints_there_is_no_torque(lump):
    none = JointSample(np.zeros((3, 0)))
    rows = ArmFeedForward(lump, CALIBRATION, GRAVITY).step(np.zeros(0), none, swaying(1.0), swaying(2.0))
    assert rows.total.shape == (0,)


def test_results_are_not_overwritten_by_the_next_step(servicer):
    law, arm = ArmFeedForward(servicer, CALIBRATION, GRAVITY), JointSample.of(np.full(7, 0.2), np.zeros(7))
    first = law.step(np.zeros(7), arm, swaying(1.0), swaying(2.0))
    kept = first.rows.copy()
    law.step(np.ones(7), arm, swaying(3.0), swaying(4.0))
    assert_array_equal(first.rows, kept)
