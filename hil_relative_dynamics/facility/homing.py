"""How the robots get to where a run starts: one after the other, slowly, and only along ways that are clear."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from math import ceil, degrees, radians
from typing import NamedTuple

import numpy as np

from hil_relative_dynamics.facility.clearance import Clearance, Proximity
from hil_relative_dynamics.facility.robot_commander import RobotCommander
from hil_relative_dynamics.facility.robot_model import Unreachable
from hil_relative_dynamics.facility.trajectory import JointTrajectory

TOLERANCE = radians(0.1)
"""A joint that is this close to its start is there [rad]."""
STILL, STILL_TIME = radians(0.02), 200_000_000
"""A robot whose joints moved less than this [rad] in so long [ns] is at rest. Not every driver tells velocities."""
SETTLING = 1_000_000_000
"""After its last waypoint a robot is given so long to be there, at rest [ns]."""
SPACING = radians(0.05)
"""Ways are checked in steps in which the joints turn by this in sum [rad]: no point moves by more than 3 mm."""
MARGIN = 0.002
"""More than half of such a step: what is kept beyond the limit between two checks [m]."""

ROBOTS = ("client_robot", "servicer_robot")


class HomingRefused(RuntimeError):
    """Why the robots are not moved, or did not arrive: which robot, how far off, what is allowed."""


class Move(NamedTuple):
    """One robot's way to its start."""

    robot: str
    trajectory: JointTrajectory


class Homing:
    """Plans moves, and says whether a robot has arrived.

    Only one robot moves at a time: then the ways can be checked for clearance, whenever each of them starts.

    Args:
        commanders: know the robots' limits; by robot.
        postures: joints at the start of the run [rad]; by robot.
        clearance: watches the distances; None: they are not watched.
    """

    def __init__(
        self,
        commanders: Mapping[str, RobotCommander],
        postures: Mapping[str, np.ndarray],
        clearance: Clearance | None,
    ) -> None:
        self._commanders, self._clearance, self.postures = commanders, clearance, postures

    def plan(self, measured: Mapping[str, np.ndarray], arm: np.ndarray) -> list[Move]:
        """The moves in an order in which all ways are clear; HomingRefused where there is none.

        Args:
            measured: joints of the robots, which are at rest [rad].
            arm: its joints, which stay as they are [rad].
        """
        off = [robot for robot in ROBOTS if self.off(robot, measured[robot]) > TOLERANCE]
        refusals = []
        for order in permutations(off):
            try:
                return self._in_order(order, dict(measured), arm)
            except HomingRefused as refusal:
                refusals.append(refusal)
        raise refusals[0]

    def off(self, robot: str, position: np.ndarray) -> float:
        """How far the worst joint is from its start [rad]; infinite where that is not known."""
        gap = float(abs(position - self.postures[robot]).max())
        return gap if np.isfinite(gap) else np.inf

    def far(self, robot: str, position: np.ndarray, limit: float = TOLERANCE) -> str:
        """Which joint is how far off its start, and the limit; empty if none is."""
        if self.off(robot, position) <= limit:
            return ""
        gap = position - self.postures[robot]
        joint = int(np.nan_to_num(abs(gap), nan=np.inf).argmax())
        where = f"joint {joint + 1} of {robot} is {degrees(gap[joint]):.2f} deg off its start"
        return f"{where}, allowed {degrees(limit):.2f}"

    def _in_order(
        self, order: tuple[str, ...], joints: dict[str, np.ndarray], arm: np.ndarray
    ) -> list[Move]:
        moves = []
        for robot in order:
            moves.append(Move(robot, self._trajectory(robot, joints[robot])))
            close = self._closest_on_the_way(robot, joints, arm)
            if close is not None:
                raise HomingRefused(self._refusal(robot, close))
            joints[robot] = self.postures[robot]
        return moves

    def _trajectory(self, robot: str, measured: np.ndarray) -> JointTrajectory:
        if not np.isfinite(measured).all():
            raise HomingRefused(f"{robot} cannot be homed: it reads joints that are not finite.")
        try:
            return self._commanders[robot].homing_trajectory(measured, self.postures[robot])
        except Unreachable as reason:
            raise HomingRefused(f"{robot} cannot be homed: {reason}.") from None

    def _closest_on_the_way(
        self, robot: str, joints: Mapping[str, np.ndarray], arm: np.ndarray
    ) -> Proximity | None:
        if self._clearance is None:
            return None
        for position in _along(joints[robot], self.postures[robot]):
            at = {**joints, robot: position}
            close = self._clearance.closest_beyond_limit(np.concatenate([*(at[name] for name in ROBOTS), arm]))
            if close is not None:
                return close
        return None

    def _refusal(self, robot: str, close: Proximity) -> str:
        pair = f"{close.first} and {close.second}"
        limit = 0.0 if self._clearance is None else self._clearance.limit
        near = f"would come within {close.distance:.3f} m, limit {limit:.3f} m"
        return f"{robot} cannot be homed: on its straight way {pair} {near}; move it clear by hand first."


def _along(start: np.ndarray, end: np.ndarray) -> Iterator[np.ndarray]:
    """Joints on the straight way of a homing move, both ends included."""
    count = max(1, ceil(float(abs(end - start).sum()) / SPACING))
    for index in range(count + 1):
        yield start + (end - start) * (index / count)


class Arrival:
    """Whether a robot has come to rest, from its successive positions alone."""

    def __init__(self) -> None:
        self._since, self._position = 0, np.empty(0)

    def still(self, position: np.ndarray, stamp: int) -> bool:
        """Whether no joint has moved for `STILL_TIME`; `stamp` [ns]."""
        if not self._position.size or not abs(position - self._position).max() <= STILL:
            self._since, self._position = stamp, position.copy()
        return stamp - self._since >= STILL_TIME
