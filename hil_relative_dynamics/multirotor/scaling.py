"""A motion in orbit brought into a flight volume, and whether a vehicle can stand in for a satellite there."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scaling:
    """Lengths shortened by `length`, times by `time`: x = X / length, t = T / time.

    What stays the same is every number without a dimension, F T^2 / (m L) first of all (Buckingham), so a push on
    the satellite has its like on the vehicle.
    """

    length: float = 1.0
    time: float = 1.0

    @property
    def velocity(self) -> float:
        """Of the vehicle per that of the satellite."""
        return self.time / self.length

    @property
    def acceleration(self) -> float:
        return self.time**2 / self.length

    @property
    def turn_rate(self) -> float:
        return self.time

    def force(self, mass_satellite: float, mass_vehicle: float) -> float:
        """Force on the vehicle per force on the satellite."""
        return self.acceleration * mass_vehicle / mass_satellite

    def torque(self, inertia_satellite: np.ndarray, inertia_vehicle: np.ndarray) -> np.ndarray:
        """Torque on the vehicle about each principal axis per torque on the satellite; attitude angles stay."""
        return self.time**2 * np.asarray(inertia_vehicle) / np.asarray(inertia_satellite)


@dataclass(frozen=True)
class Demand:
    """What a flight asks of a vehicle against what the vehicle has; above 1 it cannot be flown."""

    speed: float
    acceleration: float
    turn_rate: float

    @property
    def largest(self) -> float:
        return max(self.speed, self.acceleration, self.turn_rate)
