"""The devices in the table: simulated ones as a plant that closes the loop."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.command_stages import arm_commander
from hil_relative_dynamics.engine.robots import Robots, start_of
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World, gripper_on_ring
from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.homing import ROBOTS, SETTLING, HomingRefused
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.facility.simulated import DeviceCommands, DeviceReadings, SimulatedFacility
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.scenario import Scenario

#: without a new torque for this long the simulated arm takes care of itself, as FRI and Franka arms do [ns]
ARM_TIMEOUT = 20_000_000


def device_stage(world: World, name: str, act: Callable[..., Any], outside: bool = False) -> Stage:
    """What takes commands and gives measurements."""
    slower = (
        signals.CLIENT_ROBOT_SENSOR,
        signals.SERVICER_ROBOT_SENSOR,
        signals.CLIENT_ROBOT_JOINTS,
        signals.SERVICER_ROBOT_JOINTS,
    )
    gripper = world.scenario.contact.kind != "none"
    commands = (signals.CLIENT_ROBOT_COMMAND, signals.SERVICER_ROBOT_COMMAND, signals.ARM_COMMAND)
    return Stage(
        name,
        inputs=(*commands, *((signals.GRIPPER_COMMAND,) if gripper else ())),
        outputs=(*slower, *((signals.GRIPPER_STATE,) if gripper else ()), signals.ARM_JOINT_STATES),
        period=world.scenario.rates.arm_ns,
        act=act,
        closes_loop=True,
        slower=dict.fromkeys(slower, world.scenario.rates.dynamics_ns),
        outside=outside,
    )


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
            gripper=gripper_on_ring(world),
        )
        self.to_be_homed = scenario.facility.to_be_homed
        controller = TRAJECTORY if self.to_be_homed else FORWARD
        client, servicer = self._stand()
        self._state = self._block.initial_state(client, servicer, world.joints, controller)
        self._told: tuple[Any, ...] = (None, None, None)
        self._own = arm_commander(world)
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
                stand[robot.name] = start_of(robot, scenario)
        return list(stand.values())

    def __call__(
        self,
        stamp: int,
        client: np.ndarray | None,
        servicer: np.ndarray | None,
        arm: np.ndarray | None,
        close: np.ndarray | None = None,
    ) -> tuple[Any, ...]:
        if stamp:
            # a command counts once, when it comes: after that it is only still there
            given = client, servicer, arm
            fresh = [new is not old for new, old in zip(given, self._told)]
            self._told = given
            fresh[2] = fresh[2] and self.arm_listens
            commands = DeviceCommands(
                client if fresh[0] else None,
                servicer if fresh[1] else None,
                self._effort(arm, fresh[2]),
                close is not None and close[0] > 0.5,
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
            *(() if readings.gripper is None else (np.array(readings.gripper, dtype=float),)),
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
        client, servicer = self._stand()
        self._state = self._block.initial_state(client, servicer, self._robots.world.joints, TRAJECTORY)
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
