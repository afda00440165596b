"""The laboratory with robots: kinematics, wrench chain, supervisor and commanders around the simulated plant.

With real hardware the same blocks run; only the plant is left out.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.facility.arm_commander import ArmCommander
from hil_relative_dynamics.facility.clearance import Clearance
from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.homing import MARGIN, ROBOTS, SETTLING, Homing, HomingRefused
from hil_relative_dynamics.facility.kinematics import ArmKinematics, RobotKinematics
from hil_relative_dynamics.facility.robot_commander import RobotCommander
from hil_relative_dynamics.facility.robot_model import (
    RobotModel,
    client_robot,
    pose_arm_mount,
    servicer_robot,
    start_posture_client,
    start_posture_servicer,
)
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.facility.simulated import DeviceCommands, DeviceReadings, SimulatedFacility
from hil_relative_dynamics.facility.supervisor import SafetySupervisor
from hil_relative_dynamics.facility.supervisor_events import Event, UserStop
from hil_relative_dynamics.facility.supervisor_observation import Observation, Stamps
from hil_relative_dynamics.facility.supervisor_tick import CarriedFrames
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.facility.wrench_chain import WrenchChain
from hil_relative_dynamics.scenario import Scenario
from hil_relative_dynamics.scenario.reader import Place
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionPoints, MotionSample

_OBSERVED = (
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
#: without a new torque for this long the simulated arm takes care of itself, as FRI and Franka arms do [ns]
ARM_TIMEOUT = 20_000_000


class Robots:
    """Both robots of a scenario and what they carry. Models are made anew for each user: they are not shared."""

    def __init__(self, world: World) -> None:
        self.world, self._layout = world, world.scenario.laboratory.layout
        self.pose_mount_in_base = pose_arm_mount(world.servicer)
        self.pose_grasp_point_in_client = world.scenario.client.grasp_point.pose_in_client

    def client(self) -> RobotModel:
        return client_robot(self._layout)

    def servicer(self) -> RobotModel:
        return servicer_robot(self._layout)

    @cached_property
    def client_posture(self) -> np.ndarray:
        """Joints at the start: angles, velocities, accelerations."""
        robot = self.client()
        posture = start_posture_client(robot, self.world.scenario)
        return self._moving(robot, posture, self.world.client_start, self.pose_grasp_point_in_client)

    @cached_property
    def servicer_posture(self) -> np.ndarray:
        robot = self.servicer()
        posture = start_posture_servicer(robot, self.world.scenario, self.pose_mount_in_base)
        return self._moving(robot, posture, self.world.servicer_start, self.pose_mount_in_base)

    def _moving(
        self, robot: RobotModel, posture: np.ndarray, start: MotionSample, pose_carried_in_body: pin.SE3
    ) -> np.ndarray:
        """Joint velocities that give the carried frame the twist it starts with."""
        columns = [robot.twist(posture, axis).vector for axis in np.eye(len(posture))]
        twist = pose_carried_in_body.actInv(start.twist).vector
        return np.array([posture, np.linalg.solve(np.column_stack(columns), twist), np.zeros_like(posture)])

    @property
    def layout(self) -> dict[str, str]:
        return self._layout

    @property
    def postures(self) -> dict[str, np.ndarray]:
        """Joint angles at the start of the run."""
        return {"client_robot": self.client_posture[0], "servicer_robot": self.servicer_posture[0]}

    def commander(self, name: str) -> RobotCommander:
        client, world = name == "client_robot", self.world
        return RobotCommander(
            self.client() if client else self.servicer(),
            world.pose_nominal_in_laboratory,
            self.pose_grasp_point_in_client if client else self.pose_mount_in_base,
            world.scenario.laboratory.commanding,
        )

    def homing(self) -> Homing:
        safety, clearance = self.world.scenario.safety, None
        if safety.clearance > 0.0:
            region = safety.grasp_region if safety.grasp_allowed else None
            clearance = Clearance(safety.clearance + MARGIN, region, self._layout)
        return Homing({name: self.commander(name) for name in ROBOTS}, self.postures, clearance)


def simulated_stages(world: World) -> list[Stage]:
    """Plant, kinematics, arm state, wrench chain, supervisor and commanders."""
    robots = Robots(world)
    return [device_stage(world, "facility_sim", SimulatedFacilityStage(robots)), *laboratory_stages(robots)]


def device_stage(world: World, name: str, act: Callable[..., Any], outside: bool = False) -> Stage:
    """What takes commands and gives measurements."""
    slower = (
        signals.CLIENT_ROBOT_SENSOR,
        signals.SERVICER_ROBOT_SENSOR,
        signals.CLIENT_ROBOT_JOINTS,
        signals.SERVICER_ROBOT_JOINTS,
    )
    return Stage(
        name,
        inputs=(signals.CLIENT_ROBOT_COMMAND, signals.SERVICER_ROBOT_COMMAND, signals.ARM_COMMAND),
        outputs=(*slower, signals.ARM_JOINT_STATES),
        period=world.scenario.rates.arm_ns,
        act=act,
        closes_loop=True,
        slower=dict.fromkeys(slower, world.scenario.rates.dynamics_ns),
        outside=outside,
    )


def laboratory_stages(robots: Robots, master: str = signals.SERVICER_ROBOT_JOINTS) -> list[Stage]:
    """All between measurements and commands that is not of the method; the `master` signal makes the dynamics step."""
    world = robots.world
    arm, dynamics = world.scenario.rates.arm_ns, world.scenario.rates.dynamics_ns
    patience = 2 * dynamics
    arm_commander = ArmCommanderStage(robots)
    return [
        Stage(
            "facility_kinematics",
            inputs=(signals.CLIENT_ROBOT_JOINTS, signals.SERVICER_ROBOT_JOINTS),
            outputs=(signals.SERVICER_MEASURED, signals.CLIENT_MEASURED),
            period=dynamics,
            act=KinematicsStage(robots),
            trigger=master,
            takes_stamps=True,
        ),
        Stage(
            "arm_state",
            inputs=(signals.ARM_JOINT_STATES,),
            outputs=(signals.ARM_JOINTS,),
            period=arm,
            act=ArmStateStage(world),
            trigger=signals.ARM_JOINT_STATES,
            takes_stamps=True,
        ),
        Stage(
            "wrench_chain",
            inputs=(
                signals.CLIENT_ROBOT_SENSOR,
                signals.CLIENT_MEASURED,
                signals.SERVICER_MEASURED,
                signals.ARM_JOINTS,
            ),
            outputs=(signals.CLIENT_WRENCH, signals.END_EFFECTOR_WRENCH),
            period=dynamics,
            act=WrenchChainStage(robots),
            trigger=signals.CLIENT_MEASURED,
        ),
        Stage(
            "safety_supervisor",
            inputs=_OBSERVED,
            outputs=(signals.SAFETY,),
            period=dynamics,
            act=SupervisorStage(robots),
            trigger=signals.SERVICER_COMMANDED,
            moves_hardware=True,
            heartbeat=master,
            patience=patience,
            takes_stamps=True,
        ),
        *(
            Stage(
                f"{robot}_commander",
                inputs=(commanded, signals.SAFETY, joints),
                outputs=(command,),
                period=dynamics,
                act=commander,
                trigger=signals.SAFETY,
                moves_hardware=True,
                heartbeat=joints,
                patience=patience,
                takes_stamps=True,
                hold=commander.hold,
                hold_inputs=(joints,),
            )
            for robot, commanded, joints, command in (
                (
                    "client_robot",
                    signals.CLIENT_COMMANDED,
                    signals.CLIENT_ROBOT_JOINTS,
                    signals.CLIENT_ROBOT_COMMAND,
                ),
                (
                    "servicer_robot",
                    signals.SERVICER_COMMANDED,
                    signals.SERVICER_ROBOT_JOINTS,
                    signals.SERVICER_ROBOT_COMMAND,
                ),
            )
            for commander in [RobotCommanderStage(robots, robot)]
        ),
        Stage(
            "arm_commander",
            inputs=(signals.ARM_TORQUE, signals.SAFETY, signals.ARM_JOINT_STATES, signals.SERVICER_MEASURED),
            outputs=(signals.ARM_COMMAND,),
            period=arm,
            act=arm_commander,
            trigger=signals.ARM_TORQUE,
            moves_hardware=True,
            heartbeat=signals.ARM_JOINT_STATES,
            patience=patience,
            takes_stamps=True,
            hold=arm_commander.hold,
            hold_inputs=(signals.ARM_JOINT_STATES, signals.SERVICER_ROBOT_JOINTS),
        ),
    ]


class SimulatedFacilityStage:
    """The plant. Robots that stand elsewhere are homed before the first tick: by the nodes, or else by itself.

    Its clock starts before the run and goes on through it; `elapsed` is where it is, `run_start` where the run starts.
    """

    def __init__(self, robots: Robots) -> None:
        world, scenario = robots.world, robots.world.scenario
        self._robots, self._period, self.cycle = robots, scenario.rates.arm_ns, scenario.rates.dynamics_ns
        self.elapsed = self.run_start = 0
        self._busy_until = 0
        self._block = SimulatedFacility(
            scenario.facility,
            client_robot=robots.client(),
            servicer_robot=robots.servicer(),
            servicer=world.servicer,
            pose_nominal_in_laboratory=world.pose_nominal_in_laboratory,
            pose_grasp_point_in_client=robots.pose_grasp_point_in_client,
            pose_mount_in_base=robots.pose_mount_in_base,
            gravity=world.gravity,
            wrenches=_WrenchesOfTheRun(self, scenario),
            cycle=scenario.rates.dynamics_ns,
            seed=scenario.seed,
            gravity_compensated_by_arm=scenario.servicer.gravity_compensated_by_arm,
        )
        self.to_be_homed = scenario.facility.to_be_homed
        controller = TRAJECTORY if self.to_be_homed else FORWARD
        self._state = self._block.initial_state(*self._stand(), world.joints, controller)
        self._told: tuple[Any, ...] = (None, None, None)
        self._own = _arm_commander(world)
        self._own_state = self._own.initial_state()
        self._silence = 0
        self.arm_listens = True

    def _stand(self) -> list[np.ndarray]:
        """Joints of both robots at first; if one has to be homed, both start the run from rest."""
        robots, scenario = self._robots, self._robots.world.scenario
        if not self.to_be_homed:
            return [robots.client_posture, robots.servicer_posture]
        stand = robots.postures
        for robot in (robots.client(), robots.servicer()):
            if getattr(scenario.facility, robot.name).start is not None:
                stand[robot.name] = _start_of(robot, scenario)
        return list(stand.values())

    def __call__(
        self, stamp: int, client: np.ndarray | None, servicer: np.ndarray | None, arm: np.ndarray | None
    ) -> tuple[Any, ...]:
        if stamp:
            # a command counts once, when it comes: after that it is only still there
            given = client, servicer, arm
            fresh = [new is not old for new, old in zip(given, self._told)]
            self._told = given
            fresh[2] = fresh[2] and self.arm_listens
            commands = DeviceCommands(
                client if fresh[0] else None, servicer if fresh[1] else None, self._effort(arm, fresh[2])
            )
            self.elapsed = self.run_start + stamp
            self._state, _ = self._block.step(self._state, commands, self.elapsed, self._period)
        elif self.to_be_homed:
            self.home()
        return self.read()

    def read(self) -> tuple[Any, ...]:
        readings: DeviceReadings = self._state.readings
        return (
            readings.client_wrench,
            readings.servicer_wrench,
            readings.client_robot,
            readings.servicer_robot,
            readings.arm,
        )

    # before the run

    @property
    def busy(self) -> bool:
        """Whether a robot is on a homing move, or coming to rest after it."""
        return self.elapsed < self._busy_until

    def wait(self) -> None:
        """One cycle before the run: robots follow their trajectories or stay, the arm's brakes are on."""
        self.elapsed += self.cycle
        self._state, _ = self._block.step(self._state, DeviceCommands(), self.elapsed, self.cycle)

    def follow(self, robot: str, trajectory: JointTrajectory) -> None:
        """As joint_trajectory_controller: starts a move now. ValueError if that controller is not active."""
        self._state = self._block.follow(self._state, robot, trajectory, self.elapsed)
        end = self.elapsed + trajectory.end + SETTLING
        self._busy_until = max(self._busy_until, end + -end % self.cycle)

    def switch(self, robot: str, controller: str | None) -> None:
        """As controller_manager: activates one controller of a robot, or none."""
        self._state = self._block.switch(self._state, robot, controller)

    def begin(self) -> None:
        """From here on the run's time counts."""
        self.run_start, self.to_be_homed = self.elapsed, False

    def stand_in(self) -> None:
        """For real devices as they are after power-up: at rest, under their trajectory controllers, the arm braked."""
        self.to_be_homed = True
        self._state = self._block.initial_state(*self._stand(), self._robots.world.joints, TRAJECTORY)
        self.arm_listens = self.to_be_homed = False

    def home(self) -> None:
        """Homes by direct calls, with the same plan as the nodes; raises HomingRefused."""
        homing, readings = self._robots.homing(), self._state.readings
        measured = {robot: getattr(readings, robot).position for robot in ROBOTS}
        for move in homing.plan(measured, readings.arm.position):
            self.follow(*move)
            while self.busy:
                self.wait()
            far = homing.far(move.robot, getattr(self._state.readings, move.robot).position)
            if far:
                raise HomingRefused(f"{move.robot} did not arrive: {far}.")
        for robot in ROBOTS:
            self.switch(robot, FORWARD)
        self.begin()

    def _effort(self, told: np.ndarray | None, fresh: bool) -> np.ndarray | None:
        """Torque-controlled arms leave torque control when commands stop: this one then holds itself, giving way."""
        self._silence = 0 if fresh else self._silence + self._period
        if told is None or self._silence < ARM_TIMEOUT:
            return told
        lost = SafetyState(False, "commands have stopped.")
        self._own_state, effort = self._own.step(
            self._own_state, told, lost, self._state.readings.arm, self._state.base
        )
        return effort


