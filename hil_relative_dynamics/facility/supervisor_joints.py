"""Joints within their positions, speeds, accelerations and torques."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hil_relative_dynamics.facility.limits import JointBounds
from hil_relative_dynamics.facility.supervisor_cause import Cause, Severity, angle, number
from hil_relative_dynamics.facility.supervisor_tick import Tick
from hil_relative_dynamics.spatial import JointReading

WINDOW = 5
"""Readings that an acceleration is computed from."""


class JointPositions:
    """Every joint of a device is within its limits, less the margin."""

    start = None
    while_stopped = True

    def __init__(self, device: str, limits: JointBounds) -> None:
        self._device, self._limits = device, limits

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        position = getattr(tick.observation, self._device).position
        fault = position_fault(self._limits, position)
        if fault is None:
            return None, ()
        name, value, allowed = fault
        return None, (Cause(f"position {name}", f"{name} is at", value, allowed, tick.stamp, tick.stamp),)


def position_fault(limits: JointBounds, position: np.ndarray) -> tuple[str, str, str] | None:
    """Name, position and limits of the joint that is furthest beyond them, if one is."""
    beyond = np.maximum(limits.lower - position, position - limits.upper)
    worst = int(beyond.argmax())
    if beyond[worst] <= 0.0:
        return None
    lower, upper = np.degrees(limits.lower[worst]), np.degrees(limits.upper[worst])
    allowed = f"allowed {lower:.6g} to {upper:.6g} deg, margin included"
    return limits.names[worst], angle(position[worst]), allowed


class Moment(NamedTuple):
    """A reading that is remembered."""

    stamp: int
    position: np.ndarray
    velocity: np.ndarray
    speed: np.ndarray


class JointMotion:
    """Speeds and accelerations of a device's joints are within their limits.

    The speed is the larger of the reported one and the difference of positions by their stamps; the
    acceleration is the difference of reported velocities. Both are medians of three readings: a single wrong
    one changes nothing, and what is real shows one reading later.
    """

    start: tuple[Moment, ...] = ()
    while_stopped = True

    def __init__(self, device: str, limits: JointBounds) -> None:
        self._device, self._limits = device, limits

    def check(self, memory: tuple[Moment, ...], tick: Tick) -> tuple[tuple[Moment, ...], Sequence[Cause]]:
        stamp: int = getattr(tick.stamps, self._device)
        if memory and stamp <= memory[-1].stamp:  # nothing new, or out of order
            return memory, ()
        reading = getattr(tick.observation, self._device)
        moments = (*memory[1 - WINDOW :], self._moment(memory, stamp, reading))
        causes: list[Cause] = []
        if len(moments) >= 3:
            speed = _median(*(moment.speed for moment in moments[-3:]))
            causes += self._beyond("speed", "turns at", speed, self._limits.speed, "deg/s", tick)
        if len(moments) == WINDOW:
            acceleration = np.abs(_acceleration(moments))
            limit = self._limits.acceleration
            causes += self._beyond("acceleration", "accelerates at", acceleration, limit, "deg/s^2", tick)
        return moments, causes

    def _moment(self, memory: tuple[Moment, ...], stamp: int, reading: JointReading) -> Moment:
        position, velocity = reading.array[:2].copy()  # whatever becomes of the reading
        speed = np.abs(velocity)
        if memory:
            last = memory[-1]
            moved = np.abs(position - last.position)
            speed = np.maximum(speed, moved / (1e-9 * (stamp - last.stamp)))
        return Moment(stamp, position, velocity, speed)

    def _beyond(
        self, key: str, verb: str, values: np.ndarray, limits: np.ndarray, unit: str, tick: Tick
    ) -> Sequence[Cause]:
        worst = int((values / limits).argmax())
        if values[worst] <= limits[worst]:
            return ()
        name, limit = self._limits.names[worst], f"limit {angle(limits[worst], unit)}"
        value = angle(values[worst], unit)
        return (Cause(f"{key} {name}", f"{name} {verb}", value, limit, tick.stamp, tick.stamp),)


def _median(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.maximum(low, np.minimum(high, third))


def _acceleration(moments: tuple[Moment, ...]) -> np.ndarray:
    """From the median of the first three velocities to that of the last three."""
    first, second, third, fourth, fifth = moments
    early = _median(first.velocity, second.velocity, third.velocity)
    late = _median(third.velocity, fourth.velocity, fifth.velocity)
    return (late - early) / (1e-9 * (fourth.stamp - second.stamp))


class ArmEffort:
    """The arm's measured torques are within what its joints are rated for."""

    start = None
    while_stopped = True

    def __init__(self, limits: JointBounds) -> None:
        self._limits = limits

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        effort = tick.observation.arm.effort
        return None, _torque_beyond(self._limits, effort, "bears", tick, Severity.FORCE)


class ArmCommand:
    """The arm is not told a torque beyond what its joints are rated for."""

    start = None
    while_stopped = False

    def __init__(self, limits: JointBounds) -> None:
        self._limits = limits

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        torque = tick.observation.arm_torque
        return None, _torque_beyond(self._limits, torque, "is told", tick, Severity.STOP)


def _torque_beyond(
    limits: JointBounds, torque: np.ndarray, verb: str, tick: Tick, severity: Severity
) -> Sequence[Cause]:
    size = np.abs(torque)
    worst = int((size / limits.effort).argmax())
    if size[worst] <= limits.effort[worst]:
        return ()
    name, limit = limits.names[worst], f"limit {number(limits.effort[worst], 'N m')}"
    value = number(torque[worst], "N m")
    return (Cause(f"torque {name} {verb}", f"{name} {verb}", value, limit, tick.stamp, tick.stamp, severity),)
