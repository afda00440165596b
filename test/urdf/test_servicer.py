"""The servicer in orbit: one description, the same numbers in pinocchio and in MuJoCo."""
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from .description import ARM_JOINTS, URDF_FOLDER, expand

mujoco = pytest.importorskip("mujoco")

SERVICER_URDF = URDF_FOLDER / "servicer.urdf"
BASE_INERTIA = np.array([[650.0, -10.0, 22.0], [-10.0, 950.0, -4.0], [22.0, -4.0, 950.0]])
EFFORTS = (176.0, 176.0, 100.0, 100.0, 100.0, 38.0, 38.0)
LIMITS_DEG = (170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 170.0)
SPACINGS = (0.11, 0.2005, 0.20, 0.20, 0.20, 0.19, 0.078)
GRIPPER_LENGTH = 0.12


@pytest.fixture(scope="module")
def model() -> pin.Model:
    return pin.buildModelFromUrdf(str(SERVICER_URDF), pin.JointModelFreeFlyer())


@pytest.fixture(scope="module")
def mujoco_model() -> "mujoco.MjModel":
    spec = mujoco.MjSpec.from_string(SERVICER_URDF.read_text())
    spec.body("base_link").add_freejoint()
    return spec.compile()


def random_configurations(model: pin.Model, count: int = 20) -> list[np.ndarray]:
    """Poses anywhere within 10 m and joints anywhere within their limits."""
    random = np.random.default_rng(7)
    configurations = []
    for _ in range(count):
        quaternion = random.normal(size=4)
        arm = random.uniform(model.lowerPositionLimit[7:], model.upperPositionLimit[7:])
        position = random.uniform(-10.0, 10.0, 3)
        configurations.append(np.concatenate([position, quaternion / np.linalg.norm(quaternion), arm]))
    return configurations


def to_mujoco(configuration: np.ndarray) -> np.ndarray:
    """MuJoCo writes the quaternion wxyz, pinocchio xyzw."""
    return np.concatenate([configuration[:3], configuration[[6, 3, 4, 5]], configuration[7:]])


def mass_matrix_in_mujoco(mujoco_model: "mujoco.MjModel", configuration: np.ndarray) -> np.ndarray:
    """Mass matrix for the body twist: MuJoCo's linear velocity of a free joint is in world axes."""
    data = mujoco.MjData(mujoco_model)
    data.qpos[:] = to_mujoco(configuration)
    mujoco.mj_forward(mujoco_model, data)
    mass_matrix = np.zeros((mujoco_model.nv, mujoco_model.nv))
    mujoco.mj_fullM(mujoco_model, data, mass_matrix)
    to_world = np.eye(mujoco_model.nv)
    to_world[:3, :3] = pin.Quaternion(configuration[3:7]).toRotationMatrix()
    return to_world.T @ mass_matrix @ to_world


def test_committed_urdf_is_the_expansion_of_its_xacro():
    committed = ElementTree.canonicalize(SERVICER_URDF.read_text(), strip_text=True)
    assert committed == ElementTree.canonicalize(expand("servicer"), strip_text=True)


def test_base_has_the_published_mass_and_inertia_at_its_origin(model):
    base = model.inertias[model.getJointId("root_joint")]
    assert base.mass == 1200.0
    assert_allclose(base.lever, np.zeros(3), atol=1e-15)
    assert_allclose(base.inertia, BASE_INERTIA, rtol=1e-14)


def test_joints_have_the_listed_order_limits_and_efforts(model):
    assert tuple(model.names)[2:] == ARM_JOINTS
    assert_allclose(np.degrees(model.upperPositionLimit[7:]), LIMITS_DEG, rtol=1e-12)
    assert_allclose(model.lowerPositionLimit, -model.upperPositionLimit)
    assert_allclose(model.effortLimit[6:], EFFORTS)


def test_joints_have_no_damping_and_no_friction(model, mujoco_model):
    assert not np.any(model.damping) and not np.any(model.friction)
    assert not np.any(mujoco_model.dof_damping) and not np.any(mujoco_model.dof_frictionloss)


def test_stretched_gripper_points_to_the_client(model):
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    pose_gripper = data.oMf[model.getFrameId("gripper")]
    assert_allclose(pose_gripper.translation, [1.0 + sum(SPACINGS) + GRIPPER_LENGTH, 0.0, 0.0], atol=1e-14)
    assert_allclose(pose_gripper.rotation[:, 2], [1.0, 0.0, 0.0], atol=1e-14)


def test_arm_masses_are_of_the_intended_size(model):
    assert 16.0 <= pin.computeTotalMass(model) - 1200.0 <= 20.0


def test_total_mass_and_centre_of_mass_agree_with_mujoco(model, mujoco_model):
    data, mujoco_data = model.createData(), mujoco.MjData(mujoco_model)
    assert_allclose(mujoco_model.body_mass.sum(), pin.computeTotalMass(model), rtol=1e-12)
    for configuration in random_configurations(model):
        mujoco_data.qpos[:] = to_mujoco(configuration)
        mujoco.mj_forward(mujoco_model, mujoco_data)
        expected = pin.centerOfMass(model, data, configuration)
        assert_allclose(mujoco_data.subtree_com[0], expected, rtol=0.0, atol=1e-12)


def test_mass_matrix_agrees_with_mujoco(model, mujoco_model):
    data = model.createData()
    for configuration in random_configurations(model):
        expected = pin.crba(model, data, configuration, pin.Convention.WORLD)
        expected = np.triu(expected) + np.triu(expected, 1).T
        actual = mass_matrix_in_mujoco(mujoco_model, configuration)
        assert_allclose(actual, expected, rtol=1e-12, atol=1e-12 * np.max(np.abs(expected)))


def test_gripper_frame_agrees_with_mujoco(model, mujoco_model):
    data, mujoco_data = model.createData(), mujoco.MjData(mujoco_model)
    for configuration in random_configurations(model):
        mujoco_data.qpos[:] = to_mujoco(configuration)
        mujoco.mj_forward(mujoco_model, mujoco_data)
        pin.framesForwardKinematics(model, data, configuration)
        pose_gripper = data.oMf[model.getFrameId("gripper")]
        body = mujoco_data.body("gripper")
        assert_allclose(body.xpos, pose_gripper.translation, rtol=0.0, atol=1e-12)
        assert_allclose(body.xmat.reshape(3, 3), pose_gripper.rotation, rtol=0.0, atol=1e-12)


def test_straight_and_bent_postures_do_not_touch(mujoco_model):
    data = mujoco.MjData(mujoco_model)
    for posture in ([0, 0, 0, 0, 0, 0, 0], [0, 0.5, 0, -1.0, 0, -0.6, 0], [0, -1.2, 0, -2.0, 0, -0.8, 0.3]):
        data.qpos[7:] = posture
        mujoco.mj_forward(mujoco_model, data)
        assert data.ncon == 0


@pytest.mark.parametrize("bending_joint", [3, 5])
def test_bending_elbow_or_wrist_alone_touches_nothing(mujoco_model, bending_joint):
    data = mujoco.MjData(mujoco_model)
    for angle in np.radians(np.linspace(-LIMITS_DEG[bending_joint], LIMITS_DEG[bending_joint], 49)):
        data.qpos[7 + bending_joint] = angle
        mujoco.mj_forward(mujoco_model, data)
        assert data.ncon == 0
