"""`hil run` of a client with flexible appendages: simulated ones, physical ones on the robot, or both."""
from __future__ import annotations

from functools import partial
from pathlib import Path

from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.flexible_flight import fly, measure
from hil_relative_dynamics.missions.outcome import Outcome, Progress
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient


def run(scenario: FlexibleClient, progress: Progress) -> Outcome:
    recording = fly(scenario, progress)
    return Outcome(recording, measure(scenario, recording), partial(draw, scenario, recording))


def draw(scenario: FlexibleClient, recording: Recording, folder: Path) -> list[Path]:
    # here, because a run without figures need not wait a second for the plotting library
    from hil_relative_dynamics.missions import flexible_client_figures

    return flexible_client_figures.draw(scenario, recording, folder)
