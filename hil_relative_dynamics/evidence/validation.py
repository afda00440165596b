"""Validation as a table: what was computed, against what, and how far it may be off."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

Progress = Callable[[str], None]

#: group -> the module whose `checks(progress)` computes its rows; loaded only when asked for
GROUPS = {
    "method": "hil_relative_dynamics.evidence.validate_method",
    "facility": "hil_relative_dynamics.evidence.validate_facility",
    "capture": "hil_relative_dynamics.evidence.validate_capture",
    "flexible": "hil_relative_dynamics.evidence.validate_flexible",
    "deorbit": "hil_relative_dynamics.evidence.validate_deorbit",
    "multirotor": "hil_relative_dynamics.evidence.validate_multirotor",
    "rendezvous": "hil_relative_dynamics.evidence.validate_rendezvous",
}


class UnknownGroup(ValueError):
    """A group of checks that does not exist."""


class ReferenceMissing(ImportError):
    """An independent simulator that the checks compare with is not installed."""


@dataclass(frozen=True)
class Check:
    """One row: a number, and the limit that it has to keep.

    Most numbers are errors and may be at most their limit (`relation` "<="). Where a check has to show that
    something matters (a term left out, a formula as printed, an arm that did move), the number is the size of
    the effect and has to be at least its limit (">="). A number that is not one (NaN) fails either way.
    """

    id: str
    source: str
    """Equation or figure."""
    quantity: str
    value: float
    limit: float
    unit: str
    relation: Literal["<=", ">="] = "<="
    reached: float | None = None
    """What a careful implementation reached elsewhere, for comparison; not judged."""
    note: str = ""

    @property
    def ok(self) -> bool:
        if self.relation == "<=":
            return bool(self.value <= self.limit)
        return bool(self.value >= self.limit)


@dataclass(frozen=True)
class Comparison:
    """One published number beside ours. It is a report, not a test: what must hold stands in a Check beside it."""

    id: str
    source: str
    """Figure, table or equation of the paper."""
    quantity: str
    paper: float
    ours: float
    unit: str
    tolerance: float
    """A difference up to this reproduces the number (half a unit of its last printed digit, as a rule)."""
    uncertainty: float = 0.0
    """How far the paper leaves the number open; the note says why."""
    note: str = ""
    """What was chosen where the paper is silent; for a number that is not reproduced, the reason."""

    @property
    def difference(self) -> float:
        return self.ours - self.paper

    @property
    def verdict(self) -> Literal["reproduced", "within uncertainty", "not reproduced"]:
        if abs(self.difference) <= self.tolerance:
            return "reproduced"
        return "within uncertainty" if abs(self.difference) <= self.uncertainty else "not reproduced"

    @property
    def ok(self) -> bool:
        """Not reproduced without a reason is a defect."""
        return self.verdict != "not reproduced" or bool(self.note)


def validate(group: str, progress: Progress | None = None) -> list[Check | Comparison]:
    """Computes every check of a group; `progress` is told what is being computed.

    Raises:
        UnknownGroup: there is no such group.
        ReferenceMissing: a simulator to compare with is not installed; the message says how to get it.
    """
    if group not in GROUPS:
        raise UnknownGroup(f"there is no validation group '{group}': choose one of {', '.join(GROUPS)}")
    return list(import_module(GROUPS[group]).checks(progress or _silent))


def _silent(text: str) -> None:
    pass
