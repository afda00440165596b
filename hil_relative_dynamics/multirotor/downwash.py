"""How much the wake of an upper vehicle takes from a lower one, and so how far above it must stay (paper 003, H_min).

Rough by nature, as the paper says of its own. Momentum theory: the wake carries the momentum of the lift, m g, and
spreads as a turbulent round jet. Blade theory: the rotors below, at the same speed, lose thrust to the inflow.
"""
from __future__ import annotations

from dataclasses import dataclass
from math import exp, pi, sqrt

from scipy.optimize import brentq

AIR_DENSITY = 1.225
"""[kg/m^3]"""
SPREAD = 0.107
"""Growth of a turbulent round jet's radius (to 1/e of the speed on its axis) with distance (Pope, Turbulent Flows)."""
LIFT_SLOPE = 5.7
"""Of a blade section [1/rad]."""


@dataclass(frozen=True)
class Wake:
    """Below a vehicle that hovers.

    Args:
        lift: what it carries [N].
        rotor_radius: of one rotor [m].
        rotor_speed: in hover [rad/s].
        solidity: blade area over disk area.
    """

    lift: float
    rotor_radius: float
    rotor_speed: float
    solidity: float

    @property
    def induced_speed(self) -> float:
        """Through each rotor's disk [m/s]: T = 2 rho A v^2."""
        return sqrt(self.lift / 6.0 / (2.0 * AIR_DENSITY * pi * self.rotor_radius**2))

    def speed(self, below: float, beside: float = 0.0) -> float:
        r"""Of the air [m/s]: \( U e^{-r^2/b^2} \) with \( \rho U^2 \pi b^2 / 2 = m g \) at every height.

        At the vehicle the jet is as wide as it has to be for the speed of the far wake, twice the induced one.
        """
        flux = sqrt(2.0 * self.lift / (AIR_DENSITY * pi))  # U b
        width = flux / (2.0 * self.induced_speed) + SPREAD * below
        return flux / width * exp(-((beside / width) ** 2))

    def thrust_increase(self, below: float, beside: float = 0.0) -> float:
        r"""What the rotors of the same vehicle below need more, over their nominal thrust.

        At the same speed the inflow w takes \( \Delta C_T = \sigma a / 4 \cdot \Delta\lambda \), and the induced
        velocity gives way: \( T = 2 \rho A (w + v) v \).
        """
        inflow = self.speed(below, beside)
        nominal, area = self.lift / 6.0, pi * self.rotor_radius**2
        tip_speed = self.rotor_speed * self.rotor_radius
        slope = 0.25 * self.solidity * LIFT_SLOPE * AIR_DENSITY * area * tip_speed

        def surplus(thrust: float) -> float:
            induced = 0.5 * (sqrt(inflow**2 + 2.0 * thrust / (AIR_DENSITY * area)) - inflow)
            return thrust - (nominal - slope * (inflow + induced - self.induced_speed))

        left = brentq(surplus, 0.0, nominal) if surplus(0.0) < 0.0 else 0.0
        return float(nominal / left - 1.0) if left > 0.0 else float("inf")

    def height(self, increase: float) -> float:
        """Above which the vehicle below needs less than `increase` more thrust [m]."""
        if self.thrust_increase(0.0) <= increase:
            return 0.0
        return float(brentq(lambda below: min(self.thrust_increase(below), 1e3) - increase, 0.0, 1e3))
