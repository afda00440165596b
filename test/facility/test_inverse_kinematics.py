"""Inverse kinematics of the industrial robots against pinocchio's forward kinematics and Newton's method."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from numpy.testing import assert_allclose

from hil_relative_dynamics.facility.robot_model import RobotModel, Unreachable, client_robot, servicer_robot

CLIENT, SERVICER = client_robot(), servicer_robot()
ROBOTS = (CLIENT, SERVICER)
WORKING = np.radians([0.0, -78.7, 106.8, 0.0, -28.1, 0.0])
OUT_OF_REACH = pin.SE3(np.eye(3), np.array([3.5, 0.0, 1.0]))


def error(robot: RobotModel, q: np.ndarray, pose: pin.SE3) -> float:
    return float(np.abs(pin.log6(robot.pose(q).actInv(pose)).vector).max())


def postures(robot: RobotModel = CLIENT) -> some.SearchStrategy[np.ndarray]:
    parts = some.lists(some.floats(0.01, 0.99), min_size=6, max_size=6)
    return parts.map(lambda values: robot.lower + np.array(values) * (robot.upper - robot.lower))


def jacobian(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    return pin.computeFrameJacobian(robot.model, robot.data, q, robot.carried, pin.ReferenceFrame.LOCAL)


def away_from_singularities(robot: RobotModel, q: np.ndarray) -> bool:
    return np.linalg.svd(jacobian(robot, q), compute_uv=False)[-1] > 0.02


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_round_trip(robot: RobotModel) -> None:
    @settings(max_examples=300, deadline=None)
    @given(postures(robot))
    def holds(q: np.ndarray) -> None:
        pose = robot.pose(q)
        found = robot.inverse(pose, q)
        assert error(robot, found, pose) < 1e-12
        if away_from_singularities(robot, q):
            assert_allclose(found, q, atol=1e-10)

    holds()


@settings(max_examples=200, deadline=None)
@given(postures(), some.lists(some.floats(-0.1, 0.1), min_size=6, max_size=6))
def test_from_further_away_the_same_posture_is_found(q, offset):
    assume(away_from_singularities(CLIENT, q))
    bent = abs(q[2] - np.arctan2(CLIENT.solver.lengths.a3, CLIENT.solver.lengths.d4))
    assume(abs(q[4]) > 0.2 and 0.2 < bent < np.pi - 0.2)  # else another branch may be as near
    assert_allclose(CLIENT.inverse(CLIENT.pose(q), q + np.array(offset)), q, atol=1e-9)


@settings(max_examples=200, deadline=None)
@given(postures())
def test_every_solution_is_one_and_the_original_is_among_them(q):
    pose = CLIENT.pose(q)
    solutions = CLIENT.solutions(pose)
    for found in solutions:
        assert error(CLIENT, found, pose) < 1e-12
        assert np.all(found >= CLIENT.lower - 1e-9) and np.all(found <= CLIENT.upper + 1e-9)
    if away_from_singularities(CLIENT, q):
        assert min(np.abs(found - q).max() for found in solutions) < 1e-9


def newton(robot: RobotModel, pose: pin.SE3, q: np.ndarray) -> np.ndarray | None:
    for _ in range(40):
        miss = pin.log6(robot.pose(q).actInv(pose)).vector
        if np.abs(miss).max() < 1e-11:
            return q
        columns = jacobian(robot, q)
        step = np.linalg.solve(columns.T @ columns + 1e-9 * np.eye(6), columns.T @ miss)
        q = q + step * min(1.0, 0.7 / np.abs(step).max())
    return None


@pytest.mark.parametrize("seed", range(6))
def test_no_branch_is_missed(seed):
    """What Newton's method finds within the limits from many starts is what the closed form finds."""
    random = np.random.default_rng(seed)
    pose = CLIENT.pose(random.uniform(CLIENT.lower, CLIENT.upper) * [0.9, 0.8, 0.6, 0.4, 0.8, 0.4])
    found: list[np.ndarray] = []
    for start in random.uniform(CLIENT.lower, CLIENT.upper, (250, 6)):
        q = newton(CLIENT, pose, start)
        if q is None:
            continue
        q = (q + np.pi) % (2 * np.pi) - np.pi
        within = CLIENT.solver._within_limits(q.tolist())
        if within and all(np.abs(np.exp(1j * q) - np.exp(1j * other)).max() > 1e-6 for other in found):
            found.append(q)
    closed = CLIENT.solutions(pose)
    circles = {tuple(np.round(np.exp(1j * q), 6) + 0.0) for q in closed}
    assert circles == {tuple(np.round(np.exp(1j * q), 6) + 0.0) for q in found}
    expected = sum(len(CLIENT.solver._within_limits(q.tolist())) for q in found)
    assert len(closed) == expected


def path(robot: RobotModel, start: np.ndarray, way: np.ndarray, steps: int) -> list[pin.SE3]:
    pose = robot.pose(start)
    return [pose * pin.exp6(pin.Motion(way * step / steps)) for step in range(steps + 1)]


