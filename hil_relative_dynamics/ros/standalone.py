"""One block in a process of its own, as `ros2 run` starts it."""
from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import rclpy
from rclpy.executors import Executor
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.facility.homing import HomingRefused
from hil_relative_dynamics.ros import diagnostics, parameters
from hil_relative_dynamics.ros.bring_up import home_simulated, joint_names
from hil_relative_dynamics.ros.controllers import Refused
from hil_relative_dynamics.ros.plant import Plant
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.stage_node import ManagedStageNode, NotActivated, stage_node
from hil_relative_dynamics.ros.stage_runner import StageRunner
from hil_relative_dynamics.ros.watch import GraphWatch


class _Stop:
    """Why the loop should end; empty while it should go on."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.failed = False

    def fail(self, sentence: str) -> None:
        self.reason, self.failed = sentence, True

    def finish(self, *_: Any) -> None:
        self.reason = self.reason or "stopped"


def run_stage(name: str, moves_hardware: bool = False, arguments: Sequence[str] | None = None) -> int:
    """The `main` of every node: parameters, block, loop. Returns the exit status."""
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    stop = _Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.finish)
    node = stage_node(name, moves_hardware, alone=True)
    try:
        options = parameters.declare(node)
        table = assemble(options.scenario)
        wires = SignalWires(table, joint_names(options.scenario))
        stage = _find(table, name)

        time = RunTime(None if options.scenario.facility.to_be_homed else 0)

        def make_runner(node: Node, stage: Stage) -> StageRunner:
            common: dict[str, Any] = {"lockstep": options.lockstep, "failed": stop.fail, "time": time}
            if stage.closes_loop:
                common |= {"duration": options.scenario.duration_ns, "finished": stop.finish}
                return Plant(node, stage, table, wires, **common)
            return StageRunner(node, stage, table, wires, **common)

        node.attach(stage, make_runner)
        if isinstance(node, ManagedStageNode) and options.hardware != "real":
            node.bring_up()  # with real hardware whoever is in charge does it, in order
        if not stage.closes_loop:
            time.listen(node, stop.fail)

        def home(executor: Executor, plant: Plant) -> None:
            if not time.begun:
                home_simulated(executor, plant, options.scenario, wires, time, lambda: stop.reason is not None)

        _drive(node, stop, home)
        if isinstance(node, ManagedStageNode):
            node.take_down()
    except (ValueError, NotActivated, HomingRefused, Refused) as error:
        stop.fail(str(error))
    finally:
        if stop.failed:
            print(f"{name}: {stop.reason}", file=sys.stderr)
        node.destroy_node()
        rclpy.try_shutdown()
    return 2 if stop.failed else 0


def _find(table: TickTable, name: str) -> Stage:
    for stage in table:
        if stage.name == name:
            return stage
    raise ValueError(f"this scenario has no block {name}, only {', '.join(stage.name for stage in table)}")


def _drive(node: Any, stop: _Stop, home: Callable[[Executor, Plant], None]) -> None:
    executor = EventsExecutor()
    executor.add_node(node)
    plant = node.runner if isinstance(node.runner, Plant) else None
    if plant is not None:
        home(executor, plant)
        plant.start()
    supervisor = node.runner.stage.name == "safety_supervisor"
    watch = GraphWatch(node, node.runner.stage.act) if supervisor else None
    report = perf_counter() + diagnostics.PERIOD
    while stop.reason is None:
        executor.spin_once(timeout_sec=plant.watch() if plant is not None else 0.05)
        if watch is not None:
            watch.look()
        if perf_counter() > report:
            report += diagnostics.PERIOD
            node.report()
    executor.shutdown()
