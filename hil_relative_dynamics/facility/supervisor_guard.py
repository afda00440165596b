"""The independent guard of real hardware: commands and their watchman must keep coming.

Forward controllers hold the last command for ever. This block runs in a process of its own, next to the
supervisor; when anything it listens to goes silent, the controllers are to be deactivated.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hil_relative_dynamics.facility.supervisor_cause import milliseconds


class GuardState(NamedTuple):
    """When each input was heard last, when the guard looked last [ns], and why it tripped."""

    heard: Mapping[str, int]
    looked: int
    sentence: str = ""


class CommandGuard:
    """Trips, for good, when an input has been silent for longer than its limit.

    The clock is the caller's and must be a steady one; all inputs count as heard when the watch starts.

    Args:
        limits: longest silence of every input, by name [ns].
    """

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._limits = dict(limits)

    def watch(self, now: int) -> GuardState:
        """Start watching; also the way back after a trip, once somebody has looked into it."""
        return GuardState(dict.fromkeys(self._limits, now), now)

    def heard(self, state: GuardState, name: str, now: int) -> GuardState:
        """An input came; a name that is not watched is refused."""
        if name not in self._limits:
            raise KeyError(f"{name} is not among the inputs of the guard: {', '.join(self._limits)}")
        return state._replace(heard={**state.heard, name: now})

    def step(self, state: GuardState, now: int) -> tuple[GuardState, bool]:
        """Whether the controllers must be deactivated; the state's sentence says why."""
        sentence = state.sentence or self._fault(state, now)
        return GuardState(state.heard, now, sentence), bool(sentence)

    def _fault(self, state: GuardState, now: int) -> str:
        if now < state.looked:
            back = milliseconds(state.looked - now)
            return f"the guard's clock ran backwards by {back}: controllers deactivated."
        silences = {name: now - heard for name, heard in state.heard.items()}
        late = [
            f"{name} has been silent for {milliseconds(silence)} (limit {milliseconds(self._limits[name])})"
            for name, silence in silences.items()
            if silence > self._limits[name]
        ]
        return f"{'; '.join(late)}: controllers deactivated." if late else ""
