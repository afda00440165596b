"""The arm on the ground against a pendulum, conserved energy, pinocchio's RNEA and the arm in orbit."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.special import ellipj, ellipk

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.spatial import JointSample, MotionSample

SERVICER = Path(__file__).resolve().parents[2] / "urdf" / "servicer.urdf"
GRAVITY = np.array([0.0, 0.0, -9.81])
LENGTH, MASS, MOMENT = 0.7, 3.0, 0.2  # of the pendulum: to its CoM [m], [kg], about the CoM [kg m^2]
NO_WRENCH = pin.Force.Zero()

PENDULUM = f"""
<robot name="pendulum">
  <link name="base"><inertial><mass value="50"/>
    <inertia ixx="5" iyy="5" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bob"><inertial><origin xyz="0 0 {-LENGTH}"/><mass value="{MASS}"/>
    <inertia ixx="{MOMENT}" iyy="{MOMENT}" izz="{MOMENT}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/>
    <origin xyz="0.3 0.1 -0.2"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> FreeFlyer:
    path = tmp_path_factory.mktemp("urdf") / "pendulum.urdf"
    path.write_text(PENDULUM)
    return FreeFlyer.from_urdf(path, "bob")


@pytest.fixture(scope="module")
def seven_joints() -> FreeFlyer:
    return FreeFlyer.from_urdf(SERVICER, "gripper")


def swing(arm: GroundArm, joints: JointSample, steps: int, dt: float) -> JointSample:
    rest, idle = MotionSample.of(pin.SE3.Identity()), np.zeros(joints.array.shape[1])
    for _ in range(steps):
        joints = arm.step(rest, rest, joints, idle, NO_WRENCH, dt)
    return joints


def test_pendulum_in_closed_form(pendulum: FreeFlyer) -> None:
    """theta(t) = 2 asin(k sn(K - w t)), k = sin(theta_0 / 2), released at rest from theta_0."""
    start, dt, steps = 2.5, 1e-3, 1200
    modulus = np.sin(start / 2) ** 2
    rate = np.sqrt(MASS * 9.81 * LENGTH / (MOMENT + MASS * LENGTH**2))
    sn, *_ = ellipj(ellipk(modulus) - rate * dt * steps, modulus)
    expected = 2 * np.arcsin(np.sqrt(modulus) * sn)
    arm = GroundArm(pendulum, pin.SE3.Identity(), GRAVITY)
    end = swing(arm, JointSample.of(np.array([start]), np.zeros(1)), steps, dt)
    assert expected < -1.0  # it did swing through
    np.testing.assert_allclose(end.position, expected, atol=1e-10)


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_the_calibration_turns_gravity(pendulum: FreeFlyer, tilt: float) -> None:
    """In a laboratory tilted about the pivot's axis the pendulum hangs still at minus that angle."""
    arm = GroundArm(pendulum, pin.SE3(pin.exp3(np.array([0.0, tilt, 0.0])), np.ones(3)), GRAVITY)
    hanging = JointSample.of(np.array([-tilt]), np.zeros(1))
    assert np.abs(swing(arm, hanging, 100, 1e-2).position + tilt).max() < 1e-12


def test_energy_of_seven_joints_is_conserved_under_gravity(seven_joints: FreeFlyer) -> None:
    model = seven_joints.model.copy()
    model.gravity.linear = GRAVITY
    data = model.createData()

    def energy(joints: JointSample) -> float:
        q = np.concatenate([pin.SE3ToXYZQUAT(pin.SE3.Identity()), joints.position])
        v = np.concatenate([np.zeros(6), joints.velocity])
        return pin.computeMechanicalEnergy(model, data, q, v)

    start = JointSample.of(np.array([0.3, 0.6, 0.1, -1.2, 0.4, -0.4, 0.2]), np.full(7, 0.3))
    end = swing(GroundArm(seven_joints, pin.SE3.Identity(), GRAVITY), start, 2000, 2.5e-4)
    assert np.abs(end.position - start.position).max() > 0.5
    assert energy(end) == pytest.approx(energy(start), abs=1e-7)


