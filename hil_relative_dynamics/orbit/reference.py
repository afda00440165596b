"""Orbital motion as blocks that give motion samples: a nominal for the facility, set-points for a flying platform.

Times are integer nanoseconds; samples are given at the start, middle and end of a step, as by every nominal.
"""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.orbit.kepler import Orbit, lvlh_rotation
from hil_relative_dynamics.orbit.lvlh import RelativeMotion, State
from hil_relative_dynamics.spatial import MotionPoints, MotionSample


class TargetFrame:
    """The target's LVLH frame in inertial axes that move along with the target and are its LVLH axes at time 0."""

    def __init__(self, orbit: Orbit) -> None:
        self._orbit = orbit
        self._start = orbit.at(0.0).anomaly

    def initial_state(self) -> None:
        return None

    def sample(self, time: float) -> MotionSample:
        """At `time` [s]; it turns, faster near the pericentre, and stays where it is."""
        point = self._orbit.at(time)
        pose = pin.SE3(lvlh_rotation(point.anomaly - self._start), np.zeros(3))
        twist, acceleration = pin.Motion.Zero(), pin.Motion.Zero()
        twist.angular, acceleration.angular = np.array([0, 0, point.rate]), np.array([0, 0, point.rate_change])
        return MotionSample.of(pose, twist, acceleration)

    def step(self, state: None, stamp: int, period: int) -> tuple[None, MotionPoints]:
        times = (stamp, stamp + period // 2, stamp + period)
        return None, MotionPoints.of(*[self.sample(1e-9 * time) for time in times])


class ChaserReference:
    """Free flight of a chaser in the target's LVLH axes, its own axes parallel to them: set-points of position."""

    def __init__(self, orbit: Orbit, start: State) -> None:
        self._motion, self._start = RelativeMotion(orbit), tuple(float(value) for value in start)

    def initial_state(self) -> tuple[float, ...]:
        return self._start

    def step(self, state: State, stamp: int, period: int) -> tuple[tuple[float, ...], MotionPoints]:
        """(state at the end, samples); an impulse is added to the rates in `state` between two steps."""
        start, half = 1e-9 * stamp, 0.5e-9 * period
        middle = self._motion.step(start, state, half)
        end = self._motion.step(start + half, middle, half)
        samples = (self._sample(start, state), self._sample(start + half, middle), self._sample(start + 2 * half, end))
        return end, MotionPoints.of(*samples)

    def _sample(self, time: float, state: State) -> MotionSample:
        rates, rest = np.array(self._motion.derivative(time, state)), np.zeros(3)
        pose = pin.SE3(np.eye(3), np.array(state[:3], dtype=float))
        return MotionSample.of(pose, pin.Motion(rates[:3], rest), pin.Motion(rates[3:], rest))
