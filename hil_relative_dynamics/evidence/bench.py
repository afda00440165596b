"""Measurements of speed: the registry of groups, and how to time things that are to be compared.

Times of a shared machine wander by tens of per cent. What is compared is therefore timed in turns, in many
short batches on one core: the median of the ratios holds still where the times do not.
"""
from __future__ import annotations

import gc
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

#: each of these modules has `measure(progress) -> dict`
GROUPS: dict[str, str] = {
    "method": "hil_relative_dynamics.evidence.bench_method",
    "loop": "hil_relative_dynamics.ros.bench_loop",  # above this layer: loaded only when asked for
}
#: groups that need all cores; the others are measured on one
ALL_CORES = frozenset({"loop"})

Progress = Callable[[str], object]


def run(group: str, progress: Progress = lambda text: None) -> dict[str, Any]:
    """Measures one group; numbers in units named by their keys, and the machine they were taken on."""
    if group not in GROUPS:
        raise ValueError(f"there is no bench {group!r}, only {', '.join(GROUPS)}")
    with nullcontext() if group in ALL_CORES else _one_core():
        return {**import_module(GROUPS[group]).measure(progress), "machine": machine()}


class Contender(Protocol):
    """Something to be timed: `start` brings it back to the same state before every batch."""

    def start(self) -> None: ...

    def __call__(self) -> object: ...


class Call:
    """A contender without state: one call with the same arguments each time."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._function, self._arguments = function, arguments

    def start(self) -> None: ...

    def __call__(self) -> object:
        return self._function(*self._arguments)


def in_turns(contenders: Mapping[str, Contender], rounds: int, calls: int = 40) -> dict[str, np.ndarray]:
    """Time of one call of each contender in each round [us]; a batch of `calls` is one turn."""
    times = {name: np.empty(rounds) for name in contenders}
    with _no_garbage_collection():
        for index in range(-1, rounds):  # the first round only warms up: its times are overwritten
            for name, contender in contenders.items():
                times[name][index] = _batch(contender, calls)
    return times


def _batch(contender: Contender, calls: int) -> float:
    contender.start()
    begin = perf_counter()
    for _ in range(calls):
        contender()
    return 1e6 * (perf_counter() - begin) / calls


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _one_core() -> Iterator[None]:
    """Single-threaded, whatever libraries have started threads already: this thread stays where it is."""
    if not hasattr(os, "sched_setaffinity"):  # Linux only
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def machine() -> dict[str, Any]:
    return {"cpu": _cpu_model(), "cores": os.cpu_count(), "python": platform.python_version()}


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()
