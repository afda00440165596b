"""What a flexible client must agree with: the continuous beams on a free hub, and the loop through the robot.

The first is exact: no modes, but the beam equation  EI w'''' = mu w^2 w  with the hub's motion at its root (Krylov's
functions). The second is the linear loop of hub, robot and physical appendages, solved for its complex frequency.
"""
from __future__ import annotations

from collections.abc import Callable
from math import cos, cosh, pi, sin, sinh, sqrt

import numpy as np
from scipy.optimize import brentq

from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.facility.servo import HALF_POWER
from hil_relative_dynamics.scenario import load_mission
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient


def symmetric_frequency(beam: Beam, count: int, mass: float, near: float) -> float:
    """Exact vibration [rad/s] of `count` equal beams that carry a free hub of some mass to and fro; near a guess."""

    def residual(frequency: float) -> float:
        beta, _, shear = _root(beam, frequency, 1.0, 0.0)
        # M W'' = -count EI w'''(0): the root's shear is what the beam does not keep
        return mass * frequency**2 - count * beam.stiffness * beta**3 * shear

    return _zero(residual, near)


def antisymmetric_frequency(beam: Beam, count: int, inertia: float, offset: float, near: float) -> float:
    """The same of beams clamped at some distance from the axis about which the hub turns."""

    def residual(frequency: float) -> float:
        beta, bend, shear = _root(beam, frequency, offset, 1.0)
        moment = beam.stiffness * (offset * beta**3 * shear - beta**2 * bend)
        return inertia * frequency**2 - count * moment

    return _zero(residual, near)


def _root(beam: Beam, frequency: float, displacement: float, slope: float) -> tuple[float, float, float]:
    """beta, and w''(0) / beta^2 and w'''(0) / beta^3 of a beam with a free end whose root moves as given."""
    beta = (beam.mass / beam.length * frequency**2 / beam.stiffness) ** 0.25
    x = beta * beam.length
    k1, k2 = 0.5 * (cosh(x) + cos(x)), 0.5 * (sinh(x) + sin(x))
    k3, k4 = 0.5 * (cosh(x) - cos(x)), 0.5 * (sinh(x) - sin(x))
    turn = slope / beta
    # w'' and w''' vanish at the free end
    carried = np.array([displacement * k3 + turn * k4, displacement * k2 + turn * k3])
    bend, shear = np.linalg.solve([[k1, k2], [k4, k1]], -carried)
    return beta, float(bend), float(shear)


def _zero(residual: Callable[[float], float], near: float) -> float:
    # narrow, for there is a pole at the clamped beam's frequency; modes are closer than this
    return float(brentq(residual, (1.0 - 2e-5) * near, (1.0 + 2e-5) * near, xtol=1e-14 * near, rtol=1e-14))


def loop_through_robot(scenario: FlexibleClient) -> tuple[float, float]:
    """Frequency [Hz] and damping ratio of equal physical beams that translate a hub flown by a robot.

    M + H (count m - sum_k count a_k^2 s^2 / (m_k (s^2 + 2 zeta w_k s + w_k^2))) = 0,  H being the robot's lag.
    """
    parts, hub, step = scenario.on_flange, scenario.hub.mass, 1e-9 * scenario.step_ns
    beam = Beam(parts[0].length, parts[0].mass, parts[0].stiffness)
    modes, zeta, count = beam.modes(parts[0].modes), parts[0].damping, len(parts)
    servo = 2.0 * pi * scenario.robot.bandwidth / HALF_POWER
    # the measured wrench is held for a cycle and the set-point interpolated over one: half a cycle each
    delay = 1e-9 * scenario.robot.delay_ns + step
    sensor = 1.0 / (2.0 * pi * scenario.force_torque.bandwidth)

    def characteristic(s: complex) -> complex:
        lag = np.exp(-s * delay) * (servo / (s + servo)) ** 2 / (1.0 + sensor * s)
        dynamic = modes.mass * (s * s + 2.0 * zeta * modes.frequencies * s + modes.frequencies**2)
        return complex(hub + lag * count * (beam.mass - np.sum(modes.first**2 * s * s / dynamic)))

    s = _newton(characteristic, 1j * modes.frequencies[0] * sqrt(1.0 + 0.6 * count * beam.mass / hub))
    return abs(s) / (2.0 * pi), -s.real / abs(s)


def _newton(function: Callable[[complex], complex], start: complex) -> complex:
    """By secants."""
    before, now = start, start * 1.001
    for _ in range(60):
        rise = function(now) - function(before)
        if rise == 0.0:
            break
        before, now = now, now - function(now) * (now - before) / rise
    return now


def loaded(name: str, *overrides: str) -> FlexibleClient:
    """A shipped scenario of this mission."""
    scenario = load_mission(name, overrides)
    assert isinstance(scenario, FlexibleClient)
    return scenario
