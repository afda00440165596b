"""The blocks of the method with their states, as the table calls them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward, ArmTorque
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.flexible_client import FlexibleClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.onboard.navigation import Estimate, FilteredNavigation, IdealNavigation, Knowledge
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.onboard.reference import ReferenceOnboard
from hil_relative_dynamics.onboard.status import OnboardStatus
from hil_relative_dynamics.scenario.capture import Capture, Timeline
from hil_relative_dynamics.sensors.suite import NEVER, Arrived, SensorReadings, SensorSuite
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

NO_WRENCH = pin.Force.Zero()


def method_stages(world: World) -> list[Stage]:
    """Nominal, mapping, on-board software, client, servicer and feed-forward: the same in every laboratory."""
    arm, dynamics = world.scenario.rates.arm_ns, world.scenario.rates.dynamics_ns
    return [
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
        sensor_stage(world),
        onboard_stage(world),
        Stage(
            "client_dynamics",
            inputs=(signals.CLIENT_WRENCH, signals.NOMINAL),
            outputs=(signals.CLIENT_SIMULATED, signals.CLIENT_COMMANDED),
            period=dynamics,
            act=client_stage(world),
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
            act=ServicerStage(world),
            trigger=signals.NOMINAL,
        ),
        Stage(
            "arm_feedforward",
            inputs=(
                signals.ARM_ONBOARD_TORQUE,
                signals.ARM_JOINTS,
                signals.SERVICER_MEASURED,
                signals.SERVICER_COMMANDED,
                signals.SERVICER_SIMULATED,
            ),
            outputs=(signals.ARM_TORQUE, signals.ARM_TORQUE_TERMS),
            period=arm,
            act=ArmFeedForwardStage(world),
            trigger=signals.ARM_ONBOARD_TORQUE,
        ),
    ]

def sensor_stage(world: World) -> Stage:
    """States as they are, for looking at and for ideal navigation; and what imperfect sensors tell of them."""
    readings = () if world.scenario.sensors.ideal else (signals.SENSORS_READINGS,)
    return Stage(
        "sensor_models",
        inputs=(signals.CLIENT_ABSOLUTE, signals.SERVICER_ABSOLUTE),
        outputs=(signals.SENSORS_CLIENT, signals.SENSORS_SERVICER, *readings),
        period=world.scenario.rates.dynamics_ns,
        act=SensorStage(world) if readings else ideal_sensors,
        trigger=signals.SERVICER_ABSOLUTE,
    )


def onboard_stage(world: World) -> Stage:
    """The on-board software of the scenario; a user's own takes its place on the same signals."""
    arm, dynamics = world.scenario.rates.arm_ns, world.scenario.rates.dynamics_ns
    if world.scenario.onboard.capture is None:
        return Stage(
            "onboard_software",
            inputs=(signals.ARM_JOINTS,),
            outputs=(signals.SERVICER_THRUST, signals.ARM_ONBOARD_TORQUE),
            period=arm,
            act=world.onboard().step,
            trigger=signals.ARM_JOINTS,
            slower={signals.SERVICER_THRUST: dynamics},
        )
    ideal = world.scenario.sensors.ideal
    sensors = (signals.SENSORS_CLIENT, signals.SENSORS_SERVICER) if ideal else (signals.SENSORS_READINGS,)
    rarely = (signals.SERVICER_THRUST, signals.GRIPPER_COMMAND, signals.ONBOARD_STATUS)
    return Stage(
        "onboard_software",
        inputs=(*sensors, signals.END_EFFECTOR_WRENCH, signals.ARM_JOINTS, signals.GRIPPER_STATE),
        outputs=(signals.ARM_ONBOARD_TORQUE, *rarely),
        period=arm,
        act=CaptureStage(world, world.scenario.onboard.capture),
        trigger=signals.ARM_JOINTS,
        slower=dict.fromkeys(rarely, dynamics),
    )


HELD = "the operator asked to hold."


