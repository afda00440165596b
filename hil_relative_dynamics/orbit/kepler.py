"""Two-body orbits, eqs. of Kepler: where the target is, and how its LVLH axes turn."""
from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, fmod, isfinite, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

EARTH = 3.986004418e14
"""Gravitational parameter [m^3/s^2]."""


class OrbitPoint(NamedTuple):
    """The target at one instant, as the relative equations need it."""

    radius: float  # r [m]
    climb: float  # dr/dt [m/s]
    anomaly: float  # true anomaly [rad], counted on over revolutions
    rate: float  # w = h / r^2, of the LVLH axes about z [rad/s]
    rate_change: float  # dw/dt = -2 dr/dt w / r [rad/s^2]


@dataclass(frozen=True)
class Orbit:
    """An elliptic two-body orbit; its plane is the xy plane of the inertial axes, its pericentre on their x axis.

    Only relative motion is computed here, for which the plane's attitude in space does not matter.

    Args:
        semi_major_axis: [m]
        eccentricity: 0 <= e < 1.
        anomaly: true anomaly at time 0 [rad].
        mu: gravitational parameter [m^3/s^2].
    """

    semi_major_axis: float
    eccentricity: float = 0.0
    anomaly: float = 0.0
    mu: float = EARTH

    def __post_init__(self) -> None:
        if not (self.semi_major_axis > 0.0 and isfinite(self.semi_major_axis)):
            raise ValueError(f"semi_major_axis = {self.semi_major_axis} must be positive [m]")
        if not 0.0 <= self.eccentricity < 1.0:
            raise ValueError(f"eccentricity = {self.eccentricity} must be at least 0 and below 1 (an ellipse)")
        if not (self.mu > 0.0 and isfinite(self.mu) and isfinite(self.anomaly)):
            raise ValueError(f"mu = {self.mu} must be positive [m^3/s^2], anomaly = {self.anomaly} finite [rad]")

    @classmethod
    def from_state(cls, position: np.ndarray, velocity: np.ndarray, mu: float = EARTH) -> Orbit:
        """The orbit through an inertial position and velocity; how its plane lies in space is not kept."""
        radius, speed_squared = float(np.linalg.norm(position)), float(velocity @ velocity)
        momentum = float(np.linalg.norm(np.cross(position, velocity)))
        climb = float(position @ velocity) / radius
        along, across = momentum**2 / (mu * radius) - 1.0, momentum * climb / mu  # e cos, e sin of the anomaly
        axis = 1.0 / (2.0 / radius - speed_squared / mu)
        return cls(axis, sqrt(along * along + across * across), atan2(across, along), mu)

    @property
    def mean_motion(self) -> float:
        """n [rad/s]."""
        return sqrt(self.mu / self.semi_major_axis**3)

    @property
    def period(self) -> float:
        """[s]"""
        return 2.0 * pi / self.mean_motion

    @property
    def parameter(self) -> float:
        """p = a (1 - e^2) [m]."""
        return self.semi_major_axis * (1.0 - self.eccentricity**2)

    @property
    def momentum(self) -> float:
        """h = sqrt(mu p), per mass [m^2/s]."""
        return sqrt(self.mu * self.parameter)

    def anomaly_at(self, time: float) -> float:
        """True anomaly, by Kepler's equation  M = E - e sin E."""
        mean = self._mean_anomaly_at_start + self.mean_motion * time
        eccentric = _eccentric_anomaly(mean, self.eccentricity)
        return eccentric + _true_less_eccentric(eccentric, self.eccentricity)

    def at(self, time: float) -> OrbitPoint:
        """Radius, anomaly and turn of the axes `time` [s] after the start."""
        return self.at_anomaly(self.anomaly_at(time))

    def at_anomaly(self, anomaly: float) -> OrbitPoint:
        radius = self.parameter / (1.0 + self.eccentricity * cos(anomaly))
        climb = self.mu / self.momentum * self.eccentricity * sin(anomaly)
        rate = self.momentum / radius**2
        return OrbitPoint(radius, climb, anomaly, rate, -2.0 * climb * rate / radius)

    def state_at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(position [m], velocity [m/s], rotation that takes LVLH to inertial axes)."""
        point = self.at(time)
        rotation = lvlh_rotation(point.anomaly)
        velocity = rotation @ np.array([point.climb, point.radius * point.rate, 0.0])
        return rotation[:, 0] * point.radius, velocity, rotation

    @property
    def _mean_anomaly_at_start(self) -> float:
        e = self.eccentricity
        eccentric = self.anomaly - 2.0 * atan2(_ratio(e) * sin(self.anomaly), 1.0 + _ratio(e) * cos(self.anomaly))
        return eccentric - e * sin(eccentric)


def lvlh_rotation(anomaly: float) -> np.ndarray:
    """Takes LVLH to inertial axes (x to the pericentre, z along the orbital momentum)."""
    c, s = cos(anomaly), sin(anomaly)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _ratio(e: float) -> float:
    return e / (1.0 + sqrt(1.0 - e * e))


def _true_less_eccentric(eccentric: float, e: float) -> float:
    """Without the jump that an arc tangent of half angles has once a revolution."""
    return 2.0 * atan2(_ratio(e) * sin(eccentric), 1.0 - _ratio(e) * cos(eccentric))


def _eccentric_anomaly(mean: float, e: float) -> float:
    """Newton's method on E - e sin E = M, within one revolution so that no digit is lost to those before."""
    turns = mean - fmod(mean, 2.0 * pi)
    mean = fmod(mean, 2.0 * pi)
    eccentric = mean + e * sin(mean) if e < 0.8 else (pi if mean >= 0.0 else -pi)
    for _ in range(50):
        change = (eccentric - e * sin(eccentric) - mean) / (1.0 - e * cos(eccentric))
        eccentric -= change
        if abs(change) < 1e-15:
            break
    return turns + eccentric
