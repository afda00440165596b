"""What happens before the first tick: homing of simulated robots, names of joints."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node

from hil_relative_dynamics.engine.assemble import World
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.facility.homing import HomingRefused
from hil_relative_dynamics.facility.robot_model import client_robot, servicer_robot
from hil_relative_dynamics.ros.controllers import Refused, controllers_of
from hil_relative_dynamics.ros.homing import ARM_JOINTS, JOINTS, RobotHoming
from hil_relative_dynamics.ros.plant import Plant
from hil_relative_dynamics.ros.readings import Readings
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import Scenario


def home_simulated(
    executor: Executor,
    plant: Plant,
    scenario: Scenario,
    wires: SignalWires,
    time: RunTime,
    given_up: Callable[[], bool] = lambda: False,
) -> None:
    """Homes the plant's robots over topics and tells when the run begins; raises HomingRefused or Refused."""
    node = Node("homing", context=plant.node.context, start_parameter_services=False)
    executor.add_node(node)
    robots = Robots(World(scenario))
    readings = Readings(node, wires, (*JOINTS.values(), ARM_JOINTS))
    homing = RobotHoming(node, robots.homing(), readings, controllers_of(node, simulated=True), joint_names(scenario))

    async def home() -> Exception | None:
        try:
            await homing.home()
            await homing.hand_over()
        except (HomingRefused, Refused) as refusal:
            return refusal  # rclpy would print a traceback
        return None

    plant.prepare()
    task: Any = executor.create_task(home)
    while not task.done() and not given_up():
        executor.spin_once(timeout_sec=plant.watch())
    executor.remove_node(node)
    node.destroy_node()
    if not task.done():
        raise Refused("given up while the robots were being homed.")
    if task.result() is not None:
        raise task.result()
    time.announce(plant.node, plant.begin())


def joint_names(scenario: Scenario) -> dict[str, list[str]]:
    """The joints of each device, as their messages name them."""
    arm = World(scenario).servicer.joint_names
    if scenario.facility.kind == "none":
        return {"arm": arm}
    robots = (client_robot(), servicer_robot())
    return {"arm": [f"arm_{name}" for name in arm], **{robot.name: robot.joint_names for robot in robots}}
