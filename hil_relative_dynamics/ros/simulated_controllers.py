"""Where the simulated plant stands for controller managers and trajectory controllers, for homing.

    <robot>/joint_trajectory_controller/joint_trajectory   the stock topic
    <device>/activate/<controller>                         std_srvs/Trigger: activates it, and so deactivates the others
    <device>/activate/none

controller_manager_msgs, which real managers speak, is not among the wheels: hence the services of its own.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from hil_relative_dynamics.facility.controller_switch import CONTROLLERS
from hil_relative_dynamics.facility.homing import ROBOTS
from hil_relative_dynamics.facility.robot_model import client_robot, servicer_robot
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.controllers import ARM, EFFORT, NONE, activation, trajectory_topic
from hil_relative_dynamics.ros.trajectory import read_trajectory
from hil_relative_dynamics.ros.wire import BadMessage


class SimulatedControllers:
    """Connects the plant's devices.

    Args:
        devices: the plant's stage.
        settle: called before anything new begins.
        reject: called with a topic and why its message was refused.
    """

    def __init__(
        self, node: Node, devices: Any, settle: Callable[[], None], reject: Callable[[str, str], None]
    ) -> None:
        self._node, self._devices, self._settle, self._reject = node, devices, settle, reject
        for robot in (client_robot(), servicer_robot()):
            self._follow(robot.name, robot.joint_names)
        for robot in ROBOTS:
            for controller in (*CONTROLLERS, NONE):
                self._serve(robot, controller)
        for controller in (EFFORT, NONE):
            self._serve(ARM, controller)

    def _follow(self, robot: str, joint_names: list[str]) -> None:
        topic = trajectory_topic(robot)

        def received(message: JointTrajectory) -> None:
            try:
                trajectory = read_trajectory(message, joint_names)
                self._settle()
                self._devices.follow(robot, trajectory)
            except (BadMessage, ValueError) as error:
                self._reject(topic, str(error))

        self._node.create_subscription(JointTrajectory, topic, received, qos.COMMAND)

    def _serve(self, device: str, controller: str) -> None:
        def activate(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            self._settle()
            if device == ARM:
                self._devices.arm_listens = controller == EFFORT
            else:
                self._devices.switch(device, None if controller == NONE else controller)
            response.success, response.message = True, f"{device}: {controller} is active"
            return response

        self._node.create_service(Trigger, activation(device, controller), activate)
