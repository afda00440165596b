"""F/T sensors: weight, inertia and contact against momentum; noise, bandwidth, bias, drift, range, sign."""
from __future__ import annotations

from dataclasses import replace
from math import inf, pi, sqrt

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.carried import ArmReaction, CarriedBody
from hil_relative_dynamics.facility.description import description
from hil_relative_dynamics.facility.ft_sensor import ForceTorqueSensor
from hil_relative_dynamics.facility.robot_model import RobotModel, client_robot, servicer_robot
from hil_relative_dynamics.scenario.plant import SensorDevice
from hil_relative_dynamics.scenario.share import share
from hil_relative_dynamics.spatial import JointSample, MotionSample

GRAVITY = np.array([0.0, 0.0, -9.81])
TILTED = np.array([1.0, -2.0, -9.0])  # a laboratory that is not level
PERIOD = 4_000_000
DEVICE = SensorDevice()
IDEAL = DEVICE.ideal()
POSE_NOMINAL = pin.SE3(pin.utils.rotate("z", 0.3) @ pin.utils.rotate("x", -0.2), np.array([1.0, 0.2, 0.5]))
POSE_GRASP_POINT = pin.SE3(pin.utils.rotate("y", 0.1), np.array([2.9, 0.1, 0.0]))
CLIENT_MASS, PLATE_MASS, ARM_MASS = 40.0, 22.0, 17.9


@pytest.fixture(scope="module")
def client() -> RobotModel:
    return client_robot()


@pytest.fixture(scope="module")
def servicer() -> RobotModel:
    return servicer_robot()


@pytest.fixture(scope="module")
def flyer() -> FreeFlyer:
    return FreeFlyer.from_urdf(share() / "urdf" / "servicer.urdf", "gripper")


def mount(flyer: FreeFlyer) -> pin.SE3:
    return flyer.model.frames[flyer.model.getFrameId("link_0")].placement


class Motion:
    """A smooth motion of some joints, known with its derivatives."""

    def __init__(self, seed: int, middle: np.ndarray, amplitude: float = 0.3) -> None:
        random = np.random.default_rng(seed)
        self._middle, count = middle, len(middle)
        self._amplitude = random.uniform(0.5, 1.0, count) * amplitude
        self._w, self._phase = random.uniform(0.5, 3.0, count), random.uniform(0.0, 6.0, count)

    def at(self, t: float) -> np.ndarray:
        angle = self._w * t + self._phase
        rate = self._amplitude * self._w
        return np.array(
            [
                self._middle + self._amplitude * np.sin(angle),
                rate * np.cos(angle),
                -rate * self._w * np.sin(angle),
            ]
        )


def sensor_pose(robot: RobotModel, q: np.ndarray) -> pin.SE3:
    return robot.pose(q) * robot.pose_sensor_in_carried


# ---- statics: a free tool reads its weight, downwards ----


@pytest.mark.parametrize("seed", range(5))
def test_a_tool_at_rest_reads_its_weight_downwards(client, seed):
    body = CarriedBody(client, POSE_GRASP_POINT.inverse(), POSE_NOMINAL, GRAVITY)
    q = np.random.default_rng(seed).uniform(client.lower, client.upper)
    _, load = body.at(np.array([q, np.zeros(6), np.zeros(6)]))
    rotation = sensor_pose(client, q).rotation
    assert_allclose(rotation @ load.linear, CLIENT_MASS * GRAVITY, atol=1e-10)
    assert_allclose(load.angular, np.cross(client.load.lever, load.linear), atol=1e-10)


def test_in_the_working_posture_the_weight_lies_along_the_sensor_s_x(client):
    body = CarriedBody(client, POSE_GRASP_POINT.inverse(), POSE_NOMINAL, GRAVITY)
    q = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])  # flange horizontal; tool0: x down, z out
    _, load = body.at(np.array([q, np.zeros(6), np.zeros(6)]))
    assert_allclose(load.linear, [CLIENT_MASS * 9.81, 0.0, 0.0], atol=1e-9)


def test_the_arm_weighs_on_its_mount(flyer):
    reaction = ArmReaction(flyer, POSE_NOMINAL, TILTED)
    base = pin.SE3(pin.utils.rotate("y", 0.4), np.array([1.0, 2.0, 3.0]))
    q = np.random.default_rng(1).uniform(-1.5, 1.5, 7)
    load = reaction.at(MotionSample.of(base), JointSample.of(q, np.zeros(7)), pin.Force.Zero())
    rotation = POSE_NOMINAL.rotation @ base.rotation
    assert_allclose(rotation @ load.linear, ARM_MASS * TILTED, atol=1e-10)


# ---- dynamics: the rate of momentum ----


def momentum_rate(momentum, t: float, h: float = 1e-4) -> np.ndarray:
    """Central differences of order four."""
    ahead, far = momentum(t + h) - momentum(t - h), momentum(t + 2 * h) - momentum(t - 2 * h)
    return (8.0 * ahead - far) / (12.0 * h)


def weight(mass_moment: np.ndarray, mass: float, gravity: np.ndarray) -> pin.Force:
    """About the origin of the laboratory."""
    return pin.Force(mass * gravity, np.cross(mass_moment, gravity))


