"""Rendezvous, berthing and unberthing (paper 002) as a mission."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hil_relative_dynamics.berthing.measures import measured
from hil_relative_dynamics.berthing.voyage import Voyage, fly
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.missions import rendezvous_figures
from hil_relative_dynamics.missions.outcome import Outcome, Progress
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.rendezvous import Rendezvous


def run(scenario: Mission, progress: Progress) -> Outcome:
    assert isinstance(scenario, Rendezvous)
    voyage = fly(scenario, progress)

    def draw(folder: Path) -> list[Path]:
        return rendezvous_figures.draw(voyage, folder)

    return Outcome(recording(voyage), measured(voyage), draw, voyage.events)


def recording(voyage: Voyage) -> Recording:
    """Orbital tracks and the contact phase as arrays."""
    stamps: dict[str, np.ndarray] = {}
    values: dict[str, np.ndarray] = {}
    if voyage.tracks:
        times = np.concatenate([track.times for track in voyage.tracks])
        stamps["relative"] = stamps["facing"] = np.round(1e9 * times).astype(np.int64)
        values["relative"] = np.concatenate([track.relative for track in voyage.tracks])
        values["facing"] = np.concatenate([track.facing for track in voyage.tracks])
        pulses = [pulse for track in voyage.tracks for pulse in track.pulses]
        stamps["impulse"] = np.array([round(1e9 * time) for time, _ in pulses], dtype=np.int64)
        values["impulse"] = np.array([change for _, change in pulses]).reshape(-1, 3)
    if voyage.contact is not None:
        log = voyage.contact.log
        for name, rows in vars(log).items():
            if name != "times":
                stamps[f"contact_{name}"] = np.round(1e9 * np.array(log.times)).astype(np.int64)
                values[f"contact_{name}"] = np.array(rows)
    return Recording(stamps, values)
