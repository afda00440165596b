"""The laboratory with robots: kinematics, arm state and wrench chain, then supervisor and commanders.

The same with simulated and with real devices.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.command_stages import (
    OBSERVED,
    ArmCommanderStage,
    RobotCommanderStage,
    SupervisorStage,
)
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.facility.kinematics import ArmKinematics, RobotKinematics
from hil_relative_dynamics.facility.wrench_chain import WrenchChain
from hil_relative_dynamics.matching.passivity import StabilityWatch
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionPoints, MotionSample

#: stability is told about this often [ns]
STABILITY_PERIOD = 20_000_000
_NOMINAL = 4  # its place among the inputs of the wrench chain


def laboratory_stages(robots: Robots, master: str = signals.SERVICER_ROBOT_JOINTS) -> list[Stage]:
    """All between measurements and commands that is not of the method; the `master` signal makes the dynamics step."""
    world = robots.world
    arm, dynamics = world.scenario.rates.arm_ns, world.scenario.rates.dynamics_ns
    patience = 2 * dynamics
    arm_commander = ArmCommanderStage(robots)
    wrench_chain = WrenchChainStage(robots)
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
                signals.NOMINAL,
                *((signals.GRIPPER_STATE,) if world.scenario.contact.kind != "none" else ()),
            ),
            outputs=(signals.CLIENT_WRENCH, signals.END_EFFECTOR_WRENCH, signals.STABILITY),
            period=dynamics,
            act=wrench_chain,
            trigger=signals.CLIENT_MEASURED,
            slower={signals.STABILITY: wrench_chain.stability_period},
            takes_stamps=True,
        ),
        Stage(
            "safety_supervisor",
            inputs=OBSERVED,
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
    """Wrenches of contact at every tick, and now and then what they do to stability. Requests: tare."""

    def __init__(self, robots: Robots) -> None:
        world = robots.world
        period = world.scenario.rates.dynamics_ns
        self._dt = 1e-9 * period
        self.stability_period = period * max(1, STABILITY_PERIOD // period)
        self._block = WrenchChain(
            robots.client(),
            world.servicer,
            world.pose_nominal_in_laboratory,
            robots.pose_grasp_point_in_client,
            world.gravity,
            world.scenario.laboratory.wrench,
        )
        self._state = self._block.initial_state()
        self._watch = StabilityWatch(world.client, world.servicer)
        self._seen, self._stability = self._watch.initial_state(), np.empty(0)
        self.requests: dict[str, Callable[[], str]] = {"tare": self.tare}

    def __call__(
        self,
        stamp: int,
        raw: pin.Force,
        client: MotionSample,
        servicer: MotionSample,
        joints: JointSample,
        nominal: MotionPoints,
        gripper: np.ndarray | None = None,
        stamps: Sequence[int] | None = None,
    ) -> tuple[pin.Force, pin.Force, np.ndarray]:
        latched = gripper is not None and gripper[1] > 0.5  # from then on small forces are real
        self._state, wrenches = self._block.step(
            self._state, raw, client, servicer, joints, self._dt, latched=latched
        )
        measured = client, servicer, joints, wrenches[0]
        self._seen = self._watch.step(self._seen, *measured, self._dt)
        if stamp % self.stability_period == 0:
            # in real time the nominal of this tick may still be under way: that of the tick before ends here
            late = stamps is not None and stamps[_NOMINAL] < stamp
            self._stability = self._watch.numbers(self._seen, *measured, nominal.end if late else nominal.start)
        return (*wrenches, self._stability)

    def tare(self) -> str:
        self._state = self._block.tare(self._state)
        return "the mean of the last second is the new zero"
