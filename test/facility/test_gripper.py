"""The gripper on the ring: bumps, closes, latches without a jump, holds, lets go, and creates no energy."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import pi, radians, sqrt

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hil_relative_dynamics.facility.gripper import ASKEW, ONE_JAW, Grasp, GripperContact, reaction
from hil_relative_dynamics.scenario.contact import Contact
from hil_relative_dynamics.spatial import rk4_step

DT = 1e-3
RING = Contact(kind="ring")
#: at the grasp: z along the grasp point's -x, x along its z
SEATED = pin.SE3(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), np.zeros(3))
REST, NO_LOAD = pin.Motion.Zero(), pin.Force.Zero()


def off(x: float = 0.0, y: float = 0.0, z: float = 0.0, *, rpy: tuple = (0.0, 0.0, 0.0)) -> pin.SE3:
    """A pose off the seated one, along and about the gripper's axes."""
    return SEATED * pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array([x, y, z]))


class Tool:
    """A free rigid body whose frame is the gripper's, at a ring that does not move."""

    def __init__(self, contact: Contact, pose: pin.SE3, twist: pin.Motion = REST, mass: float = 5.0, j: float = 0.02):
        self.gripper, self.inertia = GripperContact(contact), pin.Inertia(mass, np.zeros(3), j * np.eye(3))
        self.state, self.pose, self.twist = self.gripper.initial_state(), pose, twist
        self._mass = np.repeat([mass, j], 3)

    @property
    def kinetic(self) -> float:
        return 0.5 * self.inertia.vtiv(self.twist)

    def step(self, closing: bool = False, load: pin.Force = NO_LOAD) -> pin.Force:
        self.state, wrench = self.gripper.step(self.state, self.pose, self.twist, closing, DT)
        total = wrench + load
        for _ in range(4):  # the midpoint rule, wrench held in the gripper's axes
            middle = self.twist + self._acceleration(total, self.twist) * (DT / 8)
            self.twist = self.twist + self._acceleration(total, middle) * (DT / 4)
            self.pose = self.pose * pin.exp6(middle * (DT / 4))
        return wrench

    def _acceleration(self, wrench: pin.Force, twist: pin.Motion) -> pin.Motion:
        return pin.Motion((wrench - twist.cross(self.inertia * twist)).vector / self._mass)

    def run(self, duration: float, closing: bool = False, load: pin.Force = NO_LOAD) -> np.ndarray:
        return np.array([self.step(closing, load).vector for _ in range(round(duration / DT))])


def moving(*twist: float) -> pin.Motion:
    return pin.Motion(np.array([*twist, *[0.0] * (6 - len(twist))]))


def pulling(*wrench: float) -> pin.Force:
    return pin.Force(np.array([*wrench, *[0.0] * (6 - len(wrench))]))


@pytest.fixture
def latched() -> Tool:
    tool = Tool(RING, off(0.001))
    tool.run(1.2, closing=True)
    assert tool.state.latched
    return tool


def test_far_away_and_between_open_jaws_nothing_is_felt():
    for pose in (off(z=-0.4), off(), off(0.007, 0.02, -0.03)):
        tool = Tool(RING, pose, moving(1e-3))
        before = tool.state
        assert not tool.run(0.05).any()
        assert tool.state is before and tool.gripper.read(tool.state) == (0.056, False)


def test_the_palm_bumps_with_14_newton_at_2_cm_per_second():
    tool = Tool(replace(RING, damping=0.0), off(z=0.0395), moving(0, 0, 0.02), mass=5.0)
    felt = tool.run(0.1)
    assert -felt[:, 2].min() == pytest.approx(0.02 * sqrt(5.0 * 1e5), rel=0.01)
    assert tool.twist.linear[2] == pytest.approx(-0.02, rel=0.01)
    damped = Tool(RING, off(z=0.0395), moving(0, 0, 0.02), mass=5.0)
    assert 12.0 < -damped.run(0.1)[:, 2].min() < 14.2
    assert -0.02 < damped.twist.linear[2] < -0.01


def test_a_finger_that_misses_the_gap_bumps_with_its_tip():
    tool = Tool(RING, off(0.012, 0.0, -0.0155), moving(0, 0, 0.02))
    felt = tool.run(0.1)
    assert felt[:, 2].min() < -5.0 and felt[:, 4].any(), "pushed back, and turned"
    assert tool.twist.linear[2] < 0.0


def test_jaws_close_centre_and_latch(latched):
    reading = latched.gripper.read(latched.state)
    assert reading == (latched.state.opening, True)
    assert reading.opening == pytest.approx(RING.ring_thickness - 2 * RING.indentation, abs=1e-4)
    assert latched.state.notice == ""
    assert abs(latched.pose.translation[2]) < 5e-4, "the jaws have centred the ring"


