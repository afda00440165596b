"""Nodes that run one block each: plain ones, and managed ones for what moves hardware."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.ros.diagnostics import Diagnostics
from hil_relative_dynamics.ros.stage_runner import StageRunner

#: connects a stage to the topics of a node
MakeRunner = Callable[[Node, Stage], StageRunner]


class StageNode(Node):
    """A block that only computes: it runs as soon as it exists."""

    def __init__(self, stage: Stage, make_runner: MakeRunner, context: Context | None = None) -> None:
        super().__init__(stage.name, context=context, start_parameter_services=False)
        self.runner: StageRunner = make_runner(self, stage)
        self._diagnostics = Diagnostics(self, self.runner.counters)
        offer_services(self, stage)

    def report(self) -> None:
        self._diagnostics.publish(self.runner.active)


class ManagedStageNode(LifecycleNode):
    """A block that moves hardware: it speaks only while active.

    Callbacks run in unconfigured nodes too: the runner checks its own `active` before it does anything.
    """

    def __init__(self, stage: Stage, make_runner: MakeRunner, context: Context | None = None) -> None:
        super().__init__(stage.name, context=context, start_parameter_services=False)
        self.stage = stage
        self.runner = make_runner(self, stage)
        self.runner.active = False
        self._diagnostics = Diagnostics(self, self.runner.counters)
        offer_services(self, stage)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.runner.active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.runner.active = False
        return super().on_deactivate(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.runner.active = False
        return TransitionCallbackReturn.SUCCESS

    def report(self) -> None:
        self._diagnostics.publish(self.runner.active)


def stage_node(stage: Stage, make_runner: MakeRunner, context: Context | None = None) -> StageNode | ManagedStageNode:
    return (ManagedStageNode if stage.moves_hardware else StageNode)(stage, make_runner, context)


def offer_services(node: Node, stage: Stage) -> None:
    """`~/<name>` for every request the block takes, e.g. `~/tare`; a refusal is a sentence, not an exception."""
    for name, request in getattr(stage.act, "requests", {}).items():
        node.create_service(Trigger, f"~/{name}", _handler(request))


def _handler(request: Callable[[], str]) -> Callable[[Any, Any], Any]:
    def handle(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.success, response.message = True, request()
        except ValueError as error:
            response.success, response.message = False, str(error)
        return response

    return handle
