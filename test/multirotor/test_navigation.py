"""The EKF is as good as it says, and says so when it is not."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy import stats

from hil_relative_dynamics.multirotor.navigation import Navigation
from hil_relative_dynamics.multirotor.sensing import Imu, ImuErrors, Mocap, MocapErrors
from hil_relative_dynamics.multirotor.vehicle import VehicleState

IMU = ImuErrors(0.01, np.radians(0.01), 0.05, np.radians(0.1))
MOCAP = MocapErrors(1e-3, np.radians(0.2))
DT = 5e-3


def motion(time: float) -> VehicleState:
    """Swinging in all directions, known exactly."""
    waves = np.array([1.0, 1.3, 0.7])
    position = 0.5 * np.sin(waves * time)
    velocity = 0.5 * waves * np.cos(waves * time)
    rotation = pin.rpy.rpyToMatrix(0.15 * np.sin(2 * time), 0.1 * np.cos(1.5 * time), 0.5 * time)
    pose = pin.SE3(rotation, position)
    return VehicleState(pose, pin.Motion(rotation.T @ velocity, np.zeros(3)), np.zeros(6))


def filtered(seed: int, believed: ImuErrors = IMU, seconds: float = 2.0):
    random = np.random.default_rng(seed)
    imu, mocap = Imu(IMU, random), Mocap(MOCAP, random)
    navigation = Navigation(believed, MOCAP)
    before = motion(0.0)
    state = navigation.initial_state(mocap.measure(before))
    state = state._replace(velocity=before.velocity + 0.01 * random.standard_normal(3))
    state = state._replace(velocity_then=state.velocity)
    for tick in range(1, round(seconds / DT) + 1):
        after = motion(tick * DT)
        state = navigation.predict(state, imu.measure(before, after, DT), DT)
        if tick % 2 == 0:
            state = navigation.correct(state, mocap.measure(after))
        before = after
    return navigation, state, state.error(before.pose, before.velocity, imu.bias)


def nees(seed: int, believed: ImuErrors = IMU) -> float:
    navigation, state, error = filtered(seed, believed)
    return float(error @ np.linalg.solve(navigation.carried_over(state), error))


def test_errors_are_as_large_as_their_covariance_says():
    """50 flights of 15 states: the sum is chi-square with 750 degrees of freedom (600 flights gave 1.009 of it)."""
    total = sum(nees(seed) for seed in range(1000, 1050))
    assert stats.chi2.ppf(0.01, 750) < total < stats.chi2.ppf(0.99, 750)


def test_a_filter_that_trusts_its_imu_too_much_is_found_out():
    trusting = replace(IMU, accelerometer_noise=1e-4, gyro_noise=np.radians(1e-4))
    total = sum(nees(seed, trusting) for seed in range(5))
    assert total > stats.chi2.ppf(0.999999, 75)


def test_it_is_better_than_the_pictures():
    errors = np.array([filtered(seed)[2] for seed in range(8)])
    assert np.sqrt((errors[:, :3] ** 2).mean()) < 0.7 * MOCAP.position
    assert np.sqrt((errors[:, 6:9] ** 2).mean()) < 0.5 * MOCAP.attitude


def test_it_finds_the_biases():
    _, _, error = filtered(3, seconds=8.0)
    assert np.abs(error[12:]).max() < 0.3 * IMU.gyro_bias
    assert np.linalg.norm(error[9:12]) < IMU.accelerometer_bias


def test_without_noise_it_carries_on_exactly():
    none = ImuErrors(1e-12, 1e-12, 1e-12, 1e-12)
    imu, navigation = Imu(none, np.random.default_rng(0)), Navigation(none, MOCAP)
    start = motion(0.0)
    state = navigation.initial_state(start.pose)._replace(velocity=start.velocity)
    for tick in range(200):
        before, after = motion(tick * DT), motion((tick + 1) * DT)
        state = navigation.predict(state, imu.measure(before, after, DT), DT)
    end = motion(1.0)
    assert np.linalg.norm(state.velocity - end.velocity) < 1e-9
    assert np.linalg.norm(pin.log3(state.rotation.T @ end.pose.rotation)) < 1e-9
    assert np.linalg.norm(state.position - end.pose.translation) < 1e-5  # velocities averaged over 5 ms


def test_a_hovering_vehicle_s_covariance_is_that_of_a_textbook_filter():
    """One axis, level and at rest: position and velocity with white acceleration, a Kalman filter of two states."""
    quiet = ImuErrors(0.01, 1e-9, 1e-9, 1e-9)
    navigation = Navigation(quiet, MocapErrors(1e-3, 1e-9))
    state = navigation.initial_state(pin.SE3.Identity())
    covariance = np.diag([1e-6, 1e-4])
    step, density, dt = np.array([[1.0, 0.01], [0.0, 1.0]]), 1e-4, 0.01
    noise = density * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    for _ in range(50):
        state = state._replace(since=dt)
        state = navigation.correct(state, pin.SE3.Identity())
        covariance = step @ covariance @ step.T + noise
        gain = covariance[:, :1] / (covariance[0, 0] + 1e-6)
        covariance = covariance - gain @ covariance[:1]
    found = state.covariance[np.ix_([2, 5], [2, 5])]
    assert found == pytest.approx(covariance, rel=1e-6)