class _WrenchesOfTheRun(ExternalWrenches):
    """The scenario's wrenches, by the plant's own clock."""

    def __init__(self, plant: SimulatedFacilityStage, scenario: Scenario) -> None:
        super().__init__(scenario.external_wrenches)
        self._plant = plant

    def at(self, stamp: int, pose_end_effector_in_client: pin.SE3) -> tuple[pin.Force, pin.Force]:
        if self._plant.to_be_homed:
            return pin.Force.Zero(), pin.Force.Zero()
        return super().at(stamp - self._plant.run_start, pose_end_effector_in_client)

    def any_at(self, stamp: int) -> bool:
        return not self._plant.to_be_homed and super().any_at(stamp - self._plant.run_start)


def _start_of(robot: RobotModel, scenario: Scenario) -> np.ndarray:
    """Where a robot stands before it is homed; ScenarioError where it cannot."""
    device = getattr(scenario.facility, robot.name)
    posture = np.array(device.start)
    if not ((posture >= robot.lower) & (posture <= robot.upper)).all():
        limits = ", ".join(f"{low:.0f} to {high:.0f}" for low, high in np.degrees([robot.lower, robot.upper]).T)
        at = Place(str(scenario.file), scenario.file.parent, key=f"facility.{robot.name}")
        raise device.error("start_deg", at, f"must be within {limits} deg")
    return posture


