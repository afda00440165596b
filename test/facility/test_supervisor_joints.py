"""Joints: positions with margin, speeds, accelerations, torques of the arm."""
from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.facility.description import description
from hil_relative_dynamics.facility.limits import JointBounds
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.facility.supervisor_observation import Observation, Stamps
from hil_relative_dynamics.scenario.safety import Safety
from hil_relative_dynamics.spatial import JointReading

from .test_supervisor import CALM, CLIENT, NORMAL, PERIOD, SERVICER, course, goes_on, stop

ARM = pin.buildModelFromXML(description("arm"))
BOUNDS = {
    "client_robot": JointBounds.of_robot(CLIENT.model, NORMAL),
    "servicer_robot": JointBounds.of_robot(SERVICER.model, NORMAL),
    "arm": JointBounds.of_arm(ARM, NORMAL),
}
#: only the joints themselves: with the measured ones changed alone, the rest would not fit
ONLY_JOINTS = replace(
    NORMAL, clearance=-inf, reachability=False, tracking_position=inf, tracking_angle=inf
)
EVERY_JOINT = [(device, index) for device, bounds in BOUNDS.items() for index in range(len(bounds.names))]
DT = 1e-9 * PERIOD


def with_joint(device: str, index: int, row: int, value: float) -> Observation:
    """One joint's position (row 0), velocity (1) or effort (2) changed."""
    array = getattr(CALM, device).array.copy()
    array[row, index] = value
    return CALM._replace(**{device: JointReading(array)})


def turning(device: str, index: int, speeds: list[float], reported: bool = True) -> list[Observation]:
    """A joint that moves at these speeds, one per cycle, and says so or not."""
    start = getattr(CALM, device).position[index]
    positions = start + DT * np.concatenate([[0.0], np.cumsum(speeds[:-1])])
    seen = []
    for position, speed in zip(positions, speeds):
        array = getattr(CALM, device).array.copy()
        array[0, index], array[1, index] = position, speed if reported else 0.0
        seen.append(CALM._replace(**{device: JointReading(array)}))
    return seen


def last(*observations: Observation, safety: Safety = ONLY_JOINTS) -> SafetyState:
    return course(*observations, safety=safety)[1][-1]


def test_margins_and_shares_tighten_the_description():
    loose = JointBounds.of_robot(CLIENT.model, replace(NORMAL, joint_margin=0.0, joint_speed_share=1.0))
    assert np.allclose(np.degrees(loose.upper), [185, -5, 168, 350, 125, 350])
    assert np.allclose(np.degrees(loose.speed), [117, 111, 119, 190, 180, 260])
    bounds = BOUNDS["client_robot"]
    assert np.allclose(np.degrees(loose.upper - bounds.upper), 2.0)
    assert np.allclose(np.degrees(bounds.lower - loose.lower), 2.0)
    assert np.allclose(bounds.speed, 0.8 * loose.speed)
    assert np.allclose(BOUNDS["arm"].effort, [176, 176, 100, 100, 100, 38, 38])
    assert np.isinf(bounds.effort).all()


@pytest.mark.parametrize("device, index", EVERY_JOINT)
def test_position_of_every_joint(device, index):
    bounds = BOUNDS[device]
    for limit, outwards in ((bounds.lower[index], -1.0), (bounds.upper[index], 1.0)):
        assert last(with_joint(device, index, 0, limit)).enabled
        beyond = limit + outwards * 1e-5
        said = last(with_joint(device, index, 0, beyond))
        assert said.sentence.startswith(f"{bounds.names[index]} is at {np.degrees(beyond):.6g} deg (allowed ")
        assert "margin included" in said.sentence


def test_the_joint_furthest_beyond_is_told():
    array = CALM.arm.array.copy()
    array[0] = BOUNDS["arm"].upper + np.radians([0.1, 0.2, 0.3, 0.9, 0.3, 0.2, 0.1])
    assert last(CALM._replace(arm=JointReading(array))).sentence.startswith("arm_joint_4 is at 118.9 deg")


