"""Nodes that run one block each: plain ones, and managed ones for what moves hardware."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.ros.diagnostics import Diagnostics
from hil_relative_dynamics.ros.stage_runner import StageRunner

#: connects a stage to the topics of a node
MakeRunner = Callable[[Node, Stage], StageRunner]


class _Staged:
    """What both kinds of node share: a runner, once the stage is known."""

    runner: StageRunner

    def attach(self, stage: Stage, make_runner: MakeRunner) -> None:
        """Connects the block to the topics of this node."""
        self.runner = make_runner(cast(Node, self), stage)
        self._diagnostics = Diagnostics(cast(Node, self), self.runner.counters)
        offer_services(cast(Node, self), stage)

    def report(self) -> None:
        self._diagnostics.publish(self.runner.active)


class StageNode(_Staged, Node):
    """A block that only computes: it runs as soon as it is attached."""

    def __init__(self, name: str, context: Context | None = None, alone: bool = False) -> None:
        super().__init__(name, context=context, start_parameter_services=alone)


class ManagedStageNode(_Staged, LifecycleNode):
    """A block that moves hardware: it speaks only while active.

    Callbacks run in unconfigured nodes too: the runner checks its own `active` before it does anything.
    """

    def __init__(self, name: str, context: Context | None = None, alone: bool = False) -> None:
        super().__init__(name, context=context, start_parameter_services=alone)

    def attach(self, stage: Stage, make_runner: MakeRunner) -> None:
        super().attach(stage, make_runner)
        self.runner.active = False

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

    def bring_up(self) -> None:
        """Configures and activates; raises NotActivated."""
        for transition in (self.trigger_configure, self.trigger_activate):
            if transition() != TransitionCallbackReturn.SUCCESS:
                raise NotActivated(f"{self.get_name()} could not be activated")

    def take_down(self) -> None:
        if self.runner.active:
            self.trigger_deactivate()


class NotActivated(RuntimeError):
    """A managed node that refused a transition."""


def stage_node(
    name: str, moves_hardware: bool, context: Context | None = None, alone: bool = False
) -> StageNode | ManagedStageNode:
    """`alone`: in a process of its own, where a user may look at its parameters."""
    return (ManagedStageNode if moves_hardware else StageNode)(name, context, alone)


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