@pytest.mark.parametrize("seed", range(3))
def test_client_sensor_reads_the_load_s_momentum_rate(client, seed):
    body = CarriedBody(client, POSE_GRASP_POINT.inverse(), POSE_NOMINAL, TILTED)
    motion, t = Motion(seed, np.radians([0.0, -80.0, 100.0, 10.0, -20.0, 5.0])), 0.7

    def momentum(time: float) -> np.ndarray:
        q, dq, _ = motion.at(time)
        twist = client.pose_sensor_in_carried.actInv(client.twist(q, dq))
        return sensor_pose(client, q).act(client.load * twist).vector

    _, load = body.at(motion.at(t))
    pose = sensor_pose(client, motion.at(t)[0])
    moment = client.load.mass * pose.act(client.load.lever)
    in_laboratory = weight(moment, client.load.mass, TILTED).vector - momentum_rate(momentum, t)
    assert_allclose(pose.act(load).vector, in_laboratory, atol=1e-6)


def test_body_moves_as_the_robot_moves_it(client):
    body = CarriedBody(client, POSE_GRASP_POINT.inverse(), POSE_NOMINAL, GRAVITY)
    motion, t, h = Motion(2, np.radians([0.0, -80.0, 100.0, 10.0, -20.0, 5.0])), 0.4, 1e-4

    def sample(time: float) -> MotionSample:
        return body.at(motion.at(time))[0]

    here = sample(t)
    pose = POSE_NOMINAL * here.pose * POSE_GRASP_POINT
    assert pose.isApprox(client.pose(motion.at(t)[0]), 1e-12)
    moved = pin.log6(sample(t - h).pose.actInv(sample(t + h).pose)).vector / (2 * h)
    assert_allclose(here.twist.vector, moved, atol=1e-6)
    change = (sample(t + h).twist - sample(t - h).twist).vector / (2 * h)
    assert_allclose(here.acceleration.vector, change, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_servicer_sensor_reads_plate_and_arm(servicer, flyer, seed):
    """Against one tree of robot and arm, from the laboratory's own description."""
    tree = pin.buildModelFromXML(description("facility"))
    data, arm_joints = tree.createData(), [tree.getJointId(f"arm_joint_{i}") for i in range(1, 8)]
    robot_joints = [tree.getJointId(f"servicer_robot_joint_{i}") for i in range(1, 7)]
    robot_motion = Motion(seed, np.radians([0.0, -80.0, 100.0, 10.0, -20.0, 5.0]))
    arm_motion, t = Motion(seed + 10, np.radians([0.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0]), 0.5), 0.3
    columns = [tree.joints[joint].idx_v for joint in (*robot_joints, *arm_joints)]

    def moved(time: float) -> np.ndarray:
        rows = np.zeros((3, tree.nv))
        rows[:, columns] = np.hstack([robot_motion.at(time), arm_motion.at(time)])
        pin.forwardKinematics(tree, data, rows[0], rows[1])
        return rows

    def parts(time: float) -> list[tuple[pin.SE3, pin.Inertia, pin.Motion]]:
        moved(time)
        q, dq, _ = robot_motion.at(time)
        twist = servicer.pose_sensor_in_carried.actInv(servicer.twist(q, dq))
        arm = [(data.oMi[joint].copy(), tree.inertias[joint], data.v[joint].copy()) for joint in arm_joints]
        return [(sensor_pose(servicer, q), servicer.load, twist), *arm]

    def momentum(time: float) -> np.ndarray:
        return sum(pose.act(inertia * twist).vector for pose, inertia, twist in parts(time))

    mass = sum(inertia.mass for _, inertia, _ in parts(t))
    assert mass == pytest.approx(PLATE_MASS + ARM_MASS)
    moment = sum(inertia.mass * pose.act(inertia.lever) for pose, inertia, _ in parts(t))
    in_laboratory = weight(moment, mass, TILTED).vector - momentum_rate(momentum, t)

    body = CarriedBody(servicer, mount(flyer).inverse(), POSE_NOMINAL, TILTED)
    base, plate = body.at(robot_motion.at(t))
    arm = ArmReaction(flyer, POSE_NOMINAL, TILTED).at(base, JointSample(arm_motion.at(t)), pin.Force.Zero())
    load = plate + body.pose_body_in_sensor.act(arm)
    pose = sensor_pose(servicer, robot_motion.at(t)[0])
    assert_allclose(pose.act(load).vector, in_laboratory, atol=1e-6)


def test_contact_of_the_arm_reaches_the_mount(flyer):
    reaction, push = ArmReaction(flyer, POSE_NOMINAL, GRAVITY), pin.Force(np.array([1, 2, 3, 0.1, 0.2, 0.3]))
    q = np.random.default_rng(5).uniform(-1.5, 1.5, 7)
    base, joints = MotionSample.of(pin.SE3.Identity()), JointSample.of(q, np.zeros(7))
    change = reaction.at(base, joints, push) - reaction.at(base, joints, pin.Force.Zero())
    assert_allclose(change.vector, flyer.end_effector_in_base(q).act(push).vector, atol=1e-12)


# ---- the device ----

LOAD = pin.Force(np.array([100.0, -50.0, 30.0, 5.0, -4.0, 3.0]))


def samples(
    device: SensorDevice, count: int, seed: int = 0, name: str = "client_robot_ft_sensor"
) -> np.ndarray:
    """Readings under a constant load."""
    sensor = ForceTorqueSensor(device, name, seed, PERIOD)
    state, readings = sensor.initial_state(LOAD), []
    for _ in range(count):
        state = sensor.step(state, LOAD)
        readings.append(sensor.read(state).vector.copy())
    return np.array(readings)


def test_ideal_sensor_tells_the_load():
    assert_array_equal(samples(IDEAL, 3), [LOAD.vector] * 3)


def test_noise_is_white_and_as_strong_as_told():
    count = 20_000
    noise = samples(replace(IDEAL, force_noise=0.5, torque_noise=0.05), count) - LOAD.vector
    assert_allclose(noise.std(axis=0), [0.5] * 3 + [0.05] * 3, rtol=0.03)
    assert_allclose(noise.mean(axis=0) / noise.std(axis=0), 0.0, atol=4 / sqrt(count))
    unit = noise / noise.std(axis=0)
    for shift in (1, 2, 7, 50):
        assert_allclose((unit[shift:] * unit[:-shift]).mean(axis=0), 0.0, atol=4 / sqrt(count))
    across = np.corrcoef(noise.T) - np.eye(6)
    assert abs(across).max() < 4 / sqrt(count)
    spectrum = (abs(np.fft.rfft(unit, axis=0)) ** 2).mean(axis=1)[1:]
    low, high = spectrum[: len(spectrum) // 2].mean(), spectrum[len(spectrum) // 2 :].mean()
    assert low / high == pytest.approx(1.0, abs=0.05)


def test_noise_follows_from_seed_and_name():
    same = samples(DEVICE, 5, seed=3)
    assert_array_equal(same, samples(DEVICE, 5, seed=3))
    assert (same != samples(DEVICE, 5, seed=4)).all()
    assert (same != samples(DEVICE, 5, seed=3, name="servicer_robot_ft_sensor")).all()


def test_bias_is_constant_and_drift_linear():
    biased = samples(replace(IDEAL, force_bias=(4.0, -3.0, 6.0), torque_bias=(0.3, 0.2, -0.2)), 2)
    assert_allclose(biased - LOAD.vector, [[4.0, -3.0, 6.0, 0.3, 0.2, -0.2]] * 2)
    count = 9000  # 36 s, a hundredth of an hour
    drift = samples(replace(IDEAL, force_drift=1.0, torque_drift=0.1), count) - LOAD.vector
    assert_allclose(drift, np.outer(np.arange(1, count + 1) / count, drift[-1]), atol=1e-10)
    assert (abs(drift[-1]) <= [0.01] * 3 + [0.001] * 3).all() and (drift[-1] != 0.0).all()
    assert len(set(drift[-1])) == 6


def test_bandwidth_is_where_71_percent_are_left():
    period, bandwidth = 10_000, 150.0
    sensor = ForceTorqueSensor(replace(IDEAL, bandwidth=bandwidth), "sensor", 0, period)
    t, w = 1e-9 * period * np.arange(1, 8000), 2.0 * pi * bandwidth
    state, readings = sensor.initial_state(pin.Force.Zero()), []
    for time in t:
        state = sensor.step(state, pin.Force(np.sin(w * time) * np.ones(6)))
        readings.append(sensor.read(state).linear[0])
    late = t > 0.02
    basis = np.column_stack([np.sin(w * t), np.cos(w * t)])[late]
    fit = np.linalg.lstsq(basis, np.array(readings)[late], rcond=None)[0]
    assert np.hypot(*fit) == pytest.approx(sqrt(0.5), abs=1e-4)
    assert np.arctan2(fit[1], fit[0]) == pytest.approx(-pi / 4, abs=1e-4)


def test_filter_lags_a_ramp_by_its_time_constant():
    sensor = ForceTorqueSensor(replace(IDEAL, bandwidth=150.0), "sensor", 0, PERIOD)
    state = sensor.initial_state(pin.Force.Zero())
    for index in range(1, 101):
        ramp = pin.Force(np.full(6, 10.0 * index * 1e-9 * PERIOD))
        state = sensor.step(state, ramp)
    assert_allclose(sensor.read(state).vector, ramp.vector - 10.0 / (2.0 * pi * 150.0), atol=1e-12)


def test_it_starts_settled():
    assert_allclose(samples(replace(IDEAL, bandwidth=1.0), 3), [LOAD.vector] * 3, rtol=1e-14)


def test_it_saturates_at_its_range():
    device = replace(IDEAL, force_range=(80.0, 40.0, inf), torque_range=(4.5, 10.0, 1.0))
    assert_array_equal(samples(device, 1)[0], [80.0, -40.0, 30.0, 4.5, -4.0, 1.0])


def test_some_vendors_report_the_reaction():
    assert_array_equal(samples(replace(IDEAL, multiplier=-1), 1)[0], -LOAD.vector)