@pytest.mark.parametrize("device, index", EVERY_JOINT)
@pytest.mark.parametrize("reported", [True, False])
def test_speed_of_every_joint_reported_or_differenced(device, index, reported):
    bounds = BOUNDS[device]
    limit = bounds.speed[index]
    speeds = 6 * [0.999999 * limit]
    no_acceleration = replace(ONLY_JOINTS, robot_acceleration=inf, arm_acceleration=inf)
    assert last(*turning(device, index, speeds, reported), safety=no_acceleration).enabled
    said = last(*turning(device, index, 6 * [1.000001 * limit], reported), safety=no_acceleration)
    assert said.sentence.startswith(f"{bounds.names[index]} turns at {np.degrees(limit):.5g}"[:-1])
    assert f"(limit {np.degrees(limit):.6g} deg/s)" in said.sentence


@pytest.mark.parametrize("device", BOUNDS)
def test_a_single_wrong_velocity_changes_nothing(device):
    for value in (50.0, -50.0):
        wrong = with_joint(device, 2, 1, value)
        assert goes_on(*[CALM] * 5, wrong, *[CALM] * 6)
        assert not goes_on(*[CALM] * 5, wrong, wrong, *[CALM] * 3)


@pytest.mark.parametrize("device, index", EVERY_JOINT)
def test_acceleration_of_every_joint(device, index):
    bounds = BOUNDS[device]
    limit = bounds.acceleration[index]
    slow = replace(ONLY_JOINTS, joint_speed_share=inf)
    for factor, enabled in ((0.9999, True), (1.0001, False)):
        speeds = [factor * limit * DT * (cycle - 4) for cycle in range(9)]
        said = last(*turning(device, index, speeds), safety=slow)
        assert said.enabled is enabled
    name = bounds.names[index]
    assert said.sentence.startswith(f"{name} accelerates at ")
    assert f"(limit {np.degrees(limit):.6g} deg/s^2)" in said.sentence


def test_speed_is_over_the_time_between_stamps():
    """The same steps over twice the time are half as fast."""
    speed = 1.5 * BOUNDS["client_robot"].speed[3]
    seen = turning("client_robot", 3, 6 * [speed], reported=False)
    free = replace(ONLY_JOINTS, robot_acceleration=inf)
    assert not course(*seen, safety=free)[1][-1].enabled
    assert course(*seen, safety=free, period=2 * PERIOD)[1][-1].enabled


def test_a_reading_that_is_repeated_is_no_standstill():
    """A device that is sampled and held: its stamp tells that the reading is not new."""
    speed = 1.5 * BOUNDS["arm"].speed[3]
    seen = turning("arm", 3, 4 * [speed], reported=False)
    held = []
    for index, observation in enumerate(seen):
        for now in (2 * index * PERIOD, (2 * index + 1) * PERIOD):
            stamps = Stamps.all_at(now)._replace(arm=2 * index * PERIOD)
            held.append(observation._replace(stamps=stamps))
    free = replace(ONLY_JOINTS, arm_acceleration=inf)
    assert course(*held, safety=free)[1][-1].enabled  # half as fast, over twice the time
    tight = replace(free, joint_speed_share=0.5)
    assert not course(*held, safety=tight)[1][-1].enabled


def test_off():
    off = Safety(joint_margin=-inf, joint_speed_share=inf, robot_acceleration=inf, arm_acceleration=inf,
                 arm_torque_share=inf, clearance=-inf, reachability=False,
                 tracking_position=inf, tracking_angle=inf)
    wild = turning("arm", 3, [0.0, 90.0, -90.0, 90.0, -90.0, 90.0, 90.0, 90.0])
    far, strong = with_joint("client_robot", 4, 0, 9.0), with_joint("arm", 0, 2, 1e4)
    assert last(*wild, far, strong, safety=off).enabled


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_torque_of_every_joint_of_the_arm(index, sign):
    limit = BOUNDS["arm"].effort[index]
    name = BOUNDS["arm"].names[index]
    assert goes_on(with_joint("arm", index, 2, sign * limit))
    said = stop(with_joint("arm", index, 2, 1.00001 * sign * limit))
    assert said.sentence.startswith(f"{name} bears {sign * limit:.4g}"[:-1])
    assert f"(limit {limit:.6g} N m)" in said.sentence

    torque = np.zeros(7)
    torque[index] = sign * limit
    assert goes_on(CALM._replace(arm_torque=torque))
    assert stop(CALM._replace(arm_torque=1.001 * torque)).sentence.startswith(f"{name} is told ")


def test_effort_of_a_robot_is_its_own_affair():
    assert goes_on(with_joint("client_robot", 1, 2, 1e5))
