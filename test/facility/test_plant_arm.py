"""The arm as a device: dynamics on a moving base, brakes, torque limits, friction, end stops, encoders."""
from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.friction import WIDTH, JointFriction, JointResistance
from hil_relative_dynamics.facility.torque_arm import ArmState, TorqueArm
from hil_relative_dynamics.scenario.plant import ArmDevice
from hil_relative_dynamics.scenario.share import share
from hil_relative_dynamics.spatial import JointSample, MotionSample

PERIOD = 1_000_000
DT = 1e-9 * PERIOD
GRAVITY = np.array([0.0, 0.0, -9.81])
WEIGHTLESS = np.zeros(3)
IDEAL = ArmDevice().ideal()
POSTURE = np.radians([0.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0])
POSE_NOMINAL = pin.SE3(pin.utils.rotate("z", 0.3) @ pin.utils.rotate("x", -0.2), np.zeros(3))
AT_REST = MotionSample.of(pin.SE3.Identity())
NO_WRENCH = pin.Force.Zero()
NOTHING = np.zeros(7)
FLYER = FreeFlyer.from_urdf(share() / "urdf" / "servicer.urdf", "gripper")
FIXED = pin.buildReducedModel(FLYER.model, [1], pin.neutral(FLYER.model))
EFFORT = FLYER.model.effortLimit[6:]


def arm(device: ArmDevice = IDEAL, gravity: np.ndarray = WEIGHTLESS, compensated: bool = False) -> TorqueArm:
    return TorqueArm(device, FLYER, POSE_NOMINAL, gravity, compensated)


def run(
    plant: TorqueArm, state: ArmState, torque: np.ndarray | None, ticks: int, start: int = 0
) -> list[ArmState]:
    states = []
    for tick in range(start, start + ticks):
        state = plant.step(state, torque, AT_REST, AT_REST, NO_WRENCH, tick * PERIOD, PERIOD)
        states.append(state)
    return states


def moving(velocity: np.ndarray, position: np.ndarray = POSTURE) -> JointSample:
    return JointSample.of(position, velocity)


def mass_matrix(q: np.ndarray) -> np.ndarray:
    return FLYER.mass_matrix(q)[6:, 6:]


def kinetic_energy(joints: JointSample) -> float:
    return 0.5 * joints.velocity @ mass_matrix(joints.position) @ joints.velocity


