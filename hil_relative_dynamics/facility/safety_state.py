"""What the supervisor says at every tick."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """As in diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True)
class SafetyState:
    """Whether the robots may move; if not, why.

    Attributes:
        enabled: commanders pass on what they are told only while this holds.
        sentence: what, value, limit, since when, and whether the run is still physically valid.
        latched: a stop, which only a reset ends; not enabled and not latched is waiting to be armed.
        escalated: after the stop a force or torque limit was exceeded: do not finish the ramp against it.
        later: sentences of what came after the first cause.
    """

    enabled: bool
    sentence: str = ""
    latched: bool = False
    escalated: bool = False
    later: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        if self.enabled:
            return Level.OK
        return Level.ERROR if self.latched else Level.WARN

    @property
    def values(self) -> dict[str, str]:
        """All but the sentence as texts, for the key-value pairs of a diagnostic status."""
        flags = {"enabled": self.enabled, "latched": self.latched, "escalated": self.escalated}
        texts = {key: str(flag).lower() for key, flag in flags.items()}
        return {**texts, **{f"later {index}": text for index, text in enumerate(self.later, start=1)}}

    @classmethod
    def of_values(cls, sentence: str, values: Mapping[str, str]) -> SafetyState:
        """Back from message and key-value pairs of a diagnostic status; what is missing is not enabled."""
        flags = {key: values.get(key) == "true" for key in ("enabled", "latched", "escalated")}
        later = tuple(text for key, text in values.items() if key.startswith("later "))
        return cls(sentence=sentence, later=later, **flags)


ENABLED = SafetyState(True)
