"""Two bodies in space: statics, invariants, friction, and the same by other means."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.deorbit.contact import FeetOnFace, hexagon
from hil_relative_dynamics.deorbit.flight import pair_of
from hil_relative_dynamics.deorbit.pair import ContactPair, PairState
from hil_relative_dynamics.deorbit.statics import (
    balance_matrix,
    internal_loads,
    lateral_force,
    lateral_force_diagonal,
    rigid_start,
    sliding_frequencies,
)
from hil_relative_dynamics.evidence import validate_deorbit_independent
from hil_relative_dynamics.evidence.validate_deorbit_space import bodies_of, flown

THRUST = pin.Force(np.array([1500.0, 0.0, 0.0]), np.zeros(3))


def run(pair: ContactPair, state: PairState, thrust: pin.Force, steps: int, dt: float) -> list[PairState]:
    states = [state]
    for _ in range(steps):
        states.append(pair.step(states[-1], thrust, dt))
    return states


@pytest.mark.parametrize("count", [3, 4, 6, 9])
def test_statics_balance_any_wrench(count: int) -> None:
    random = np.random.default_rng(count)
    wrench, place = pin.Force(random.normal(size=6)), random.normal(size=3)
    feet = hexagon(count, 0.8, 0.3) + place[:, None]
    loads = internal_loads(wrench, feet, place)
    force = np.array([loads.normal.sum(), *loads.lateral])
    torque = np.cross(feet.T, np.outer(loads.normal, [1.0, 0.0, 0.0])).sum(axis=0)
    torque += np.cross(place, [0.0, *loads.lateral]) + np.array([loads.torque, 0.0, 0.0])
    assert_allclose(force, wrench.linear, atol=1e-12)
    assert_allclose(torque, wrench.angular, atol=1e-12)


def test_fewer_than_three_contacts_have_no_balance() -> None:
    with pytest.raises(ValueError, match="2 contacts cannot"):
        balance_matrix(hexagon(2, 0.8, 0.0), np.zeros(3))


def test_rigid_start_is_newton_and_euler() -> None:
    bodies = bodies_of("deorbit_friction")
    target, chaser = bodies.target.inertia, bodies.chaser.inertia
    wrench, acceleration = rigid_start(target, chaser, THRUST)
    of_target = acceleration.linear + np.cross(acceleration.angular, target.lever)
    assert_allclose(wrench.linear, target.mass * of_target)
    assert_allclose(wrench.angular, target.inertia @ acceleration.angular, rtol=1e-9)
    of_both = (target + chaser).lever
    assert_allclose(acceleration.linear + np.cross(acceleration.angular, of_both), THRUST.linear / 9400.0, atol=1e-12)


def test_corrected_equation_19() -> None:
    random = np.random.default_rng(4)
    moments, deviation, arm = random.uniform(1.0, 2.0, 3), random.normal(size=3), random.normal(size=3)
    exact = lateral_force(7.0, np.diag(moments), deviation, np.array([3.0, 0.0, 0.0]), arm)
    assert_allclose(lateral_force_diagonal(7.0, moments, deviation, 3.0, arm), exact, rtol=1e-12)


@pytest.mark.parametrize("friction", ["none", "coulomb"])
def test_impact_keeps_momentum_and_creates_no_energy(friction: str) -> None:
    pair = pair_of(bodies_of("deorbit_friction", f"bodies.contact.friction={friction}"))
    start = pair.start()
    start.vector[6:12] = 0.05, 0.02, -0.01, 0.002, 0.004, -0.003
    states = run(pair, start, pin.Force.Zero(), 800, 1e-3)
    energies = np.array([pair.energy(state, pair.instant(state, pin.Force.Zero())) for state in states])
    before, after = pair.momentum(start), pair.momentum(states[-1])
    assert_allclose(after.linear, before.linear, atol=1e-9 * np.linalg.norm(before.linear))
    assert_allclose(after.angular, before.angular, atol=1e-9 * np.linalg.norm(before.angular))
    assert np.diff(energies).max() <= 1e-12 * energies[0]
    assert energies[-1] < 0.8 * energies[0]
    assert np.diff([state.heat for state in states]).min() >= 0.0
    assert energies[-1] + states[-1].heat == pytest.approx(energies[0], rel=1e-4)


def test_undamped_feet_give_back_what_they_took() -> None:
    bodies = bodies_of("deorbit_friction", "bodies.contact.friction=none", "bodies.contact.damping_N_s_m=0")
    pair = pair_of(bodies)
    start = pair.start()
    start.vector[6] = 0.05
    states = run(pair, start, pin.Force.Zero(), 600, 1e-3)
    now = pair.instant(states[-1], pin.Force.Zero())
    assert now.pressed.stored == 0.0  # parted again
    assert pair.energy(states[-1], now) == pytest.approx(0.5 * 1200.0 * 0.05**2, rel=1e-6)


def test_friction_only_ever_takes_energy() -> None:
    random = np.random.default_rng(0)
    contact = FeetOnFace(hexagon(6, 0.8, 0.0), 1e4, 3e3, "coulomb", 0.5)
    for _ in range(300):
        pose = pin.exp6(pin.Motion(0.01 * random.normal(size=6)))
        twist = pin.Motion(0.1 * random.normal(size=6))
        normal = contact.press(pose, twist, np.zeros((2, 6))).forces[0]
        bristles = contact.settled(0.05 * random.normal(size=(2, 6)), normal)
        pressed = contact.press(pose, twist, bristles)
        assert pressed.loss >= 0.0
        assert (np.hypot(*pressed.forces[1:]) <= 0.5 * pressed.forces[0] * (1.0 + 1e-12)).all()
        assert (pressed.forces[0] >= 0.0).all()


def test_frames_do_not_matter() -> None:
    """The same push, with the whole world turned and moved."""
    pair = pair_of(bodies_of("deorbit_friction", "bodies.contact.friction=coulomb"))
    world = pin.SE3(pin.rpy.rpyToMatrix(0.4, -1.0, 2.0), np.array([30.0, -20.0, 5.0]))
    start = pair.start()
    moved = start._replace(pose_target=world, pose_chaser=world)
    one, two = (run(pair, state, THRUST, 100, 0.01)[-1] for state in (start, moved))
    assert_allclose((world * one.pose_target).homogeneous, two.pose_target.homogeneous, atol=1e-11)
    assert_allclose(one.vector, two.vector, atol=1e-8)


@pytest.mark.parametrize("name", ["deorbit_friction", "deorbit_frictionless"])
def test_halving_the_step_changes_little(name: str) -> None:
    coarse, fine = flown(name, 3), flown(name, 3, "bodies.step_ms=5")
    assert_allclose(coarse.normal[-1], fine.normal[-1], rtol=1e-4)


def test_agrees_with_newton_and_euler_at_the_centres_of_mass() -> None:
    for check in validate_deorbit_independent.checks(seconds=0.4):
        assert check.ok, f"{check.id}: {check.value}"


def test_the_target_slides_faster_where_the_inertia_is_smaller() -> None:
    bodies = bodies_of("deorbit_frictionless")
    along_y, along_z = sliding_frequencies(bodies.target.inertia, bodies.chaser.inertia, 1500.0)
    assert along_y == pytest.approx(0.189, abs=1e-3) and along_z == pytest.approx(0.862, abs=1e-3)
    errors = []
    for stiffness, damping in ((1e4, 3e3), (1e5, 9.5e3)):  # the closed form is that of rigid feet
        feet = f"bodies.contact.stiffness_N_m={stiffness}", f"bodies.contact.damping_N_s_m={damping}"
        aside = "bodies.target.com_m=[5, 0, 0.01]", "bodies.robot.damping_N_s_m=[0, 0]"
        track = flown("deorbit_frictionless", 6, *aside, *feet)
        errors.append(np.abs(track.deviation[:, 1] - 0.01 * np.cos(along_z * track.times)).max())
    assert errors[0] < 1e-3
    assert errors[1] < 0.3 * errors[0]


def test_lateral_force_vanishes_without_deviation() -> None:
    track = flown("deorbit_friction", 3, "bodies.target.com_m=[5, 0, 0]", "bodies.chaser.com_m=[-1.225, 0, 0]")
    assert np.abs(track.force[:, 1:]).max() < 1e-6
    assert track.normal[-1].sum() == pytest.approx(1308.51, abs=0.5)
