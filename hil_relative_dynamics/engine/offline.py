"""The offline engine: executes the table by direct calls, as fast as it goes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hil_relative_dynamics.engine.recording import Recorder, Recording
from hil_relative_dynamics.engine.table import TickTable

#: called now and then with the simulated time [ns]
Progress = Callable[[int], None]


def run(
    table: TickTable, duration: int, recorder: Recorder | None = None, progress: Progress | None = None
) -> Recording:
    """Runs the ticks 0, period, ... below `duration` [ns] and returns the recorded signals.

    Whoever may interrupt a run brings the recorder: it keeps what was recorded until then.
    """
    recorder = recorder or Recorder(table, duration)
    latest: dict[str, Any] = dict.fromkeys(table.producers)
    stages = [
        (
            stage.period,
            stage.act,
            stage.inputs,
            [(name, recorder.track(name), stage.slower.get(name, 0)) for name in stage.outputs],
        )
        for stage in table
    ]
    report_every = max(1, duration // table.period // 200) * table.period
    for stamp in range(0, duration, table.period):
        for period, act, inputs, outputs in stages:
            if stamp % period:
                continue
            values = act(stamp, *[latest[name] for name in inputs])
            for (name, record, every), value in zip(outputs, values):
                if every and stamp % every:
                    continue
                latest[name] = value
                if record is not None:
                    record(value)
        if progress is not None and stamp % report_every == 0:
            progress(stamp)
    if progress is not None:
        progress(duration)
    return recorder.recording()
