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
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.facility.homing import HomingRefused
from hil_relative_dynamics.ros import diagnostics, parameters
from hil_relative_dynamics.ros.bring_up import home_simulated, joint_names
from hil_relative_dynamics.ros.controllers import Refused
from hil_relative_dynamics.ros.plant import Plant
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.stage_node import ManagedStageNode, NotActivated, stage_node
from hil_relative_dynamics.ros.stage_runner import StageRunner
from hil_relative_dynamics.ros.watch import GraphWatch, WallClockWatch, commanders_heard


class _Stop:
    """Why the loop should end; empty while it should go on."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.failed = False

    def fail(self, sentence: str) -> None:
        self.reason, self.failed = sentence, True

    def finish(self, *_: Any) -> None:
        self.reason = self.reason or "stopped"

    def wanted(self) -> bool:
        return self.reason is not None


def run_stage(name: str, moves_hardware: bool = False, arguments: Sequence[str] | None = None) -> int:
    """The `main` of every node: parameters, block, loop. Returns the exit status."""
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    stop = _Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.finish)
    node = stage_node(name, moves_hardware, alone=True)
    try:
        options = parameters.declare(node)
        parts = _Parts(name, options)
        node.attach(parts.stage, parts.runner_maker(stop))
        if isinstance(node, ManagedStageNode) and not parts.brought_up_by_others:
            node.bring_up()
        if not (parts.stage.closes_loop or parts.time.begun):
            parts.time.listen(node, stop.fail)
        _drive(node, stop, parts)
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


class _Parts:
    """What a node of its own consists of, for its parameters. Raises ValueError."""

    def __init__(self, name: str, options: parameters.Options) -> None:
        self._options, self._hardware = options, options.hardware != "sim"
        self._table = assemble(options.scenario, simulated=not self._hardware)
        self.wires = SignalWires(self._table, joint_names(options.scenario))
        self.stage = self._find(name)
        waits = self._hardware or options.stamp_with_ros_time or options.scenario.facility.to_be_homed
        self.time = RunTime(None if waits else 0)

    def _find(self, name: str) -> Stage:
        here = [stage for stage in self._table if not stage.outside]
        for stage in here:
            if stage.name == name:
                return stage
        raise ValueError(f"this scenario has no block {name}, only {', '.join(stage.name for stage in here)}")

    @property
    def brought_up_by_others(self) -> bool:
        """With real robots the supervisor is activated when somebody wants to start."""
        return self._options.hardware == "real" and self.stage.name == "safety_supervisor"

    def runner_maker(self, stop: _Stop) -> Callable[[Node, Stage], StageRunner]:
        common: dict[str, Any] = {"lockstep": self._options.lockstep, "failed": stop.fail, "time": self.time}
        if not self.stage.closes_loop:
            return lambda node, stage: StageRunner(
                node, stage, self._table, self.wires, hardware=self._hardware, **common
            )
        common |= {"duration": self._options.scenario.duration_ns, "finished": stop.finish}
        return lambda node, stage: Plant(
            node,
            stage,
            self._table,
            self.wires,
            stands_in=self._options.stamp_with_ros_time,
            awaits_recorder=self._options.await_recorder,
            **common,
        )

    def wall_clock_watch(self, node: Any) -> WallClockWatch | None:
        """Of the commanders, by the supervisor; in lockstep the clock does not count."""
        if self._options.lockstep:
            return None
        return WallClockWatch(commanders_heard(node), self.stage.act, self._options.scenario.safety)

    def start(self, plant: Plant, executor: Executor, stop: _Stop) -> None:
        """Homes the simulated robots if they stand elsewhere, and starts time."""
        if not (self.time.begun or self._options.stamp_with_ros_time):
            home_simulated(executor, plant, self._options.scenario, self.wires, self.time, stop.wanted)
        plant.start()


def _drive(node: Any, stop: _Stop, parts: _Parts) -> None:
    executor = EventsExecutor()
    executor.add_node(node)
    plant = node.runner if isinstance(node.runner, Plant) else None
    if plant is not None:
        parts.start(plant, executor, stop)
    supervisor = node.runner.stage.name == "safety_supervisor"
    watch = GraphWatch(node, node.runner.stage.act) if supervisor else None
    clock = parts.wall_clock_watch(node) if supervisor else None
    report = perf_counter() + diagnostics.PERIOD
    while stop.reason is None:
        executor.spin_once(timeout_sec=plant.watch() if plant is not None else 0.05)
        if watch is not None:
            watch.look()
        if clock is not None and node.runner.runs():
            clock.look()
        if perf_counter() > report:
            report += diagnostics.PERIOD
            node.report()
    executor.shutdown()
