"""Moves to the start: one at a time, along clear ways, and what is said when there is none."""
from __future__ import annotations

import numpy as np
import pytest

from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.facility.clearance import Proximity
from hil_relative_dynamics.facility.homing import STILL, STILL_TIME, TOLERANCE, Arrival, HomingRefused
from hil_relative_dynamics.scenario import ScenarioError, load

STANDS = [
    "facility.client_robot.start_deg=[10,-90,100,5,-20,10]",
    "facility.servicer_robot.start_deg=[-20,-85,110,0,-35,0]",
]
LEAN = np.radians([0.0, -60.0, 60.0, 0.0, 0.0, 0.0])  # straight ahead, into the arm


@pytest.fixture(scope="module")
def world():
    return World(load("envisat_unforced_facility"))


@pytest.fixture(scope="module")
def robots(world):
    return Robots(world)


def test_robots_at_their_start_stay(world, robots):
    assert robots.homing().plan(robots.postures, world.joints.position) == []


def test_one_robot_after_the_other_from_rest_to_rest(world, robots):
    measured = {name: posture + 0.1 for name, posture in robots.postures.items()}
    moves = robots.homing().plan(measured, world.joints.position)
    assert [move.robot for move in moves] == ["client_robot", "servicer_robot"]
    for robot, trajectory in moves:
        np.testing.assert_allclose(trajectory.positions[-1], robots.postures[robot], atol=1e-12)
        assert not trajectory.velocities[-1].any() and not trajectory.accelerations[-1].any()


def test_a_way_into_the_other_robot_is_refused_with_a_sentence(world, robots):
    measured = {**robots.postures, "client_robot": LEAN}
    expected = r"client_robot cannot be homed: on its straight way \S+ and \S+ would come within .* m, limit 0.052 m"
    with pytest.raises(HomingRefused, match=expected):
        robots.homing().plan(measured, world.joints.position)


def test_the_other_order_is_tried_when_the_first_is_not_clear(world, robots, monkeypatch):
    homing, start, tried = robots.homing(), robots.postures, []

    def close_while_the_servicer_is_away(robot, joints, arm):
        tried.append(robot)
        away = homing.off("servicer_robot", joints["servicer_robot"]) > 0.0
        return Proximity("first", "second", 0.0) if robot == "client_robot" and away else None

    monkeypatch.setattr(homing, "_closest_on_the_way", close_while_the_servicer_is_away)
    moves = homing.plan({name: posture + 0.1 for name, posture in start.items()}, world.joints.position)
    assert [move.robot for move in moves] == ["servicer_robot", "client_robot"]
    assert tried == ["client_robot", "servicer_robot", "client_robot"]


def test_joints_that_are_no_numbers_are_refused(world, robots):
    measured = {**robots.postures, "servicer_robot": np.full(6, np.nan)}
    with pytest.raises(HomingRefused, match="servicer_robot cannot be homed: it reads joints that are not finite"):
        robots.homing().plan(measured, world.joints.position)


def test_how_far_off_is_one_sentence(robots):
    homing, posture = robots.homing(), robots.postures["client_robot"]
    assert homing.far("client_robot", posture + 0.5 * TOLERANCE) == ""
    off = posture + np.radians([0, 0, 3, 0, 0, 0])
    assert homing.far("client_robot", off) == "joint 3 of client_robot is 3.00 deg off its start, allowed 0.10"


def test_at_rest_is_when_nothing_has_moved_for_long_enough():
    arrival, position = Arrival(), np.zeros(6)
    assert not arrival.still(position, 0)
    assert not arrival.still(position + 2 * STILL, STILL_TIME)
    assert not arrival.still(position + 2 * STILL, 2 * STILL_TIME - 1)
    assert arrival.still(position + 2 * STILL, 2 * STILL_TIME)


def test_offline_the_robots_are_homed_before_time_begins():
    scenario = load("envisat_unforced_facility", ["duration_s=1", *STANDS])
    table = assemble(scenario)
    recording = run(table, scenario.duration_ns)
    plant, postures = table["facility_sim"].act, Robots(World(scenario)).postures
    assert plant.run_start > 0 and plant.elapsed == plant.run_start + scenario.duration_ns - scenario.rates.arm_ns
    assert recording["safety/state"].all()
    for robot, posture in postures.items():
        position, velocity, _ = recording[f"{robot}/joint_states"][0]
        np.testing.assert_allclose(position, posture, atol=TOLERANCE)
        np.testing.assert_allclose(velocity, 0.0, atol=1e-9)


def test_offline_a_way_that_is_not_clear_ends_the_run_before_it_begins():
    scenario = load("envisat_unforced_facility", ["facility.client_robot.start_deg=[0,-60,60,0,0,0]"])
    with pytest.raises(HomingRefused, match="client_robot cannot be homed"):
        run(assemble(scenario), scenario.duration_ns)


def test_a_robot_cannot_stand_beyond_its_limits():
    scenario = load("envisat_unforced_facility", ["facility.client_robot.start_deg=[0,10,0,0,0,0]"])
    with pytest.raises(ScenarioError, match=r"client_robot.start_deg .* must be within -185 to 185, -140 to -5,"):
        assemble(scenario)
