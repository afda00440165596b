"""Which inputs belong to which tick. Message order across topics is not guaranteed, not even in one process."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hil_relative_dynamics.engine.table import Stage


class LockstepInbox:
    """Joins inputs by exact stamps: what a block sees is what it would see offline, whatever arrives when.

    A block at stamp t takes of each input the value with the newest stamp at or before t on that input's grid; it
    runs once that very value is there. Where a block closes the loop, t is the tick before.
    """

    def __init__(self, stage: Stage, periods: Mapping[str, int]) -> None:
        self._stage, self._periods = stage, periods
        self._values: dict[str, dict[int, Any]] = {name: {} for name in stage.inputs}
        self.next = stage.period if stage.closes_loop else 0

    def offer(self, signal: str, stamp: int, value: Any) -> None:
        self._values[signal][stamp] = value

    def take(self) -> tuple[int, list[Any]] | None:
        """The next tick and its inputs, if they are all there."""
        stamp = self.next
        at = stamp - self._stage.period if self._stage.closes_loop else stamp
        inputs = []
        for name, values in self._values.items():
            expected = at - at % self._periods[name]
            if expected not in values:
                return None
            inputs.append(values[expected])
        for name, values in self._values.items():
            for old in [key for key in values if key < at - at % self._periods[name]]:
                del values[old]
        self.next = stamp + self._stage.period
        return stamp, inputs

    def repeated(self, signal: str, stamp: int) -> bool:
        """Whether a stamp has been answered: its sender did not hear the answer."""
        return signal == (self._stage.trigger or signal) and stamp < self.next and stamp % self._stage.period == 0

    def missing(self) -> list[str]:
        """The inputs that the next tick waits for."""
        at = self.next - self._stage.period if self._stage.closes_loop else self.next
        return [name for name, values in self._values.items() if at - at % self._periods[name] not in values]


class NewestInbox:
    """Real time: the trigger makes the block run, with the newest of everything else.

    Ticks that were missed are made up for with the inputs of the one that came, so that simulated time keeps up
    with the stamps; more than `most` at once are a jump in time, which is counted and not made up for.

    Stamps of real devices jitter: those of the signals in `periods` count for the nearest tick of their period [ns].
    """

    def __init__(self, stage: Stage, most: int = 250, periods: Mapping[str, int] | None = None) -> None:
        self._stage, self._most, self._periods = stage, most, periods or {}
        self._values: dict[str, tuple[int, Any]] = {}
        self.next = 0
        self.made_up = 0
        self.jumps = 0

    def offer(self, signal: str, stamp: int, value: Any) -> None:
        self._values[signal] = stamp, value

    def due(self, signal: str, stamp: int) -> range:
        """The ticks to run now; empty if this signal triggers nothing, is old, or something is still missing."""
        stage = self._stage
        if signal in self._periods:
            stamp = nearest(stamp, self._periods[signal])
        tick = stamp - stamp % stage.period
        overdue = signal == stage.heartbeat and tick - self.next >= stage.patience
        if not (signal == stage.trigger or overdue) or tick < self.next or self.missing():
            return range(0)
        if tick - self.next > self._most * stage.period:
            self.jumps += 1
            self.next = tick
        ticks = range(self.next, tick + 1, stage.period)
        self.made_up += len(ticks) - 1
        self.next = tick + stage.period
        return ticks

    def repeated(self, signal: str, stamp: int) -> bool:
        """Whether this is the tick that was just answered: its sender did not hear the answer."""
        if signal != self._stage.trigger or signal in self._periods:
            return False
        return 0 <= stamp == self.next - self._stage.period

    def inputs(self) -> list[Any]:
        """The newest of each; None for what has not come yet (only where the loop is closed)."""
        return [self._values[name][1] if name in self._values else None for name in self._stage.inputs]

    def stamps(self) -> list[int]:
        return [self._values[name][0] for name in self._stage.inputs]

    def missing(self) -> list[str]:
        return [name for name in self._stage.inputs if name not in self._values]

    def oldest(self, stamp: int) -> int:
        """Age of the oldest input [ns]."""
        return stamp - min(given for given, _ in self._values.values())


def nearest(stamp: int, period: int) -> int:
    """The tick of a period that is nearest to a stamp [ns]."""
    return (stamp + period // 2) // period * period
