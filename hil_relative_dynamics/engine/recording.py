"""Signals of a run as arrays."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hil_relative_dynamics.engine.signals import to_array
from hil_relative_dynamics.engine.table import TickTable


class Recording:
    """Every value of the chosen signals, with the stamps [ns] at which they were given."""

    def __init__(self, stamps: dict[str, np.ndarray], values: dict[str, np.ndarray]) -> None:
        self._stamps, self._values = stamps, values

    @property
    def signals(self) -> list[str]:
        return list(self._values)

    def stamps(self, signal: str) -> np.ndarray:
        """[ns]"""
        return self._stamps[signal]

    def times(self, signal: str) -> np.ndarray:
        """[s]"""
        return 1e-9 * self._stamps[signal]

    def __getitem__(self, signal: str) -> np.ndarray:
        return self._values[signal]

    def __contains__(self, signal: str) -> bool:
        return signal in self._values

    def sampled(self, signal: str, reference: str) -> np.ndarray:
        """Values of a signal at the stamps of another: the newest at or before each."""
        rows = np.searchsorted(self._stamps[signal], self._stamps[reference], side="right") - 1
        return self._values[signal][rows]

    def thinned(self, period: int) -> Recording:
        """At most one value of each signal in every `period` [ns]: enough to look at, a tenth of the size."""
        every = {name: _steps(stamps, period) for name, stamps in self._stamps.items()}
        return Recording(
            {name: stamps[:: every[name]] for name, stamps in self._stamps.items()},
            {name: values[:: every[name]] for name, values in self._values.items()},
        )

    def joined(self, other: Recording) -> Recording:
        """The signals of both."""
        return Recording({**self._stamps, **other._stamps}, {**self._values, **other._values})

    def save(self, path: Path) -> None:
        """One npz file: each signal under its name, its stamps under `<name>@`."""
        stamps = {f"{name}@": array for name, array in self._stamps.items()}
        np.savez(path, **self._values, **stamps)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Recording:
        with np.load(path) as file:
            names = [name for name in file.files if not name.endswith("@")]
            return cls({name: file[f"{name}@"] for name in names}, {name: file[name] for name in names})


def _steps(stamps: np.ndarray, period: int) -> int:
    """How many steps of a signal there are in a period, rounded up."""
    return -(-period // int(stamps[1])) if len(stamps) > 1 else 1


class Recorder:
    """Fills arrays while a table runs."""

    def __init__(self, table: TickTable, duration: int, signals: Iterable[str] | None = None) -> None:
        names = list(table.producers) if signals is None else list(signals)
        self._tracks = {
            name: _Track(to_array(name), table.every(name), duration) for name in names
        }

    def track(self, signal: str) -> Callable[[Any], None] | None:
        """What to call with each value of a signal; None if it is not recorded."""
        return self._tracks[signal].add if signal in self._tracks else None

    @property
    def until(self) -> int:
        """Up to where every signal is known [ns]: an interruption may fall between two blocks of a tick."""
        return min((track.count * track.period for track in self._tracks.values()), default=0)

    def newest(self, signals: Iterable[str]) -> tuple[int, dict[str, np.ndarray]]:
        """The last tick [ns] at which all of these are known, and their numbers then; -1 while there is none."""
        tracks = {name: self._tracks[name] for name in signals}
        if not all(track.count for track in tracks.values()):
            return -1, {}
        stamp = min((track.count - 1) * track.period for track in tracks.values())
        stamp -= stamp % max(track.period for track in tracks.values())
        return stamp, {name: track.values[stamp // track.period] for name, track in tracks.items()}

    def recording(self) -> Recording:
        """What was recorded so far, in whole ticks: also after an interruption."""
        counts = {name: -(-self.until // track.period) for name, track in self._tracks.items()}
        tracks = {name: track for name, track in self._tracks.items() if counts[name]}
        return Recording(
            {name: np.arange(counts[name], dtype=np.int64) * track.period for name, track in tracks.items()},
            {name: track.values[: counts[name]] for name, track in tracks.items()},
        )


class _Track:
    """One signal, given at 0, period, ... [ns]."""

    def __init__(self, array_of: Callable[[Any], np.ndarray], period: int, duration: int) -> None:
        self.period, self.count = period, 0
        self._array_of, self._length = array_of, -(-duration // period)

    def add(self, value: Any) -> None:
        if self.count == 0:
            self.values = np.empty((self._length, *self._array_of(value).shape))
        self.values[self.count] = self._array_of(value)
        self.count += 1
