"""What all sensors have in common: they measure at a rate, tell it late, and now and then not at all."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from hil_relative_dynamics.scenario.sensors import Sampling

Value = TypeVar("Value")
Device = TypeVar("Device")
#: (device, random numbers, time since the last measurement [s]) -> (device, value or None if there is none)
Measure = Callable[[Device, np.random.Generator, float], tuple[Device, Value | None]]


@dataclass(frozen=True, eq=False)
class Measurement(Generic[Value]):
    """A value and when it was true."""

    stamp: int  # of the acquisition [ns]
    value: Value


@dataclass(frozen=True, eq=False)
class SensorState(Generic[Device, Value]):
    """A sensor after a step."""

    device: Device  # what the sensor itself remembers, e.g. a bias
    last: int | None = None  # acquisition [ns]
    queue: tuple[Measurement[Value], ...] = ()  # on their way, oldest first


class Noise:
    """Random numbers that follow from seed, name and stamp alone, whatever was drawn before.

    So a step repeated gives the same measurement, and one sensor's settings change nothing for another.
    """

    def __init__(self, seed: int, name: str) -> None:
        key = np.random.SeedSequence([seed, *name.encode()]).generate_state(2, np.uint64)
        self._bits = np.random.Philox(key=key)
        self._generator = np.random.Generator(self._bits)
        self._state = self._bits.state

    def at(self, stamp: int) -> np.random.Generator:
        """To be used before the next call. Stamps are 2^64 numbers apart in the sequence of the key."""
        self._state["state"]["counter"][:] = (0, stamp, 0, 0)
        self._bits.state = self._state
        return self._generator


class Sampled(Generic[Device, Value]):
    """Rate, latency, dropout and failure.

    A measurement is taken in the first step and in the first one at or after each multiple of the period;
    the scenario sees to it that these fall on steps. It is given in the first step that is not earlier than
    `latency` after it was taken; of several the newest counts. One that drops out was taken, but is not given.

    Args:
        sampling: settings of the sensor.
        seed: `scenario.seed`.
        tick: time between steps [ns].
        name: tells the random numbers of sensors apart.
    """

    def __init__(self, sampling: Sampling, seed: int, tick: int, name: str) -> None:
        self._grid = sampling.period_ns or 1  # every step is due when each nanosecond is
        self._latency, self._dropout = sampling.latency_ns, sampling.dropout
        self._lost_from = math.inf if sampling.lost_from_ns is None else sampling.lost_from_ns
        self._noise = Noise(seed, name)
        self.period = sampling.period_ns or tick

    def _sample(
        self, state: SensorState[Device, Value], stamp: int, measure: Measure[Device, Value]
    ) -> tuple[SensorState[Device, Value], Measurement[Value] | None]:
        device, last, queue = state.device, state.last, state.queue
        if last is None or stamp >= (last // self._grid + 1) * self._grid:
            noise = self._noise.at(stamp)
            dropped = noise.random() < self._dropout or stamp >= self._lost_from
            device, value = measure(device, noise, 1e-9 * (self.period if last is None else stamp - last))
            if value is not None and not dropped:
                queue = (*queue, Measurement(stamp, value))
            last = stamp
        given = None
        while queue and queue[0].stamp + self._latency <= stamp:
            given, queue = queue[0], queue[1:]
        return SensorState(device, last, queue), given
