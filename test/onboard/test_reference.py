"""The reference software in closed loop with base, arm and client in orbit alone: no laboratory, ideal sensors."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.onboard.guidance import grasp_pose
from hil_relative_dynamics.onboard.navigation import IdealNavigation
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.onboard.reference import Actuation, OnboardState, ReferenceOnboard
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.spatial import JointSample, MotionSample, orientation_error, position_error, rk4_step

PERIOD = 4_000_000
QUICK = [
    "servicer.position_m=[4.82, 0.01, 0.56]",
    "servicer.orientation_rpy_deg=[0.3, 0.3, 180.3]",
    "onboard.capture.timeline={approach_from_s: 4, approach_s: 8}",
]


class Orbit(NamedTuple):
    poses: list[pin.SE3]  # client, base
    vector: np.ndarray  # twists of both, joints, their rates

    def sample(self, body: int) -> MotionSample:
        return MotionSample.of(self.poses[body], pin.Motion(self.vector[6 * body : 6 * body + 6]))

    @property
    def joints(self) -> JointSample:
        return JointSample.of(self.vector[12:19], self.vector[19:])


class Loop:
    """Software and orbit, step by step."""

    def __init__(self, *overrides: str) -> None:
        scenario = load("envisat_capture", [*QUICK, *overrides])
        assert scenario.onboard.capture is not None
        self.world, self.grasp = World(scenario), scenario.client.grasp_point.pose_in_client
        self.software = ReferenceOnboard(
            self.world.servicer, self.grasp, self.world.joints.position, scenario.onboard.capture
        )
        self.navigation, self.state = IdealNavigation(self.world.client), self.software.initial_state()
        client, start = scenario.client, self.world.joints
        twists = [client.twist.vector, scenario.twist_servicer.vector]
        self.orbit = Orbit(
            [client.pose, scenario.pose_servicer], np.concatenate([*twists, start.position, start.velocity])
        )
        self.stamp = 0
        self.thrusts: list[np.ndarray] = []

    def decide(self, latched: bool = False) -> tuple[OnboardState, Actuation]:
        known = self.navigation.step(self.orbit.sample(0), self.orbit.sample(1))
        dt = 1e-9 * PERIOD
        return self.software.step(self.state, known, self.orbit.joints, latched, self.stamp, dt, dt)

    def step(self) -> None:
        self.state, wish = self.decide()
        self.thrusts.append(wish.thrust.vector)

        def law(time: float, poses: list[pin.SE3], vector: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            twists, dq = [pin.Motion(vector[:6]), pin.Motion(vector[6:12])], vector[19:]
            client = self.world.client.acceleration(twists[0], pin.Force.Zero())
            base, ddq = self.world.servicer.forward_dynamics(
                vector[12:19], twists[1], dq, wish.thrust, wish.torque, pin.Force.Zero()
            )
            return twists, np.concatenate([client.vector, base.vector, dq, ddq])

        self.orbit = Orbit(*rk4_step(law, 0.0, self.orbit.poses, self.orbit.vector, 1e-9 * PERIOD))
        self.stamp += PERIOD

    def until(self, phase: Phase, limit: float) -> None:
        while self.state.phase.phase is not phase and self.stamp < limit * 1e9:
            self.step()

    @property
    def tool(self) -> pin.SE3:
        """In the client."""
        tool = self.world.servicer.end_effector_in_base(self.orbit.joints.position)
        return self.orbit.poses[0].actInv(self.orbit.poses[1] * tool)


@pytest.fixture(scope="module")
def grasping() -> Loop:
    loop = Loop()
    loop.until(Phase.GRASP, 14.0)
    return loop


def test_it_reaches_the_grasp_pose_on_time(grasping: Loop) -> None:
    assert grasping.state.phase.phase is Phase.GRASP
    assert 1e-9 * grasping.stamp == pytest.approx(12.0, abs=1.0)
    wanted = grasp_pose(grasping.grasp)
    assert position_error(grasping.tool, wanted) < 1e-3
    assert orientation_error(grasping.tool, wanted) < 2e-3


def test_the_base_keeps_its_station_while_the_arm_moves(grasping: Loop) -> None:
    errors = grasping.state.errors
    assert errors.base_position < 2e-3 and errors.base_angle < np.radians(0.1)


def test_thrust_keeps_its_limits_and_ends_at_the_centripetal_force(grasping: Loop) -> None:
    thrusts = np.array(grasping.thrusts)
    assert np.abs(thrusts[:, :3]).max() <= 60.0 and np.abs(thrusts[:, 3:]).max() <= 25.0
    expected = grasping.world.servicer.mass * np.radians(2.5) ** 2 * 4.8
    assert np.linalg.norm(thrusts[-1, :3]) == pytest.approx(expected, rel=0.1)


def test_thrusters_fire_until_the_latch_and_not_after(grasping: Loop) -> None:
    _, waiting = grasping.decide(latched=False)
    assert waiting.close_gripper and np.linalg.norm(waiting.thrust.linear) > 5.0
    state, holding = grasping.decide(latched=True)
    assert state.phase.phase is Phase.HOLD
    assert holding.close_gripper and not holding.thrust.vector.any()


def test_a_target_too_fast_for_the_thrusters_is_given_up() -> None:
    loop = Loop(
        "client.angular_velocity_deg_s=[0,-10,0]", "onboard.capture.timeline={synchronise_timeout_s: 3, approach_s: 8}"
    )
    loop.until(Phase.ABORT, 4.0)
    assert loop.state.phase.phase is Phase.ABORT
    assert loop.state.phase.reason.startswith("not synchronised after 3 s: ")
    _, wish = loop.decide()
    assert not wish.close_gripper
