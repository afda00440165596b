"""What on-board software tells of itself."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hil_relative_dynamics.onboard.phases import Errors, Phase

_PHASES = list(Phase)


@dataclass(frozen=True)
class OnboardStatus:
    """Phase, errors, and why it was given up, if it was."""

    phase: Phase
    errors: Errors
    reason: str = ""

    def numbers(self) -> np.ndarray:
        """For recordings: the phase's number, then the errors."""
        return np.array([_PHASES.index(self.phase), *self.errors], dtype=float)

    @property
    def values(self) -> dict[str, str]:
        """As texts, exact: for the key-value pairs of a diagnostic status."""
        return {"phase": self.phase.value, **{name: repr(value) for name, value in self.errors._asdict().items()}}

    @classmethod
    def of_values(cls, reason: str, values: dict[str, str]) -> OnboardStatus:
        errors = Errors(*(float(values[name]) for name in Errors._fields))
        return cls(Phase(values["phase"]), errors, reason)
