"""Navigation: late measurements lead it to the truth, noise does not lead it far away."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.onboard.navigation import Estimate, FilteredNavigation, IdealNavigation, Knowledge
from hil_relative_dynamics.spatial import MotionSample, rk4_step

PERIOD = 20_000_000  # [ns]
EVERY = 5  # steps between measurements
LATE = 10  # steps until a measurement comes
INERTIA = np.array([[17023.3, 397.1, -2171.4], [397.1, 124825.7, 344.2], [-2171.4, 344.2, 129112.2]])
CLIENT = RigidBody(pin.Inertia(7828.0, np.zeros(3), INERTIA))
RATE = np.radians([0.0, -2.5, 0.0])
GRASP = pin.SE3(np.eye(3), np.array([2.9, 0.0, 0.0]))
MASS = 1200.0


class Truth(NamedTuple):
    client: MotionSample
    base: MotionSample

    @property
    def grasp_in_base(self) -> pin.SE3:
        return self.base.pose.actInv(self.client.pose * GRASP)


def fly(steps: int) -> list[Truth]:
    """A client that tumbles freely, and a base that turns steadily and flies straight on."""
    rate = np.radians([0.2, 2.5, -0.1])
    pose, twist, truths = pin.SE3.Identity(), RATE, []
    start = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, np.pi), np.array([4.8, 0.05, 0.55]))
    drift = np.cross(RATE, start.translation) + [0.002, 0.001, -0.001]

    def law(time: float, poses: list[pin.SE3], vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
        turning = pin.Motion(np.zeros(3), vector)
        return [turning], CLIENT.acceleration(turning, pin.Force.Zero()).angular

    for step in range(steps):
        time = 1e-9 * PERIOD * step
        rotation = start.rotation @ pin.exp3(rate * time)
        base = pin.SE3(rotation, start.translation + drift * time)
        truths.append(
            Truth(
                MotionSample.of(pose, pin.Motion(np.zeros(3), twist)),
                MotionSample.of(base, pin.Motion(rotation.T @ drift, rate)),
            )
        )
        (pose,), twist = rk4_step(law, time, [pose], twist, 1e-9 * PERIOD)
    return truths


def a_filter() -> FilteredNavigation:
    return FilteredNavigation(CLIENT, GRASP, MASS, 1e-9 * PERIOD * EVERY, 1e-9 * PERIOD * EVERY)


def started(navigation: FilteredNavigation, truth: Truth) -> Estimate:
    """1 deg, 5 cm and a tenth of the client's rate wrong."""
    wrong = pin.SE3(pin.exp3(np.radians([0.6, -0.5, 0.6])), np.array([0.03, -0.03, 0.03]))
    attitude = pin.Quaternion(truth.base.pose.rotation @ wrong.rotation).coeffs()
    rate = truth.base.twist.angular
    return navigation.start(0, rate, (0, attitude), (0, truth.grasp_in_base * wrong), 0.9 * RATE)


def followed(truths: list[Truth], noise: float, bias: np.ndarray) -> list[Knowledge]:
    """What is known at every instant; `noise` in units of 5 mm, 0.5 deg, and 20 arcsec of the star tracker."""
    random, navigation = np.random.default_rng(0), a_filter()
    estimate, known = started(navigation, truths[0]), []
    for step, truth in enumerate(truths):
        star = relative = None
        if step % EVERY == 0 and step >= LATE:
            then, stamp = truths[step - LATE], PERIOD * (step - LATE)
            seen = then.base.pose.rotation @ pin.exp3(noise * random.normal(size=3) * 1e-4)
            star = stamp, pin.Quaternion(seen).coeffs()
            turned = pin.exp3(noise * random.normal(size=3) * np.radians(0.5))
            relative = stamp, then.grasp_in_base * pin.SE3(turned, noise * random.normal(size=3) * 0.005)
        gyro = truth.base.twist.angular + bias
        estimate = navigation.step(estimate, PERIOD * step, pin.Force.Zero(), gyro, star, relative)
        known.append(navigation.knowledge(estimate))
    return known


def errors(truths: list[Truth], known: list[Knowledge]) -> np.ndarray:
    """Of the grasp point in the base: position [m], attitude [rad], speed [m/s]; and relative rate [rad/s]."""
    ideal, rows = IdealNavigation(CLIENT), []
    for truth, belief in zip(truths, known):
        true = ideal.step(truth.client, truth.base)
        off = truth.grasp_in_base.actInv(belief.pose_base.inverse() * GRASP)
        lever = truth.grasp_in_base.translation
        moving = [np.cross(what.twist_relative.angular, lever) + what.twist_relative.linear for what in (true, belief)]
        rows.append(
            (
                np.linalg.norm(off.translation),
                np.linalg.norm(pin.log3(off.rotation)),
                np.linalg.norm(moving[0] - moving[1]),
                np.linalg.norm(true.twist_relative.angular - belief.twist_relative.angular),
            )
        )
    return np.array(rows)