class KinematicsStage:
    def __init__(self, robots: Robots) -> None:
        world = robots.world
        nominal, cutoff = world.pose_nominal_in_laboratory, world.scenario.laboratory.estimation.acceleration_filter
        self._client = RobotKinematics(robots.client(), nominal, robots.pose_grasp_point_in_client, cutoff)
        self._servicer = RobotKinematics(robots.servicer(), nominal, robots.pose_mount_in_base, cutoff)
        self._states = self._client.initial_state(), self._servicer.initial_state()

    def __call__(
        self, stamp: int, client: JointReading, servicer: JointReading, stamps: Sequence[int] | None = None
    ) -> tuple[MotionSample, MotionSample]:
        at_client, at_servicer = stamps or (stamp, stamp)
        state_client, sample_client = self._client.step(self._states[0], client, at_client)
        state_servicer, sample_servicer = self._servicer.step(self._states[1], servicer, at_servicer)
        self._states = state_client, state_servicer
        return sample_servicer, sample_client


class ArmStateStage:
    def __init__(self, world: World) -> None:
        cutoff = world.scenario.laboratory.estimation.joint_acceleration_filter
        self._block = ArmKinematics(world.servicer.joint_count, cutoff)
        self._state = self._block.initial_state()

    def __call__(
        self, stamp: int, reading: JointReading, stamps: Sequence[int] | None = None
    ) -> tuple[JointSample]:
        self._state, sample = self._block.step(self._state, reading, stamps[0] if stamps else stamp)
        return (sample,)


class WrenchChainStage:
    """Requests: tare."""

    def __init__(self, robots: Robots) -> None:
        world = robots.world
        self._dt = 1e-9 * world.scenario.rates.dynamics_ns
        self._block = WrenchChain(
            robots.client(),
            world.servicer,
            world.pose_nominal_in_laboratory,
            robots.pose_grasp_point_in_client,
            world.gravity,
            world.scenario.laboratory.wrench,
        )
        self._state = self._block.initial_state()
        self.requests: dict[str, Callable[[], str]] = {"tare": self.tare}

    def __call__(
        self, stamp: int, raw: pin.Force, client: MotionSample, servicer: MotionSample, joints: JointSample
    ) -> tuple[pin.Force, pin.Force]:
        self._state, wrenches = self._block.step(self._state, raw, client, servicer, joints, self._dt)
        return wrenches

    def tare(self) -> str:
        self._state = self._block.tare(self._state)
        return "the mean of the last second is the new zero"


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


def _arm_commander(world: World) -> ArmCommander:
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
        self._block = _arm_commander(world)
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
