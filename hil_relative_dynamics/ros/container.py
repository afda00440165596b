"""The composed facility: every block a node of its own, all in one process on one executor."""
from __future__ import annotations

from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import Progress
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.stage_runner import Plant, StageRunner
from hil_relative_dynamics.scenario import Scenario


class RunFailed(RuntimeError):
    """A run that could not go on; the message says why in one sentence."""


class Container:
    """Builds the nodes of a scenario and drives them until the run is over.

    `EventsExecutor.spin` of the current releases never returns to its timers; `spin_once` in a loop does.
    """

    def __init__(self, scenario: Scenario, lockstep: bool, recorder: Recorder | None = None) -> None:
        self.scenario = scenario
        self.context = Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.executor = EventsExecutor(context=self.context)
        self.table = assemble(scenario)
        self.recorder = recorder or Recorder(self.table, scenario.duration_ns)
        self.failure = ""
        self.done = False
        self.runners: list[StageRunner] = []
        wires = SignalWires(self.table, joint_names(scenario))
        for stage in self.table:
            node = Node(stage.name, context=self.context, enable_rosout=False, start_parameter_services=False)
            self.executor.add_node(node)
            options: dict[str, Any] = {"lockstep": lockstep, "failed": self.fail, "recorder": self.recorder}
            if stage.closes_loop:
                self.plant = Plant(
                    node, stage, self.table, wires, duration=scenario.duration_ns, finished=self.finish, **options
                )
                self.runners.append(self.plant)
            else:
                self.runners.append(StageRunner(node, stage, self.table, wires, **options))

    def fail(self, sentence: str) -> None:
        self.failure = self.failure or sentence
        self.done = True

    def finish(self) -> None:
        self.done = True

    def run(self, progress: Progress | None = None) -> None:
        """Runs to the end; raises RunFailed."""
        self.plant.start()
        shown = 0
        while not self.done:
            self.executor.spin_once(timeout_sec=self.plant.watch())
            if progress is not None and self.plant.stamp - shown > 100_000_000:
                shown = self.plant.stamp
                progress(shown)
        if self.failure:
            raise RunFailed(self.failure)

    def close(self) -> None:
        for runner in self.runners:
            runner.node.destroy_node()
        self.executor.shutdown()
        rclpy.try_shutdown(context=self.context)


def joint_names(scenario: Scenario) -> dict[str, list[str]]:
    return {"arm": World(scenario).servicer.joint_names}
