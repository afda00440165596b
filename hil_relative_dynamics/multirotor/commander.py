"""The set-points of the chaser: its reference, the stop before the target, and the separation rule above all."""
from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.references import Reference
from hil_relative_dynamics.multirotor.separation import Braking, Separation
from hil_relative_dynamics.multirotor.setpoint import SetPoint

FLYING, STOPPED, RULED = "flying", "stopped", "separation rule"


class CommanderState(NamedTuple):
    """What it does, and since when."""

    doing: str
    since: float  # [s] of the reference
    hold: SetPoint | None = None  # where it waits once it does not fly


class Commander:
    """A block without clock or I/O: `state, set_point = commander.step(state, time, chaser, velocity, target)`.

    Args:
        reference: what to fly.
        separation, braking: checked at every step on the place where the chaser could stand still; before the start
            and after the stop too.
        stop: horizontal distance of the centres at which the reference ends, the chaser at rest [m]; 0: it flies on.
        feed_forward: whether velocity and acceleration are sent too, or the pose alone.
    """

    def __init__(
        self, reference: Reference, separation: Separation, braking: Braking, stop: float, feed_forward: bool
    ) -> None:
        self._reference, self._separation, self._braking = reference, separation, braking
        self._stop, self._feed_forward = stop, feed_forward

    def initial_state(self) -> CommanderState:
        return CommanderState(FLYING, 0.0)

    def step(
        self, state: CommanderState, time: float, chaser: np.ndarray, velocity: np.ndarray, target: np.ndarray
    ) -> tuple[CommanderState, SetPoint]:
        """The set-point at `time` [s] since the start of the reference (negative: waiting there).

        Args:
            chaser, velocity, target: estimated positions and the chaser's velocity, laboratory axes.
        """
        if state.doing != RULED and self._separation.broken(chaser + self._braking.way(velocity), target):
            rotation = (state.hold or self._reference.at(max(time, 0.0))).pose.rotation
            standing = SetPoint(pin.SE3(rotation, chaser + self._braking.way(velocity)))
            state = CommanderState(RULED, time, standing)
        if state.hold is not None:
            return state, state.hold
        if time < 0.0:
            return state, SetPoint(self._reference.at(0.0).pose)
        wanted = self._reference.at(min(time, self._reference.duration))
        if time >= self._reference.duration or self._near(wanted, target):
            state = CommanderState(STOPPED, time, SetPoint(wanted.pose))  # the second impulse: at rest from here
            return state, SetPoint(wanted.pose)
        return state, wanted if self._feed_forward else wanted.without_feed_forward()

    def _near(self, wanted: SetPoint, target: np.ndarray) -> bool:
        x, y, _ = (wanted.pose.translation - target).tolist()
        return hypot(x, y) <= self._stop
