"""Why the robots are stopped, said in one sentence."""
from __future__ import annotations

from enum import IntEnum
from math import degrees
from typing import NamedTuple


class Severity(IntEnum):
    """STOP: ramp to rest. FORCE: something pushes; during a ramp this escalates. HARD: escalates at once."""

    STOP = 0
    FORCE = 1
    HARD = 2


class Cause(NamedTuple):
    """One limit that was exceeded.

    Attributes:
        key: condition and subject; what goes on under the same key is not reported again.
        what: subject and verb, e.g. "arm_joint_3 turns at".
        value: with its unit.
        limit: with its unit, e.g. "limit 1 m/s".
        since: stamp at which it was first seen, or from which on data were missing [ns].
        valid_until: stamp up to which the run is physically valid [ns]; None: from its start it was not.
        severity: how hard the stop should be.
        always: stops the robots before they are armed, too.
    """

    key: str
    what: str
    value: str
    limit: str
    since: int
    valid_until: int | None
    severity: Severity = Severity.STOP
    always: bool = False

    @property
    def sentence(self) -> str:
        valid = "is not physically valid"
        if self.valid_until is not None:
            valid = f"is physically valid until {seconds(self.valid_until)}"
        return f"{self.fault}, since {seconds(self.since)}; the run {valid}."

    @property
    def fault(self) -> str:
        """What, value and limit."""
        return f"{self.what} {self.value} ({self.limit})"


def seconds(stamp: int) -> str:
    return f"{stamp // 1_000_000 / 1000:.3f} s"


def milliseconds(time: int) -> str:
    return f"{time / 1e6:.6g} ms"


def number(value: float, unit: str) -> str:
    """Enough digits to tell a value from the limit it passed."""
    return f"{value:.6g} {unit}"


def angle(value: float, unit: str = "deg") -> str:
    """An angle [rad] in degrees, a rate in deg/s and so on."""
    return number(degrees(value), unit)
