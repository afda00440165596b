"""The composed facility with real devices: no plant drives time, an operator starts it."""
from __future__ import annotations

from time import monotonic, perf_counter
from typing import Any

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import left_out
from hil_relative_dynamics.engine.offline import Progress
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.ros import diagnostics
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.container import STOP_MARGIN, Container, RunFailed
from hil_relative_dynamics.ros.controllers import Refused
from hil_relative_dynamics.ros.facility_node import RUNNING, FacilityNode
from hil_relative_dynamics.scenario import Scenario

SUPERVISOR = "safety_supervisor"
#: what is recorded after the scenario's duration: ramp and all [ns]
AFTER = 10_000_000_000
#: how long ending may take, all services not answering [s]
ENDING = 40.0


class HardwareContainer(Container):
    """Runs the blocks on the topics of real devices, or of mocks.

    The commanders hold the devices where they are until the run begins. With real robots supervisor and command guard
    are processes of their own. The run ends at the scenario's duration, on a stop, or when the supervisor is silent:
    the robots ramp to rest, then the controllers are deactivated.
    """

    def __init__(self, scenario: Scenario, hardware: str, external_onboard: bool = False) -> None:
        self._apart, self.interrupted = hardware == "real", False
        table = assemble(scenario, simulated=False)
        table = left_out(table) if external_onboard else table
        given = [name for stage in table if self.is_here(stage) for name in stage.outputs]
        recorder = Recorder(table, scenario.duration_ns + AFTER, given)
        super().__init__(scenario, lockstep=False, recorder=recorder, table=table, hardware=True)
        names = joint_names(scenario)
        stop = None if self.supervisor is None else self.supervisor.stop
        self.control = FacilityNode(scenario, self._wires, self.time, names, self.context, self._apart, stop)
        self.executor.add_node(self.control)

    def is_here(self, stage: Stage) -> bool:
        return not stage.outside and not (self._apart and stage.name == SUPERVISOR)

    def run(self, progress: Progress | None = None) -> None:
        """From bring-up to the end of the run; raises RunFailed."""
        self._refuse_a_second_facility()
        self._bring_up()
        name = self.control.get_fully_qualified_name()
        self.control.get_logger().info(f"ready: call {name}/home where needed, then {name}/start")
        self._drive(progress)
        self.stop("Ctrl-C" if self.interrupted else "the end of the run")
        if self.failure:
            raise RunFailed(self.failure)
        if self.interrupted:
            raise KeyboardInterrupt

    def interrupt(self, *_: Any) -> None:
        """For signal handlers: an exception out of the blue would end whatever callback is under way."""
        self.interrupted = self.done = True

    def _drive(self, progress: Progress | None) -> None:
        report, began = perf_counter() + diagnostics.PERIOD, 0.0
        while not self.done:
            self.executor.spin_once(timeout_sec=0.02)
            if self._watch is not None:
                self._watch.look()
            if perf_counter() > report:
                report += diagnostics.PERIOD
                for node in self.nodes:
                    node.report()
                if progress is not None:
                    progress(max(0, self.elapsed))
            if self.control.phase == RUNNING:
                began = began or monotonic()
                if self._external is not None:
                    self._external.look(self.elapsed)
                self._judge(monotonic() - max(began, self.control.safety_heard))

    @property
    def elapsed(self) -> int:
        """Time of the run [ns]; negative just before it."""
        origin = self.time.origin
        return -1 if origin is None else int(self.control.get_clock().now().nanoseconds) - origin

    def _judge(self, silence: float) -> None:
        """Whether the run is over."""
        if self.elapsed >= self.scenario.duration_ns:
            self.finish()
        elif self.control.safety.latched:
            self.fail(f"stopped at {1e-9 * self.elapsed:.1f} s: {self.control.safety.sentence}")
        elif silence > 1e-9 * self.scenario.safety.lost_node_ns:
            self.fail(f"{SUPERVISOR} has been silent for {silence:.1f} s.")

    def stop(self, by: str) -> None:
        """Ramps the robots to rest, then takes everything from them."""
        if self.control.phase != RUNNING:
            return
        if not self.control.safety.latched:
            self._await(self._ask())
        self._spin(self.scenario.laboratory.commanding.stop_time + STOP_MARGIN)
        for sentence in self._await(self.control.end()) or ():
            self.control.get_logger().error(f"after {by}: {sentence}")

    async def _ask(self) -> list[str]:
        try:
            await self.control.stop()
        except Refused as refusal:  # then its silence stops the commanders
            return [str(refusal)]
        return []

    def _await(self, coroutine: Any) -> list[str]:
        async def task() -> Any:
            return await coroutine

        done: Any = self.executor.create_task(task)
        end = perf_counter() + ENDING
        while not done.done() and perf_counter() < end:
            self.executor.spin_once(timeout_sec=0.02)
        return done.result() if done.done() else [f"no end within {ENDING:g} s"]

    def _spin(self, seconds: float) -> None:
        end = perf_counter() + seconds
        while perf_counter() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        self.control.destroy_node()
        super().close()
