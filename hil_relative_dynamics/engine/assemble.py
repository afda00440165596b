"""From a scenario to the table of its blocks, with their states at the start."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.servicer import free_flyer
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.facility.ideal import Commands, IdealFacility, Measurements
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward, ArmTorque
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.nominal import FixedNominal, Nominal, UnforcedNominal, read_motion
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.onboard.scripted import ScriptedOnboard
from hil_relative_dynamics.scenario import Scenario, ScenarioError
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample


class World:
    """The bodies of a scenario and where they are at its start: what several blocks need to agree on."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.client = RigidBody(scenario.client.inertia)
        self.servicer = free_flyer(scenario.servicer)
        joints, joint_rates = scenario.servicer.joints, scenario.servicer.joint_rates
        self.joints = JointSample.of(np.array(joints), np.array(joint_rates))
        self.nominal = self._nominal()
        _, points = self.nominal.step(self.nominal.initial_state(), 0, scenario.rates.dynamics_ns)
        self.nominal_start = points.start

    def _nominal(self) -> Nominal:
        client, nominal = self.scenario.client, self.scenario.nominal
        if nominal.kind == "unforced":
            return UnforcedNominal(self.client, client.pose, client.twist)
        if nominal.file is None:
            return FixedNominal(client.pose)
        try:
            with warnings.catch_warnings():  # numpy's, about an empty file
                warnings.simplefilter("ignore")
                motion = read_motion(str(nominal.file))
        except ValueError as error:
            raise ScenarioError(nominal.file, "", None, f"cannot be the nominal motion: {error}") from None
        end = 1e-9 * (self.scenario.duration_ns + self.scenario.rates.dynamics_ns)
        if motion.times[0] > 0.0 or motion.times[-1] < end:
            covered = f"{motion.times[0]:g} to {motion.times[-1]:g} s"
            allowed = f"must cover the run, 0 to {end:g} s, and covers {covered}"
            raise ScenarioError(nominal.file, "", None, allowed)
        return motion

    def onboard(self) -> ScriptedOnboard:
        """The on-board software at its start."""
        return ScriptedOnboard(self.scenario.onboard, self.joints.position)

    @property
    def pose_nominal_in_laboratory(self) -> pin.SE3:
        """Calibration: puts the servicer mock-up at its attitude in the laboratory at the start."""
        pose_relative = self.nominal_start.pose.actInv(self.scenario.pose_servicer)
        return pin.SE3(self.scenario.laboratory.base_rotation @ pose_relative.rotation.T, np.zeros(3))

    @property
    def gravity(self) -> np.ndarray:
        return np.array(self.scenario.laboratory.gravity)


def assemble(scenario: Scenario) -> TickTable:
    """All blocks of a scenario. Raises ScenarioError where what it names does not fit together."""
    world = World(scenario)
    arm, dynamics = scenario.rates.arm_ns, scenario.rates.dynamics_ns
    client, servicer = ClientStage(world), ServicerStage(world)
    return TickTable(
        [
            Stage(
                "facility",
                inputs=(signals.CLIENT_COMMANDED, signals.SERVICER_COMMANDED, signals.ARM_TORQUE),
                outputs=(
                    signals.CLIENT_MEASURED,
                    signals.SERVICER_MEASURED,
                    signals.ARM_JOINTS,
                    signals.CLIENT_WRENCH,
                    signals.END_EFFECTOR_WRENCH,
                ),
                period=arm,
                act=IdealFacilityStage(world, client, servicer),
                closes_loop=True,
            ),
            Stage(
                "nominal_trajectory",
                inputs=(signals.CLIENT_MEASURED,),
                outputs=(signals.NOMINAL,),
                period=dynamics,
                act=NominalStage(world),
                trigger=signals.CLIENT_MEASURED,
            ),
            Stage(
                "relative_mapping",
                inputs=(signals.NOMINAL, signals.CLIENT_MEASURED, signals.SERVICER_MEASURED),
                outputs=(signals.CLIENT_ABSOLUTE, signals.SERVICER_ABSOLUTE),
                period=dynamics,
                act=MappingStage(),
                trigger=signals.NOMINAL,
            ),
            Stage(
                "onboard_software",
                inputs=(signals.ARM_JOINTS,),
                outputs=(signals.SERVICER_THRUST, signals.ARM_ONBOARD_TORQUE),
                period=arm,
                act=world.onboard().step,
                trigger=signals.ARM_JOINTS,
            ),
            Stage(
                "client_dynamics",
                inputs=(signals.CLIENT_WRENCH, signals.NOMINAL),
                outputs=(signals.CLIENT_SIMULATED, signals.CLIENT_COMMANDED),
                period=dynamics,
                act=client,
                trigger=signals.NOMINAL,
            ),
            Stage(
                "servicer_dynamics",
                inputs=(
                    signals.SERVICER_THRUST,
                    signals.END_EFFECTOR_WRENCH,
                    signals.ARM_JOINTS,
                    signals.NOMINAL,
                ),
                outputs=(signals.SERVICER_SIMULATED, signals.SERVICER_COMMANDED),
                period=dynamics,
                act=servicer,
                trigger=signals.NOMINAL,
            ),
            Stage(
                "arm_feedforward",
                inputs=(
                    signals.ARM_ONBOARD_TORQUE,
                    signals.ARM_JOINTS,
                    signals.SERVICER_COMMANDED,
                    signals.SERVICER_SIMULATED,
                ),
                outputs=(signals.ARM_TORQUE, signals.ARM_TORQUE_TERMS),
                period=arm,
                act=ArmFeedForwardStage(world),
                trigger=signals.ARM_ONBOARD_TORQUE,
            ),
        ]
    )


