"""What the facility costs as nodes: ticks against the same graph with empty blocks, and deadlines in real time."""
from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time
from typing import Any, NamedTuple

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.ros.container import Container
from hil_relative_dynamics.ros.recorder import RosBag
from hil_relative_dynamics.scenario import Scenario, load

SCENARIO = "envisat_unforced_facility"
#: arm and dynamics periods of the two real-time loops that are measured [ms]
LOOPS = {"arm_1000_hz_dynamics_250_hz": (1, 4), "all_500_hz": (2, 2)}
SECONDS = float(os.environ.get("HIL_BENCH_SECONDS", "60"))
ROUNDS, TICKS = 5, 2000


def measure(progress: Callable[[str], object]) -> dict[str, Any]:
    # a domain of its own: what else runs on this machine must not be heard, nor hear
    os.environ["ROS_DOMAIN_ID"] = str(100 + os.getpid() % 100)
    begin = perf_counter()
    result: dict[str, Any] = {"scenario": SCENARIO}
    scenario = _scenario(1, 4, 1e-3 * TICKS)
    full, empty, recorded = [], [], []
    for number in range(ROUNDS):
        progress(f"lockstep tick, round {number + 1} of {ROUNDS}")
        full.append(_tick_cost(scenario, assemble(scenario)))
        empty.append(_tick_cost(scenario, emptied(assemble(scenario))))
        recorded.append(_recorded_tick_cost(scenario))
    table = assemble(scenario)
    result["tick_us"], result["empty_tick_us"] = median(a.wall for a in full), median(b.wall for b in empty)
    result["ratio_to_empty_blocks"] = median(a.wall / b.wall for a, b in zip(full, empty))
    result["recorded_tick_us"] = median(a.wall for a in recorded)
    # by processor time, which what else runs on this machine changes less
    ratio = median(a.processor for a in recorded) / median(b.processor for b in full)
    result["recording_percent"] = 100.0 * (ratio - 1.0)
    result["nodes"] = len(table.stages)
    result["deliveries_per_dynamics_tick"] = deliveries(table)
    for name, periods in LOOPS.items():
        progress(f"real time, {name.replace('_', ' ')}, {SECONDS:g} s")
        result[name] = _real_time(_scenario(*periods, SECONDS))
    result["seconds"] = perf_counter() - begin
    return result


def _scenario(arm: int, dynamics: int, seconds: float) -> Scenario:
    return load(SCENARIO, [f"rates_ms.arm={arm}", f"rates_ms.dynamics={dynamics}", f"duration_s={seconds:g}"])


def emptied(table: TickTable) -> TickTable:
    """The same graph, in which every block gives again what it gave first: all that is left is ROS."""
    return TickTable([replace(stage, act=_Echo(stage)) for stage in table])


class _Echo:
    def __init__(self, stage: Stage) -> None:
        self._act, self._values = stage.act, None

    def __call__(self, stamp: int, *inputs: Any) -> Any:
        if self._values is None:
            self._values = self._act(stamp, *inputs)
        return self._values


def deliveries(table: TickTable) -> int:
    """Messages that reach a block during one dynamics tick."""
    slowest = max(stage.period for stage in table)
    return sum(slowest // table.every(name) for stage in table for name in stage.inputs)


class Cost(NamedTuple):
    """Of a tick, by the clock and of the processor in the loop's own thread [us]."""

    wall: float
    processor: float


def _recorded_tick_cost(scenario: Scenario) -> Cost:
    """The same with every topic recorded."""
    with TemporaryDirectory() as folder:
        bag = RosBag(Path(folder, "recording"), scenario, "lockstep")
        try:
            return _tick_cost(scenario, assemble(scenario), bag)
        finally:
            bag.close()


def _tick_cost(scenario: Scenario, table: TickTable, bag: RosBag | None = None) -> Cost:
    """Mean time from a measurement to the last command [us] in a lockstep run: all but the plant's own physics."""
    plant = next(stage for stage in table if stage.closes_loop)
    timed = _Timed(plant.act)
    table = TickTable([replace(stage, act=timed) if stage is plant else stage for stage in table])
    container = Container(scenario, True, Recorder(table, scenario.duration_ns, ()), table, bag=bag)
    try:
        begin, used = perf_counter(), thread_time()
        container.run()
        spent = perf_counter() - begin - container.idle - timed.seconds
        used = thread_time() - used - timed.processor
        ticks = scenario.duration_ns // table.period
        return Cost(1e6 * spent / ticks, 1e6 * used / ticks)
    finally:
        container.close()


class _Timed:
    def __init__(self, act: Callable[..., Any]) -> None:
        self._act, self.seconds, self.processor = act, 0.0, 0.0

    def __call__(self, *arguments: Any) -> Any:
        begin, used = perf_counter(), thread_time()
        values = self._act(*arguments)
        self.seconds += perf_counter() - begin
        self.processor += thread_time() - used
        return values


def _real_time(scenario: Scenario) -> dict[str, Any]:
    """Deadlines missed by the facility and by an empty timer running beside it."""
    period = scenario.rates.arm_ns
    table = assemble(scenario)
    container = Container(scenario, False, Recorder(table, scenario.duration_ns, ()), table)
    timer = subprocess.Popen(
        [sys.executable, "-m", "hil_relative_dynamics.ros.empty_timer", str(period), str(scenario.duration_ns)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        begin = perf_counter()
        used = process_time()
        container.run()
        seconds = perf_counter() - begin
        ticks = scenario.duration_ns // period
        empty = int(timer.communicate(timeout=60)[0])
        return {
            "ticks": ticks,
            "missed_percent": 100.0 * container.plant.misses / ticks,
            "empty_timer_missed_percent": 100.0 * empty / ticks,
            "core_percent": 100.0 * (process_time() - used) / seconds,
            "start_to_first_tick_s": container.first_tick,
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    finally:
        timer.kill()
        container.close()