@settings(max_examples=60, deadline=None)
@given(some.lists(some.floats(-0.2, 0.2), min_size=6, max_size=6))
def test_joints_are_continuous_along_paths(way):
    """Around the working posture: in 100 steps each joint moves as its rate tells, to a tenth."""
    q, steps = WORKING, 100
    for pose in path(CLIENT, WORKING, np.array(way), steps)[1:]:
        rate = np.linalg.solve(jacobian(CLIENT, q), np.array(way))
        following = CLIENT.inverse(pose, q)
        assert_allclose(following - q, rate / steps, rtol=0.1, atol=1e-3)
        assert error(CLIENT, following, pose) < 1e-12
        q = following


def test_joints_turn_beyond_half_a_circle():
    """Joint 6 follows a flange that turns on and on, until its limit says no."""
    q, pose = WORKING, CLIENT.pose(WORKING)
    flange_x_in_grasp_point = pin.Motion(np.zeros(3), np.array([-1.0, 0.0, 0.0]))
    for degree in range(1, 350):
        q = CLIENT.inverse(pose * pin.exp6(flange_x_in_grasp_point * np.radians(degree)), q)
        assert_allclose(np.degrees(q[5]), degree, atol=1e-9)
    with pytest.raises(Unreachable, match=r"joint 6 of client_robot would be at 351\.0 deg, allowed -350"):
        CLIENT.inverse(pose * pin.exp6(flange_x_in_grasp_point * np.radians(351)), q)


def test_straight_through_the_wrist_singularity():
    """Joint 5 changes sign, joints 4 and 6 stay."""
    q = np.radians([10.0, -80.0, 90.0, 30.0, 1.0, -20.0])
    for degree in np.linspace(1.0, -1.0, 41):
        target = q.copy()
        target[4] = np.radians(degree)
        q = CLIENT.inverse(CLIENT.pose(target), q)
        assert_allclose(q, target, atol=1e-9)


def test_sideways_past_the_wrist_singularity_is_refused():
    q = np.radians([10.0, -80.0, 90.0, 0.0, 0.02, 0.0])
    sideways = q + np.radians([0.0, 0.0, 0.0, 80.0, 0.0, -80.0])
    with pytest.raises(Unreachable, match=r"joint 4 of client_robot would have to turn 80\.0 deg at once"):
        CLIENT.inverse(CLIENT.pose(sideways), q)


def test_at_the_wrist_singularity_joint_4_stays():
    q = np.radians([10.0, -80.0, 90.0, 30.0, 0.0, -20.0])
    same_flange = q + np.radians([0.0, 0.0, 0.0, 3.0, 0.0, -3.0])
    assert_allclose(CLIENT.inverse(CLIENT.pose(same_flange), q), q, atol=1e-9)


def test_over_the_head():
    """The wrist passes exactly over axis 1: the shoulder goes on to the back, it does not turn round."""
    here, ahead = None, []
    for second in np.linspace(-138.0, -60.0, 400):
        target = np.radians([20.0, second, -60.0, 0.0, 40.0, 0.0])
        here = target if here is None else CLIENT.inverse(CLIENT.pose(target), here)
        assert_allclose(here, target, atol=1e-7)
        wrist = CLIENT.data.oMi[5].translation
        ahead.append(wrist @ [np.cos(target[0]), -np.sin(target[0]), 0.0])
    assert min(ahead) < -0.3 and max(ahead) > 0.3


def test_out_of_reach_says_how_far():
    with pytest.raises(Unreachable, match=r"wrist of client_robot would be 2\.8\d\d m from joint 2"):
        CLIENT.inverse(OUT_OF_REACH, WORKING)
    with pytest.raises(Unreachable, match=r"its reach is 0\.075 to 2\.375 m$"):
        CLIENT.solve_anywhere(OUT_OF_REACH)


def test_beyond_a_limit_says_which_joint():
    q, near = WORKING.copy(), WORKING.copy()
    q[4], near[4] = np.radians([-126.0, -124.0])
    with pytest.raises(Unreachable, match=r"joint 5 of client_robot would be at -126\.0 deg, allowed"):
        CLIENT.inverse(CLIENT.pose(q), near)


def test_no_posture_within_limits_says_which_joint():
    below = np.radians([0.0, 10.0, 60.0, 0.0, 20.0, 0.0])  # joint 2 below its limit, nothing else fits either
    with pytest.raises(Unreachable, match=r"joint \d of client_robot would be at .* deg, allowed"):
        CLIENT.solve_anywhere(CLIENT.pose(below))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(12))
def test_what_is_not_finite_is_unreachable(bad, place):
    pose = CLIENT.pose(WORKING)
    numbers = np.concatenate([pose.rotation.ravel(), pose.translation])
    numbers[place] = bad
    with pytest.raises(Unreachable, match="not finite"):
        CLIENT.inverse(pin.SE3(numbers[:9].reshape(3, 3), numbers[9:]), WORKING)


def test_start_posture_keeps_furthest_from_the_limits():
    q = CLIENT.solve_anywhere(CLIENT.pose(WORKING))
    assert_allclose(q, WORKING, atol=1e-12)
    for other in CLIENT.solutions(CLIENT.pose(WORKING)):
        assert CLIENT.margins(other).min() <= CLIENT.margins(q).min() + 1e-9
