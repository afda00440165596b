"""The tick: which block takes and gives which signals, how often and in what order.

Engine and nodes execute the same table. Time is integer nanoseconds; a tick is an instant t_k at which every
block whose period divides t_k runs once, in an order in which everything is known before it is used.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Any


class TableError(ValueError):
    """A table that cannot be executed; nothing starts on one."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One block in the tick.

    Attributes:
        act: `(stamp, *inputs) -> outputs`, one output for each name. Carries the block's state.
        period: [ns]
        trigger: the input whose stamp makes the block run when time is not in lockstep.
        closes_loop: its inputs are those of the tick before (None at the first): the plant closes the loop.
        slower: outputs that are not given at every run of the block, with their periods [ns].
        heartbeat, patience: without its trigger for so long [ns], the block runs when this input comes.
        takes_stamps: in real time `act` is told when each input was given [ns].
        outside: stands for devices, which no node runs.
        hold, hold_inputs: with real devices, what their controller is told before the first run, from these signals.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    period: int
    act: Callable[..., tuple[Any, ...]]
    trigger: str | None = None
    closes_loop: bool = False
    moves_hardware: bool = False
    slower: Mapping[str, int] = field(default_factory=dict)
    heartbeat: str | None = None
    patience: int = 0
    takes_stamps: bool = False
    outside: bool = False
    hold: Callable[..., Any] | None = None
    hold_inputs: tuple[str, ...] = ()

    def every(self, output: str) -> int:
        """Period of one of its outputs [ns]."""
        return self.slower.get(output, self.period)


class TickTable:
    """Stages in the order in which they run within a tick."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        given = list(stages)
        self._check_names([stage.name for stage in given])
        self.producers = self._producers(given)
        for stage in given:
            self._check(stage)
        self.stages = self._ordered(given)
        self.period = gcd(*(stage.period for stage in given))

    def every(self, signal: str) -> int:
        """Period of a signal [ns]."""
        return self.producers[signal].every(signal)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __getitem__(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    @staticmethod
    def _producers(stages: list[Stage]) -> dict[str, Stage]:
        producers: dict[str, Stage] = {}
        for stage in stages:
            for signal in stage.outputs:
                if signal in producers:
                    raise TableError(f"{signal} is given by both {producers[signal].name} and {stage.name}")
                producers[signal] = stage
        return producers

    @staticmethod
    def _check_names(names: list[str]) -> None:
        for name in names:
            if names.count(name) > 1:
                raise TableError(f"two blocks are called {name}")

    def _check(self, stage: Stage) -> None:
        if stage.period <= 0:
            raise TableError(f"the period of {stage.name} is {stage.period} ns; it must be positive")
        for signal, period in stage.slower.items():
            if period % stage.period:
                runs = f"{stage.name} runs every {stage.period} ns"
                raise TableError(f"{runs} and cannot give {signal} every {period} ns")
        for signal in stage.inputs:
            if signal not in self.producers:
                raise TableError(f"{stage.name} takes {signal}, which no block gives")
        if stage.trigger is not None and stage.trigger not in stage.inputs:
            raise TableError(f"{stage.name} is triggered by {stage.trigger}, which it does not take")

    def _ordered(self, stages: list[Stage]) -> list[Stage]:
        ordered: list[Stage] = []
        path: list[str] = []

        def visit(stage: Stage) -> None:
            if stage in ordered:
                return
            if stage.name in path:
                loop = " -> ".join([*path[path.index(stage.name) :], stage.name])
                raise TableError(f"these blocks wait for each other within a tick: {loop}")
            path.append(stage.name)
            for signal in () if stage.closes_loop else stage.inputs:
                visit(self.producers[signal])
            path.pop()
            ordered.append(stage)

        # what closes the loop goes first: its outputs start the tick
        for stage in sorted(stages, key=lambda stage: not stage.closes_loop):
            visit(stage)
        return ordered
