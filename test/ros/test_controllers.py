"""Controllers are switched as ros2_control documents it, or by the simulated plant's own services."""
import sys
import types

import pytest
from rclpy.task import Future

from hil_relative_dynamics.facility.controller_switch import FORWARD, TRAJECTORY
from hil_relative_dynamics.ros.controllers import (
    EFFORT,
    ManagedControllers,
    PlantControllers,
    Refused,
    controllers_of,
    find_service_type,
)


class Answering:
    """A node whose services answer at once, or never."""

    def __init__(self, answer, ready=True):
        self.answer, self.ready, self.requests = answer, ready, []

    def create_client(self, service, name):
        outer = self

        class Client:
            srv_name = name

            def service_is_ready(self):
                return outer.ready

            def call_async(self, request):
                outer.requests.append((name, request))
                future = Future()
                if outer.answer is not None:
                    future.set_result(outer.answer)
                return future

        return Client()

    def create_timer(self, seconds, callback):
        if self.answer is None:
            callback()
        return types.SimpleNamespace(cancel=lambda: None)

    def destroy_timer(self, timer):
        pass


@pytest.fixture
def manager(monkeypatch):
    """A stand-in for controller_manager_msgs, which is not among the wheels."""

    class Request:
        BEST_EFFORT, STRICT = 1, 2

        def __init__(self):
            self.activate_controllers, self.deactivate_controllers = [], []
            self.strictness, self.activate_asap, self.timeout = 0, False, types.SimpleNamespace(sec=0, nanosec=0)

    package, services = types.ModuleType("controller_manager_msgs"), types.ModuleType("controller_manager_msgs.srv")
    services.SwitchController = type("SwitchController", (), {"Request": Request})
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, services.__name__, services)


def finish(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it still waits")


def ok(message="", success=True):
    return types.SimpleNamespace(ok=success, message=message)


@pytest.mark.parametrize(
    "device, controller, activate, deactivate",
    [
        ("client_robot", FORWARD, [FORWARD], [TRAJECTORY]),
        ("servicer_robot", TRAJECTORY, [TRAJECTORY], [FORWARD]),
        ("arm", EFFORT, [EFFORT], [TRAJECTORY]),
        ("arm", None, [], [TRAJECTORY, EFFORT]),
    ],
)
def test_controller_managers_are_asked_as_ros2_control_documents_it(manager, device, controller, activate, deactivate):
    node = Answering(ok())
    controllers = controllers_of(node, simulated=False)
    assert isinstance(controllers, ManagedControllers)
    finish(controllers.activate(device, controller))
    ((name, request),) = node.requests
    assert name == f"{device}/controller_manager/switch_controller"
    assert (request.activate_controllers, request.deactivate_controllers) == (activate, deactivate)
    assert request.strictness == request.BEST_EFFORT and request.activate_asap and request.timeout.sec > 0


@pytest.mark.parametrize(
    "node, why",
    [
        (Answering(ok("no such controller", False)), "of arm could not activate .*: no such controller"),
        (Answering(types.SimpleNamespace(ok=False)), r"of arm could not activate forward_effort_controller\.$"),
        (Answering(ok(), ready=False), "of arm is not there: no service arm/controller_manager/switch_controller"),
        (Answering(None), "of arm did not answer arm/controller_manager/switch_controller within 6 s"),
    ],
)
def test_a_manager_that_does_not_switch_gets_a_sentence(manager, node, why):
    with pytest.raises(Refused, match=why):
        finish(controllers_of(node, simulated=False).activate("arm", "forward_effort_controller"))


def test_without_ros2_control_the_simulated_plant_is_asked():
    if find_service_type() is not None:
        pytest.skip("ros2_control is installed here")
    node = Answering(None, ready=False)
    controllers = controllers_of(node, simulated=False)
    assert isinstance(controllers, PlantControllers)
    why = "controller_manager_msgs is not installed, and a simulated arm is not there: no service arm/activate/none"
    with pytest.raises(Refused, match=why):
        finish(controllers.activate("arm", None))
