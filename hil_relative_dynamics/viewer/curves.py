"""The quantities drawn over time, the same in replay and live."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import degrees

import numpy as np

from hil_relative_dynamics.scene.snapshot import Snapshot

# readable with any colour vision (Okabe and Ito)
BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
#: so many points at most
LONGEST = 600


@dataclass(frozen=True)
class Curve:
    """One diagram: a title with the unit, and its lines by name, with colour and what they show."""

    title: str
    lines: dict[str, tuple[str, Callable[[Snapshot], float]]]


def _norm(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector))


CURVES = (
    Curve(
        "client relative to servicer, against the simulation",
        {
            "position [mm]": (BLUE, lambda seen: 1e3 * seen.relative_error[0]),
            "attitude [mrad]": (ORANGE, lambda seen: 1e3 * seen.relative_error[1]),
        },
    ),
    Curve(
        "contact wrench on the client, at its origin",
        {
            "force [N]": (BLUE, lambda seen: _norm(seen.wrench_client.linear)),
            "torque [N m]": (ORANGE, lambda seen: _norm(seen.wrench_client.angular)),
        },
    ),
    Curve(
        "angular rates over time [s]",
        {
            "client [deg/s]": (BLUE, lambda seen: degrees(_norm(seen.twists[0].angular))),
            "servicer": (GREEN, lambda seen: degrees(_norm(seen.twists[1].angular))),
            "relative": (ORANGE, lambda seen: degrees(seen.relative_rate)),
        },
    ),
)


#: lines of all diagrams
WIDTH = sum(len(curve.lines) for curve in CURVES)


class History:
    """Values of all curves over time, thinned out by half whenever it gets too long."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest, self._every, self._skipped = longest, 1, 0
        self._times: list[float] = []
        self._values: list[list[float]] = []

    def add(self, seen: Snapshot) -> None:
        self._skipped += 1
        if self._skipped < self._every:
            return
        self._skipped = 0
        self._times.append(seen.time)
        # what is left of rounding is not worth a diagram
        self._values.append([round(value(seen), 6) for curve in CURVES for _, value in curve.lines.values()])
        if len(self._times) > self._longest:
            self._times, self._values, self._every = self._times[::2], self._values[::2], 2 * self._every

    def clear(self) -> None:
        self.__init__(self._longest)  # type: ignore[misc]

    def until(self, time: float) -> list[tuple[np.ndarray, ...]]:
        """For each diagram: all times, then each of its lines, which end at a time [s]."""
        times = np.array(self._times)
        values = np.array(self._values).reshape(len(times), WIDTH)
        values[times > time] = np.nan
        columns = iter(values.T)
        return [(times.copy(), *(next(columns) for _ in curve.lines)) for curve in CURVES]
