"""The composed facility: every block a node of its own, all in one process on one executor."""
from __future__ import annotations

import gc
from contextlib import nullcontext
from time import perf_counter
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import external_stage, recorded
from hil_relative_dynamics.engine.offline import Progress
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.facility.homing import HomingRefused
from hil_relative_dynamics.facility.supervisor_events import Event, cause_of
from hil_relative_dynamics.ros import diagnostics
from hil_relative_dynamics.ros.bring_up import home_simulated, joint_names
from hil_relative_dynamics.ros.claim import Taken, claim, refuse_others
from hil_relative_dynamics.ros.controllers import Refused
from hil_relative_dynamics.ros.external_onboard import ExternalOnboard
from hil_relative_dynamics.ros.interruption import Interruption
from hil_relative_dynamics.ros.monitor import Monitor
from hil_relative_dynamics.ros.plant import Plant
from hil_relative_dynamics.ros.priority import real_time_priority
from hil_relative_dynamics.ros.recorder import RosBag
from hil_relative_dynamics.ros.recorder_node import RecorderNode
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.stage_node import ManagedStageNode, StageNode, stage_node
from hil_relative_dynamics.ros.stage_runner import StageRunner
from hil_relative_dynamics.ros.watch import GraphWatch, WallClockWatch
from hil_relative_dynamics.scenario import Scenario

#: how long to wait for a user's own on-board software to appear [s]
APPEARANCE = 60.0
#: what the robots' lag adds to the time they need to come to rest [s]
STOP_MARGIN = 0.3


class RunFailed(RuntimeError):
    """A run that could not go on; the message says why in one sentence."""


