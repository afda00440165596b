"""How near two vehicles may come: minimum distances beside and above each other (paper 003, Fig. 3)."""
from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np


@dataclass(frozen=True)
class Separation:
    """The keep-out zone around the target, an upright cylinder: whoever is too near and not high above or far below.

    Distances are between the centres of the vehicles, horizontal or vertical as in the figure. `beside` is D_min: the
    tip-to-tip size of a vehicle and its margin; at this distance there is margin times that size between blade tips.

    Args:
        tip_radius: from a vehicle's centre to its outermost blade tip [m].
        margin: of the tip-to-tip size, 0.5 in the paper.
        above: H_min, where the downwash is weak enough [m].
        accuracy: how far vehicles may be off their set-points [m]; whoever plans keeps this much more distance.
    """

    tip_radius: float
    margin: float
    above: float
    accuracy: float = 0.0

    @property
    def beside(self) -> float:
        """D_min [m]."""
        return 2.0 * self.tip_radius * (1.0 + self.margin)

    def breach(self, chaser: np.ndarray, target: np.ndarray) -> float:
        """How deep a centre is in the zone of the other [m]; negative: how far outside."""
        x, y, z = (chaser - target).tolist()
        return min(self.beside - hypot(x, y), self.above - abs(z))

    def broken(self, chaser: np.ndarray, target: np.ndarray) -> bool:
        """Whether two centres are too near, or could be by the accuracy of flight."""
        return self.breach(chaser, target) > -self.accuracy

    def centres(self, clearance: float) -> float:
        """Horizontal distance of the centres when there is a horizontal `clearance` between the blade tips [m]."""
        return clearance + 2.0 * self.tip_radius


@dataclass(frozen=True)
class Braking:
    """How a vehicle comes to rest: it reacts after `delay` [s] and then loses `deceleration` [m/s^2]."""

    delay: float
    deceleration: float

    def way(self, velocity: np.ndarray) -> np.ndarray:
        """Until it stands [m]."""
        speed = float(velocity @ velocity) ** 0.5
        return velocity * (self.delay + speed / (2.0 * self.deceleration))
