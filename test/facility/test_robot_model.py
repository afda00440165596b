"""Robot models against pinocchio's own frames, and what the F/T sensors carry."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.facility.description import description
from hil_relative_dynamics.facility.robot_model import RobotModel, client_robot, servicer_robot

BUILDERS = {"client_robot": (client_robot, "grasp_point"), "servicer_robot": (servicer_robot, "arm_mount")}
TURNED = {"client_base_xyz": "0.1 -0.2 0.3", "client_base_rpy": "0.01 0.02 0.5",
          "servicer_base_xyz": "5 0.3 0.1", "servicer_base_rpy": "0.02 -0.01 3.0"}


@pytest.fixture(params=[(name, layout) for name in BUILDERS for layout in ({}, TURNED)],
                ids=lambda it: f"{it[0]}-{'turned' if it[1] else 'default'}")
def robot(request) -> RobotModel:
    name, layout = request.param
    return BUILDERS[name][0](layout)


@pytest.fixture
def q(robot: RobotModel) -> np.ndarray:
    return np.random.default_rng(3).uniform(robot.lower, robot.upper)


def frame_pose(robot: RobotModel, name: str, q: np.ndarray) -> pin.SE3:
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    return data.oMf[robot.model.getFrameId(f"{robot.name}_{name}")]


def test_pose_is_that_of_the_carried_frame(robot, q):
    assert robot.pose(q).isApprox(frame_pose(robot, BUILDERS[robot.name][1], q), 1e-14)


def test_twist_is_the_rate_of_the_pose(robot, q):
    dq, dt = np.random.default_rng(4).normal(size=6), 1e-6
    moved = robot.pose(q - dq * dt / 2).actInv(robot.pose(q + dq * dt / 2))
    assert_allclose(robot.twist(q, dq).vector, pin.log6(moved).vector / dt, atol=1e-8)


def test_pose_and_twist_come_together(robot, q):
    dq = np.linspace(-1, 1, 6)
    pose, twist = robot.pose_and_twist(q, dq)
    assert pose == robot.pose(q) and twist == robot.twist(q, dq)


def test_answers_are_not_overwritten_by_the_next(robot, q):
    first = robot.pose(q)
    kept = first.copy()
    robot.pose(np.zeros(6))
    assert first == kept


def test_inverse_knows_where_the_base_stands(robot, q):
    assert robot.pose(robot.inverse(robot.pose(q), q)).isApprox(robot.pose(q), 1e-12)


def test_sensor_frame(robot, q):
    sensor = robot.pose(q) * robot.pose_sensor_in_carried
    assert sensor.isApprox(frame_pose(robot, "ft_sensor", q), 1e-13)
    assert (robot.pose_sensor_in_carried * robot.pose_carried_in_sensor).isIdentity(1e-14)


def test_load_is_what_hangs_on_the_tool_face(robot):
    """The last link's inertia is that of robot side and load together."""
    mass = {"client_robot": 40.0, "servicer_robot": 22.0}[robot.name]
    assert_allclose(robot.load.mass, mass)
    sensor = robot.model.frames[robot.sensor].placement
    lumped = robot.model.inertias[6]
    rest = lumped - sensor.act(robot.load)
    assert_allclose(rest.mass, 9.7)
    assert np.all(np.linalg.eigvalsh(rest.inertia) > 0.0)
    out_of_flange = robot.load.lever[2]  # z out of the flange: in front of the tool face, but not by much
    assert 0.0 < out_of_flange < 0.05


def test_limits(robot):
    assert_allclose(np.degrees(robot.lower), [-185, -140, -120, -350, -125, -350])
    assert_allclose(np.degrees(robot.upper), [185, -5, 168, 350, 125, 350])
    assert_allclose(np.degrees(robot.velocity_limits), [117, 111, 119, 190, 180, 260])
    assert_allclose(robot.acceleration_limits, 4.0 * robot.velocity_limits)


def test_joint_names(robot):
    assert robot.joint_names == [f"{robot.name}_joint_{index}" for index in range(1, 7)]


def test_description_is_expanded_once_per_layout():
    assert description("client_robot") is description("client_robot", {})
    assert description("client_robot", TURNED) != description("client_robot")


def test_another_kind_of_robot_is_refused():
    urdf = description("client_robot").replace('axis xyz="0 0 -1"', 'axis xyz="0 0 1"')
    with pytest.raises(ValueError, match="must have the six axes of a KR 120"):
        RobotModel("client_robot", urdf, "grasp_point")
    with pytest.raises(ValueError, match="has no link client_robot_hook"):
        RobotModel("client_robot", description("client_robot"), "hook")
