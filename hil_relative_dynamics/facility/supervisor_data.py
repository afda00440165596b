"""Data that cannot be trusted: missing, misshapen, non-finite, stale, out of order."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.supervisor_cause import Cause, milliseconds, seconds
from hil_relative_dynamics.facility.supervisor_events import cause_of
from hil_relative_dynamics.facility.supervisor_observation import SIGNALS, Observation, Stamps
from hil_relative_dynamics.facility.supervisor_tick import Tick
from hil_relative_dynamics.scenario.safety import Safety
from hil_relative_dynamics.spatial import SAMPLE_SIZE

UNIT_LENGTH = 1e-3
"""How far the square of a quaternion's length may be from 1."""
_MOTIONS = slice(3, 7)
_QUATERNION = slice(3, 7)


def arrays_of(observation: Observation) -> list[Any]:
    """The numbers of every signal, None for one that is missing."""
    return [_array_of(signal) for signal in observation[: len(SIGNALS)]]


def _array_of(signal: Any) -> Any:
    if signal is None or isinstance(signal, np.ndarray):
        return signal
    return signal.vector if isinstance(signal, pin.Force) else signal.array


class SoundData:
    """Every signal is there, has its size, is finite, and its attitudes are unit quaternions.

    Args:
        robot_joints, arm_joints: how many joints readings must have.
    """

    start = None
    while_stopped = True

    def __init__(self, robot_joints: int, arm_joints: int) -> None:
        robot, arm, torque = (3, robot_joints), (3, arm_joints), (arm_joints,)
        motion, points, wrench = (SAMPLE_SIZE,), (2, SAMPLE_SIZE), (6,)
        self._shapes = [robot, robot, arm, motion, motion, points, points, wrench, wrench, wrench, torque]

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        arrays = arrays_of(tick.observation)
        if self._shaped(arrays) and self._finite(arrays) and self._attitudes(arrays):
            return None, ()
        return None, [
            Cause(f"data {name}", f"{name} is", value, f"must be {expected}", tick.stamp, tick.previous)
            for name, array, shape in zip(SIGNALS, arrays, self._shapes)
            for value, expected in _flaw(array, shape)
        ]

    def _shaped(self, arrays: list[Any]) -> bool:
        return all(array is not None and array.shape == shape for array, shape in zip(arrays, self._shapes))

    def _finite(self, arrays: list[Any]) -> bool:
        return bool(np.isfinite(np.concatenate(arrays, axis=None)).all())

    def _attitudes(self, arrays: list[Any]) -> bool:
        quaternions = np.vstack(arrays[_MOTIONS])[:, _QUATERNION]
        return bool(np.abs(np.einsum("ij,ij->i", quaternions, quaternions) - 1.0).max() <= UNIT_LENGTH)


def _flaw(array: np.ndarray | None, shape: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """What is wrong with one signal and what it should be, or nothing."""
    if array is None:
        yield "missing", "there"
    elif array.shape != shape:
        yield f"of size {_size(array.shape)}", f"of size {_size(shape)}"
    elif not np.isfinite(array).all():
        yield str(array[~np.isfinite(array)][0]), "finite"
    elif shape[-1] == SAMPLE_SIZE:
        lengths = [hypot(*row) for row in np.atleast_2d(array)[:, _QUATERNION].tolist()]
        worst = max(lengths, key=lambda length: abs(length - 1.0))
        if not abs(worst * worst - 1.0) <= UNIT_LENGTH:
            yield f"turned by a quaternion of length {worst:.6g}", "of length 1"


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


class StampMemory(NamedTuple):
    """Stamp of the last tick and of its signals."""

    tick: int
    signals: Stamps


class FreshData:
    """Stamps go forward without jumps, and no signal is older than allowed."""

    start = None
    while_stopped = True

    def __init__(self, safety: Safety) -> None:
        self._age, self._gap = safety.data_age_ns, safety.stamp_gap_ns

    def check(self, memory: StampMemory | None, tick: Tick) -> tuple[StampMemory, Sequence[Cause]]:
        stamps = tick.stamps
        causes: list[Cause] = []
        if memory is not None:
            causes += self._order("the tick", memory.tick, tick.stamp, memory.tick)
        if tick.observation.stamps is not None:
            before = memory.signals if memory else stamps
            for index, (name, stamp, last) in enumerate(zip(SIGNALS, stamps, before)):
                if tick.observation[index] is not None:
                    causes += self._ages(name, stamp, tick)
                    causes += self._order(name, last, stamp, tick.previous)
        return StampMemory(tick.stamp, stamps), causes

    def _ages(self, name: str, stamp: int, tick: Tick) -> Iterator[Cause]:
        age = tick.stamp - stamp
        limit = f"limit {milliseconds(self._age)}"
        if age > self._age:
            yield Cause(f"age {name}", f"{name} has an age of", milliseconds(age), limit, stamp, stamp)
        elif -age > self._age:
            what = f"{name} is from the future by"
            yield Cause(f"age {name}", what, milliseconds(-age), limit, tick.stamp, tick.previous)

    def _order(self, name: str, last: int, stamp: int, valid_until: int | None) -> Iterator[Cause]:
        if stamp < last:
            what, value = f"the stamp of {name} runs backwards to", f"{seconds(stamp)} from {seconds(last)}"
            yield Cause(f"order {name}", what, value, "must not decrease", last, valid_until)
        elif stamp - last > self._gap:
            what, limit = f"the stamp of {name} jumps by", f"limit {milliseconds(self._gap)}"
            yield Cause(f"order {name}", what, milliseconds(stamp - last), limit, last, valid_until)


class ReportedEvents:
    """Nothing that a node reports."""

    start = None
    while_stopped = True

    def __init__(self, safety: Safety) -> None:
        self._safety = safety

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        events = tick.observation.events
        return None, [cause_of(event, tick.stamp, tick.previous, self._safety) for event in events]
