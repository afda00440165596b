"""Smooth ways from pose to pose, and how to follow them."""
from __future__ import annotations

from typing import NamedTuple

import pinocchio as pin


class Wanted(NamedTuple):
    """A pose, its body twist and the twist's derivative."""

    pose: pin.SE3
    twist: pin.Motion
    acceleration: pin.Motion


class Path:
    """A screw motion to rest: a polynomial of degree five in time along one constant twist.

    Args:
        first, last: poses at its ends.
        start, duration: [s]
        twist: with which it begins, as far as that is along the way (left out: at rest).
    """

    def __init__(
        self, first: pin.SE3, last: pin.SE3, start: float, duration: float, twist: pin.Motion | None = None
    ) -> None:
        self._first, self._way = first.copy(), pin.log6(first.actInv(last))
        self._start, self._duration, self._speed = start, duration, 0.0
        length = float(self._way.linear @ self._way.linear)
        if twist is not None and length > 0.0:
            self._speed = float(twist.linear @ self._way.linear) / length * duration

    @property
    def end(self) -> float:
        """[s]"""
        return self._start + self._duration

    def at(self, time: float) -> Wanted:
        u, rate = min(max((time - self._start) / self._duration, 0.0), 1.0), 1.0 / self._duration
        p = self._speed if time < self.end else 0.0
        a, b, c = 10.0 - 6.0 * p, 8.0 * p - 15.0, 6.0 - 3.0 * p
        share = u * (p + u * u * (a + u * (b + u * c)))
        speed = (p + u * u * (3.0 * a + u * (4.0 * b + u * 5.0 * c))) * rate
        change = u * (6.0 * a + u * (12.0 * b + u * 20.0 * c)) * rate * rate
        return Wanted(self._first * pin.exp6(self._way * share), self._way * speed, self._way * change)


def follow(pose: pin.SE3, twist: pin.Motion, wanted: Wanted, bandwidth: float) -> pin.Motion:
    """Body acceleration with which errors decay at `bandwidth` [rad/s], critically damped."""
    ahead = pin.log6(pose.actInv(wanted.pose))
    return wanted.acceleration + (wanted.twist - twist) * (2.0 * bandwidth) + ahead * bandwidth**2
