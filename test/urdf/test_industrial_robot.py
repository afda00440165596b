"""The industrial robot's kinematics against its data sheet, computed here by hand."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from .description import frame_poses, load

D1, A1, A2, A3, D4, D6 = 0.645, 0.330, 1.150, 0.115, 1.220, 0.215
LIMITS_DEG = ((-185, 185), (-140, -5), (-120, 168), (-350, 350), (-125, 125), (-350, 350))
SPEEDS_DEG_S = (117, 111, 119, 190, 180, 260)
HOME_DEG = (0, -90, 90, 0, 0, 0)


@pytest.fixture(scope="module")
def model() -> pin.Model:
    return load("client_robot")


def tool0(model: pin.Model, degrees) -> pin.SE3:
    return frame_poses(model, np.radians(np.asarray(degrees, dtype=float)))["client_robot_tool0"]


def turn(axis: str, angle: float) -> np.ndarray:
    return pin.utils.rotate(axis, angle)


def analytic_tool0(degrees) -> pin.SE3:
    """Chain of the data sheet's lengths and the controller's signs, from base_link to the tool frame."""
    a1, a2, a3, a4, a5, a6 = np.radians(np.asarray(degrees, dtype=float))
    carousel = turn("z", -a1)
    upper_arm = carousel @ turn("y", a2)
    forearm = upper_arm @ turn("y", a3)
    hand = forearm @ turn("x", -a4) @ turn("y", a5)
    position = np.array([0.0, 0.0, D1]) + carousel @ [A1, 0.0, 0.0] + upper_arm @ [A2, 0.0, 0.0]
    position = position + forearm @ [D4, 0.0, A3] + hand @ [D6, 0.0, 0.0]
    return pin.SE3(hand @ turn("x", -a6) @ turn("y", np.pi / 2), position)


def test_home_is_where_the_data_sheet_draws_it(model):
    pose = tool0(model, HOME_DEG)
    assert_allclose(pose.translation, [A1 + D4 + D6, 0.0, D1 + A2 + A3], atol=1e-12)
    assert_allclose(pose.rotation[:, 2], [1.0, 0.0, 0.0], atol=1e-12)
    assert_allclose(pose.rotation[:, 0], [0.0, 0.0, -1.0], atol=1e-12)


def test_forward_kinematics_at_random_poses(model):
    random = np.random.default_rng(11)
    lower, upper = np.array(LIMITS_DEG).T
    for degrees in random.uniform(lower, upper, (50, 6)):
        expected = analytic_tool0(degrees)
        assert_allclose(tool0(model, degrees).homogeneous, expected.homogeneous, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("axis", "direction"), [
    (0, [0.0, -1.0, 0.0]),  # A1: clockwise from above, so a robot that looks along x turns to -y
    (1, [0.0, 0.0, -1.0]),  # A2: the arm goes down
    (2, [0.0, 0.0, -1.0]),  # A3: the forearm goes down
    (4, [0.0, 0.0, -1.0]),  # A5: the hand goes down
])
def test_positive_angles_move_the_flange_as_on_the_controller(model, axis, direction):
    stretched = np.array([0.0, -5.0, 0.0, 0.0, 0.0, 0.0])
    moved = stretched.copy()
    moved[axis] += 1.0
    step = tool0(model, moved).translation - tool0(model, stretched).translation
    assert step @ direction > 0.9 * np.linalg.norm(step)


def test_reach_is_2700_millimetres(model):
    """Wrist centre from the first axis's shoulder circle, forearm in line with the upper arm."""
    straight_deg = np.degrees(np.arctan2(A3, D4))
    pose = tool0(model, (0, -30, straight_deg, 0, 0, 0))
    wrist = pose.translation - D6 * pose.rotation[:, 2]
    reach = A1 + np.linalg.norm(wrist - [A1, 0.0, D1])
    assert_allclose(reach, 2.70, atol=0.01)


def test_limits_and_speeds_are_the_listed_ones(model):
    lower, upper = np.array(LIMITS_DEG, dtype=float).T
    assert_allclose(np.degrees(model.lowerPositionLimit), lower, rtol=1e-12)
    assert_allclose(np.degrees(model.upperPositionLimit), upper, rtol=1e-12)
    assert_allclose(np.degrees(model.velocityLimit), SPEEDS_DEG_S, rtol=1e-12)


def test_flange_points_x_out_and_tool0_points_z_out(model):
    poses = frame_poses(model, np.radians([10.0, -80.0, 70.0, 20.0, 30.0, 40.0]))
    flange, tool = poses["client_robot_flange"], poses["client_robot_tool0"]
    assert_allclose(flange.translation, tool.translation, atol=1e-15)
    assert_allclose(flange.rotation[:, 0], tool.rotation[:, 2], atol=1e-15)
    assert_allclose(flange.rotation[:, 2], -tool.rotation[:, 0], atol=1e-15)
