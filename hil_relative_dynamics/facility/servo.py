"""A position-controlled robot: delay, servo lag, limits, cycle and encoders."""
from __future__ import annotations

from math import isfinite, isinf, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import expm

from hil_relative_dynamics.facility.delay import DelayLine, Queue
from hil_relative_dynamics.facility.encoder import Encoder
from hil_relative_dynamics.facility.setpoint import JointLimits, SetpointLimiter
from hil_relative_dynamics.scenario.plant import RobotDevice
from hil_relative_dynamics.spatial import JointReading

HALF_POWER = sqrt(sqrt(2.0) - 1.0)
"""A critically damped servo of natural frequency w passes on 71 % (-3 dB) at this part of w."""


class ServoState(NamedTuple):
    """A robot at the end of its last cycle."""

    motion: np.ndarray  # true position, velocity and acceleration: rows
    setpoints: np.ndarray  # the last four, newest first: rows
    target: np.ndarray  # the command that is obeyed
    commands: Queue


class ServoedRobot:
    r"""Joints that follow position commands, each with a servo of its own:

    \( \ddot q = w^2 (r - q) - 2 w \dot q \),  critically damped.

    A command given at t is the position for the end of the cycle that starts then; it arrives `delay` later.
    At the start of each cycle the newest command that has arrived becomes the target, and the set-point moves
    there at constant velocity until the cycle ends, within the limits; r is its mean over the last cycle, so
    that velocity is continuous (the fine interpolation of robot controllers). Without a command it stays
    where it is, and so does the robot. On a ramp the robot is behind by the delay, half a cycle and 2/w.

    The impulse response of this servo does not change sign: what it makes of r is an average over the past.
    So velocity and acceleration of the joints keep every limit that r keeps.

    Without lag (`bandwidth` infinite) the robot is at its set-point at the end of each cycle, with velocity
    and acceleration as the last four set-points tell them (exact for motion of third order); the limits then
    hold for the mean velocity of a cycle and its change.
    """

    def __init__(self, device: RobotDevice, cycle: int, limits: JointLimits) -> None:
        dt = 1e-9 * cycle
        w = 2.0 * pi * device.bandwidth / HALF_POWER
        self._lags = not isinf(w)
        self._w, self._dt = w, dt
        self._servo = _critically_damped(w, dt) if self._lags else None
        self._differences = _backward_differences(dt)
        self._limiter = SetpointLimiter(limits, dt) if device.limits else None
        self._delay = DelayLine(device.delay_ns)
        self._encoder = Encoder(device.encoder_resolution)
        self._joints = len(limits.velocity)

    @property
    def lag(self) -> float:
        """How much later than its set-point the robot is on a ramp [s]."""
        return 2.0 / self._w + 0.5 * self._dt if self._lags else 0.0

    def initial_state(self, *motion: np.ndarray) -> ServoState:
        """At rest in a position; or with velocity and acceleration, as if it had moved that way before."""
        rows = np.zeros((3, self._joints))
        rows[: len(motion)] = motion
        before = -self._dt * np.arange(4.0)[:, None]
        setpoints = rows[0] + (self.lag + before) * rows[1] + 0.5 * before * before * rows[2]
        return ServoState(rows, setpoints, setpoints[0], ())

    def give(self, state: ServoState, command: np.ndarray, stamp: int) -> ServoState:
        """Sends a command. What is not one number per joint is dropped: no robot would accept it."""
        if len(command) != self._joints or not isfinite(command.dot(command)):
            return state
        motion, setpoints, target, commands = state
        return ServoState(motion, setpoints, target, self._delay.give(commands, command, stamp))

    def step(self, state: ServoState, stamp: int) -> ServoState:
        """The robot one cycle after `stamp`."""
        commands, arrived = self._delay.step(state.commands, stamp)
        target = state.target if arrived is None else arrived
        before, limiter = state.setpoints, self._limiter
        setpoints = np.empty_like(before)
        setpoints[1:] = before[:3]
        if limiter is None:
            setpoints[0] = target
        else:
            target = limiter.reachable(target)
            setpoints[0] = limiter.step(target, state.target, before[0], before[1])
        return ServoState(self._follow(state.motion, setpoints), setpoints, target, commands)

    def _follow(self, motion: np.ndarray, setpoints: np.ndarray) -> np.ndarray:
        if self._servo is None:
            return self._differences.dot(setpoints)
        now, last, last_but_one = setpoints[0], setpoints[1], setpoints[2]
        rows = np.empty_like(setpoints)
        rows[0] = motion[0] - 0.5 * (last + last_but_one)
        rows[1] = motion[1]
        rows[2] = (last - last_but_one) / self._dt
        rows[3] = ((now - last) / self._dt - rows[2]) / self._dt
        result = self._servo.dot(rows)
        result[0] += 0.5 * (now + last)
        return result

    def read(self, state: ServoState) -> JointReading:
        """Angles in encoder steps, velocity from the servo, no effort."""
        return self._encoder.read(state.motion[0], state.motion[1])


def _critically_damped(w: float, dt: float) -> np.ndarray:
    """Takes (q - r, dq, dr, ddr) to (q - r, dq, ddq) after `dt`, under a constant ddr: rows."""
    law = np.array([[0.0, 1.0, -1.0, 0.0], [-w * w, -2.0 * w, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0] * 4])
    gap, rate = expm(dt * law)[:2]
    return np.array([gap, rate, -w * w * gap - 2.0 * w * rate])


def _backward_differences(dt: float) -> np.ndarray:
    """Takes the last four set-points, newest first, to position, velocity and acceleration at the newest."""
    return np.array(
        [
            [1.0, 0.0, 0.0, 0.0],
            np.array([11.0, -18.0, 9.0, -2.0]) / (6.0 * dt),
            np.array([2.0, -5.0, 4.0, -1.0]) / dt**2,
        ]
    )
