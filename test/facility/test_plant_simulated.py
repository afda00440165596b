"""The simulated laboratory: against the ideal one, rates and order, wrenches, homing, determinism."""
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.facility.ideal import Commands, IdealFacility
from hil_relative_dynamics.facility.robot_model import client_robot, servicer_robot
from hil_relative_dynamics.facility.simulated import (
    DeviceCommands,
    DeviceReadings,
    PlantState,
    SimulatedFacility,
)
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.scenario.events import ExternalWrench
from hil_relative_dynamics.scenario.plant import Facility
from hil_relative_dynamics.scenario.share import share
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

PERIOD, CYCLE = 1_000_000, 4_000_000
DT = 1e-9 * PERIOD
GRAVITY = np.array([0.0, 0.0, -9.81])
SIM = Facility(kind="sim")
IDEAL = Facility(kind="sim", imperfections=False)
CLIENT, SERVICER = client_robot(), servicer_robot()
FLYER = FreeFlyer.from_urdf(share() / "urdf" / "servicer.urdf", "gripper")
POSE_MOUNT = FLYER.model.frames[FLYER.model.getFrameId("link_0")].placement
POSE_GRASP_POINT = pin.SE3(np.eye(3), np.array([2.9, 0.0, 0.0]))
POSE_NOMINAL = pin.SE3(np.eye(3), np.array([-0.88, 0.0, 1.3]))  # puts the grasp point at (2.02, 0, 1.3)
POSE_BASE = pin.SE3(pin.utils.rotate("z", np.pi), np.array([4.8, 0.0, 0.0]))
CLIENT_START = CLIENT.solve_anywhere(POSE_NOMINAL * POSE_GRASP_POINT)
SERVICER_START = SERVICER.solve_anywhere(POSE_NOMINAL * POSE_BASE * POSE_MOUNT)
ARM_START = np.radians([0.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0])
SWING = 0.3 * np.array([1.0, -0.5, 0.4, 1.0, -0.8, 0.6])  # amplitude of the robots' joints [rad]
RATE = 0.1  # and its rate [rad/s]


def plant(
    settings: Facility = SIM, wrenches: tuple[ExternalWrench, ...] = (), seed: int = 0, **more
) -> SimulatedFacility:
    return SimulatedFacility(
        settings,
        client_robot=CLIENT,
        servicer_robot=SERVICER,
        servicer=FLYER,
        pose_nominal_in_laboratory=POSE_NOMINAL,
        pose_grasp_point_in_client=POSE_GRASP_POINT,
        pose_mount_in_base=POSE_MOUNT,
        gravity=GRAVITY,
        wrenches=ExternalWrenches(wrenches),
        cycle=CYCLE,
        seed=seed,
        **more,
    )


def at_rest(facility: SimulatedFacility, **more) -> PlantState:
    return facility.initial_state(
        CLIENT_START, SERVICER_START, JointSample.of(ARM_START, np.zeros(7)), **more
    )


def swinging(start: np.ndarray, time: int) -> np.ndarray:
    """Angles, rates and accelerations of a slow swing that starts at rest: rows."""
    t = 1e-9 * time
    shapes = (1.0 - np.cos(RATE * t), RATE * np.sin(RATE * t), RATE * RATE * np.cos(RATE * t))
    return np.array([start + SWING * shapes[0], SWING * shapes[1], SWING * shapes[2]])


def weight_torque() -> np.ndarray:
    """What carries the arm in its start posture."""
    model = pin.buildReducedModel(FLYER.model, [1], pin.neutral(FLYER.model))
    model.gravity.linear = (POSE_NOMINAL * POSE_BASE).rotation.T @ GRAVITY
    return pin.computeGeneralizedGravity(model, model.createData(), ARM_START)


WEIGHT_TORQUE = weight_torque()


def torque(time: int) -> np.ndarray:
    return WEIGHT_TORQUE + np.array([1.0, -1.0, 0.5, 1.0, 0.01, -0.02, 0.005]) * np.cos(3e-9 * time)


def commands(time: int) -> DeviceCommands:
    ahead = time - time % CYCLE + CYCLE
    return DeviceCommands(swinging(CLIENT_START, ahead)[0], swinging(SERVICER_START, ahead)[0], torque(time))


def run(facility: SimulatedFacility, state: PlantState, ticks: int) -> list[PlantState]:
    states = []
    for tick in range(ticks):
        state, _ = facility.step(state, commands(tick * PERIOD), (tick + 1) * PERIOD, PERIOD)
        states.append(state)
    return states