class Container:
    """Builds the nodes of a scenario and drives them until the run is over.

    Ctrl-C ends in KeyboardInterrupt: rclpy's own handler would shut the context before anything can be said.
    `EventsExecutor.spin` of the current releases never returns to its timers; `spin_once` in a loop does.
    """

    def __init__(
        self,
        scenario: Scenario,
        lockstep: bool,
        recorder: Recorder | None = None,
        table: TickTable | None = None,
        hardware: bool = False,
        bag: RosBag | None = None,
        await_recorder: bool = False,
    ) -> None:
        """`bag` records what is here; `await_recorder`: in lockstep one in another process is waited for."""
        self.scenario, self.lockstep, self._hardware, self._bag = scenario, lockstep, hardware, bag
        self._await_recorder = await_recorder
        self.table = table or assemble(scenario)
        self.recorder = recorder or Recorder(self.table, scenario.duration_ns, recorded(self.table))
        self.failure = ""
        self.done = False
        self.idle = 0.0  # time spent on looking for others and on waiting for the last answers [s]
        self.first_tick = 0.0  # from the start of building to the first tick [s]
        begin = perf_counter()
        self.context = Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.executor = EventsExecutor(context=self.context)
        self.time = RunTime(None)  # until the run begins the blocks are deaf
        self._wires = SignalWires(self.table, joint_names(scenario))
        self.nodes: list[StageNode | ManagedStageNode] = []
        here = [stage for stage in self.table if self.is_here(stage)]
        try:
            self._claim = claim(self.context, [stage.name for stage in here])
        except Taken as error:
            rclpy.try_shutdown(context=self.context)
            raise RunFailed(str(error)) from None
        for stage in here:
            node = stage_node(stage.name, stage.moves_hardware, self.context)
            node.attach(stage, self._runner)
            self.executor.add_node(node)
            self.nodes.append(node)
        self.plant: Any = next((node.runner for node in self.nodes if isinstance(node.runner, Plant)), None)
        self.supervisor: Any = next((stage.act for stage in here if stage.name == "safety_supervisor"), None)
        self._watch = GraphWatch(self.nodes[0], self.supervisor) if self.supervisor else None
        self._clock = self._wall_clock_watch()
        self._external: ExternalOnboard | None = None
        if external_stage(self.table) is not None:
            parts = self.table, self._wires, self.recorder, self.time
            times = scenario.duration_ns, scenario.safety.lost_node_ns
            self._external = ExternalOnboard(self.nodes[0], *parts, self._stop_for, *times)
        self._listener = None if bag is None else RecorderNode(bag, self.table, context=self.context)
        if self._listener is not None:
            self.executor.add_node(self._listener)
        self._monitor = Monitor(self.nodes[0], scenario, self.recorder)
        self._building = perf_counter() - begin

    def is_here(self, stage: Stage) -> bool:
        """Whether a stage is run in this process."""
        return not stage.outside

    def _runner(self, node: Node, stage: Stage) -> StageRunner:
        options: dict[str, Any] = {
            "lockstep": self.lockstep,
            "failed": self.fail,
            "recorder": self.recorder,
            "time": self.time,
            "hardware": self._hardware,
            "bag": self._bag,
        }
        if stage.closes_loop:
            options |= {"duration": self.scenario.duration_ns, "finished": self.finish, "failed": self._give_up}
            options["awaits_recorder"] = self._await_recorder
            return Plant(node, stage, self.table, self._wires, **options)
        return StageRunner(node, stage, self.table, self._wires, **options)

    def fail(self, sentence: str) -> None:
        self.failure = self.failure or sentence
        self.done = True

    def _give_up(self, sentence: str) -> None:
        """The plant cannot go on: perhaps because software that is not ours does not answer."""
        if self._external is not None and (self.lockstep or not self.plant.stamp):
            sentence += self._external.excuse(self.plant.stamp)
        self.fail(sentence)

    def _stop_for(self, event: Event, blocks: bool) -> None:
        """External on-board software is wrong or silent. In lockstep a tick is judged by its data, if it can end."""
        if self.supervisor is None or (blocks and self.lockstep):
            self.fail(f"{cause_of(event, 0, None, self.scenario.safety).fault}.")
        elif not self.lockstep:
            self.supervisor.report(event)

    def finish(self) -> None:
        self.done = True

    def run(self, progress: Progress | None = None) -> None:
        """Runs to the end; raises RunFailed."""
        begin = perf_counter()
        self._refuse_a_second_facility()
        if not self.scenario.facility.to_be_homed:
            self.time.begin(0)
        self._bring_up()
        self._await_external()
        gc.collect()
        gc.freeze()  # what is there now stays: collecting it again and again would cost milliseconds
        if not self.time.begun:
            homing = self._home()
            begin += homing
            self.idle += homing
        self.plant.start()
        self.first_tick = self._building + perf_counter() - begin
        try:
            with Interruption() as self._interruption, nullcontext() if self.lockstep else real_time_priority():
                self._drive(progress)
        except KeyboardInterrupt:
            self.stop("Ctrl-C")
            raise
        if self._await_recorder:
            self._deliver()
        if self.failure:
            raise RunFailed(self.failure)

    def _deliver(self) -> None:
        """What was published last is still under way to other processes, and would be lost with its publisher."""
        for node in self.nodes:
            for publisher in node.publishers:
                publisher.wait_for_all_acked(Duration(seconds=2))

    def _refuse_a_second_facility(self) -> None:
        try:
            refuse_others(self.nodes)
        except Taken as error:
            raise RunFailed(str(error)) from None

    def _await_external(self) -> None:
        end = perf_counter() + APPEARANCE
        while self._external is not None and (absent := self._external.absent()):
            self.nodes[0].get_logger().info(f"waiting for {', '.join(absent)}", throttle_duration_sec=10.0)
            if perf_counter() > end:
                raise RunFailed(f"nobody publishes {', '.join(absent)}: start your on-board software")
            self._listen(0.1)

    def _home(self) -> float:
        """Homes the simulated robots, which stand elsewhere. How long it took [s]."""
        begin = perf_counter()
        try:
            home_simulated(self.executor, self.plant, self.scenario, self._wires, self.time)
        except (HomingRefused, Refused) as error:
            raise RunFailed(str(error)) from None
        return perf_counter() - begin

    def _bring_up(self) -> None:
        """Configures and activates what moves hardware, in the order of the table."""
        for node in self.nodes:
            if isinstance(node, ManagedStageNode):
                node.bring_up()

    def _wall_clock_watch(self) -> WallClockWatch | None:
        if self.supervisor is None or self.plant is None or self.lockstep:
            return None
        runs = {node.get_name(): node.runner.runs for node in self.nodes if node.runner is not self.plant}
        return WallClockWatch(runs, self.supervisor, self.scenario.safety, self.plant.lateness)

    def _drive(self, progress: Progress | None) -> None:
        shown, report = 0, perf_counter() + diagnostics.PERIOD
        while not self.done:
            self._interruption.obey()
            self.executor.spin_once(timeout_sec=self.plant.watch())
            if self._watch is not None and not self.lockstep:
                self._watch.look()
            if self._clock is not None and self.plant.stamp:
                self._clock.look()
            if self._external is not None and not self.lockstep:
                self._external.look(self.plant.stamp)
            if self.plant.stamp - shown < 100_000_000:
                continue
            shown = self.plant.stamp
            if progress is not None:
                progress(shown)
            if perf_counter() > report:
                report += diagnostics.PERIOD
                for node in self.nodes:
                    node.report()

        self._listen(0.05)  # the answers to the last tick are still under way

    def stop(self, by: str) -> None:
        """Ramps the robots to rest; the plant, simulated or real, goes on until they are."""
        if self.supervisor is None or self.done:
            return
        self.supervisor.stop(by)
        end = perf_counter() + self.scenario.laboratory.commanding.stop_time + STOP_MARGIN
        while perf_counter() < end and not self.done:
            self.executor.spin_once(timeout_sec=self.plant.watch())

    def _listen(self, seconds: float) -> None:
        self.idle += seconds
        end = perf_counter() + seconds
        while perf_counter() < end:
            self.executor.spin_once(timeout_sec=0.01)

    def close(self) -> None:
        """Takes everything down in reverse order."""
        for node in reversed(self.nodes):
            if isinstance(node, ManagedStageNode):
                node.take_down()
        for node in reversed(self.nodes):
            node.destroy_node()
        if self._listener is not None:
            self._listener.destroy_node()
        self.executor.shutdown()
        self._claim.release()
        # managed nodes leave the graph only when their state machine is collected
        self.nodes.clear()
        self._watch = self._clock = None
        gc.unfreeze()
        gc.collect()
        rclpy.try_shutdown(context=self.context)
