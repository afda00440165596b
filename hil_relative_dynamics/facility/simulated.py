"""The simulated laboratory: two servoed robots, the arm between them, and their F/T sensors."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.carried import ArmReaction, CarriedBody
from hil_relative_dynamics.facility.controller_switch import FORWARD, ControllerState, ControllerSwitch
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.ft_sensor import ForceTorqueSensor, SensorState
from hil_relative_dynamics.facility.gripper import GripperReading, GripperState
from hil_relative_dynamics.facility.gripper_on_ring import GripperOnRing
from hil_relative_dynamics.facility.interpolate import Interpolator
from hil_relative_dynamics.facility.robot_model import RobotModel
from hil_relative_dynamics.facility.servo import ServoedRobot, ServoState
from hil_relative_dynamics.facility.setpoint import JointLimits
from hil_relative_dynamics.facility.torque_arm import ArmState, TorqueArm
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.scenario.plant import Facility
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionPoints, MotionSample

_NO_WRENCH = pin.Force.Zero()


class DeviceCommands(NamedTuple):
    """What the devices are told at an instant; None: nothing new.

    Positions for the end of the cycle that starts then, for the forward controllers; torques from then on.
    """

    client_robot: np.ndarray | None = None
    servicer_robot: np.ndarray | None = None
    arm: np.ndarray | None = None
    close_gripper: bool = False


class DeviceReadings(NamedTuple):
    """What the devices tell at an instant; readings that are not new stay the same objects."""

    client_robot: JointReading
    servicer_robot: JointReading
    arm: JointReading
    client_wrench: pin.Force  # raw, on the sensor, in its frame
    servicer_wrench: pin.Force
    gripper: GripperReading | None = None


class RobotState(NamedTuple):
    """A robot with its controllers, its mock-up and its sensor."""

    controllers: ControllerState
    servo: ServoState  # at the end of the cycle that is under way
    motion: MotionPoints  # of the body it moves, at the start and the end of that cycle
    load: pin.Force  # of the mock-up on the sensor, at that end
    sensor: SensorState  # at the last sample


class PlantState(NamedTuple):
    """The laboratory at an instant. `readings` is what it tells of it."""

    client_robot: RobotState
    servicer_robot: RobotState
    arm: ArmState
    base: MotionSample  # of the servicer, now
    wrench_end_effector: pin.Force  # now
    readings: DeviceReadings
    gripper: GripperState | None = None


class RobotWithLoad:
    """A robot, its controllers, the body it moves and the F/T sensor between them."""

    def __init__(self, servo: ServoedRobot, body: CarriedBody, sensor: ForceTorqueSensor, cycle: int) -> None:
        self.servo, self.body, self.sensor, self.controllers = servo, body, sensor, ControllerSwitch()
        self._cycle = cycle

    def initial_state(self, joints: np.ndarray, controller: str | None) -> RobotState:
        """In a posture (rows: moving), with nothing but the mock-up on its sensor."""
        servo = self.servo.initial_state(*np.atleast_2d(joints))
        motion, load = self.body.at(servo.motion)
        controllers, points = self.controllers.initial_state(controller), MotionPoints.of(motion, motion)
        return RobotState(controllers, servo, points, load, self.sensor.initial_state(load))

    def give(self, state: RobotState, command: np.ndarray, stamp: int) -> RobotState:
        """A command of the active controller."""
        controllers, servo, motion, load, sensor = state
        return RobotState(controllers, self.servo.give(servo, command, stamp), motion, load, sensor)

    def step(self, state: RobotState, stamp: int) -> RobotState:
        """Through the cycle that starts at `stamp`."""
        if state.controllers.trajectory is not None:
            state = self.give(state, state.controllers.trajectory.position(stamp + self._cycle), stamp)
        servo = self.servo.step(state.servo, stamp)
        motion, load = self.body.at(servo.motion)
        points = MotionPoints(np.array([state.motion.array[1], motion.array]))
        return RobotState(state.controllers, servo, points, load, state.sensor)

    def settled(self, state: RobotState, wrench_body: pin.Force) -> RobotState:
        """The state with a sensor that has been under its load for long."""
        return state._replace(sensor=self.sensor.initial_state(self._total_load(state, wrench_body)))

    def sample(self, state: RobotState, wrench_body: pin.Force) -> tuple[RobotState, JointReading, pin.Force]:
        """State and readings at the end of a cycle; `wrench_body` is what else acts on the body."""
        sensor = self.sensor.step(state.sensor, self._total_load(state, wrench_body))
        state = RobotState(state.controllers, state.servo, state.motion, state.load, sensor)
        return state, self.servo.read(state.servo), self.sensor.read(sensor)

    def _total_load(self, state: RobotState, wrench_body: pin.Force) -> pin.Force:
        return state.load + self.body.pose_body_in_sensor.act(wrench_body)


class SimulatedFacility:
    """The devices as one block, stepped at the arm's period.

    Time. `step` to `stamp` takes the commands that were given one period before, and returns the readings at
    `stamp`: the state at `stamp`. Robots and F/T sensors work in cycles, which start at the multiples of
    `cycle`, a multiple of the arm's period: a position given at the start of a cycle is the one for its
    end, one given later counts from the next cycle on (each later by the robot's delay). Within a cycle the
    arm's base moves smoothly from one end to the other. Wrenches from outside are held for an arm's period.

    Args:
        settings: `scenario.facility`.
        client_robot, servicer_robot: the robots' models.
        servicer: base and arm, of which the arm is there.
        pose_nominal_in_laboratory: constant calibration transform.
        pose_grasp_point_in_client: where the client's robot holds the client.
        pose_mount_in_base: where the arm is mounted on the servicer's base.
        gravity: in the laboratory [m/s^2].
        wrenches: what acts from outside, at the true poses.
        cycle: of the robots and F/T sensors [ns].
        seed: `scenario.seed`.
        gravity_compensated_by_arm: the arm's own controller carries its weight.
        gripper: and the ring that it may touch; None: they pass through each other.
    """

    def __init__(
        self,
        settings: Facility,
        *,
        client_robot: RobotModel,
        servicer_robot: RobotModel,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        pose_grasp_point_in_client: pin.SE3,
        pose_mount_in_base: pin.SE3,
        gravity: np.ndarray,
        wrenches: ExternalWrenches,
        cycle: int,
        seed: int = 0,
        gravity_compensated_by_arm: bool = False,
        gripper: GripperOnRing | None = None,
    ) -> None:
        self._gripper = gripper
        devices = settings.devices
        self._cycle, self._between, self._wrenches = cycle, Interpolator(cycle), wrenches
        self._servicer, surroundings = servicer, (pose_nominal_in_laboratory, gravity)
        self._arm = TorqueArm(devices.arm, servicer, *surroundings, gravity_compensated_by_arm)
        self._reaction = ArmReaction(servicer, *surroundings)

        def robot(model: RobotModel, pose_carried_in_body: pin.SE3) -> RobotWithLoad:
            limits = JointLimits(model.lower, model.upper, model.velocity_limits, model.acceleration_limits)
            servo = ServoedRobot(getattr(devices, model.name), cycle, limits)
            body = CarriedBody(model, pose_carried_in_body.inverse(), *surroundings)
            sensor = ForceTorqueSensor(devices.ft_sensor, f"{model.name}_ft_sensor", seed, cycle)
            return RobotWithLoad(servo, body, sensor, cycle)

        self._robots = {
            "client_robot": robot(client_robot, pose_grasp_point_in_client),
            "servicer_robot": robot(servicer_robot, pose_mount_in_base),
        }
        self._client_robot, self._servicer_robot = self._robots.values()

    def initial_state(
        self,
        client_robot: np.ndarray,
        servicer_robot: np.ndarray,
        arm: JointSample,
        controller: str | None = FORWARD,
    ) -> PlantState:
        """At time 0.

        Args:
            client_robot, servicer_robot: joint angles of robots at rest; for robots that move already, rows
                of angles, velocities and accelerations.
            arm: its joints; the brakes are on until it is told a torque.
            controller: which is active on both robots.
        """
        client = self._client_robot.initial_state(client_robot, controller)
        servicer = self._servicer_robot.initial_state(servicer_robot, controller)
        base, arm_state = servicer.motion.end, self._arm.initial_state(arm)
        on_client, on_end_effector = self._wrenches_at(0, client.motion.end, base, arm)
        on_base = self._reaction.at(base, arm, on_end_effector)
        client = self._client_robot.settled(client, on_client)
        servicer = self._servicer_robot.settled(servicer, on_base)
        readings = DeviceReadings(
            client_robot=self._client_robot.servo.read(client.servo),
            servicer_robot=self._servicer_robot.servo.read(servicer.servo),
            arm=self._arm.read(arm_state),
            client_wrench=self._client_robot.sensor.read(client.sensor),
            servicer_wrench=self._servicer_robot.sensor.read(servicer.sensor),
            gripper=self._gripper.read(self._gripper.initial_state()) if self._gripper else None,
        )
        gripper = self._gripper.initial_state() if self._gripper else None
        return PlantState(client, servicer, arm_state, base, on_end_effector, readings, gripper)

    def step(
        self, state: PlantState, commands: DeviceCommands, stamp: int, period: int
    ) -> tuple[PlantState, DeviceReadings]:
        """State and readings at `stamp`, under the commands given one period before."""
        start = stamp - period
        since = start % self._cycle
        client = self._given(self._client_robot, state.client_robot, commands.client_robot, start)
        servicer = self._given(self._servicer_robot, state.servicer_robot, commands.servicer_robot, start)
        if since == 0:
            client = self._client_robot.step(client, start)
            servicer = self._servicer_robot.step(servicer, start)
        base = self._between.at(servicer.motion, since + period)
        held = state.wrench_end_effector
        arm = self._arm.step(state.arm, commands.arm, state.base, base, held, start, period)
        on_client, on_end_effector = _NO_WRENCH, _NO_WRENCH
        if self._wrenches.any_at(stamp):
            motion_client = self._between.at(client.motion, since + period)
            on_client, on_end_effector = self._wrenches_at(stamp, motion_client, base, arm.joints)
        gripper, told = state.gripper, None
        if self._gripper is not None and gripper is not None:
            motion_client = self._between.at(client.motion, since + period)
            gripper, pushed, pulled = self._gripper.step(
                gripper, motion_client, base, arm.joints, commands.close_gripper, 1e-9 * period
            )
            on_client, on_end_effector = on_client + pushed, on_end_effector + pulled
            told = self._gripper.read(gripper)
        arm_joints, before = self._arm.read(arm), state.readings
        if since + period < self._cycle:
            kept = (before.client_wrench, before.servicer_wrench)
            readings = DeviceReadings(before.client_robot, before.servicer_robot, arm_joints, *kept, told)
        else:
            on_base = self._reaction.at(base, arm.joints, on_end_effector)
            client, client_joints, client_wrench = self._client_robot.sample(client, on_client)
            servicer, servicer_joints, servicer_wrench = self._servicer_robot.sample(servicer, on_base)
            joints = (client_joints, servicer_joints, arm_joints)
            readings = DeviceReadings(*joints, client_wrench, servicer_wrench, told)
        return PlantState(client, servicer, arm, base, on_end_effector, readings, gripper), readings

    def switch(self, state: PlantState, robot: str, controller: str | None) -> PlantState:
        """Activates one of a robot's controllers, or none; the robot holds until it is told a position."""
        before = getattr(state, robot)
        after = self._robots[robot].controllers.switch(before.controllers, controller)
        return state._replace(**{robot: before._replace(controllers=after)})

    def follow(self, state: PlantState, robot: str, trajectory: JointTrajectory, stamp: int) -> PlantState:
        """Starts a move of a robot whose trajectory controller is active, from its last reading."""
        before, reading = getattr(state, robot), getattr(state.readings, robot)
        after = self._robots[robot].controllers.follow(before.controllers, trajectory, reading, stamp)
        return state._replace(**{robot: before._replace(controllers=after)})

    @staticmethod
    def _given(robot: RobotWithLoad, state: RobotState, command: np.ndarray | None, stamp: int) -> RobotState:
        if command is None or state.controllers.active != FORWARD:
            return state
        return robot.give(state, command, stamp)

    def _wrenches_at(
        self, stamp: int, client: MotionSample, base: MotionSample, arm: JointSample
    ) -> tuple[pin.Force, pin.Force]:
        pose_end_effector = base.pose * self._servicer.end_effector_in_base(arm.position)
        return self._wrenches.at(stamp, client.pose.actInv(pose_end_effector))
