"""Homing over topics: trajectories to the stock trajectory controllers, joint states back."""
from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

import numpy as np
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.facility.controller_switch import TRAJECTORY
from hil_relative_dynamics.facility.homing import ROBOTS, Arrival, Homing, Move
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.controllers import STREAM, Controllers, Refused, trajectory_topic
from hil_relative_dynamics.ros.readings import Heard, Readings
from hil_relative_dynamics.ros.trajectory import write_trajectory

JOINTS = {"client_robot": signals.CLIENT_ROBOT_JOINTS, "servicer_robot": signals.SERVICER_ROBOT_JOINTS}
ARM_JOINTS = signals.ARM_JOINT_STATES
#: without readings, listeners or progress for so long something is wrong [s]
SILENCE = 5.0
#: a robot may arrive so much later than its trajectory says, by the stamps [ns]
LATE = 5_000_000_000


class RobotHoming:
    """Moves the robots to the start of the run and hands them over to the stream."""

    def __init__(
        self,
        node: Node,
        homing: Homing,
        readings: Readings,
        controllers: Controllers,
        joint_names: Mapping[str, list[str]],
    ) -> None:
        self.homing = homing
        self._node, self._readings, self._controllers, self._names = node, readings, controllers, joint_names
        self._publishers = {
            robot: node.create_publisher(JointTrajectory, trajectory_topic(robot), qos.COMMAND) for robot in ROBOTS
        }

    async def home(self) -> str:
        """Returns what was done once all robots are there, at rest; raises HomingRefused or Refused."""
        await self._all_heard()
        measured = {robot: await self.at_rest(robot) for robot in ROBOTS}
        moves = self.homing.plan(measured, self._heard(ARM_JOINTS).value.position)
        for move in moves:
            seconds = 1e-9 * move.trajectory.end
            self._node.get_logger().info(f"homing {move.robot}, {seconds:.0f} s")
            await self._controllers.activate(move.robot, TRAJECTORY)
            await self._move(move)
        homed = " and ".join(move.robot for move in moves)
        return f"homed {homed}" if moves else "the robots are at their start already"

    async def hand_over(self) -> None:
        """From the trajectory controllers to the stream; the robots stay where they are until it comes."""
        for robot in ROBOTS:
            await self._controllers.activate(robot, STREAM[robot])

    def far(self, limit: float) -> str:
        """Which robot is too far from its start; empty if none is."""
        for robot in ROBOTS:
            far = self.homing.far(robot, self._heard(JOINTS[robot]).value.position, limit)
            if far:
                return far
        return ""

    async def _move(self, move: Move) -> None:
        publisher = self._publishers[move.robot]
        end = monotonic() + SILENCE
        while not publisher.get_subscription_count():
            if monotonic() > end:
                raise Refused(f"{move.robot} cannot be homed: nobody listens to {publisher.topic_name}.")
            await self._readings.change()
        start = self._heard(JOINTS[move.robot]).stamp
        publisher.publish(write_trajectory(move.trajectory, self._names[move.robot]))
        await self._arrived(move, start)

    async def _arrived(self, move: Move, start: int) -> None:
        """At rest by the steady clock, like `at_rest`; in time by the stamps."""
        arrival, robot, end = Arrival(), move.robot, start + move.trajectory.end
        stamp, told = start, monotonic()
        while True:
            await self._readings.change()
            heard = self._heard(JOINTS[robot])
            if heard.stamp != stamp:
                stamp, told = heard.stamp, monotonic()
            far = self.homing.far(robot, heard.value.position)
            still = arrival.still(heard.value.position, int(1e9 * heard.arrival))
            if stamp >= end and still and not far:
                return
            why = far or "it is not at rest"
            if stamp > end + LATE:
                raise Refused(f"{robot} did not arrive: {why}.")
            if monotonic() - told > SILENCE:
                raise Refused(f"{robot} did not arrive: no new joint states for {SILENCE:g} s, and {why}.")

    async def at_rest(self, robot: str) -> np.ndarray:
        """Its joints, unless it moves: by the steady clock, because in lockstep time stands still before a move."""
        arrival, end = Arrival(), monotonic() + SILENCE
        while True:
            heard = self._heard(JOINTS[robot])
            if arrival.still(heard.value.position, int(1e9 * heard.arrival)):
                return heard.value.position
            if monotonic() > end:
                raise Refused(f"{robot} cannot be homed: it is not at rest, or does not tell its joints any more.")
            await self._readings.change()

    async def _all_heard(self) -> None:
        end = monotonic() + SILENCE
        needed = {*JOINTS.values(), ARM_JOINTS}
        while missing := sorted(needed - self._readings.newest.keys()):
            if monotonic() > end:
                raise Refused(f"the robots cannot be homed: no {' and no '.join(missing)} for {SILENCE:g} s.")
            await self._readings.change()

    def _heard(self, signal: str) -> Heard:
        return self._readings.newest[signal]