def weight_torque(q: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """g(q) for a base at rest in the nominal frame."""
    model = pin.Model(FIXED)
    model.gravity.linear = POSE_NOMINAL.rotation.T @ gravity
    return pin.computeGeneralizedGravity(model, model.createData(), q)


# ---- dynamics ----


def test_it_obeys_the_equations_of_motion_on_a_moving_base():
    """Against pinocchio's inverse dynamics of base and arm, integrated by an independent solver."""
    twist, acceleration = pin.Motion(np.array([0.2, -0.1, 0.3, 0.1, 0.3, -0.2])), pin.Motion(np.full(6, 0.4))
    wrench, torque = (
        pin.Force(np.array([5.0, -3.0, 2.0, 0.3, -0.2, 0.1])),
        np.array([3, -2, 1, 2, 0.3, -0.2, 0.05]),
    )
    model = pin.Model(FLYER.model)
    model.gravity.linear = GRAVITY
    data, ticks = model.createData(), 60
    tip = model.frames[FLYER.end_effector]
    external = pin.StdVec_Force()
    external.extend([pin.Force.Zero()] * model.njoints)
    external[tip.parentJoint] = tip.placement.act(wrench)
    poses = base_poses(twist, acceleration, ticks)

    def rate(time: float, y: np.ndarray) -> np.ndarray:
        tick = min(int(time / DT), ticks - 1)
        pose = poses[tick] * pin.exp6(
            (twist + acceleration * (tick * DT)) * (time - tick * DT)
            + acceleration * (0.5 * (time - tick * DT) ** 2)
        )
        q = np.concatenate([pin.SE3ToXYZQUAT(POSE_NOMINAL * pose), y[:7]])
        v = np.concatenate([(twist + acceleration * time).vector, y[7:]])
        bias = pin.rnea(model, data, q, v, np.concatenate([acceleration.vector, NOTHING]), external)[6:]
        return np.concatenate([y[7:], np.linalg.solve(mass_matrix(y[:7]), torque - bias)])

    plant, velocity = arm(gravity=GRAVITY), np.array([0.1, -0.2, 0.3, 0.2, -0.4, 0.5, -0.6])
    state = plant.initial_state(moving(velocity))
    bases = [
        MotionSample.of(pose, twist + acceleration * (k * DT), acceleration) for k, pose in enumerate(poses)
    ]
    for tick in range(ticks):
        state = plant.step(state, torque, bases[tick], bases[tick + 1], wrench, tick * PERIOD, PERIOD)
    end = solve_ivp(rate, (0.0, ticks * DT), np.concatenate([POSTURE, velocity]), rtol=1e-11, atol=1e-12).y[
        :, -1
    ]
    assert_allclose(state.joints.position, end[:7], atol=1e-8)
    assert_allclose(state.joints.velocity, end[7:], atol=1e-7)
    assert_allclose(state.joints.acceleration, rate(ticks * DT, end)[7:], atol=1e-5)


def base_poses(twist: pin.Motion, acceleration: pin.Motion, ticks: int) -> list[pin.SE3]:
    """Of a base whose body twist changes steadily, in fine steps."""
    poses, pose, fine = [pin.SE3.Identity()], pin.SE3.Identity(), 20
    for tick in range(ticks):
        for part in range(fine):
            time = (tick + (part + 0.5) / fine) * DT
            pose = pose * pin.exp6((twist + acceleration * time) * (DT / fine))
        poses.append(pose)
    return poses


# ---- brakes, delay, torque limits ----


def test_brakes_hold_it_until_the_first_torque():
    plant = arm(gravity=GRAVITY)
    state = run(plant, plant.initial_state(moving(NOTHING)), None, 100)[-1]
    assert state.brakes_on
    assert_array_equal(state.joints.array, [POSTURE, NOTHING, NOTHING])
    state = run(plant, state, NOTHING, 1, start=100)[-1]
    assert not state.brakes_on and (state.joints.velocity != 0.0).any()


def test_brakes_take_away_velocity():
    plant = arm()
    state = plant.initial_state(moving(np.ones(7)))
    assert_array_equal(run(plant, state, None, 1)[-1].joints.array, [POSTURE, NOTHING, NOTHING])


@pytest.mark.parametrize("delay", [0, 1, PERIOD, PERIOD + 1, 3 * PERIOD])
def test_torque_arrives_after_the_delay_and_is_held(delay):
    plant = arm(replace(IDEAL, delay_ns=delay))
    state, torque = plant.initial_state(moving(NOTHING)), np.full(7, 0.1)
    first = -(-delay // PERIOD)
    for tick in range(first + 5):
        state = plant.step(
            state, torque if tick == 0 else None, AT_REST, AT_REST, NO_WRENCH, tick * PERIOD, PERIOD
        )
        assert state.brakes_on == (tick < first)
        assert_array_equal(state.torque, torque if tick >= first else NOTHING)
        assert_array_equal(plant.read(state).effort, state.torque)


def test_torque_saturates():
    plant = arm(replace(IDEAL, limits=True))
    state = plant.initial_state(moving(NOTHING))
    saturated = plant.step(
        state, 1e3 * np.array([1, -1, 1, -1, 1, -1, 1]), AT_REST, AT_REST, NO_WRENCH, 0, PERIOD
    )
    assert_array_equal(saturated.torque, EFFORT * np.array([1, -1, 1, -1, 1, -1, 1]))
    limit = plant.step(
        state, EFFORT * np.array([1, -1, 1, -1, 1, -1, 1]), AT_REST, AT_REST, NO_WRENCH, 0, PERIOD
    )
    assert_array_equal(saturated.joints.array, limit.joints.array)
    free = arm().step(state, np.full(7, 1e3), AT_REST, AT_REST, NO_WRENCH, 0, PERIOD)
    assert_array_equal(free.torque, np.full(7, 1e3))


def test_own_gravity_compensation_makes_it_weightless_and_takes_its_share():
    weightless, compensated = arm(), arm(gravity=GRAVITY, compensated=True)
    start, torque = weightless.initial_state(moving(NOTHING)), np.array([1, 2, -1, 1, 0.2, -0.1, 0.05])
    ends = [run(plant, start, torque, 50)[-1].joints.array for plant in (weightless, compensated)]
    assert_array_equal(*ends)
    limited = arm(replace(IDEAL, limits=True), GRAVITY, compensated=True)
    state = limited.step(start, np.full(7, 1e3), AT_REST, AT_REST, NO_WRENCH, 0, PERIOD)
    assert_allclose(state.torque, EFFORT - weight_torque(POSTURE, GRAVITY), atol=1e-9)


@pytest.mark.parametrize("torque", [np.full(7, np.nan), np.zeros(6)])
def test_nonsense_is_not_obeyed(torque):
    plant = arm()
    assert run(plant, plant.initial_state(moving(NOTHING)), torque, 3)[-1].brakes_on


def test_encoder_reads_in_steps():
    step = radians(0.01)
    plant = arm(replace(IDEAL, encoder_resolution=step))
    reading = plant.read(plant.initial_state(moving(np.full(7, 0.123))))
    assert_allclose(reading.position / step, np.rint(POSTURE / step), atol=1e-9)
    assert_array_equal(reading.velocity, np.full(7, 0.123))


# ---- friction ----

VELOCITY = st.lists(st.floats(-2.0, 2.0), min_size=7, max_size=7).map(np.array)
FRICTION = st.floats(0.0, 30.0)


def with_friction(viscous: float, coulomb: float) -> ArmDevice:
    return replace(IDEAL, viscous_friction=viscous, coulomb_friction=coulomb)


@settings(max_examples=25, deadline=None)
@given(velocity=VELOCITY, viscous=FRICTION, coulomb=FRICTION)
def test_friction_only_takes_energy(velocity, viscous, coulomb):
    plant = arm(with_friction(viscous, coulomb))
    state = plant.initial_state(moving(velocity))
    energy = kinetic_energy(state.joints)
    for after in run(plant, state, NOTHING, 40):
        lower = kinetic_energy(after.joints)
        assert lower <= energy * (1.0 + 1e-6) + 1e-15  # the RK4 step itself keeps it to 1e-7
        energy = lower


def test_without_friction_energy_is_kept():
    plant = arm()
    state = plant.initial_state(moving(np.array([0.5, -0.4, 0.3, 0.6, -0.5, 0.4, 1.0])))
    energies = [kinetic_energy(after.joints) for after in run(plant, state, NOTHING, 500)]
    assert_allclose(energies, kinetic_energy(state.joints), rtol=1e-6)


def test_friction_under_gravity_lets_it_fall_and_loses_energy():
    plant = arm(with_friction(0.5, 0.5), GRAVITY)
    model, state = pin.Model(FIXED), plant.initial_state(moving(NOTHING))
    model.gravity.linear = POSE_NOMINAL.rotation.T @ GRAVITY
    data = model.createData()

    def energy(joints: JointSample) -> float:
        return kinetic_energy(joints) + pin.computePotentialEnergy(model, data, joints.position)

    energies = np.array(
        [energy(state.joints), *[energy(after.joints) for after in run(plant, state, NOTHING, 400)]]
    )
    assert (np.diff(energies) < 1e-4).all() and energies[-1] < energies[0] - 0.5


def test_friction_is_as_strong_as_told():
    friction = JointFriction(np.array([2.0, 0.0]), np.array([0.0, 3.0]))
    assert_allclose(friction.torque(np.array([0.5, 0.5])), [-1.0, -3.0], rtol=1e-4)
    assert_allclose(friction.torque(np.array([-0.5, -0.5])), [1.0, 3.0], rtol=1e-4)
    assert_array_equal(friction.torque(np.zeros(2)), [0.0, 0.0])
    assert JointFriction(NOTHING, NOTHING).is_zero and not friction.is_zero


def test_friction_acts_like_its_torque():
    """A step with friction, against one where its torque is given as a command."""
    velocity = np.array([0.5, -0.4, 0.3, 0.6, -0.5, 0.4, 1.0])
    rubbing, free = arm(with_friction(0.05, 0.02)), arm()
    torque = JointFriction(np.full(7, 0.05), np.full(7, 0.02)).torque(velocity)
    slowed = run(rubbing, rubbing.initial_state(moving(velocity)), NOTHING, 1)[-1].joints
    driven = run(free, free.initial_state(moving(velocity)), torque, 1)[-1].joints
    change = driven.velocity - velocity
    assert_allclose(slowed.velocity - velocity, change, atol=0.05 * abs(change).max())
    assert_allclose(slowed.position, driven.position, atol=1e-5)


@pytest.mark.parametrize("joint", [3, 6])  # 1 N m brings joint 7 to 0.6 rad/s within a tick
def test_a_joint_sticks_below_its_dry_friction(joint):
    plant, push = arm(with_friction(0.0, 2.0)), np.eye(7)[joint]
    state = run(plant, plant.initial_state(moving(NOTHING)), 1.0 * push, 1000)[-1]
    assert abs(state.joints.velocity).max() < WIDTH
    assert abs(state.joints.position - POSTURE).max() < WIDTH
    loose = run(plant, plant.initial_state(moving(NOTHING)), 4.0 * push, 200)[-1]
    assert loose.joints.velocity[joint] > 0.1


def test_resistance_solves_its_equation():
    q, dq, resistance = POSTURE, np.linspace(-1, 1, 7), np.array([0.0, 1.0, 10.0, 100.0, 0.1, 5.0, 1e6])
    change = JointResistance(FLYER).change(q, dq, resistance, DT)
    mass = mass_matrix(q)
    assert_allclose((mass + DT * np.diag(resistance)) @ (dq + change), mass @ dq, atol=1e-9)


# ---- end stops ----


def test_a_joint_stops_at_its_limit_and_comes_off_again():
    plant = arm(replace(IDEAL, limits=True))
    limit, push = radians(120.0), np.array([0, 0, 0, -20.0, 0, 0, 0])
    states = run(plant, plant.initial_state(moving(NOTHING)), push, 600)
    position = np.array([state.joints.position[3] for state in states])
    hit = int(np.argmax(position <= -limit + 1e-12))
    assert position.min() >= -limit - 1e-12 and 0 < hit < 600
    assert_allclose(position[hit:], -limit, atol=1e-6)
    assert abs(states[hit].joints.velocity[3]) < 1e-5
    assert kinetic_energy(states[hit].joints) < kinetic_energy(states[hit - 1].joints)
    sentence = f"joint_4 of the arm ran into its end stop at -120.0 deg, at {1e-3 * (hit + 1):.3f} s"
    assert states[-1].notice == sentence and states[hit - 1].notice == ""
    back = run(plant, states[-1], -push, 100, start=600)[-1]
    assert back.joints.position[3] > -limit + 0.05


def test_an_end_stop_only_takes_energy():
    plant = arm(replace(IDEAL, limits=True))
    velocity = np.array([1.0, -1.0, 1.5, -3.0, 2.0, -2.0, 3.0])
    near = POSTURE + np.radians([160, 0, -165, -35, 165, -90, 165])
    state = plant.initial_state(moving(velocity, near))
    energy = kinetic_energy(state.joints)
    for after in run(plant, state, NOTHING, 300):
        lower = kinetic_energy(after.joints)
        assert lower <= energy * (
            1.0 + 2e-3
        )  # moved back by a fraction of a tick: other inertia, not more speed
        energy = lower
    assert after.notice


def test_without_limits_there_is_no_stop():
    plant = arm()
    states = run(plant, plant.initial_state(moving(NOTHING)), np.array([0, 0, 0, -20.0, 0, 0, 0]), 600)
    assert min(state.joints.position[3] for state in states) < -radians(125.0) and not states[-1].notice
