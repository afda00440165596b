"""Control: translation without tilt, its limits, and the loop's own response."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.multirotor.control import Controller, Gains, level, limited
from hil_relative_dynamics.multirotor.navigation import Estimate
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.multirotor.vehicle import Vehicle, VehicleState

from .test_mixer import mixer

INERTIA = pin.Inertia(2.1, np.zeros(3), np.diag([0.03, 0.03, 0.055]))
ZERO = np.zeros(3)


def exactly(state: VehicleState) -> Estimate:
    """What a perfect navigation would tell."""
    rotation = state.pose.rotation.copy()
    angular = state.twist.angular.copy()
    nothing = np.zeros((15, 15))
    place = state.pose.translation.copy()
    return Estimate(place, state.velocity, rotation, angular, ZERO, ZERO, nothing, 0.0, ZERO, rotation)


def flown(wanted: SetPoint, seconds: float, gains: Gains | None = None) -> list[VehicleState]:
    """From hovering at the origin, without errors."""
    vehicle = Vehicle(RigidBody(INERTIA), mixer(), 0.03, 0.0)
    controller = Controller(INERTIA, mixer(), gains or Gains())
    state, memory = vehicle.hover(pin.SE3.Identity()), controller.initial_state()
    states = [state]
    for _ in range(round(seconds / 5e-3)):
        memory, speeds = controller.step(memory, wanted, exactly(state), 5e-3)
        state = vehicle.step(state, speeds, np.zeros(6), 5e-3)
        states.append(state)
    return states


def test_a_step_aside_is_flown_without_tilting():
    states = flown(SetPoint(pin.SE3(np.eye(3), np.array([0.5, -0.3, 0.2]))), 12.0)
    np.testing.assert_allclose(states[-1].pose.translation, [0.5, -0.3, 0.2], atol=1e-3)
    tilts = [state.pose.rotation[2, 2] for state in states]
    assert min(tilts) > np.cos(np.radians(1e-3))


def test_a_turn_is_flown_without_moving():
    attitude = pin.rpy.rpyToMatrix(np.radians(5.0), np.radians(-8.0), 1.5)
    states = flown(SetPoint(pin.SE3(attitude, np.zeros(3))), 6.0)
    assert np.linalg.norm(pin.log3(states[-1].pose.rotation.T @ attitude)) < 1e-4
    # thrust lags while it tilts: it gains at most g * lag * tilt, which the position loop takes back in 1/k_p = 1 s
    gained = 9.81 * 0.03 * np.arccos(attitude[2, 2])
    assert max(np.linalg.norm(state.pose.translation) for state in states) < gained * 1.0


def test_more_tilt_than_allowed_is_not_flown():
    attitude = pin.rpy.rpyToMatrix(np.radians(30.0), 0.0, 0.5)
    states = flown(SetPoint(pin.SE3(attitude, np.zeros(3))), 4.0)
    roll, pitch, yaw = np.degrees(pin.rpy.matrixToRpy(states[-1].pose.rotation))
    assert roll == pytest.approx(10.0, abs=0.05) and abs(pitch) < 0.05
    assert yaw == pytest.approx(np.degrees(0.5), abs=0.1)


def test_small_position_errors_decay_as_the_transfer_function_says():
    """Without motor lag to speak of and without integral: s^2 + k_v s + k_v k_p = 0, from rest one length away."""
    gains = Gains(velocity_integral=0.0)
    states = flown(SetPoint(pin.SE3(np.eye(3), np.array([0.1, 0.0, 0.0]))), 3.0, gains)
    times = 5e-3 * np.arange(len(states))
    exact = 0.1 - 0.1 * np.exp(-times) * (np.cos(times) + np.sin(times))  # k_v = 2, k_p = 1: s = -1 +- i
    away = np.array([state.pose.translation[0] for state in states])
    assert np.abs(away - exact).max() < 0.004  # 0.03 s of lag at 0.03 m/s and a bit more


def test_limits_of_length_and_of_tilt():
    np.testing.assert_allclose(limited(np.array([3.0, 4.0, 0.0]), 1.0), [0.6, 0.8, 0.0])
    np.testing.assert_allclose(limited(np.array([0.3, 0.4, 0.0]), 1.0), [0.3, 0.4, 0.0])
    tilted = pin.rpy.rpyToMatrix(0.5, -0.02, 2.0)
    np.testing.assert_allclose(pin.rpy.matrixToRpy(level(tilted, 0.1)), [0.1, -0.02, 2.0], atol=1e-12)
