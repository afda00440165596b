"""`hil run`"""
from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from time import perf_counter

from hil_relative_dynamics.commands.execution import Execution
from hil_relative_dynamics.commands.terminal import Bar, bar, hil, messages, output, table, verdict
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import EXTERNAL, left_out
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.evidence.conclude import conclude
from hil_relative_dynamics.evidence.run import Run, contents
from hil_relative_dynamics.evidence.run_folder import run_folder
from hil_relative_dynamics.scenario import Scenario, load_mission


def main(options: Namespace) -> int:
    scenario = load_mission(options.scenario, options.overrides)
    if not isinstance(scenario, Scenario):
        from hil_relative_dynamics.commands.run_mission import main as mission

        return mission(scenario, options)
    table_of_blocks = assemble(scenario)
    if options.onboard == EXTERNAL:
        if options.mode == "offline":
            raise ValueError("--onboard external needs --mode lockstep or realtime: your node is on ROS topics")
        table_of_blocks = left_out(table_of_blocks)
    with run_folder(scenario, Path(options.out)) as folder:
        return _run(scenario, table_of_blocks, folder, options)


def _run(scenario: Scenario, table_of_blocks: TickTable, folder: Path, options: Namespace) -> int:
    execution = Execution(scenario, table_of_blocks, folder, options.mode, options.record)
    recorder = execution.recorder
    interrupted, failure = False, None
    with bar(f"running {scenario.name} {options.mode}, {1e-9 * scenario.duration_ns:g} s") as progress:
        start = perf_counter()
        try:
            watcher = Watcher(table_of_blocks, scenario.duration_ns, progress)
            execution.run(watcher)
            watcher(scenario.duration_ns)
        except KeyboardInterrupt:
            interrupted = True
            if not recorder.until:
                raise
        except RuntimeError as error:  # a block or a node that could not go on
            failure = error
            if not recorder.until:
                raise
        elapsed = perf_counter() - start
    recording = recorder.recording()
    simulated = recorder.until / 1e9
    if interrupted:
        messages.print(f"interrupted at {simulated:.1f} s; writing what there is")
    elif failure is not None:
        messages.print(f"ended at {simulated:.1f} s; writing what there is")
    facts = {
        "mode": options.mode,
        "interrupted": interrupted or failure is not None,
        "simulated_s": simulated,
        "real_time_factor": simulated / elapsed,
        **Watcher(table_of_blocks, scenario.duration_ns, progress).states(),
        **execution.facts,
    }
    if failure is not None:
        facts["ended"] = f"It ended at {simulated:.1f} s: {failure}"
    with bar("comparing with the orbit") as progress:
        concluded = conclude(folder, scenario, recording, facts, progress, execution.timing)
    if not options.no_figure:
        from hil_relative_dynamics.commands.report import write  # matplotlib takes a second to load

        write(concluded)
    _report(concluded)
    if failure is not None:
        raise failure
    if interrupted:
        return 130
    return 0 if concluded.summary["passed"] else 1


class Watcher:
    """Shows how far a run is, and tells of every new phase and of a stop when it comes."""

    def __init__(self, blocks: TickTable, duration: int, bar: Bar) -> None:
        self._duration, self._bar = duration, bar
        acts = {stage.name: stage.act for stage in blocks if not stage.outside}
        self._onboard, self._supervisor = acts.get("onboard_software"), acts.get("safety_supervisor")
        self._said: dict[str, str] = {}

    def __call__(self, time: int) -> None:
        self._bar(time / self._duration)
        for what, text in self.states().items():
            if text and self._said.get(what) != text:
                self._said[what] = text
                self._bar.note(f"{1e-9 * time:6.1f} s  {text}")

    def states(self) -> dict[str, str]:
        """Phase of the on-board software and the supervisor's sentence, as they are now."""
        return {
            "onboard": getattr(self._onboard, "phase", ""),
            "safety": getattr(self._supervisor, "sentence", ""),
        }


def _report(run: Run) -> None:
    summary = run.summary
    limits = {judged["criterion"]: judged for judged in summary["criteria"]}
    rows = table("largest over the run", "value>", "limit>", "")
    for name, value in summary["largest"].items():
        judged = limits.get(name)
        columns = (f"{judged['limit']:.3g}", verdict(judged["ok"])) if judged else ("", "")
        rows.add_row(name, f"{value:.3g}", *columns)
    output.print(f"[bold]{summary['scenario']}[/]: {summary['description']}")
    output.print(rows)
    passed = sum(judged["ok"] for judged in summary["criteria"])
    output.print(f"{passed} of {len(limits)} criteria met, {summary['real_time_factor']:.3g} times real time")
    output.print(f"run folder: {run.folder}  ({', '.join(contents(run.folder))})", soft_wrap=True)
    command = hil()
    output.print(f"next: {command} list | {command} validate method | {command} run --help", soft_wrap=True)