def test_jaws_close_at_their_speed_and_open_again(latched):
    closing = Tool(RING, off(z=-0.4))
    closing.run(1.0, closing=True)
    assert closing.state.opening == pytest.approx(RING.jaw_opening - 1.0 * RING.closing_speed)
    latched.run(0.001, closing=False)
    assert not latched.state.latched
    latched.run(1.0, closing=False)
    assert latched.gripper.read(latched.state) == (RING.jaw_opening, False)
    assert not latched.run(0.01).any()


def test_a_latch_makes_no_jump():
    tool = Tool(RING, off(0.003, 0.001, 0.002, rpy=(0.01, 0.02, -0.01)), moving(0.002, -0.003, 0.004), mass=2.0)
    felt = []
    while not tool.state.latched:
        twist = tool.twist
        felt.append(tool.step(closing=True).vector)
    state = tool.state
    grasp, _ = Grasp(RING).step(state.anchor, state.pose, twist, DT)
    assert_allclose(grasp.vector, felt[-1], atol=1e-9, err_msg="the latch takes over the very wrench")
    felt += [tool.step(closing=True).vector for _ in range(20)]
    changes = np.abs(np.diff(felt, axis=0)).max(axis=1)
    assert changes[-20:].max() <= 2.0 * changes[-60:-20].max() + 0.1


def test_a_latched_grasp_holds_a_load_and_does_not_creep(latched):
    load = pulling(4.0, -3.0, -9.6, 1.0, -2.0, 1.5)
    start = latched.pose
    latched.run(1.0, closing=True, load=load)
    held = latched.pose
    latched.run(1.0, closing=True, load=load)
    moved = start.actInv(held)
    assert_allclose(moved.translation, load.linear / RING.grasp_stiffness, atol=2e-6)
    assert_allclose(pin.log3(moved.rotation), load.angular / RING.grasp_stiffness_angular, atol=2e-5)
    assert_allclose(pin.log6(held.actInv(latched.pose)).vector, 0.0, atol=1e-9)


@pytest.mark.parametrize("axis", range(6))
def test_an_undamped_grasp_swings_with_the_period_of_its_spring(axis):
    contact = replace(RING, grasp_stiffness=1e4, grasp_stiffness_angular=40.0, grasp_damping=0, grasp_damping_angular=0)
    velocity = np.zeros(6)
    velocity[axis] = 0.01
    tool = Tool(contact, SEATED, pin.Motion(velocity))
    tool.state = tool.state._replace(anchor=SEATED)
    history = []
    for _ in range(1000):
        tool.step(closing=True)
        history.append(pin.log6(SEATED.actInv(tool.pose)).vector[axis])
    crossings = np.flatnonzero(np.diff(np.sign(history)))
    period = 2.0 * DT * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    expected = 2 * pi * sqrt(5.0 / 1e4) if axis < 3 else 2 * pi * sqrt(0.02 / 40.0)
    assert period == pytest.approx(expected, rel=5e-3)
    assert tool.kinetic <= 0.5 * (5.0 if axis < 3 else 0.02) * 1e-4


@pytest.mark.parametrize("place", [off(z=-0.3), off(z=-0.02)])
def test_out_of_reach_the_jaws_close_on_nothing_and_say_so(place):
    tool = Tool(RING, place)
    tool.run(3.0, closing=True)
    assert tool.gripper.read(tool.state) == (0.0, False)
    distance = np.linalg.norm(place.translation)
    assert tool.state.notice.startswith("the jaws closed on nothing") and f"{distance:.3f} m" in tool.state.notice
    tool.run(3.0, closing=False)
    assert tool.gripper.read(tool.state) == (RING.jaw_opening, False) and tool.state.notice == ""


def test_a_jaw_alone_stops_at_the_grip_force_and_says_so():
    gripper = GripperContact(RING)
    state, openings = gripper.initial_state(), []
    for _ in range(1000):  # the arm does not give way
        state, wrench = gripper.step(state, off(0.004), REST, True, DT)
        openings.append(state.opening)
    assert not state.latched and state.notice == ONE_JAW
    assert openings[-1] == openings[-200] > RING.ring_thickness
    assert np.linalg.norm(wrench.linear) == pytest.approx(RING.grip_force, rel=0.05)


def test_a_ring_that_lies_askew_is_not_latched():
    gripper = GripperContact(RING)
    state = gripper.initial_state()
    for _ in range(1000):
        state, _ = gripper.step(state, off(rpy=(0.0, 0.0, radians(6.0))), REST, True, DT)
    assert not state.latched and state.notice == ASKEW


