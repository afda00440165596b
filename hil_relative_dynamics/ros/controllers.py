"""Which controller a device obeys: asked of its controller manager, or of the simulated plant.

The stock controllers exclude each other on a joint: `joint_trajectory_controller` brings a robot to its start,
`forward_position_controller` takes the stream of the run, `forward_effort_controller` the arm's torques.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY
from hil_relative_dynamics.facility.homing import ROBOTS

ARM, EFFORT, NONE = "arm", "forward_effort_controller", "none"
DEVICES = (*ROBOTS, ARM)
#: what the run's stream goes to
STREAM = {**dict.fromkeys(ROBOTS, FORWARD), ARM: EFFORT}
#: how long a switch may take [s]
PATIENCE = 5


class Refused(RuntimeError):
    """What could not be done, and why, in one sentence."""


def trajectory_topic(device: str) -> str:
    return f"{device}/{TRAJECTORY}/joint_trajectory"


def activation(device: str, controller: str) -> str:
    """The simulated plant's service."""
    return f"{device}/activate/{controller}"


async def answer(node: Node, client: Client, request: Any, who: str, seconds: float = PATIENCE) -> Any:
    """The answer of a service; Refused if it is not there or does not answer."""
    if not client.service_is_ready():
        raise Refused(f"{who} is not there: no service {client.srv_name}.")
    result: Future = Future()

    def settle(value: Any) -> None:
        if not result.done():
            result.set_result(value)

    client.call_async(request).add_done_callback(lambda done: settle(done.result()))
    timer = node.create_timer(seconds, lambda: settle(None))
    response = await result
    timer.cancel()
    node.destroy_timer(timer)
    if response is None:
        raise Refused(f"{who} did not answer {client.srv_name} within {seconds:g} s.")
    return response


class Controllers(Protocol):
    """Activates one controller of a device and deactivates the others; None: deactivates all."""

    async def activate(self, device: str, controller: str | None) -> None:
        """Returns once it is done; raises Refused."""


class ManagedControllers:
    """Asks `<device>/controller_manager/switch_controller` of ros2_control.

    BEST_EFFORT: what is in the wanted state already is no error, and with one controller to activate or deactivate the
    answer is still false if that fails.
    """

    def __init__(self, node: Node, service: Any) -> None:
        self._node, self._service = node, service
        self._clients = {
            device: node.create_client(service, f"{device}/controller_manager/switch_controller") for device in DEVICES
        }

    async def activate(self, device: str, controller: str | None) -> None:
        others = [name for name in (TRAJECTORY, STREAM[device]) if name != controller]
        request = self._service.Request()
        request.activate_controllers = [controller] if controller else []
        request.deactivate_controllers = others
        request.strictness = self._service.Request.BEST_EFFORT
        request.activate_asap = True
        request.timeout.sec = PATIENCE
        who = f"the controller manager of {device}"
        response = await answer(self._node, self._clients[device], request, who, PATIENCE + 1)
        if not response.ok:
            why = getattr(response, "message", "")  # not in every distribution
            wanted = f"activate {controller}" if controller else f"deactivate {' and '.join(others)}"
            raise Refused(f"{who} could not {wanted}{f': {why}' if why else ''}.")


class PlantControllers:
    """Asks the simulated plant, which has services of its own (`ros/simulated_controllers.py`)."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._clients = {
            (device, controller): node.create_client(Trigger, activation(device, controller))
            for device in DEVICES
            for controller in ((EFFORT, NONE) if device == ARM else (FORWARD, TRAJECTORY, NONE))
        }

    async def activate(self, device: str, controller: str | None) -> None:
        client = self._clients[device, controller or NONE]
        who = f"controller_manager_msgs is not installed, and a simulated {device}"
        response = await answer(self._node, client, Trigger.Request(), who)
        if not response.success:
            raise Refused(response.message)


def find_service_type() -> Any:
    """controller_manager_msgs/srv/SwitchController, or None where ros2_control is not installed."""
    try:
        from controller_manager_msgs.srv import SwitchController
    except ImportError:
        return None
    return SwitchController


def controllers_of(node: Node, simulated: bool, find: Callable[[], Any] = find_service_type) -> Controllers:
    """`simulated`: the plant is ours for certain. With hardware it stands in only where ros2_control is missing."""
    service = None if simulated else find()
    return PlantControllers(node) if service is None else ManagedControllers(node, service)
