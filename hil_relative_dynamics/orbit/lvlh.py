"""Nonlinear motion of a chaser relative to a target in an elliptic orbit, paper 002, eqs. (1) to (3).

Plain floats throughout: three numbers are too few for numpy.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log1p

import numpy as np

from hil_relative_dynamics.orbit.kepler import Orbit, OrbitPoint

State = Sequence[float]
"""x, y, z [m] and their rates [m/s] in LVLH axes."""
NONE = (0.0, 0.0, 0.0)


def gravity_difference(point: OrbitPoint, mu: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    r"""Gravity at the chaser less that at the target, \( \mu r / |r|^3 - \mu r_c / |r_c|^3 \) [m/s^2].

    Written with q, \( (r_c / r)^2 = 1 + q \), it keeps all its digits for a chaser a few metres away (Battin), where
    the difference of the two accelerations keeps seven.
    """
    r = point.radius
    q = (2.0 * r * x + x * x + y * y + z * z) / (r * r)
    less = -expm1(-1.5 * log1p(q))  # 1 - (r / r_c)^3
    scale = mu / (r * r * r)
    return scale * ((r + x) * less - x), scale * (y * less - y), scale * (z * less - z)


def derivative(
    state: State, point: OrbitPoint, mu: float, push: Sequence[float] = NONE
) -> tuple[float, float, float, float, float, float]:
    r"""Rates of the relative state; `push` is the thrust per mass [m/s^2].

    \( \ddot x = 2 w \dot y + \dot w y + w^2 x + g_x + a_x \),
    \( \ddot y = -2 w \dot x - \dot w x + w^2 y + g_y + a_y \),  \( \ddot z = g_z + a_z \),
    with g from `gravity_difference`.
    """
    x, y, z, vx, vy, vz = state
    w, dw = point.rate, point.rate_change
    gx, gy, gz = gravity_difference(point, mu, x, y, z)
    ax = 2.0 * w * vy + dw * y + w * w * x + gx + push[0]
    ay = -2.0 * w * vx - dw * x + w * w * y + gy + push[1]
    return vx, vy, vz, ax, ay, gz + push[2]


class RelativeMotion:
    """The nonlinear equations along one orbit, with steps of RK4."""

    def __init__(self, orbit: Orbit) -> None:
        self.orbit = orbit

    def derivative(self, time: float, state: State, push: Sequence[float] = NONE) -> tuple[float, ...]:
        return derivative(state, self.orbit.at(time), self.orbit.mu, push)

    def step(self, time: float, state: State, dt: float, push: Sequence[float] = NONE) -> tuple[float, ...]:
        """The state `dt` [s] later, thrust held."""
        mu, half = self.orbit.mu, 0.5 * dt
        start, middle, end = self.orbit.at(time), self.orbit.at(time + half), self.orbit.at(time + dt)
        k1 = derivative(state, start, mu, push)
        k2 = derivative([s + half * k for s, k in zip(state, k1)], middle, mu, push)
        k3 = derivative([s + half * k for s, k in zip(state, k2)], middle, mu, push)
        k4 = derivative([s + dt * k for s, k in zip(state, k3)], end, mu, push)
        sixth = dt / 6.0
        return tuple(s + sixth * (a + 2.0 * (b + c) + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4))

    def propagate(self, time: float, state: State, duration: float, longest: float = 1.0) -> np.ndarray:
        """The free state after `duration` [s], in equal steps of at most `longest` [s]."""
        steps = max(1, -int(-abs(duration) // longest))
        dt, now = duration / steps, tuple(float(value) for value in state)
        for index in range(steps):
            now = self.step(time + index * dt, now, dt)
        return np.array(now)