def test_before_the_latch_friction_holds_what_it_can():
    unlatched = replace(RING, latch_tolerance=1e-9)
    capacity = 2 * RING.friction * RING.grip_force  # 30 N
    for mass, pull, holds in [(0.5, 0.7, True), (5.0, 0.7, True), (5.0, 1.5, False)]:
        tool = Tool(unlatched, off(), mass=mass, j=0.004 * mass)
        tool.run(0.95, closing=True)
        assert not tool.state.latched and tool.state.notice == ASKEW
        for _ in range(500):
            tool.step(True, pulling(0, 0, -pull * capacity))
        away = -SEATED.actInv(tool.pose).translation[2]
        assert (away < 3e-4) == holds


def test_a_step_leaves_its_state_alone_and_repeats():
    tool = Tool(RING, off(0.003, 0.0, 0.001), moving(0.002, 0.001, 0.003, 0.01))
    for _ in range(900):
        tool.step(closing=True)
        before = tool.state.bristles.copy()
        first, wrench = tool.gripper.step(tool.state, tool.pose, tool.twist, True, DT)
        again, same = tool.gripper.step(tool.state, tool.pose, tool.twist, True, DT)
        assert (wrench.vector == same.vector).all() and first.stored == again.stored
        assert (tool.state.bristles == before).all()


def audit(tool: Tool, closing: Callable[[int], bool], steps: int) -> Iterator[tuple[float, float]]:
    """What the contact has given so far beyond what the drive of the jaws put in, and what it may have overdrawn.

    That is the work of a wrench in one step on the way that the tool's own turning adds, omega x v dt^2 / 2.
    """
    start, driven, overdrawn = tool.kinetic, 0.0, 0.0
    for k in range(steps):
        curve = np.linalg.norm(np.cross(tool.twist.angular, tool.twist.linear))
        wrench = tool.step(closing(k))
        driven += tool.state.driven
        overdrawn = max(overdrawn, np.linalg.norm(wrench.linear) * curve * 0.5 * DT**2)
        yield tool.kinetic - start - driven, overdrawn


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    mass=st.sampled_from([0.5, 2.0, 5.0, 1000.0]),
    stiffness=st.sampled_from([1e4, 1e5, 2.5e5]),
    damping=st.sampled_from([0.0, 50.0, 250.0]),
    damping_depth=st.sampled_from([0.0, 1e-4, 0.05]),
    friction=st.sampled_from([0.0, 0.3, 1.0]),
    closing=st.sampled_from([(0, 0), (0, 400), (150, 400)]),
    speed=st.sampled_from([0.005, 0.05]),
)
def test_no_impact_slide_or_grasp_creates_energy(
    seed, mass, stiffness, damping, damping_depth, friction, closing, speed
):
    random = np.random.default_rng(seed)
    law = {"stiffness": stiffness, "damping": damping, "damping_depth": damping_depth, "friction": friction}
    contact = replace(RING, **law, jaw_opening=0.044)
    place = [*random.uniform(-0.5, 0.5, 2) * speed, random.choice([-0.02, 0.0, 0.038])]
    pose = off(*place, rpy=random.normal(0.0, speed, 3))
    twist = pin.Motion(np.concatenate([random.normal(0.0, speed, 3), random.normal(0.0, 4.0 * speed, 3)]))
    tool = Tool(contact, pose, twist, mass, max(0.002, 0.004 * mass))
    assume(not tool.gripper.step(tool.state, pose, REST, False, DT)[1].vector.any())  # it starts outside
    for given_away, overdrawn in audit(tool, lambda k: closing[0] <= k < closing[1], 500):
        assert given_away <= 2.0 * overdrawn + 1e-9


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 200.0]))
def test_a_gripper_led_around_the_same_loop_gets_no_energy(seed, friction, damping):
    """By robots that mind no force, with palm and tips in and out of the ring and over its edges."""
    random = np.random.default_rng(seed)
    gripper = GripperContact(replace(RING, friction=friction, damping=damping, jaw_opening=0.042))
    phase = 2 * pi * np.arange(500) / 500
    waves = np.repeat([0.002, 0.02], 3)[:, None] * random.normal(size=(6, 4))
    loop = waves @ np.array([np.sin(phase), np.cos(phase), np.sin(2 * phase), np.cos(2 * phase)])
    middle = off(random.uniform(-0.02, 0.02), 0.0, random.choice([-0.014, 0.0, 0.04]))
    poses = [middle * pin.exp6(row) for row in loop.T]
    ways = [pin.log6(pose.actInv(then)) for pose, then in zip(poses, poses[1:] + poses[:1])]
    state, work, overdrawn = gripper.initial_state(), 0.0, 0.0
    for k in range(1000):
        i = k % 500
        foreseen = (ways[i - 1] + ways[i]) * 0.5
        state, wrench = gripper.step(state, poses[i], foreseen * (1.0 / DT), False, DT)
        work += ways[i].dot(wrench)
        overdrawn = max(overdrawn, abs((ways[i] - foreseen).dot(wrench)))
        assert work <= overdrawn + 1e-12