class CaptureStage:
    """The reference on-board software. Base and thrusters at the pace of the dynamics, the arm at its own.

    Requests: hold (give up the approach and keep station).
    """

    def __init__(self, world: World, capture: Capture) -> None:
        rates = world.scenario.rates
        grasp_point = world.scenario.client.grasp_point.pose_in_client
        self._servicer = world.servicer
        self._know = TrueKnowledge(world) if world.scenario.sensors.ideal else EstimatedKnowledge(world)
        self._block = ReferenceOnboard(world.servicer, grasp_point, world.joints.position, capture)
        self._state, self._period, self._dt = self._block.initial_state(), rates.dynamics_ns, 1e-9 * rates.arm_ns
        self._timeline, self._to_hold = capture.timeline, False
        self.requests: dict[str, Callable[[], str]] = {"hold": self.hold}

    def hold(self) -> str:
        if self._state.phase.phase in (Phase.HOLD, Phase.ABORT):
            raise ValueError(f"there is nothing to hold: {self.phase}")
        self._to_hold = True
        return "keeps station from the next step on"

    @property
    def phase(self) -> str:
        """For whoever watches: where the capture stands, and why it was given up."""
        phase = self._state.phase
        return f"{phase.phase.value}: {phase.reason}" if phase.reason else phase.phase.value

    def __call__(self, stamp: int, *inputs: Any) -> tuple[np.ndarray, pin.Force, np.ndarray, OnboardStatus]:
        *sensors, contact, joints, gripper = inputs
        on_base = self._state.thrust
        if contact != NO_WRENCH:  # the wrist sensor's reading, at the base
            on_base = on_base + self._servicer.end_effector_in_base(joints.position).act(contact)
        known = self._know(stamp, on_base, *sensors)
        reason = HELD if self._to_hold else self._know.silence(stamp, self._timeline)
        if reason:
            self._state = self._block.give_up(self._state, reason, stamp)
        if known is None:  # sensors have not told enough yet: nothing is commanded
            status = OnboardStatus(self._state.phase.phase, self._state.errors, self._state.phase.reason)
            return np.zeros_like(joints.position), pin.Force.Zero(), np.zeros(1), status
        fire = 1e-9 * self._period if stamp % self._period == 0 else None
        self._state, wish = self._block.step(self._state, known, joints, bool(gripper[1]), stamp, self._dt, fire)
        phase = self._state.phase
        status = OnboardStatus(phase.phase, self._state.errors, phase.reason)
        return wish.torque, wish.thrust, np.array([float(wish.close_gripper)]), status


class TrueKnowledge:
    """From ideal sensors."""

    def __init__(self, world: World) -> None:
        self._navigation = IdealNavigation(world.client)

    def __call__(self, stamp: int, on_base: pin.Force, client: MotionSample, servicer: MotionSample) -> Knowledge:
        return self._navigation.step(client, servicer)

    def silence(self, stamp: int, timeline: Timeline) -> str:
        return ""


class EstimatedKnowledge:
    """From gyro, star tracker and relative pose; None until each of them has spoken."""

    def __init__(self, world: World) -> None:
        scenario = world.scenario
        self._period, self._rate_client = scenario.rates.dynamics_ns, np.array(scenario.client.angular_velocity)
        self._filter = FilteredNavigation(
            world.client,
            scenario.client.grasp_point.pose_in_client,
            world.servicer.mass,
            1e-9 * scenario.sensors.star_tracker.period_ns,
            1e-9 * scenario.sensors.relative_pose.period_ns,
        )
        self._estimate: Estimate | None = None
        self._used = (NEVER, NEVER)
        self._missing: list[str] = []
        self._known: Knowledge | None = None

    def silence(self, stamp: int, timeline: Timeline) -> str:
        """Why what is known is not enough to go on; empty if it is."""
        if self._known is None:
            if stamp <= timeline.synchronise_timeout_ns:
                return ""
            return f"no measurement of {' and '.join(self._missing)} by {1e-9 * timeline.synchronise_timeout_ns:g} s."
        age = stamp - self._used[1]
        if age <= timeline.sensor_timeout_ns:
            return ""
        limit = f"allowed {1e-9 * timeline.sensor_timeout_ns:g} s"
        return f"the relative pose was lost: the last one is {1e-9 * age:.1f} s old, {limit}."

    def __call__(self, stamp: int, on_base: pin.Force, readings: SensorReadings) -> Knowledge | None:
        star, relative = readings.star_tracker, readings.relative_pose
        if stamp % self._period or not readings.complete:
            heard = {"the star tracker": star[0], "the relative pose": relative[0]}
            self._missing = [sensor for sensor, at in heard.items() if at == NEVER]
            return self._known
        if self._estimate is None:
            self._estimate = self._filter.start(stamp, readings.rate, star, relative, self._rate_client)
        else:
            fresh = star[0] != self._used[0], relative[0] != self._used[1]
            self._estimate = self._filter.step(
                self._estimate,
                stamp,
                on_base,
                readings.rate,
                star if fresh[0] else None,
                relative if fresh[1] else None,
            )
        self._used = star[0], relative[0]
        self._known = self._filter.knowledge(self._estimate)
        return self._known


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