@pytest.fixture(scope="module")
def truths() -> list[Truth]:
    return fly(3000)


def test_ideal_sensors_tell_the_relative_motion(truths: list[Truth]) -> None:
    truth = truths[1000]
    known = IdealNavigation(CLIENT).step(truth.client, truth.base)
    np.testing.assert_allclose(known.twist_base.vector, truth.base.twist.vector, atol=1e-12)
    before, after = (t.client.pose.actInv(t.base.pose) for t in (truths[999], truths[1001]))
    change = pin.log6(known.pose_base.actInv(after)).vector - pin.log6(known.pose_base.actInv(before)).vector
    np.testing.assert_allclose(known.twist_relative.vector, change / (2e-9 * PERIOD), atol=1e-6)


def test_late_measurements_without_noise_lead_to_the_truth(truths: list[Truth]) -> None:
    off = errors(truths, followed(truths, 0.0, np.zeros(3)))
    assert off[0, 0] > 0.04 and off[0, 1] > np.radians(0.9)
    assert (off[-500:].max(axis=0) < [1e-3, 1e-3, 1e-3, 2e-4]).all(), off[-500:].max(axis=0)


def test_with_noise_it_stays_near(truths: list[Truth]) -> None:
    """Within the trigger's tolerances: 10 mm, 2 deg, 10 mm/s."""
    off = errors(truths, followed(truths, 1.0, np.zeros(3)))[1500:]
    assert (off[:, :3].max(axis=0) < [0.010, np.radians(1.0), 0.010]).all(), off.max(axis=0)
    assert off[:, 0].mean() < 0.005  # quieter than the sensor


def test_a_bias_of_the_gyro_is_learnt(truths: list[Truth]) -> None:
    bias = np.radians([0.01, -0.02, 0.01])
    known = followed(truths, 0.0, bias)
    left = truths[-1].base.twist.angular - known[-1].twist_base.angular
    assert np.linalg.norm(left) < 0.5 * np.linalg.norm(bias)


def test_measurements_that_are_too_old_change_nothing(truths: list[Truth]) -> None:
    navigation = a_filter()
    estimate = started(navigation, truths[0])
    for step in range(1, 80):
        estimate = navigation.step(estimate, PERIOD * step, pin.Force.Zero(), None, None, None)
    stale = truths[0].grasp_in_base * pin.SE3(np.eye(3), np.ones(3))
    old = 0, pin.Quaternion(np.eye(3)).coeffs()
    one, other = (
        navigation.step(estimate, PERIOD * 80, pin.Force.Zero(), None, *late)
        for late in ((None, None), (old, (0, stale)))
    )
    np.testing.assert_array_equal(one.now.way, other.now.way)
    np.testing.assert_array_equal(one.now.rotation_base, other.now.rotation_base)


def test_late_first_measurements_start_where_the_spacecraft_are_now(truths: list[Truth]) -> None:
    """Both sensors late, each by another time: nothing but the motion in between is made good."""
    navigation, tracked, seen, now = a_filter(), 40, 15, 60
    star = PERIOD * tracked, pin.Quaternion(truths[tracked].base.pose.rotation).coeffs()
    relative = PERIOD * seen, truths[seen].grasp_in_base
    rate = truths[0].base.twist.angular
    estimate = navigation.start(PERIOD * now, rate, star, relative, truths[seen].client.twist.angular)
    then, later = truths[now], estimate.now
    assert np.linalg.norm(pin.log3(then.base.pose.rotation.T @ later.rotation_base)) < 1e-12
    assert np.linalg.norm(pin.log3(then.client.pose.rotation.T @ later.rotation_client)) < 1e-6


def test_the_first_measurements_are_averaged(truths: list[Truth]) -> None:
    """Nine relative measurements, each off by 0.5 deg: a third of that is left, not half as at a fixed gain."""
    random, left = np.random.default_rng(1), []
    for _ in range(40):
        navigation, truth = a_filter(), truths[0]
        spread = np.radians(0.5)
        noisy = [truth.grasp_in_base * pin.SE3(pin.exp3(spread * random.normal(size=3)), np.zeros(3)) for _ in range(9)]
        attitude = 0, pin.Quaternion(truth.base.pose.rotation).coeffs()
        estimate = navigation.start(0, truth.base.twist.angular, attitude, (0, noisy[0]), RATE)
        for pose in noisy[1:]:
            estimate = navigation.step(estimate, 0, pin.Force.Zero(), None, None, (0, pose))
        left.append(pin.log3(truth.client.pose.rotation.T @ estimate.now.rotation_client))
    assert np.std(left) == pytest.approx(spread / 3.0, rel=0.2)
