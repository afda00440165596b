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
    """A screw motion from rest to rest: a polynomial of degree five in time along one constant twist."""

    def __init__(self, first: pin.SE3, last: pin.SE3, start: float, duration: float) -> None:
        self._first, self._way = first.copy(), pin.log6(first.actInv(last))
        self._start, self._duration = start, duration

    @property
    def end(self) -> float:
        """[s]"""
        return self._start + self._duration

    def at(self, time: float) -> Wanted:
        u, rate = min(max((time - self._start) / self._duration, 0.0), 1.0), 1.0 / self._duration
        share = u * u * u * (10.0 + u * (6.0 * u - 15.0))
        speed = 30.0 * u * u * (1.0 - u) * (1.0 - u) * rate
        change = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) * rate * rate
        return Wanted(self._first * pin.exp6(self._way * share), self._way * speed, self._way * change)


def follow(pose: pin.SE3, twist: pin.Motion, wanted: Wanted, bandwidth: float) -> pin.Motion:
    """Body acceleration with which errors decay at `bandwidth` [rad/s], critically damped."""
    ahead = pin.log6(pose.actInv(wanted.pose))
    return wanted.acceleration + (wanted.twist - twist) * (2.0 * bandwidth) + ahead * bandwidth**2