def test_an_arm_as_light_as_ours_is_stable(servicer):
    """The package's arm, joints free, thrown about between jaws that close: 0.54 kg at a finger tip."""
    model, data = servicer.model, servicer.model.createData()
    frame, gripper = model.getFrameId("gripper"), GripperContact(replace(RING, damping=250.0, latch_tolerance=1e-9))
    q = np.concatenate([pin.neutral(model)[:7], np.radians([36.2, 60.1, -110.1, -62.6, 69.5, -60.4, 37.2])])
    v = np.concatenate([np.zeros(6), [0.02, 0.03, -0.02, 0.05, -0.1, 0.2, 0.4]])
    model.gravity.setZero()
    pin.framesForwardKinematics(model, data, q)
    pose_ring = data.oMf[frame] * SEATED.inverse()
    state, start, driven = gripper.initial_state(), pin.computeKineticEnergy(model, data, q, v), 0.0
    largest = 0.0
    for _ in range(1500):
        jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        pose = pose_ring.actInv(pin.updateFramePlacement(model, data, frame))
        state, wrench = gripper.step(state, pose, pin.Motion(jacobian @ v), True, DT)
        for _ in range(2):
            torque = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL).T @ wrench.vector
            middle = v + 0.25 * DT * pin.aba(model, data, q, v, torque)
            v = v + 0.5 * DT * pin.aba(model, data, q, middle, torque)
            q = pin.integrate(model, q, 0.5 * DT * middle)
        driven += state.driven
        assert pin.computeKineticEnergy(model, data, q, v) <= 1.001 * (start + driven)
        largest = max(largest, np.abs(wrench.linear).max())
    assert state.notice == ASKEW and 5.0 < largest < 200.0
    assert np.abs(wrench.vector).max() < 5.0, "at rest between the jaws"


def test_a_capture_conserves_the_momentum_of_both_bodies(envisat):
    """A tumbling Envisat and a tool of 50 kg: bump, closing, latch, hold; opposite wrenches at one point."""
    pose_grasp = pin.SE3(np.eye(3), np.array([2.9, 0.0, 0.0]))
    inertias = [envisat.inertia, pin.Inertia(50.0, np.array([0.0, 0.02, -0.3]), 2.0 * np.eye(3))]
    gripper = GripperContact(RING)
    poses = [pin.SE3.Identity(), pose_grasp * off(0.003, 0.0, -0.004, rpy=(0.0, 0.01, 0.01))]
    spin = moving(0.0, 0.0, 0.0, 0.0, radians(-2.5), 0.0)
    twists = [spin, poses[1].actInv(spin) + moving(0.001, 0.002, 0.005)]
    velocity = np.concatenate([twist.vector for twist in twists])

    def momentum() -> np.ndarray:
        halves = map(pin.Motion, _halves(velocity))
        parts = [pose.act(inertia * half) for pose, inertia, half in zip(poses, inertias, halves)]
        return (parts[0] + parts[1]).vector

    def kinetic() -> float:
        return sum(0.5 * inertia.vtiv(pin.Motion(half)) for inertia, half in zip(inertias, _halves(velocity)))

    state, driven, before, energy = gripper.initial_state(), 0.0, momentum(), kinetic()
    exchanged, at_latch = np.zeros(3), SEATED
    for _ in range(1200):
        client, tool = map(pin.Motion, _halves(velocity))
        pose = pose_grasp.actInv(poses[0].actInv(poses[1]))
        relative = tool - poses[1].actInv(poses[0].act(client))
        state, wrench = gripper.step(state, pose, relative, True, DT)
        driven += state.driven
        at_latch = at_latch if state.latched else pose

        def law(_: float, at: list[pin.SE3], moving: np.ndarray, wrench: pin.Force = wrench) -> tuple:
            wrenches = [reaction(wrench, at[0].actInv(at[1])), wrench]
            rates = []
            for inertia, force, half in zip(inertias, wrenches, _halves(moving)):
                twist = pin.Motion(half)
                rates.append(np.linalg.solve(inertia.matrix(), (force - twist.cross(inertia * twist)).vector))
            return [pin.Motion(half) for half in _halves(moving)], np.concatenate(rates)

        poses, velocity = rk4_step(law, 0.0, poses, velocity, DT)
        exchanged += DT * np.abs(wrench.linear)
        assert kinetic() <= energy + driven + 1e-6
    assert state.latched and exchanged.max() > 0.2
    assert_allclose(momentum(), before, rtol=0.0, atol=1e-9 * np.abs(before).max())
    swing = np.abs(pin.log6(at_latch.actInv(pose)).vector)
    assert swing[:3].max() < 1e-3 and swing[3:].max() < 0.01, "they move as one"


def _halves(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return vector[:6], vector[6:]
