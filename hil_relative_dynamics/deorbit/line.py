r"""Chaser and target in contact along a line, (1) to (9), in closed form.

With the gap \( \Delta x = x_t - x_s \), negative where the contact is compressed, the force on the target is
\( f_c = -(c \Delta x + d \Delta\dot x) \ge 0 \). The paper's (1) lacks the minus sign, and so do (2) to (4).
While it presses, the relative motion is the linear oscillation (5), (6); while it does not, a parabola. Both are
evaluated exactly, however stiff the contact is: nothing is integrated numerically.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Line:
    """Two masses and the contact between them.

    Args:
        chaser, target: masses [kg].
        stiffness: c of the whole contact [N/m].
        damping: d [N s/m].
        pull: of a robot arm that draws the bodies together [N].
    """

    chaser: float
    target: float
    stiffness: float
    damping: float
    pull: float = 0.0

    @classmethod
    def with_damping_ratio(
        cls, chaser: float, target: float, stiffness: float, ratio: float, pull: float = 0.0
    ) -> Line:
        """Damping given as a share of the critical one."""
        critical = 2.0 * (cls(chaser, target, stiffness, 0.0).reduced_mass * stiffness) ** 0.5
        return cls(chaser, target, stiffness, ratio * critical, pull)

    @property
    def reduced_mass(self) -> float:
        """m_t m_s / (m_t + m_s) [kg]"""
        return self.chaser * self.target / (self.chaser + self.target)

    @property
    def frequency(self) -> float:
        """omega_0 of (6) [rad/s]"""
        return float(np.sqrt(self.stiffness / self.reduced_mass))

    @property
    def damping_ratio(self) -> float:
        """delta of (6)"""
        return float(self.damping / (2.0 * np.sqrt(self.reduced_mass * self.stiffness)))

    def steady_force(self, thrust: float) -> float:
        """That the contact carries once all is calm: m_t / (m_t + m_s) of the thrust, and the robot's pull [N]."""
        return self.reduced_mass / self.chaser * thrust + self.pull

    def steady_gap(self, thrust: float) -> float:
        """A of (8) [m]"""
        return -self.steady_force(thrust) / self.stiffness

    def free_acceleration(self, thrust: float) -> float:
        """Of the gap while the bodies are apart [m/s^2]"""
        return -thrust / self.chaser - self.pull / self.reduced_mass

    def force(self, gap: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """f_c on the target if the bodies touch; what would be negative does not act [N]"""
        return -(self.stiffness * gap + self.damping * rate)

    def stored_energy(self, thrust: float) -> float:
        """(9) with the force that the contact carries, which is not the thrust [J]"""
        return self.steady_force(thrust) ** 2 / (2.0 * self.stiffness)


def step_response(line: Line, thrust: float, times: np.ndarray) -> np.ndarray:
    """(7), with the time that its exponent lacks; from rest, underdamped [m]."""
    ratio, frequency = line.damping_ratio, line.frequency
    root = np.sqrt(1.0 - ratio**2)
    swing = np.exp(-ratio * frequency * times) * np.sin(frequency * root * times + np.arccos(ratio)) / root
    return np.asarray(line.steady_gap(thrust) * (1.0 - swing))


class Oscillation:
    """The linear motion in contact from one state on, for any damping."""

    def __init__(self, line: Line, thrust: float, gap: float, rate: float) -> None:
        self._line, self._centre = line, line.steady_gap(thrust)
        self._offset, self._rate = gap - self._centre, rate
        self._decay = line.damping / (2.0 * line.reduced_mass)
        square = line.frequency**2 - self._decay**2
        self._turning = abs(square) ** 0.5
        self._kind = 0 if abs(square) < 1e-14 * line.frequency**2 else int(np.sign(square))

    def at(self, time: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Gap and its rate after a time [m, m/s]."""
        even, odd = self._decaying(np.asarray(time, dtype=float))
        line, decay = self._line, self._decay
        gap = self._centre + self._offset * even + (self._rate + decay * self._offset) * odd
        return gap, self._rate * even - (line.frequency**2 * self._offset + decay * self._rate) * odd

    def _decaying(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """exp(-s t) times cosine and sine over w; hyperbolic or linear for strong or critical damping."""
        decay, turning = self._decay, self._turning
        if self._kind > 0:
            fading = np.exp(-decay * time)
            return fading * np.cos(turning * time), fading * np.sin(turning * time) / turning
        if self._kind == 0:
            fading = np.exp(-decay * time)
            return fading, fading * time
        slow, fast = np.exp((turning - decay) * time), np.exp(-(turning + decay) * time)
        return 0.5 * (slow + fast), 0.5 * (slow - fast) / turning

    def force(self, time: float) -> float:
        gap, rate = self.at(time)
        return float(self._line.force(gap, rate))

    def lowest_force(self) -> tuple[float, float] | None:
        """When the force is first at a minimum, and when it was last at a maximum before (or at the start).

        Every later minimum is nearer to the steady force, so that a contact that holds here holds for good. None:
        the force has no minimum.
        """
        slope, bend = self._force_slope()
        across = bend + self._decay * slope
        if self._kind > 0:
            half = np.pi / self._turning
            first = float(np.arctan2(-slope * self._turning, across) % np.pi) / self._turning
            extrema = [first, first + half]
        elif self._kind == 0:
            extrema = [-slope / across] if across else []
        else:
            share = -slope * self._turning / across if across else np.inf
            extrema = [float(np.arctanh(share)) / self._turning] if abs(share) < 1.0 else []
        lower = [time for time in extrema if time > 0.0 and self._bends_up(time)]
        if not lower:
            return None
        higher = [time for time in extrema if 0.0 < time < lower[0]]
        return lower[0], higher[-1] if higher else 0.0

    def _bends_up(self, time: float) -> bool:
        """Whether the force has a minimum, not a maximum, where its slope is zero."""
        gap, rate = self.at(time)
        return Oscillation._slopes(self._line, self._decay, float(gap) - self._centre, float(rate))[1] > 0.0

    def _force_slope(self) -> tuple[float, float]:
        return Oscillation._slopes(self._line, self._decay, self._offset, self._rate)

    @staticmethod
    def _slopes(line: Line, decay: float, offset: float, rate: float) -> tuple[float, float]:
        """First and second derivative of the force."""
        second = -2.0 * decay * rate - line.frequency**2 * offset
        third = -2.0 * decay * second - line.frequency**2 * rate
        return -(line.stiffness * rate + line.damping * second), -(line.stiffness * second + line.damping * third)
