"""What the robots carry: workspace, speed, tracking, reach."""
from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.facility.limits import JointBounds
from hil_relative_dynamics.facility.supervisor_observation import Observation
from hil_relative_dynamics.spatial import JointReading

from .test_supervisor import (
    ARM_MOUNT_AT_START,
    ARM_MOUNT_IN_SERVICER,
    CALM,
    CLIENT,
    CLIENT_JOINTS,
    GRASP_POINT_AT_START,
    GRASP_POINT_IN_CLIENT,
    NORMAL,
    PERIOD,
    course,
    goes_on,
    motion_of,
    points_of,
    stop,
    supervisor,
)

SIDES = {
    "client": ("grasp_point", GRASP_POINT_AT_START, GRASP_POINT_IN_CLIENT),
    "servicer": ("arm_mount", ARM_MOUNT_AT_START, ARM_MOUNT_IN_SERVICER),
}
REST = pin.Motion.Zero()
#: poses and twists alone, wherever the joints are
ONLY_CARRIED = replace(NORMAL, reachability=False, clearance=-inf)
WALLS = [  # the other side stays within
    (side, axis, outwards)
    for side, facing in (("client", 1.0), ("servicer", -1.0))
    for axis in range(3)
    for outwards in (-1.0, 1.0)
    if axis != 0 or outwards != facing
]
BOTH = pytest.mark.parametrize("side", SIDES)


def moved(side: str, shift: np.ndarray, turn: np.ndarray | None = None) -> pin.SE3:
    """The carried frame, shifted in the laboratory and turned about itself."""
    start = SIDES[side][1]
    rotation = np.eye(3) if turn is None else pin.exp3(np.asarray(turn, dtype=float))
    return pin.SE3(start.rotation @ rotation, start.translation + shift)


def at(side: str, pose: pin.SE3, twist: pin.Motion = REST) -> Observation:
    """Measured and commanded there."""
    body = SIDES[side][2]
    measured, commanded = motion_of(pose, twist, body), points_of(pose, twist, body)
    return CALM._replace(**{f"{side}_measured": measured, f"{side}_commanded": commanded})


def measured_at(side: str, pose: pin.SE3, commanded_twist: pin.Motion = REST) -> Observation:
    """Measured there, commanded to be at the start and to move."""
    _, start, body = SIDES[side]
    measured, commanded = motion_of(pose, REST, body), points_of(start, commanded_twist, body)
    return CALM._replace(**{f"{side}_measured": measured, f"{side}_commanded": commanded})


@pytest.mark.parametrize("side, axis, outwards", WALLS)
def test_box(side, axis, outwards):
    name, start, _ = SIDES[side]
    wall = start.translation[axis] + 0.3 * outwards
    lower, upper = [-inf] * 3, [inf] * 3
    (lower if outwards < 0 else upper)[axis] = float(wall)
    safety = replace(ONLY_CARRIED, workspace_lower=tuple(lower), workspace_upper=tuple(upper))
    way = 0.3 * outwards * np.eye(3)[axis]
    assert goes_on(at(side, moved(side, way * (1.0 - 1e-9))), safety=safety)
    said = stop(at(side, moved(side, way * (1.0 + 1e-5))), safety=safety)
    assert said.sentence.startswith(f"{'xyz'[axis]} of {name} in the laboratory is ")
    assert f"{lower[axis]:.6g} to {upper[axis]:.6g} m)" in said.sentence


@BOTH
def test_distance_from_start(side):
    name = SIDES[side][0]
    safety = replace(ONLY_CARRIED, distance_from_start=0.5)
    direction = np.array([0.48, -0.6, 0.64])
    assert goes_on(at(side, moved(side, 0.4999999 * direction)), safety=safety)
    said = stop(at(side, moved(side, 0.500001 * direction)), safety=safety)
    assert said.sentence.startswith(f"distance of {name} from its start is 0.500001 m (limit 0.5 m)")


def test_the_start_is_where_the_robots_were_armed():
    safety = replace(ONLY_CARRIED, distance_from_start=0.5)
    block = supervisor(safety)
    state = block.initial_state()
    homing, run = np.linspace(-0.8, 0.0, 9), (0.0, 0.4, 0.6)
    outputs = []
    for index, y in enumerate([*homing, *run]):
        state = block.arm(state) if index == len(homing) else state
        seen = at("client", moved("client", np.array([0.0, y, 0.0])))
        state, said = block.step(state, seen, index * PERIOD)
        outputs.append(said)
    assert [said.enabled for said in outputs] == [False] * 9 + [True, True, False]
    assert {said.sentence for said in outputs[:9]} == {"waiting to be armed."}


@BOTH
def test_speed(side):
    name, start, _ = SIDES[side]
    direction = np.array([0.48, -0.6, 0.64])
    for speed, enabled in ((0.999999, True), (1.000001, False)):
        seen = at(side, start, pin.Motion(speed * direction, np.zeros(3)))
        assert goes_on(seen, safety=ONLY_CARRIED) is enabled
    assert stop(seen, safety=ONLY_CARRIED).sentence.startswith(f"{name} moves at 1 m/s (limit 1 m/s)")


@BOTH
def test_speed_is_that_of_what_is_carried_not_of_the_distant_body(side):
    """Turning about the carried frame moves the body's origin, metres away, not what the robot carries."""
    start = SIDES[side][1]
    assert goes_on(at(side, start, pin.Motion(np.zeros(3), np.array([0.0, 0.9, 0.0]))), safety=ONLY_CARRIED)