class NominalStage:
    def __init__(self, world: World) -> None:
        self._block, self._period = world.nominal, world.scenario.rates.dynamics_ns
        self._state = self._block.initial_state()

    def __call__(self, stamp: int, master: Any) -> tuple[MotionPoints]:
        self._state, points = self._block.step(self._state, stamp, self._period)
        return (points,)


class MappingStage:
    def __init__(self) -> None:
        self._block = RelativeMapping()

    def __call__(
        self, stamp: int, nominal: MotionPoints, client: MotionSample, servicer: MotionSample
    ) -> tuple[MotionSample, MotionSample]:
        return self._block.step(nominal.start, client, servicer)


class ClientStage:
    def __init__(self, world: World) -> None:
        start = world.scenario.client
        self._block, self._dt = ClientDynamics(world.client), 1e-9 * world.scenario.rates.dynamics_ns
        self._state = self._block.initial_state(start.pose, start.twist, world.nominal_start)
        rest = self._block.derivative(self._state, pin.Force.Zero(), world.nominal_start)
        self.start = rest.commanded.start

    def __call__(
        self, stamp: int, wrench: pin.Force, nominal: MotionPoints
    ) -> tuple[MotionPoints, MotionPoints]:
        self._state, motion = self._block.step(self._state, wrench, nominal, self._dt)
        return motion.simulated, motion.commanded


class ServicerStage:
    def __init__(self, world: World) -> None:
        scenario = world.scenario
        self._block = ServicerDynamics(world.servicer, scenario.servicer.base_row == "momentum")
        self._dt = 1e-9 * scenario.rates.dynamics_ns
        self._state = self._block.initial_state(
            scenario.pose_servicer, scenario.twist_servicer, world.joints, world.nominal_start
        )
        none = pin.Force.Zero()
        rest = self._block.derivative(self._state, none, none, world.joints, world.nominal_start)
        self.start = rest.commanded.start

    def __call__(
        self, stamp: int, thrust: pin.Force, wrench: pin.Force, joints: JointSample, nominal: MotionPoints
    ) -> tuple[MotionPoints, MotionPoints]:
        self._state, motion = self._block.step(self._state, thrust, wrench, joints, nominal, self._dt)
        return motion.simulated, motion.commanded


class ArmFeedForwardStage:
    def __init__(self, world: World) -> None:
        self._block = ArmFeedForward(
            world.servicer,
            world.pose_nominal_in_laboratory,
            world.gravity,
            world.scenario.servicer.gravity_compensated_by_arm,
            lead=0.5e-9 * world.scenario.rates.arm_ns,  # the torque is held for a cycle: meet its middle
        )

    def __call__(
        self,
        stamp: int,
        torque: np.ndarray,
        joints: JointSample,
        commanded: MotionPoints,
        simulated: MotionPoints,
    ) -> tuple[np.ndarray, ArmTorque]:
        terms = self._block.step(torque, joints, commanded.start, simulated.start)
        return terms.total, terms


class IdealFacilityStage:
    def __init__(self, world: World, client: ClientStage, servicer: ServicerStage) -> None:
        rates = world.scenario.rates
        # an arm whose own controller carries its weight behaves as one without weight
        compensated = world.scenario.servicer.gravity_compensated_by_arm
        gravity = np.zeros(3) if compensated else world.gravity
        arm = GroundArm(world.servicer, world.pose_nominal_in_laboratory, gravity)
        wrenches = ExternalWrenches(world.scenario.external_wrenches)
        self._block = IdealFacility(world.servicer, arm, wrenches, rates.dynamics_ns)
        self._period = rates.arm_ns
        self._state = self._block.initial_state(client.start, servicer.start, world.joints)

    def __call__(
        self,
        stamp: int,
        client: MotionPoints | None,
        servicer: MotionPoints | None,
        torque: np.ndarray | None,
    ) -> Measurements:
        if client is not None and servicer is not None and torque is not None:
            commands = Commands(client, servicer, torque)
            self._state = self._block.step(self._state, commands, stamp, self._period)
        return self._state
