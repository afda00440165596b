"""`hil run` of a mission that has no facility of nodes."""
from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from time import perf_counter

from hil_relative_dynamics.commands.terminal import bar, hil, output, table, verdict
from hil_relative_dynamics.evidence.run import contents, load_run
from hil_relative_dynamics.evidence.run_folder import judge, run_folder, write_summary
from hil_relative_dynamics.missions.outcome import run_mission
from hil_relative_dynamics.scenario import Mission


def main(scenario: Mission, options: Namespace) -> int:
    if options.mode != "offline":
        raise ValueError(f"{scenario.name} is a {scenario.mission} mission: it runs with --mode offline")
    with run_folder(scenario, Path(options.out)) as folder:
        start = perf_counter()
        with bar(f"running {scenario.name}, {1e-9 * scenario.duration_ns:g} s") as progress:
            outcome = run_mission(scenario, progress)
        factor = 1e-9 * scenario.duration_ns / (perf_counter() - start)
        verdicts = judge(scenario, outcome.measured)
        facts = {
            "mode": "offline",
            "interrupted": False,
            "simulated_s": 1e-9 * scenario.duration_ns,
            "real_time_factor": factor,
            "largest": outcome.measured,
            "events": outcome.events,
        }
        outcome.recording.save(folder / "signals.npz")
        summary = write_summary(folder, scenario, verdicts, facts)
        if not options.no_figure:
            from hil_relative_dynamics.evidence.report import write_report

            with bar("drawing"):
                outcome.draw(folder)
                write_report(load_run(folder))
    limits = {judged.criterion: judged for judged in verdicts}
    rows = table("measured", "value>", "limit>", "")
    for name, value in outcome.measured.items():
        judged = limits.get(name)
        rows.add_row(name, f"{value:.4g}", *((f"{judged.limit:.3g}", verdict(judged.ok)) if judged else ("", "")))
    output.print(f"[bold]{scenario.name}[/]: {scenario.description}")
    for event in outcome.events:
        output.print(event)
    output.print(rows)
    passed = sum(judged.ok for judged in verdicts)
    output.print(f"{passed} of {len(verdicts)} criteria met, {factor:.3g} times real time")
    output.print(f"run folder: {folder}  ({', '.join(contents(folder))})", soft_wrap=True)
    output.print(f"next: {hil()} list | {hil()} validate --help | {hil()} run --help", soft_wrap=True)
    return 0 if summary["passed"] else 1