@BOTH
def test_turn_rate(side):
    name, start, _ = SIDES[side]
    for factor, enabled in ((0.999999, True), (1.00001, False)):
        rate = factor * np.radians(60.0) * np.array([0.48, -0.6, 0.64])
        seen = at(side, start, pin.Motion(np.zeros(3), rate))
        assert goes_on(seen, safety=ONLY_CARRIED) is enabled
    said = stop(seen, safety=ONLY_CARRIED)
    assert said.sentence.startswith(f"{name} turns at 60.0006 deg/s (limit 60 deg/s)")


@BOTH
def test_tracking_of_position(side):
    name = SIDES[side][0]
    direction = np.array([0.48, -0.6, 0.64])
    assert goes_on(measured_at(side, moved(side, 0.0999999 * direction)))
    said = stop(measured_at(side, moved(side, 0.100001 * direction)))
    assert said.sentence.startswith(
        f"measured position of {name} differs from the commanded one by 0.100001 m (limit 0.1 m,"
    )
    assert said.sentence.endswith("the run is physically valid until 0.004 s.")  # the tick before


@BOTH
def test_tracking_of_attitude(side):
    name = SIDES[side][0]
    axis = np.array([0.48, -0.6, 0.64])
    assert goes_on(measured_at(side, moved(side, np.zeros(3), np.radians(4.9999) * axis)))
    said = stop(measured_at(side, moved(side, np.zeros(3), np.radians(5.001) * axis)))
    beginning = f"measured attitude of {name} differs from the commanded one by 5.001 deg (limit 5 deg,"
    assert said.sentence.startswith(beginning)


@BOTH
def test_lag_is_no_tracking_error(side):
    """At 0.4 m/s a lag of 50 ms makes 20 mm."""
    moving = pin.Motion(np.array([0.0, 0.4, 0.0]), np.zeros(3))
    behind = SIDES[side][1].rotation @ np.array([0.0, -1.0, 0.0])
    assert goes_on(measured_at(side, moved(side, 0.11999 * behind), moving))
    assert not goes_on(measured_at(side, moved(side, 0.12001 * behind), moving))
    strict = replace(NORMAL, tracking_lag_ns=0)
    assert not goes_on(measured_at(side, moved(side, 0.101 * behind), moving), safety=strict)


def commanded(*poses: pin.SE3, joints: np.ndarray = CLIENT_JOINTS) -> list[Observation]:
    """The client robot at rest while it is told poses."""
    free = CALM._replace(client_robot=JointReading.of(joints, np.zeros(6)))
    return [free._replace(client_commanded=points_of(pose, REST, GRASP_POINT_IN_CLIENT)) for pose in poses]


#: what is commanded alone, however far from what is measured
ONLY_REACH = replace(NORMAL, tracking_position=inf, tracking_angle=inf, joint_speed_share=inf)


def test_out_of_reach():
    said = stop(*commanded(moved("client", np.array([1.0, 0.0, 0.0]))), safety=ONLY_REACH)
    assert said.sentence.startswith("client_robot cannot reach x 3.020, y 0.000, z 1.300 m (wrist of")
    assert "its reach is" in said.sentence
    assert said.sentence.endswith("the run is physically valid until 0.008 s.")


def test_the_end_of_the_step_counts():
    fast = pin.Motion(np.array([250.0, 0.0, 0.0]), np.zeros(3))  # 1 m within the step
    points = points_of(GRASP_POINT_AT_START, fast, GRASP_POINT_IN_CLIENT)
    assert not goes_on(CALM._replace(client_commanded=points), safety=ONLY_REACH)
    nowhere = replace(ONLY_REACH, reachability=False)
    assert goes_on(CALM._replace(client_commanded=points), safety=nowhere)


def test_the_servicer_robot_has_its_own_reach():
    points = points_of(moved("servicer", np.array([-1.0, 0.0, 0.0])), REST, ARM_MOUNT_IN_SERVICER)
    said = stop(CALM._replace(servicer_commanded=points), safety=ONLY_REACH)
    assert said.sentence.startswith("servicer_robot cannot reach x 1.920")


@pytest.mark.parametrize("joint", range(6))
@pytest.mark.parametrize("outwards", [-1.0, 1.0])
def test_commanded_joints_keep_the_margin(joint, outwards):
    """The robot is just within, and so is the pose that it is told, or not."""
    free = replace(ONLY_REACH, clearance=-inf)
    bounds = JointBounds.of_robot(CLIENT.model, free)
    limit = (bounds.lower if outwards < 0 else bounds.upper)[joint]
    near = np.radians([10.0, -90.0, 100.0, 20.0, 40.0, 20.0])
    near[joint] = limit - 1e-3 * outwards
    for beyond, reachable in ((-1e-5, True), (1e-5, False)):
        joints = near.copy()
        joints[joint] = limit + beyond * outwards
        said = course(*commanded(CLIENT.pose(joints), joints=near), safety=free)[1][0]
        assert reachable is (not said.sentence.startswith("client_robot cannot reach"))
    assert f"client_robot_joint_{joint + 1} would be at" in said.sentence


def test_a_command_that_the_joints_could_not_follow():
    """Sideways at the speed of joint 1, 2.02 m from its axis: 0.8 times 117 deg/s."""
    free = replace(ONLY_REACH, joint_speed_share=0.8)
    for factor, enabled in ((0.999, True), (1.001, False)):
        step = factor * 0.8 * np.radians(117.0) * 1e-9 * PERIOD
        turned = pin.SE3(pin.utils.rotate("z", step), np.zeros(3)) * GRASP_POINT_AT_START
        seen = commanded(GRASP_POINT_AT_START, turned)
        assert goes_on(*seen, safety=free) is enabled
    said = stop(*seen, safety=free)
    assert said.sentence.startswith("client_robot cannot follow to x 2.020, y ")
    assert "client_robot_joint_1 would have to turn at 93.6936 deg/s, limit 93.6 deg/s" in said.sentence