def random_state(
    numbers: np.random.Generator,
) -> tuple[pin.SE3, MotionSample, JointSample, np.ndarray, pin.Force]:
    pose = pin.SE3(pin.exp3(numbers.normal(size=3)), numbers.normal(size=3))
    base = MotionSample.of(pose, pin.Motion(numbers.normal(size=6)), pin.Motion(numbers.normal(size=6)))
    calibration = pin.SE3(pin.exp3(numbers.normal(size=3)), numbers.normal(size=3))
    joints = JointSample.of(numbers.uniform(-2, 2, 7), numbers.normal(size=7))
    return calibration, base, joints, 10 * numbers.normal(size=7), pin.Force(20 * numbers.normal(size=6))


@pytest.mark.parametrize("seed", range(5))
def test_accelerations_on_a_moving_base_under_gravity_and_contact(seven_joints: FreeFlyer, seed: int) -> None:
    """Put into pinocchio's inverse dynamics, they need the torque that caused them, (20)."""
    calibration, base, joints, torque, wrench = random_state(np.random.default_rng(seed))
    arm = GroundArm(seven_joints, calibration, GRAVITY)
    found = arm.step(base, base, joints, torque, wrench, 0.0)
    np.testing.assert_array_equal(found.array[:2], joints.array[:2])  # dt = 0 moves nothing

    model = seven_joints.model.copy()
    model.gravity.linear = GRAVITY
    frame = model.frames[seven_joints.end_effector]
    external = pin.StdVec_Force()
    external.extend([pin.Force.Zero()] * model.njoints)
    external[frame.parentJoint] = frame.placement.act(wrench)
    pose = pin.SE3ToXYZQUAT(calibration * base.pose)
    q = np.concatenate([pose, joints.position])
    v = np.concatenate([base.twist.vector, joints.velocity])
    a = np.concatenate([base.acceleration.vector, found.acceleration])
    needed = pin.rnea(model, model.createData(), q, v, a, external)[6:]
    np.testing.assert_allclose(needed, torque, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_without_gravity_on_the_base_in_orbit_it_is_the_arm_there(seven_joints: FreeFlyer, seed: int) -> None:
    calibration, base, joints, torque, wrench = random_state(np.random.default_rng(seed))
    thrust = pin.Force(np.arange(6.0))
    rate, acceleration = seven_joints.forward_dynamics(
        joints.position, base.twist, joints.velocity, thrust, torque, wrench
    )
    moving = MotionSample.of(base.pose, base.twist, rate)
    arm = GroundArm(seven_joints, calibration, np.zeros(3))
    found = arm.step(moving, moving, joints, torque, wrench, 0.0)
    np.testing.assert_allclose(found.acceleration, acceleration, atol=1e-9)


def test_a_step_is_of_fourth_order(pendulum: FreeFlyer) -> None:
    arm = GroundArm(pendulum, pin.SE3.Identity(), GRAVITY)
    start = JointSample.of(np.array([1.0]), np.zeros(1))
    exact = swing(arm, start, 4000, 2.5e-4).array
    coarse, fine = (np.abs(swing(arm, start, n, 1.0 / n).array - exact).max() for n in (25, 50))
    assert np.log2(coarse / fine) > 3.7


def test_the_result_keeps_nothing_of_the_inputs(pendulum: FreeFlyer) -> None:
    arm = GroundArm(pendulum, pin.SE3.Identity(), GRAVITY)
    start = JointSample.of(np.array([1.0]), np.zeros(1))
    first = swing(arm, start, 1, 1e-3)
    kept = first.array.copy()
    swing(arm, first, 10, 1e-3)
    np.testing.assert_array_equal(first.array, kept)
    np.testing.assert_array_equal(start.array, [[1.0], [0.0], [0.0]])
