"""Moves through waypoints, as joint_trajectory_controller makes them; for homing, not for streaming."""
from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """Waypoints with their times after the start.

    Attributes:
        times: [ns] after the start, rising; a waypoint at 0 is where to be at once.
        positions: one row per waypoint [rad].
        velocities, accelerations: the same, or None. Between waypoints that have both the motion is of order
            five, with velocities alone of order three, with positions alone straight.
    """

    times: tuple[int, ...]
    positions: np.ndarray
    velocities: np.ndarray | None = None
    accelerations: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not self.times:
            raise ValueError("a trajectory must have at least one waypoint")
        if self.times[0] < 0 or any(late <= early for early, late in zip(self.times, self.times[1:])):
            raise ValueError(f"the times of the waypoints must rise from 0 on, not {list(self.times)} ns")
        if self.accelerations is not None and self.velocities is None:
            raise ValueError("waypoints with accelerations must have velocities, too")
        for rows in (self.positions, self.velocities, self.accelerations):
            if rows is not None and (np.shape(rows)[0] != len(self.times) or not np.isfinite(rows).all()):
                raise ValueError(f"waypoints must be {len(self.times)} rows of numbers, one per time")

    @property
    def end(self) -> int:
        """[ns] after the start"""
        return self.times[-1]


class ActiveTrajectory:
    """A trajectory that starts from where the robot is: position and velocity at `stamp`."""

    def __init__(
        self, trajectory: JointTrajectory, stamp: int, position: np.ndarray, velocity: np.ndarray
    ) -> None:
        joints = np.shape(trajectory.positions)[-1]
        if joints != len(position):
            raise ValueError(f"waypoints must have {len(position)} joints, not {joints}")
        self._stamp = stamp
        self._goal = trajectory
        self._start = [position, velocity, np.zeros_like(position)]

    @property
    def end(self) -> int:
        """When the last waypoint is reached [ns]."""
        return self._stamp + self._goal.end

    def position(self, stamp: int) -> np.ndarray:
        """Where to be; the start before it and the last waypoint after it."""
        time, times = stamp - self._stamp, self._goal.times
        if time >= self._goal.end:
            return np.asarray(self._goal.positions[-1], dtype=float)
        segment = bisect_right(times, time)
        start = times[segment - 1] if segment else 0
        return self._segments[segment].T @ (1e-9 * max(0, time - start)) ** np.arange(6)

    @cached_property
    def _segments(self) -> list[np.ndarray]:
        """Coefficients of the powers of time since its start, for the way to each waypoint: 6 rows."""
        goal, segments, start, begin = self._goal, [], self._start, 0
        for index, time in enumerate(goal.times):
            derivatives = (goal.positions, goal.velocities, goal.accelerations)
            end = [np.asarray(rows[index], dtype=float) for rows in derivatives if rows is not None]
            segments.append(_spline(start, end, 1e-9 * (time - begin)))
            start, begin = end, time
        return segments


def _spline(start: list[np.ndarray], end: list[np.ndarray], duration: float) -> np.ndarray:
    """The polynomial of lowest order with the derivatives that both ends have (position, velocity, ...)."""
    count = min(len(start), len(end))
    coefficients = np.zeros((6, len(start[0])))
    if duration <= 0.0:
        coefficients[0] = end[0]
        return coefficients
    order = 2 * count
    conditions = np.zeros((order, order))
    for derivative in range(count):
        for power in range(derivative, order):
            factor = float(np.prod(np.arange(power - derivative + 1, power + 1)))
            conditions[derivative, power] = factor * (power == derivative)
            conditions[count + derivative, power] = factor  # in units of the duration
    scale = duration ** np.arange(6)[:, None]
    values = np.array([*start[:count], *end[:count]]) * np.tile(scale[:count], (2, 1))
    coefficients[:order] = np.linalg.solve(conditions, values)
    return coefficients / scale
