"""Supervisor and commanders in the table: the last blocks before the devices."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.facility.arm_commander import ArmCommander
from hil_relative_dynamics.facility.kinematics import RobotKinematics
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.facility.supervisor import SafetySupervisor
from hil_relative_dynamics.facility.supervisor_events import Event, UserStop
from hil_relative_dynamics.facility.supervisor_observation import Observation, Stamps
from hil_relative_dynamics.facility.supervisor_tick import CarriedFrames
from hil_relative_dynamics.spatial import JointReading, MotionPoints, MotionSample

OBSERVED = (
    signals.CLIENT_ROBOT_JOINTS,
    signals.SERVICER_ROBOT_JOINTS,
    signals.ARM_JOINT_STATES,
    signals.CLIENT_MEASURED,
    signals.SERVICER_MEASURED,
    signals.CLIENT_COMMANDED,
    signals.SERVICER_COMMANDED,
    signals.CLIENT_WRENCH,
    signals.CLIENT_ROBOT_SENSOR,
    signals.SERVICER_ROBOT_SENSOR,
    signals.ARM_TORQUE,
)


NOT_BEGUN = SafetyState(False, "the run has not begun.")


class SupervisorStage:
    """Arms itself at its first tick; after a stop and a reset only by request. Requests: stop, reset, arm."""

    def __init__(self, robots: Robots) -> None:
        world = robots.world
        frames = CarriedFrames(
            world.pose_nominal_in_laboratory, robots.pose_grasp_point_in_client, robots.pose_mount_in_base
        )
        self._block = SafetySupervisor.in_laboratory(world.scenario.safety, frames, robots.layout)
        self._state = self._block.arm(self._block.initial_state())
        self._events: list[Event] = []
        self.requests: dict[str, Callable[[], str]] = {"stop": self.stop, "reset": self.reset, "arm": self.arm}

    def __call__(self, stamp: int, *observed: Any, stamps: Sequence[int] | None = None) -> tuple[SafetyState]:
        events, self._events = tuple(self._events), []
        observation = Observation._make((*observed, Stamps(*stamps) if stamps else None, events))
        self._state, safety = self._block.step(self._state, observation, stamp)
        return (safety,)

    @property
    def sentence(self) -> str:
        """Why the robots are stopped; empty while they may move."""
        return "" if self._state.output.enabled else self._state.output.sentence

    def report(self, event: Event) -> None:
        """Something only the nodes can see; it counts at the next tick."""
        self._events.append(event)

    def stop(self, by: str = "the user") -> str:
        self.report(UserStop(by))
        return "stopping"

    def reset(self) -> str:
        before = self._state.phase
        self._state = self._block.reset(self._state)
        if self._state.phase == before:
            raise ValueError(f"there is no stop to reset: the supervisor is {before}")
        return "waiting: home the robots, then arm"

    def arm(self) -> str:
        if self._state.phase != "waiting":
            raise ValueError(f"only a waiting supervisor can be armed, and it is {self._state.phase}")
        self._state = self._block.arm(self._state)
        return "armed"


def _judged(
    safety: SafetyState, stamp: int, stamps: Sequence[int] | None, names: Sequence[str], limit: int
) -> SafetyState:
    """The supervisor's word, unless what it or others said is too old to act on."""
    for name, given in zip(names, stamps or ()):
        if safety.enabled and stamp - given > limit:
            age = 1e-6 * (stamp - given)
            return SafetyState(False, f"{name} is {age:.0f} ms old, limit {1e-6 * limit:.0f} ms.", latched=True)
    return safety


class RobotCommanderStage:
    """Requests: reset."""

    def __init__(self, robots: Robots, name: str) -> None:
        world = robots.world
        self._block = robots.commander(name)
        self._names = f"{name.removesuffix('_robot')}/commanded", "safety/state", f"{name}/joint_states"
        self._limit, self._dt = world.scenario.safety.data_age_ns, 1e-9 * world.scenario.rates.dynamics_ns
        self._state = self._block.initial_state()
        self.requests: dict[str, Callable[[], str]] = {"reset": self.reset}

    @property
    def sentence(self) -> str:
        return self._state.sentence

    def __call__(
        self,
        stamp: int,
        commanded: MotionPoints,
        safety: SafetyState,
        reading: JointReading,
        stamps: Sequence[int] | None = None,
    ) -> tuple[np.ndarray]:
        safety = _judged(safety, stamp, stamps, self._names, self._limit)
        self._state, command = self._block.step(self._state, commanded, safety, reading, self._dt)
        return (reading.position if command is None else command,)

    def hold(self, reading: JointReading) -> np.ndarray | None:
        """Before the run: stay."""
        self._state, command = self._block.step(self._state, None, NOT_BEGUN, reading, self._dt)
        return command

    def reset(self) -> str:
        before = self._state.phase
        self._state = self._block.reset(self._state)
        if self._state.phase == before:
            raise ValueError(f"there is nothing to reset: the commander is {before}")
        return "waiting for a new start"


def arm_commander(world: World) -> ArmCommander:
    return ArmCommander(
        world.servicer,
        world.pose_nominal_in_laboratory,
        world.gravity,
        world.scenario.laboratory.commanding,
        world.scenario.servicer.gravity_compensated_by_arm,
        1e-9 * world.scenario.rates.arm_ns,
    )


class ArmCommanderStage:
    """Requests: reset."""

    def __init__(self, robots: Robots) -> None:
        world = robots.world
        self._block = arm_commander(world)
        self._base = RobotKinematics(robots.servicer(), world.pose_nominal_in_laboratory, robots.pose_mount_in_base)
        self._names = "arm/torque", "safety/state", "arm/joint_states", "servicer/measured"
        self._limit = world.scenario.safety.data_age_ns
        self._state = self._block.initial_state()
        self.requests: dict[str, Callable[[], str]] = {"reset": self.reset}

    def reset(self) -> str:
        self._state = self._block.reset(self._state)
        return "following torques again, while enabled"

    def __call__(
        self,
        stamp: int,
        torque: np.ndarray,
        safety: SafetyState,
        reading: JointReading,
        servicer: MotionSample,
        stamps: Sequence[int] | None = None,
    ) -> tuple[np.ndarray]:
        safety = _judged(safety, stamp, stamps, self._names, self._limit)
        self._state, effort = self._block.step(self._state, torque, safety, reading, servicer)
        return (effort,)

    def hold(self, reading: JointReading, servicer_robot: JointReading) -> np.ndarray:
        """Before the run, and by whoever stands in for this: carry the arm's weight and give way."""
        _, base = self._base.step(self._base.initial_state(), servicer_robot, 0)
        self._state, effort = self._block.step(self._state, np.zeros_like(reading.position), NOT_BEGUN, reading, base)
        return effort
