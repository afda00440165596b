"""What the chaser is to fly: a circle, or relative motion in orbit scaled into the flight volume."""
from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin
from typing import Protocol

import numpy as np
import pinocchio as pin
from scipy.interpolate import CubicHermiteSpline

from hil_relative_dynamics.multirotor.scaling import Scaling
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.orbit.clohessy_wiltshire import transition
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion
from hil_relative_dynamics.orbit.targeting import two_impulse


class Reference(Protocol):
    """A flight: set-points by time since its start [s]."""

    duration: float

    def at(self, time: float) -> SetPoint: ...


class Circle:
    """Level circles around a point, nose to the centre: a satellite that looks at the Earth (paper 003, Sec. V-A)."""

    def __init__(self, centre: np.ndarray, radius: float, period: float, turns: int) -> None:
        self._centre, self._radius, self._rate = centre, radius, 2.0 * pi / period
        self.duration = turns * period

    def at(self, time: float) -> SetPoint:
        angle = self._rate * time
        out = np.array([cos(angle), sin(angle), 0.0])
        along = np.array([-out[1], out[0], 0.0])
        speed = self._radius * self._rate
        pose = pin.SE3(pin.exp3(np.array([0.0, 0.0, angle + pi])), self._centre + self._radius * out)
        return SetPoint(pose, speed * along, -speed * self._rate * out, np.array([0.0, 0.0, self._rate]))


class TwoImpulse:
    """From rest to the target by two impulses: between them the homogeneous solution of (20).

    The laboratory's x, y, z stand for radial, along-track, cross-track: cross-track is up.

    Raises:
        SingularTransfer: `transfer` is a time for which no first impulse leads to the target.
    """

    def __init__(
        self,
        orbit: Orbit,
        start: np.ndarray,
        transfer: float,
        scaling: Scaling,
        pose_target: pin.SE3,
        attitude: np.ndarray,
    ) -> None:
        self._n, self._scaling, self._pose_target = orbit.mean_motion, scaling, pose_target
        self._attitude = attitude
        at_rest = np.concatenate([start, np.zeros(3)])
        self.impulses = two_impulse(transition(self._n, transfer), at_rest, np.zeros(3))[:2]
        self._start = np.concatenate([start, self.impulses[0]])
        self.duration = transfer / scaling.time

    def relative(self, time: float) -> np.ndarray:
        """Position and velocity in orbit, LVLH axes, `time` [s of the orbit] after the first impulse."""
        return transition(self._n, time) @ self._start

    def at(self, time: float) -> SetPoint:
        state = self.relative(time * self._scaling.time)
        x, _, z, vx, vy, _ = state
        n = self._n
        acceleration = np.array([3.0 * n * n * x + 2.0 * n * vy, -2.0 * n * vx, -n * n * z])  # (20)
        return _in_laboratory(state, acceleration, self._scaling, self._pose_target, self._attitude)


class FreeDrift:
    """Unpowered motion around the target by the nonlinear equations (2) to (5), for an orbit of any eccentricity."""

    def __init__(
        self,
        orbit: Orbit,
        start: np.ndarray,
        duration: float,
        scaling: Scaling,
        pose_target: pin.SE3,
        attitude: np.ndarray,
    ) -> None:
        self._scaling, self._pose_target = scaling, pose_target
        self._attitude = attitude
        self.duration = duration / scaling.time
        motion = RelativeMotion(orbit)
        times = np.linspace(0.0, duration, max(201, int(orbit.mean_motion * duration * 200)))
        states = [tuple(start.tolist())]
        for before, after in pairwise(times):
            states.append(motion.step(before, states[-1], after - before))
        rates = [motion.derivative(time, state) for time, state in zip(times, states)]
        self._state = CubicHermiteSpline(times, states, rates)
        self._rate = self._state.derivative()

    def relative(self, time: float) -> np.ndarray:
        """Position and velocity in orbit, LVLH axes, `time` [s of the orbit] after the start."""
        return np.asarray(self._state(time))

    def at(self, time: float) -> SetPoint:
        now = time * self._scaling.time
        acceleration = np.asarray(self._rate(now))[3:]
        return _in_laboratory(self.relative(now), acceleration, self._scaling, self._pose_target, self._attitude)


def _in_laboratory(
    state: np.ndarray, acceleration: np.ndarray, scaling: Scaling, pose_target: pin.SE3, attitude: np.ndarray
) -> SetPoint:
    position = pose_target.translation + state[:3] / scaling.length
    pose = pin.SE3(attitude, position)
    return SetPoint(pose, state[3:] * scaling.velocity, acceleration * scaling.acceleration)