def wrench(on: str, start_ms: int, duration_ms: int) -> ExternalWrench:
    times = {"start_ns": start_ms * PERIOD, "duration_ns": duration_ms * PERIOD}
    return ExternalWrench(on=on, force=(5.0, -3.0, 14.0), torque=(0.5, -1.0, 0.3), **times)


WRENCHES = (wrench("client", 60, 80), wrench("end_effector", 100, 120), wrench("contact", 200, 60))


# ---- against the ideal facility ----


def motion(robot, start: np.ndarray, pose_carried_in_body: pin.SE3, time: int) -> MotionSample:
    """Of a body that swings as told, by pinocchio's frame kinematics."""
    rows, data = swinging(start, time), robot.model.createData()
    pin.forwardKinematics(robot.model, data, *rows)
    pin.updateFramePlacements(robot.model, data)
    twist = pin.getFrameVelocity(robot.model, data, robot.carried, pin.LOCAL)
    acceleration = pin.getFrameAcceleration(robot.model, data, robot.carried, pin.LOCAL)
    pose = POSE_NOMINAL.actInv(data.oMf[robot.carried]) * pose_carried_in_body.inverse()
    return MotionSample.of(pose, pose_carried_in_body.act(twist), pose_carried_in_body.act(acceleration))


def assert_agree(actual: MotionSample, expected: MotionSample) -> None:
    """Accelerations are second differences of positions over 4 ms: a digit less."""
    assert_allclose(actual.array[:13], expected.array[:13], rtol=0.0, atol=1e-9)
    assert_allclose(actual.array[13:], expected.array[13:], rtol=0.0, atol=1e-8)


def test_without_imperfections_it_agrees_with_the_ideal_facility():
    facility = plant(IDEAL, WRENCHES)
    joints = JointSample.of(ARM_START, np.zeros(7))
    state = facility.initial_state(swinging(CLIENT_START, 0), swinging(SERVICER_START, 0), joints)
    arm = GroundArm(FLYER, POSE_NOMINAL, GRAVITY)
    ideal = IdealFacility(FLYER, arm, ExternalWrenches(WRENCHES), CYCLE)

    def clients(time: int) -> MotionSample:
        return motion(CLIENT, CLIENT_START, POSE_GRASP_POINT, time)

    def servicers(time: int) -> MotionSample:
        return motion(SERVICER, SERVICER_START, POSE_MOUNT, time)

    truth = ideal.initial_state(clients(0), servicers(0), joints)
    points = {}
    for tick in range(400):
        start, stamp = tick * PERIOD, (tick + 1) * PERIOD
        if start % CYCLE == 0:
            points = {it: MotionPoints.of(it(start), it(start + CYCLE)) for it in (clients, servicers)}
        truth = ideal.step(truth, Commands(points[clients], points[servicers], torque(start)), stamp, PERIOD)
        state, readings = facility.step(state, commands(start), stamp, PERIOD)
        assert_agree(state.base, truth.servicer)
        assert_allclose(state.arm.joints.array[:2], truth.joints.array[:2], rtol=0.0, atol=1e-9)
        assert_array_equal(readings.arm.array[:2], state.arm.joints.array[:2])
        if stamp % CYCLE == 0:
            assert_agree(state.client_robot.motion.end, truth.client)
            assert_array_equal(readings.client_robot.position, swinging(CLIENT_START, stamp)[0])
            assert_allclose(readings.servicer_robot.velocity, swinging(SERVICER_START, stamp)[1], atol=1e-9)


def test_with_imperfections_the_robots_are_30_ms_behind():
    state, sharp = (run(plant(it), at_rest(plant(it)), 400)[-1] for it in (SIM, IDEAL))
    behind = sharp.client_robot.servo.motion[0] - state.client_robot.servo.motion[0]
    assert_allclose(behind, 0.030 * swinging(CLIENT_START, 400 * PERIOD)[1], rtol=0.1)


# ---- order and rates ----


def test_readings_are_new_only_at_their_device_s_rate():
    facility = plant()
    state = at_rest(facility)
    before = state.readings
    for tick in range(1, 13):
        state, readings = facility.step(state, commands((tick - 1) * PERIOD), tick * PERIOD, PERIOD)
        assert readings is state.readings
        assert readings.arm is not before.arm
        for name in set(DeviceReadings._fields) - {"arm", "gripper"}:
            assert (getattr(readings, name) is getattr(before, name)) == (tick % 4 != 0)
        before = readings


