"""The laboratory carries the same arm as the servicer in orbit."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from .description import ARM_JOINTS, frame_poses, load, parse

FRAMES = (*(f"link_{index}" for index in range(8)), "gripper_body", "gripper")


@pytest.fixture(scope="module")
def servicer() -> pin.Model:
    return load("servicer")


@pytest.fixture(scope="module", params=["arm", "facility"])
def laboratory(request) -> pin.Model:
    return load(request.param)


def arm_indices(model: pin.Model, prefix: str) -> list[int]:
    return [model.joints[model.getJointId(prefix + name)].idx_q for name in ARM_JOINTS]


def arm_frames(model: pin.Model, prefix: str, angles: np.ndarray) -> list[pin.SE3]:
    """Poses of the arm's frames in link_0, whatever carries it."""
    configuration = pin.neutral(model)
    configuration[arm_indices(model, prefix)] = angles
    poses = frame_poses(model, configuration)
    pose_mount = poses[f"{prefix}link_0"]
    return [pose_mount.actInv(poses[prefix + name]) for name in FRAMES]


def test_kinematics_are_identical(servicer, laboratory):
    random = np.random.default_rng(3)
    for angles in random.uniform(-2.0, 2.0, (20, 7)):
        in_orbit, on_ground = arm_frames(servicer, "", angles), arm_frames(laboratory, "arm_", angles)
        for orbit, ground in zip(in_orbit, on_ground, strict=True):
            assert_allclose(ground.homogeneous, orbit.homogeneous, rtol=0.0, atol=1e-14)


def test_inertias_are_identical(servicer, laboratory):
    for name in ARM_JOINTS:
        orbit = servicer.inertias[servicer.getJointId(name)]
        ground = laboratory.inertias[laboratory.getJointId(f"arm_{name}")]
        assert ground == orbit


def test_limits_are_identical(servicer, laboratory):
    indices = arm_indices(laboratory, "arm_")
    assert_allclose(laboratory.lowerPositionLimit[indices], servicer.lowerPositionLimit)
    assert_allclose(laboratory.upperPositionLimit[indices], servicer.upperPositionLimit)
    assert_allclose(laboratory.effortLimit[indices], servicer.effortLimit)
    assert_allclose(laboratory.velocityLimit[indices], servicer.velocityLimit)


def test_gravity_torques_fit_the_joints():
    """The arm can hold itself up anywhere: gravity leaves a reserve at every joint."""
    model = load("arm")
    data = model.createData()
    random = np.random.default_rng(5)
    for angles in random.uniform(model.lowerPositionLimit, model.upperPositionLimit, (200, 7)):
        assert np.all(np.abs(pin.computeGeneralizedGravity(model, data, angles)) < 0.7 * model.effortLimit)


def test_home_is_ready_to_approach():
    joints = parse("arm", hardware="mock").findall("ros2_control/joint")
    home = np.array([float(joint.find("state_interface[@name='position']/param").text) for joint in joints])
    model = load("arm")
    pose_gripper = arm_frames(model, "arm_", home)[-1]
    assert_allclose(pose_gripper.translation, [0.55, 0.0, 0.5], atol=2e-3)
    assert_allclose(pose_gripper.rotation, np.eye(3), atol=5e-3)
    assert np.all(model.upperPositionLimit - np.abs(home) > np.radians(28.0))
