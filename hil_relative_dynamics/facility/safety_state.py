"""What the supervisor says at every tick."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SafetyState:
    """Whether the robots may move; if not, why.

    Attributes:
        enabled: commanders pass on what they are told only while this holds.
        sentence: what, value, limit, since when, and whether the run is still physically valid.
    """

    enabled: bool
    sentence: str = ""


ENABLED = SafetyState(True)