def client_stage(world: World) -> ClientStage | FlexibleClientStage:
    body = world.flexible_client
    return ClientStage(world) if body is None else FlexibleClientStage(world, body)


class ClientStage:
    def __init__(self, world: World) -> None:
        start = world.scenario.client
        self._block, self._dt = ClientDynamics(world.client), 1e-9 * world.scenario.rates.dynamics_ns
        self._state = self._block.initial_state(start.pose, start.twist, world.nominal_start)

    def __call__(
        self, stamp: int, wrench: pin.Force, nominal: MotionPoints
    ) -> tuple[MotionPoints, MotionPoints]:
        self._state, motion = self._block.step(self._state, wrench, nominal, self._dt)
        return motion.simulated, motion.commanded


class FlexibleClientStage:
    """In the place of the rigid client's, for one with appendages."""

    def __init__(self, world: World, body: FlexibleBody) -> None:
        start = world.scenario.client
        self._block, self._dt = FlexibleClientDynamics(body), 1e-9 * world.scenario.rates.dynamics_ns
        bent = deflections_of(start.appendages)
        self._state = self._block.initial_state(start.pose, start.twist, world.nominal_start, bent)

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

    def __call__(
        self, stamp: int, thrust: pin.Force, wrench: pin.Force, joints: JointSample, nominal: MotionPoints
    ) -> tuple[MotionPoints, MotionPoints]:
        self._state, motion = self._block.step(self._state, thrust, wrench, joints, nominal, self._dt)
        return motion.simulated, motion.commanded


class ArmFeedForwardStage:
    """(22) for the base as it is measured to move; only its acceleration, which nobody measures, is as commanded."""

    def __init__(self, world: World) -> None:
        scenario = world.scenario
        # the torque acts after the arm's delay and is held for a cycle: meet its middle
        lead = 0.5 * scenario.rates.arm_ns + scenario.facility.devices.arm.delay_ns
        self._block = ArmFeedForward(
            world.servicer,
            world.pose_nominal_in_laboratory,
            world.gravity,
            scenario.servicer.gravity_compensated_by_arm,
            lead=1e-9 * (lead if scenario.facility.kind == "sim" else 0.5 * scenario.rates.arm_ns),
        )

    def __call__(
        self,
        stamp: int,
        torque: np.ndarray,
        joints: JointSample,
        measured: MotionSample,
        commanded: MotionPoints,
        simulated: MotionPoints,
    ) -> tuple[np.ndarray, ArmTorque]:
        laboratory = measured.array.copy()
        laboratory[13:] = commanded.array[0, 13:]
        terms = self._block.step(torque, joints, MotionSample(laboratory), simulated.start)
        return terms.total, terms


class SensorStage:
    """Gyro, star tracker and relative pose with their errors, beside the states as they are."""

    def __init__(self, world: World) -> None:
        scenario = world.scenario
        grasp_point, tick = scenario.client.grasp_point.pose_in_client, scenario.rates.dynamics_ns
        self.suite = SensorSuite(scenario.sensors, grasp_point, scenario.seed, tick)
        self._state = self.suite.initial_state()

    @property
    def arrived(self) -> Arrived:
        """What came at the last tick."""
        return self._state.arrived

    def __call__(
        self, stamp: int, client: MotionSample, servicer: MotionSample
    ) -> tuple[MotionSample, MotionSample, SensorReadings]:
        self._state, readings = self.suite.step(self._state, client, servicer, stamp)
        return (*ideal_sensors(stamp, client, servicer), readings)


def ideal_sensors(stamp: int, client: MotionSample, servicer: MotionSample) -> tuple[MotionSample, MotionSample]:
    """Sensors that tell pose and twist as they are; accelerations are for nobody to know."""
    states = np.array([client.array, servicer.array])
    states[:, 13:] = 0.0
    return MotionSample(states[0]), MotionSample(states[1])
