"""A run as it is on disk."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import Mission, Scenario, load_mission

SUMMARY, SCENARIO, SIGNALS, MEASURES = "summary.json", "scenario.yaml", "signals.npz", "measures.npz"


class RunError(ValueError):
    """A folder that is not that of a run, or cannot be read; the message says which and why."""


class Span(NamedTuple):
    """A phase of the run [s]."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class Run:
    """Scenario, summary, signals, and quantities worked out from these over time."""

    folder: Path
    scenario: Mission
    summary: dict[str, Any]
    signals: Recording
    measures: Recording
    notes: list[str] = field(default_factory=list)
    """What was missing or had to be mended, one sentence each."""

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def phases(self) -> list[Span]:
        """As the on-board software told; none if it has none."""
        if signals.ONBOARD_STATUS not in self.signals:
            return []
        numbers, times = self.signals[signals.ONBOARD_STATUS][:, 0], self.signals.times(signals.ONBOARD_STATUS)
        starts = np.flatnonzero(np.diff(numbers, prepend=-1.0))
        names = [phase.value for phase in Phase]
        ends = [*times[starts[1:]], times[-1]]
        return [Span(names[int(numbers[row])], times[row], end) for row, end in zip(starts, ends)]

    @cached_property
    def stopped(self) -> float | None:
        """When the safety supervisor stopped the robots [s]."""
        if signals.SAFETY not in self.signals:
            return None
        enabled = self.signals[signals.SAFETY][:, 0] > 0.5
        armed = int(np.argmax(enabled))
        off = np.flatnonzero(~enabled[armed:])
        return float(self.signals.times(signals.SAFETY)[armed + off[0]]) if enabled.any() and len(off) else None


def contents(folder: Path) -> list[str]:
    """What is in a run's folder, for people: the figures together."""
    names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
    figures = sum(name.endswith(".png") for name in names)
    kept = [name for name in names if not name.endswith(".png")]
    return [*kept, f"{figures} figures"] if figures > 1 else names


def load_run(folder: Path) -> Run:
    """Raises RunError; what a report can do without may be missing."""
    if not folder.is_dir():
        raise RunError(f"{folder}: there is no such run folder")
    if not (folder / SCENARIO).exists():
        raise RunError(f"{folder} is not the folder of a run: it holds no {SCENARIO}")
    scenario = load_mission(str(folder / SCENARIO), [])
    summary = _summary(folder)
    notes = [str(note) for note in summary.get("notes", ())]
    return Run(
        folder,
        scenario,
        summary,
        _recording(folder / SIGNALS, notes),
        _recording(folder / MEASURES, notes) if isinstance(scenario, Scenario) else Recording({}, {}),
        notes,
    )


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / SUMMARY
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{folder} holds no {SUMMARY}") from None
    except ValueError as error:
        raise RunError(f"{path} is not JSON: {error}") from None
    if not isinstance(summary, dict) or "configuration_hash" not in summary:
        raise RunError(f"{path} is not the summary of a run")
    return summary


def _recording(path: Path, notes: list[str]) -> Recording:
    """Empty where it cannot be read, with a note."""
    try:
        return Recording.load(path)
    except FileNotFoundError:
        notes.append(f"{path.name} is missing")
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        notes.append(f"{path.name} cannot be read: {error}")
    return Recording({}, {})
