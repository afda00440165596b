"""A run folder as something to look at."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import Scenario, load_mission
from hil_relative_dynamics.scene.snapshot import JOINTS, NEEDED, WELCOME, Snapshot, snapshot


class NotARun(ValueError):
    """A folder that cannot be shown; the message says why in one sentence."""


class Replay:
    """What was recorded, at any time."""

    def __init__(self, folder: Path) -> None:
        """Raises NotARun, and ScenarioError where the run's scenario does not read."""
        self.folder = folder
        self.scenario = _scenario(folder)
        self._recording = _recording(folder / "signals.npz", self.scenario)
        self._names = [name for name in (*NEEDED, *JOINTS, *WELCOME) if name in self._recording]
        self._summary = _summary(folder)
        self.duration = min(float(self._recording.times(name)[-1]) for name in NEEDED)
        try:
            self.at(0.0)
            self.at(self.duration)
        except (IndexError, ValueError, TypeError) as error:
            raise NotARun(f"{folder / 'signals.npz'}: its signals are not those of a run ({error})") from None

    def at(self, time: float) -> Snapshot:
        """The newest of everything at a time [s] of the run."""
        rows = {}
        for name in self._names:
            stamps = self._recording.stamps(name)
            row = int(np.searchsorted(stamps, round(1e9 * time), side="right")) - 1
            rows[name] = self._recording[name][max(row, 0)]
        return snapshot(time, rows, alert=self._alert(rows))

    @property
    def phases(self) -> list[tuple[float, str]]:
        """When each phase of the on-board software began [s]."""
        if signals.ONBOARD_STATUS not in self._recording:
            return []
        numbers, times = self._recording[signals.ONBOARD_STATUS][:, 0], self._recording.times(signals.ONBOARD_STATUS)
        starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()]
        return [(float(times[row]), list(Phase)[int(numbers[row])].value) for row in starts]

    def _alert(self, rows: dict[str, np.ndarray]) -> str:
        """The recording has flags; the sentences are in the summary."""
        if signals.SAFETY in rows and rows[signals.SAFETY][0] < 0.5:
            return str(self._summary.get("safety") or "the robots may not move")
        status = rows.get(signals.ONBOARD_STATUS)
        if status is not None and list(Phase)[int(status[0])] is Phase.ABORT:
            return str(self._summary.get("onboard") or "the capture was given up")
        return ""


def _scenario(folder: Path) -> Scenario:
    if not folder.is_dir():
        raise NotARun(f"{folder} is not the folder of a run: 'hil run' makes one below runs/ and names it at its end")
    if not (folder / "scenario.yaml").is_file():
        raise NotARun(f"{folder} is not the folder of a run: it has no scenario.yaml")
    scenario = load_mission(folder / "scenario.yaml")
    if not isinstance(scenario, Scenario):
        raise NotARun(f"{folder} is a run of a {scenario.mission} mission: only servicing missions can be shown")
    return scenario


def _recording(path: Path, scenario: Scenario) -> Recording:
    if not path.is_file():
        raise NotARun(f"{path.parent} has no signals.npz: its run did not get as far as writing what it recorded")
    try:
        recording = Recording.load(path)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise NotARun(f"{path} cannot be read ({error}): it is truncated or of another program") from None
    needed = (*NEEDED, *(JOINTS if scenario.facility.kind != "none" else ()))
    missing = [name for name in needed if name not in recording or not len(recording[name])]
    if missing:
        raise NotARun(f"{path} has no {', '.join(missing)}: there is nothing to show")
    return recording


def _summary(folder: Path) -> dict[str, Any]:
    """Empty where there is none: the run can be looked at all the same."""
    try:
        found = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
