"""What the run of a mission gives."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.scenario import Mission

#: called now and then with the share that is done, 0 to 1
Progress = Callable[[float], None]

#: mission -> module whose `run(scenario, progress) -> Outcome` does it; loaded only when asked for
RUNNERS: dict[str, str] = {
    "deorbit": "hil_relative_dynamics.missions.deorbit",
    "flexible_client": "hil_relative_dynamics.missions.flexible_client",
    "multirotor": "hil_relative_dynamics.missions.multirotor",
    "rendezvous": "hil_relative_dynamics.missions.rendezvous",
}


@dataclass(frozen=True)
class Outcome:
    """A recorded run."""

    recording: Recording
    measured: dict[str, float]
    """Numbers of the run, by key with unit; the scenario's limits name some of them."""
    draw: Callable[[Path], list[Path]]
    """Draws the figures as PNG files into a folder and returns them."""
    events: list[str] = field(default_factory=list)
    """What happened, one sentence each with its time."""


def run_mission(scenario: Mission, progress: Progress | None = None) -> Outcome:
    """Runs a mission that is not servicing."""
    outcome: Outcome = import_module(RUNNERS[scenario.mission]).run(scenario, progress or _silent)
    return outcome


def _silent(share: float) -> None:
    pass