def test_readings_are_the_state_at_their_stamp():
    facility = plant(IDEAL)
    state = run(facility, at_rest(facility), 8)[-1]
    assert_array_equal(state.readings.client_robot.position, state.client_robot.servo.motion[0])
    pose = POSE_NOMINAL.actInv(SERVICER.pose(state.readings.servicer_robot.position)) * POSE_MOUNT.inverse()
    assert pose.isApprox(state.base.pose, 1e-12)


def test_a_position_given_within_a_cycle_counts_from_the_next():
    facility = plant(IDEAL)
    state, told = at_rest(facility), CLIENT_START + 1e-4
    for tick in range(1, 9):
        given = DeviceCommands(client_robot=told if tick == 2 else None)  # at 1 ms
        state, readings = facility.step(state, given, tick * PERIOD, PERIOD)
        assert_array_equal(readings.client_robot.position, told if tick == 8 else CLIENT_START)


def test_without_commands_everything_stands_still():
    facility = plant(replace(SIM, ft_sensor=SIM.ft_sensor.ideal()))
    start = at_rest(facility)
    state = start
    for tick in range(1, 101):
        state, readings = facility.step(state, DeviceCommands(), tick * PERIOD, PERIOD)
    assert state.arm.brakes_on
    for now, before in zip(readings[:3], start.readings[:3]):
        assert_array_equal(now.array, before.array)
    for now, before in zip(readings[3:5], start.readings[3:5]):
        assert_allclose(now.vector, before.vector, atol=1e-12)


def test_a_step_leaves_the_state_before_as_it_was():
    facility = plant(IDEAL)
    states = run(facility, at_rest(facility), 9)
    kept = [
        row.copy()
        for row in (states[6].arm.joints.array, states[6].base.array, *states[6].client_robot.servo[:3])
    ]
    again, _ = facility.step(states[6], commands(7 * PERIOD), 8 * PERIOD, PERIOD)
    now = (states[6].arm.joints.array, states[6].base.array, *states[6].client_robot.servo[:3])
    for before, after in zip(kept, now):
        assert_array_equal(before, after)
    assert_array_equal(again.arm.joints.array, states[7].arm.joints.array)
    assert_array_equal(again.base.array, states[7].base.array)


def test_the_arm_s_base_moves_smoothly_within_a_cycle():
    facility = plant()
    states = run(facility, at_rest(facility), 400)
    poses = [state.base.pose for state in states[200:]]
    twists = np.array([state.base.twist.vector for state in states[200:]])
    steps = np.array([pin.log6(a.actInv(b)).vector for a, b in pairwise(poses)]) / DT
    assert_allclose(steps, 0.5 * (twists[1:] + twists[:-1]), atol=2e-6)


# ---- sensors ----


def test_weights_at_rest():
    readings = at_rest(plant(IDEAL)).readings
    assert_allclose(readings.client_wrench.linear, [40.0 * 9.81, 0.0, 0.0], atol=1e-9)
    assert_allclose(readings.servicer_wrench.linear, [39.9 * 9.81, 0.0, 0.0], atol=1e-9)


def in_laboratory(robot, q: np.ndarray, load: pin.Force) -> pin.Force:
    return (robot.pose(q) * robot.pose_sensor_in_carried).act(load)


@pytest.mark.parametrize("ticks", [0, 8])
@pytest.mark.parametrize("on", ["client", "end_effector", "contact"])
def test_wrenches_from_outside_are_felt(on, ticks):
    """Braked arm, robots at rest: what a wrench adds to the readings is that wrench."""

    def readings(facility: SimulatedFacility) -> DeviceReadings:
        state = at_rest(facility)
        for tick in range(1, ticks + 1):
            state, _ = facility.step(state, DeviceCommands(), tick * PERIOD, PERIOD)
        return state.readings

    before, after = readings(plant(IDEAL)), readings(plant(IDEAL, (wrench(on, 0, 100),)))
    client = in_laboratory(CLIENT, CLIENT_START, after.client_wrench - before.client_wrench)
    servicer = in_laboratory(SERVICER, SERVICER_START, after.servicer_wrench - before.servicer_wrench)
    force = wrench(on, 0, 100).wrench
    pose_tip = POSE_NOMINAL * POSE_BASE * FLYER.end_effector_in_base(ARM_START)
    expected = {
        "client": (POSE_NOMINAL.act(force), pin.Force.Zero()),
        "end_effector": (pin.Force.Zero(), pose_tip.act(force)),
        "contact": (pose_tip.act(force), -pose_tip.act(force)),
    }[on]
    assert_allclose(client.vector, expected[0].vector, atol=1e-9)
    assert_allclose(servicer.vector, expected[1].vector, atol=1e-9)


