"""The vehicle: rows of `hil validate multirotor` (conservation, other integrators), and what else it must do."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

pytest.importorskip("mujoco")

from hil_relative_dynamics.evidence.validate_multirotor_vehicle import (
    MASS,
    STILL_AIR,
    against_euler_angles,
    against_mujoco,
    conserved,
    vehicle,
)
from hil_relative_dynamics.multirotor.vehicle import VehicleState


@pytest.mark.parametrize("rows", [against_mujoco, against_euler_angles, conserved])
def test_every_check_holds(rows):
    failed = [f"{check.id}: {check.value}" for check in rows() if not check.ok]
    assert not failed


def test_hovering_it_stays_where_it_is():
    pose = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.1, 1.0), np.array([1.0, 2.0, 3.0]))
    flown = vehicle(air_drag=0.3)
    start = flown.hover(pose)
    state = start
    for _ in range(200):
        state = flown.step(state, start.speeds, STILL_AIR, 5e-3)
    np.testing.assert_allclose(state.pose.homogeneous, pose.homogeneous, atol=1e-10)


def test_it_coasts_to_the_speed_at_which_the_air_resists_as_much_as_it_pushes():
    flown = vehicle(air_drag=0.3)
    state = start = flown.hover(pin.SE3.Identity())
    push = np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(1000):
        state = flown.step(state, start.speeds, push, 5e-3)
    exact = 1.0 - np.exp(-5.0 * 0.3 / MASS)  # v = F/d (1 - exp(-d t / m))
    assert state.velocity[0] == pytest.approx(exact, rel=1e-8)


def test_a_rotor_covers_63_percent_of_a_change_in_its_lag():
    flown = vehicle()
    state = flown.hover(pin.SE3.Identity())
    wanted = state.speeds + 100.0
    after = state
    for _ in range(6):
        after = flown.step(after, wanted, STILL_AIR, 5e-3)
    np.testing.assert_allclose(after.speeds - state.speeds, 100.0 * (1.0 - np.exp(-1.0)), rtol=1e-12)


def test_it_moves_alike_in_every_direction_of_the_hall():
    """Turned about the vertical, with the wind turned along: the same motion, turned."""
    flown, turn = vehicle(air_drag=0.3), pin.exp3(np.array([0.0, 0.0, 0.8]))
    speeds = flown.hover(pin.SE3.Identity()).speeds * (1.02, 1.0, 0.99, 1.0, 1.01, 1.0)
    wind = np.array([0.3, -0.2, 0.1])
    ends = []
    for rotation in (np.eye(3), turn):
        pose = pin.SE3(rotation, rotation @ np.array([1.0, 0.0, 2.0]))
        state = VehicleState(pose, pin.Motion(np.array([0.2, 0.1, 0.0, 0.3, 0.2, 0.1])), speeds)
        for _ in range(100):
            state = flown.step(state, speeds, np.concatenate([rotation @ wind, np.zeros(3)]), 5e-3)
        ends.append(state.pose)
    expected = pin.SE3(turn, np.zeros(3)) * ends[0]
    np.testing.assert_allclose(ends[1].homogeneous, expected.homogeneous, atol=1e-12)


def test_acceleration_is_what_a_step_begins_with():
    flown = vehicle(air_drag=0.3)
    state = VehicleState(pin.SE3.Random(), pin.Motion.Random(), np.array([500.0, 550, 600, 520, 580, 610]))
    air = np.array([0.3, -0.2, 0.1, 0.01, -0.02, 0.03])
    after = flown.step(state, state.speeds, air, 1e-6)
    change = (after.twist - state.twist).vector / 1e-6
    np.testing.assert_allclose(change, flown.acceleration(state, air).vector, rtol=1e-4, atol=1e-3)
