"""The end of a run, whether it came to its end or not: what was measured, judged and is kept."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.measure import measure
from hil_relative_dynamics.evidence.run import MEASURES, SIGNALS, Run
from hil_relative_dynamics.evidence.run_folder import Verdict, judge, write_summary
from hil_relative_dynamics.evidence.traces import traces
from hil_relative_dynamics.scenario import Scenario

#: signals are kept this often [ns]; the MCAP recording has them all
KEPT = 10_000_000


def conclude(
    folder: Path,
    scenario: Scenario,
    recording: Recording,
    facts: dict[str, Any],
    progress: Callable[[float], None] | None = None,
    timing: Recording | None = None,
    judged: bool = True,
) -> Run:
    """Writes summary.json, signals.npz and measures.npz, and gives them as a run.

    Args:
        recording: all signals at their full rate.
        facts: further entries of the summary.
        timing: when each tick began.
        judged: False where signals are too thin to be measured by; then no criterion is judged either.
    """
    largest, verdicts, over_time = dict[str, float](), list[Verdict](), Recording({}, {})
    if judged:
        world = World(scenario)
        measures = measure(world, recording, progress)
        largest, over_time = measures.largest, traces(world, recording, measures)
        verdicts = judge(scenario, largest)
    if timing is not None:
        over_time = over_time.joined(timing)
    thinned = recording.thinned(KEPT)
    thinned.save(folder / SIGNALS)
    over_time.save(folder / MEASURES)
    run = Run(folder, scenario, {}, thinned, over_time)
    facts = {**facts, "largest": largest, "events": _events(run, facts)}
    run.summary.update(write_summary(folder, scenario, verdicts, facts))
    return run


def _events(run: Run, facts: dict[str, Any]) -> list[str]:
    """What happened, one sentence each with its time."""
    events = [(span.start, f"{span.name} begins") for span in run.phases]
    if run.stopped is not None:
        events.append((run.stopped, f"safety supervisor: {facts.get('safety') or 'stopped the robots'}"))
    if signals.GRIPPER_STATE in run.signals:
        latched = run.signals[signals.GRIPPER_STATE][:, 1] > 0.5
        if latched.any():
            time = float(run.signals.times(signals.GRIPPER_STATE)[latched.argmax()])
            events.append((time, "the gripper has latched"))
    return [f"{time:.2f} s: {what}" for time, what in sorted(events)]