def test_both_sensors_have_noise_of_their_own():
    readings = at_rest(plant()).readings
    ideal = at_rest(plant(IDEAL)).readings
    bias = np.array([*SIM.ft_sensor.force_bias, *SIM.ft_sensor.torque_bias])
    noise = [now.vector - true.vector - bias for now, true in zip(readings[3:5], ideal[3:])]
    assert (noise[0] != noise[1]).all() and abs(np.array(noise)).max() < 3.0


# ---- determinism ----


def test_the_same_seed_gives_the_same_run_to_the_last_bit():
    first, second, other = (run(plant(seed=seed), at_rest(plant(seed=seed)), 40) for seed in (5, 5, 6))
    for a, b in zip(first, second):
        for left, right in zip(a.readings[:3], b.readings[:3]):
            assert_array_equal(left.array, right.array)
        for left, right in zip(a.readings[3:5], b.readings[3:5]):
            assert_array_equal(left.vector, right.vector)
    assert (first[-1].readings.client_wrench.vector != other[-1].readings.client_wrench.vector).all()
    assert_array_equal(first[-1].arm.joints.array, other[-1].arm.joints.array)


# ---- homing ----


def test_homing_by_trajectory_then_streaming():
    facility, goal = plant(IDEAL), CLIENT_START + 0.02
    state = at_rest(facility, controller=TRAJECTORY)
    move = JointTrajectory((200 * PERIOD,), goal[None], np.zeros((1, 6)))
    state = facility.follow(state, "client_robot", move, 0)
    ignored = DeviceCommands(CLIENT_START + 0.5, SERVICER_START + 0.5, None)
    for tick in range(1, 241):
        state, readings = facility.step(state, ignored, tick * PERIOD, PERIOD)
        if tick == 100:
            assert_allclose(readings.client_robot.position, CLIENT_START + 0.01, atol=1e-6)
    assert_array_equal(readings.client_robot.position, goal)
    assert_array_equal(readings.servicer_robot.position, SERVICER_START)
    with pytest.raises(ValueError, match="must be active"):
        facility.follow(facility.switch(state, "client_robot", FORWARD), "client_robot", move, 240 * PERIOD)
    state = facility.switch(state, "client_robot", FORWARD)
    for tick in range(241, 249):
        state, readings = facility.step(state, DeviceCommands(), tick * PERIOD, PERIOD)
        assert_array_equal(readings.client_robot.position, goal), "bumpless"
    state, _ = facility.step(state, DeviceCommands(goal + 1e-4), 249 * PERIOD, PERIOD)
    for tick in range(250, 253):
        state, readings = facility.step(state, DeviceCommands(), tick * PERIOD, PERIOD)
    assert_array_equal(readings.client_robot.position, goal + 1e-4)


def test_homing_keeps_the_robot_s_limits():
    facility = plant()
    state = at_rest(facility, controller=TRAJECTORY)
    move = JointTrajectory((100 * PERIOD,), CLIENT_START[None] + 0.4, np.zeros((1, 6)))  # far too fast
    state = facility.follow(state, "client_robot", move, 0)
    for tick in range(1, 1201):
        state, readings = facility.step(state, DeviceCommands(), tick * PERIOD, PERIOD)
        _, velocity, acceleration = state.client_robot.servo.motion
        assert (abs(velocity) <= CLIENT.velocity_limits + 1e-9).all()
        assert (abs(acceleration) <= CLIENT.acceleration_limits + 1e-9).all()
    assert_allclose(readings.client_robot.position, CLIENT_START + 0.4, atol=1e-5)


def test_an_arm_that_carries_its_own_weight():
    """The same motion as without weight, but its weight is on the sensor."""
    facility = plant(IDEAL, gravity_compensated_by_arm=True)
    state = at_rest(facility)
    for tick in range(1, 21):
        state, readings = facility.step(state, DeviceCommands(arm=np.zeros(7)), tick * PERIOD, PERIOD)
    assert_allclose(state.arm.joints.position, ARM_START, atol=1e-12)
    assert_allclose(readings.servicer_wrench.linear, [39.9 * 9.81, 0.0, 0.0], atol=1e-6)
