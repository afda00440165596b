"""Contact along a line under a thrust that changes in steps: contact, separation and re-contact, phase by phase."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from hil_relative_dynamics.deorbit.line import Line, Oscillation

TOUCHING = 1e-9
"""Share of the largest force below which a lowest force counts as zero: a contact that just grazes holds."""


@dataclass(frozen=True)
class Phase:
    """A stretch of time with one thrust, in contact or apart."""

    start: float
    end: float
    thrust: float
    contact: bool
    gap: float
    rate: float


class LineMotion:
    """What a thrust profile does to a contact.

    Args:
        line: masses and contact.
        profile: (time [s], thrust [N] from then on), in order; before the first, there is none.
        duration: [s]
        settled: thrust under which the contact has come to rest before the start [N].
    """

    def __init__(
        self, line: Line, profile: Sequence[tuple[float, float]], duration: float, settled: float = 0.0
    ) -> None:
        self.line, self.phases = line, list[Phase]()
        self._largest = max(line.steady_force(thrust) for _, thrust in [(0.0, settled), *profile])
        gap, rate, contact = line.steady_gap(settled), 0.0, True
        changes = [*((max(time, 0.0), thrust) for time, thrust in profile if time < duration), (duration, 0.0)]
        if changes[0][0] > 0.0:
            changes.insert(0, (0.0, 0.0))
        for (start, thrust), (end, _) in pairwise(changes):
            now = start
            while now < end:
                phase = Phase(now, self._end(gap, rate, contact, thrust, now, end), thrust, contact, gap, rate)
                self.phases.append(phase)
                gap, rate = (float(value) for value in self._state(phase, phase.end))
                contact = contact if phase.end == end else not contact
                now = phase.end

    def _end(self, gap: float, rate: float, contact: bool, thrust: float, now: float, end: float) -> float:
        """Of the phase that starts in this state [s]"""
        lasts = self._parts(gap, rate, thrust) if contact else self._meets(gap, rate, thrust)
        return min(end, max(now + lasts, math.nextafter(now, math.inf)))

    def _parts(self, gap: float, rate: float, thrust: float) -> float:
        """How long the contact lasts: up to where the force would change sign [s]"""
        motion = Oscillation(self.line, thrust, gap, rate)
        lowest = motion.lowest_force()
        if lowest is None or motion.force(lowest[0]) >= -TOUCHING * self._largest:
            return math.inf
        after, before = lowest
        if motion.force(before) <= 0.0:
            return before
        return float(brentq(motion.force, before, after, xtol=1e-15, rtol=1e-14))

    def _meets(self, gap: float, rate: float, thrust: float) -> float:
        """How long the bodies stay apart: until the gap is closed and the contact would press [s]"""
        line, pull = self.line, self.line.free_acceleration(thrust)
        opening = _last_root(0.5 * pull, rate, gap)
        pressing = _last_root(
            0.5 * line.stiffness * pull,
            line.stiffness * rate + line.damping * pull,
            line.stiffness * gap + line.damping * rate,
        )
        return max(opening, pressing)

    def _state(self, phase: Phase, time: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        lasted = np.asarray(time) - phase.start
        if phase.contact:
            return Oscillation(self.line, phase.thrust, phase.gap, phase.rate).at(lasted)
        pull = self.line.free_acceleration(phase.thrust)
        return phase.gap + lasted * (phase.rate + 0.5 * pull * lasted), phase.rate + pull * lasted

    def sampled(self, times: np.ndarray) -> np.ndarray:
        """Rows of thrust, gap, its rate and contact force at rising times [N, m, m/s, N]"""
        rows = np.zeros((len(times), 4))
        ends = np.searchsorted(times, [phase.end for phase in self.phases[:-1]]).tolist() + [len(times)]
        for phase, first, last in zip(self.phases, [0, *ends], ends):
            gap, rate = self._state(phase, times[first:last])
            rows[first:last, 0], rows[first:last, 1], rows[first:last, 2] = phase.thrust, gap, rate
            rows[first:last, 3] = self.line.force(gap, rate) if phase.contact else 0.0
        return rows

    @property
    def separations(self) -> list[Phase]:
        """The phases in which the bodies are apart."""
        return [phase for phase in self.phases if not phase.contact]

    @property
    def largest_gap(self) -> float:
        """Between the bodies, ever; 0 if they never part [m]"""
        return max((self.largest_gap_in(phase) for phase in self.separations), default=0.0)

    def largest_gap_in(self, phase: Phase) -> float:
        """The top of its parabola [m]"""
        pull = self.line.free_acceleration(phase.thrust)
        top = phase.start - phase.rate / pull if pull else phase.end
        times = np.array([phase.start, min(max(top, phase.start), phase.end), phase.end])
        return max(0.0, float(self._state(phase, times)[0].max()))

    @property
    def lowest_force(self) -> float:
        """Of the contact once it has been pressed; 0 if the bodies ever part [N]"""
        if self.separations:
            return 0.0
        lowest = [phase for phase in self.phases if phase.gap < 0.0]
        return min((self._lowest(phase) for phase in lowest), default=0.0)

    def _lowest(self, phase: Phase) -> float:
        motion = Oscillation(self.line, phase.thrust, phase.gap, phase.rate)
        found, lasts = motion.lowest_force(), phase.end - phase.start
        ends = [motion.force(0.0), motion.force(lasts)]
        return min(ends if found is None or found[0] > lasts else [*ends, motion.force(found[0])])


def _last_root(square: float, linear: float, constant: float) -> float:
    """Time after which  square t^2 + linear t + constant  stays negative; -inf: always, inf: never."""
    if square == 0.0:
        return -constant / linear if linear < 0.0 else math.inf if linear > 0.0 or constant >= 0.0 else -math.inf
    inside = linear * linear - 4.0 * square * constant
    return -math.inf if inside < 0.0 else (-linear - math.sqrt(inside)) / (2.0 * square)
