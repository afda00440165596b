"""Guidance of the chaser in its orbit: a transfer of two impulses with corrections, then a glide-slope of pulses."""
from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, exp, log
from typing import NamedTuple

import numpy as np

from hil_relative_dynamics.orbit import clohessy_wiltshire, yamanaka_ankersen
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.targeting import two_impulse
from hil_relative_dynamics.scenario.rendezvous_orbit import Guidance

#: (start [s], duration [s]) -> 6x6
Transition = Callable[[float, float], np.ndarray]


class Leg(NamedTuple):
    """An impulse, and where it is to lead."""

    start: float  # [s]
    arrival: float  # [s]
    distance: float  # from the target's CoM, then [m]
    transfer: bool  # else a part of the glide-slope


def transition_of(settings: Guidance, orbit: Orbit) -> Transition:
    """By the model that the scenario names."""
    if settings.model == "clohessy_wiltshire":
        return lambda start, duration: clohessy_wiltshire.transition(orbit.mean_motion, duration)
    return lambda start, duration: yamanaka_ankersen.transition(orbit, start, duration)


def impulse(transition: Transition, leg: Leg, now: float, estimate: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Change of velocity that leads from the estimated state to a goal at the end of a leg [m/s].

    Raises:
        SingularTransfer: no impulse does.
    """
    return two_impulse(transition(now, leg.arrival - now), estimate, goal)[0]


def transfer_legs(settings: Guidance, start: float) -> list[Leg]:
    """To the hold point; every correction aims at the same arrival."""
    if settings.transfer == 0.0:
        return []
    count = settings.corrections + 1
    starts = [start + settings.transfer * index / count for index in range(count)]
    return [Leg(begin, start + settings.transfer, settings.hold_distance, True) for begin in starts]


def glideslope_legs(settings: Guidance, start: float, slope: Glideslope) -> list[Leg]:
    """Pulses along a straight line through the target."""
    count = max(1, ceil(slope.duration / settings.pulse_period))
    times = [slope.duration * index / count for index in range(count + 1)]
    return [Leg(start + begin, start + end, slope.at(end), False) for begin, end in pairwise(times)]


class Glideslope:
    r"""Distance \(\rho\) as a function of time, from `first` to `last`.

    Speed goes linearly with distance, \( \dot\rho = v_1 + (v_0 - v_1)(\rho - \rho_1)/(\rho_0 - \rho_1) \), and so
    falls (or grows) exponentially with time (Hablani's glide-slope).
    """

    def __init__(self, first: float, last: float, start_speed: float, end_speed: float) -> None:
        self._first, self._last, self._start, self._end = first, last, start_speed, end_speed
        self._even = abs(start_speed - end_speed) < 1e-9 * (start_speed + end_speed)

    @property
    def duration(self) -> float:
        """[s]"""
        way = abs(self._first - self._last)
        if self._even:
            return way / self._start
        return way * log(self._start / self._end) / (self._start - self._end)

    def at(self, time: float) -> float:
        """[m]"""
        if self._even:
            share = time / self.duration
        else:
            ratio = self._end / self._start
            share = (1.0 - exp(time / self.duration * log(ratio))) / (1.0 - ratio)
        return self._first + share * (self._last - self._first)
