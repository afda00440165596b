"""The laboratory: layout, mock-ups in the working posture, clearance."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from .description import DEVICES, expand, frame_poses, load

# Flange 1.9 m ahead of the base and 1.3 m up, pointing at the other robot.
WORKING_X, WORKING_Z = 1.9, 1.3
D1, A1, A2, A3, D4, D6 = 0.645, 0.330, 1.150, 0.115, 1.220, 0.215
ARM_READY_DEG = (45.1, 90.6, -89.4, -91.7, 90.6, -90.6, 46.6)


def working_angles() -> np.ndarray:
    """A1 .. A6 with the flange horizontal at (WORKING_X, 0, WORKING_Z), elbow up."""
    x, z = WORKING_X - D6 - A1, WORKING_Z - D1
    forearm, distance = np.hypot(D4, A3), np.hypot(x, z)
    at_shoulder = np.arccos((A2**2 + distance**2 - forearm**2) / (2 * A2 * distance))
    at_elbow = np.arccos((A2**2 + forearm**2 - distance**2) / (2 * A2 * forearm))
    a2 = -(np.arctan2(z, x) + at_shoulder)
    a3 = np.pi - at_elbow + np.arctan2(A3, D4)
    return np.array([0.0, a2, a3, 0.0, -(a2 + a3), 0.0])


@pytest.fixture(scope="module")
def model() -> pin.Model:
    return load("facility")


@pytest.fixture(scope="module")
def working_configuration() -> np.ndarray:
    return np.concatenate([working_angles(), working_angles(), np.radians(ARM_READY_DEG)])


def test_joints_come_in_the_order_client_servicer_arm(model):
    counts = {"client_robot": 6, "servicer_robot": 6, "arm": 7}
    expected = [f"{device}_joint_{index}" for device in DEVICES for index in range(1, counts[device] + 1)]
    assert list(model.names)[1:] == expected


def test_bases_stand_apart_and_face_each_other(model):
    poses = frame_poses(model, pin.neutral(model))
    base_client, base_servicer = poses["client_robot_base_link"], poses["servicer_robot_base_link"]
    assert_allclose(base_servicer.translation - base_client.translation, [4.9, 0.0, 0.0], atol=1e-12)
    assert_allclose(base_servicer.rotation[:, 0], -base_client.rotation[:, 0], atol=1e-12)


def test_layout_is_an_argument():
    model = load("facility", servicer_base_xyz="5.2 0.1 0.02", servicer_base_rpy="0 0 3.0")
    pose = frame_poses(model, pin.neutral(model))["servicer_robot_base_link"]
    assert_allclose(pose.translation, [5.2, 0.1, 0.02])
    assert_allclose(pin.rpy.matrixToRpy(pose.rotation), [0.0, 0.0, 3.0], atol=1e-12)


def test_working_posture_is_within_limits(model, working_configuration):
    assert np.all(working_configuration > model.lowerPositionLimit)
    assert np.all(working_configuration < model.upperPositionLimit)


def test_mockups_meet_as_in_orbit(model, working_configuration):
    """0.9 m from the arm's mount to the grasp point, in the axes of the client and of the servicer's base."""
    poses = frame_poses(model, working_configuration)
    grasp_point, arm_mount = poses["client_robot_grasp_point"], poses["servicer_robot_arm_mount"]
    assert_allclose(poses["client_robot_tool0"].translation, [WORKING_X, 0.0, WORKING_Z], atol=1e-12)
    assert_allclose(grasp_point.rotation, np.eye(3), atol=1e-12)
    assert_allclose(arm_mount.translation - grasp_point.translation, [0.9, 0.0, 0.0], atol=1e-12)
    assert_allclose(poses["servicer_robot_servicer_mockup"].rotation, np.diag([-1.0, -1.0, 1.0]), atol=1e-12)
    assert_allclose(arm_mount.rotation[:, 2], [-1.0, 0.0, 0.0], atol=1e-12)


def test_sensor_frame_has_the_axes_of_tool0(model, working_configuration):
    poses = frame_poses(model, working_configuration)
    for robot in ("client_robot", "servicer_robot"):
        pose = poses[f"{robot}_tool0"].actInv(poses[f"{robot}_ft_sensor"])
        assert_allclose(pose.rotation, np.eye(3), atol=1e-12)
        assert_allclose(pose.translation, [0.0, 0.0, 0.056], atol=1e-12)


def test_device_descriptions_join_into_the_facility():
    """Same frames, and the arm's root is a frame of the servicer robot."""
    whole = {frame.name for frame in load("facility").frames}
    parts = [{frame.name for frame in load(device).frames} for device in DEVICES]
    assert set.union(*parts) == whole
    assert parts[1] & parts[2] == {"universe", "servicer_robot_arm_mount"}


def chain_of(model: pin.Model, geometry: pin.GeometryObject) -> str:
    """'client' or 'servicer', the arm counted with the servicer."""
    name = model.frames[geometry.parentFrame].name
    return "client" if name.startswith("client_robot_") else "servicer"


def test_robots_keep_clear_of_each_other_in_the_working_posture(model, working_configuration):
    pytest.importorskip("coal")
    geometry = pin.buildGeomFromUrdfString(model, expand("facility"), pin.GeometryType.COLLISION)
    chains = [chain_of(model, item) for item in geometry.geometryObjects]
    for first in range(geometry.ngeoms):
        for second in range(first + 1, geometry.ngeoms):
            if chains[first] != chains[second]:
                geometry.addCollisionPair(pin.CollisionPair(first, second))
    data, geometry_data = model.createData(), geometry.createData()
    pin.computeDistances(model, data, geometry, geometry_data, working_configuration)
    clearance = min(result.min_distance for result in geometry_data.distanceResults)
    assert 0.2 < clearance < 0.5  # the gripper ahead of the client's mock-up


def test_mockup_masses_are_what_the_sensors_weigh(model):
    """Below each F/T sensor: 40 kg of client, 22 kg of plate and the arm's 17.9 kg."""
    client = model.inertias[model.getJointId("client_robot_joint_6")].mass
    servicer = model.inertias[model.getJointId("servicer_robot_joint_6")].mass
    arm = sum(model.inertias[model.getJointId(f"arm_joint_{index}")].mass for index in range(1, 8))
    robot_side = 7.0 + 2.7  # last link and the sensor's case
    assert_allclose([client - robot_side, servicer - robot_side, arm], [40.0, 22.0, 17.9], atol=1e-9)
