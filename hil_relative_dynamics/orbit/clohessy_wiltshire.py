"""Hill's equations (paper 003, eq. (20)) solved: motion close to a target in a circular orbit."""
from __future__ import annotations

from math import cos, sin

import numpy as np


def transition(n: float, dt: float) -> np.ndarray:
    """Takes [x radial, y along-track, z cross-track, and rates] in LVLH axes to those `dt` [s] later, 6x6.

    Args:
        n: mean motion of the target [rad/s], positive.
        dt: [s]
    """
    s, c, t = sin(n * dt), cos(n * dt), n * dt
    return np.array(
        [
            [4.0 - 3.0 * c, 0.0, 0.0, s / n, 2.0 * (1.0 - c) / n, 0.0],
            [6.0 * (s - t), 1.0, 0.0, -2.0 * (1.0 - c) / n, (4.0 * s - 3.0 * t) / n, 0.0],
            [0.0, 0.0, c, 0.0, 0.0, s / n],
            [3.0 * n * s, 0.0, 0.0, c, 2.0 * s, 0.0],
            [-6.0 * n * (1.0 - c), 0.0, 0.0, -2.0 * s, 4.0 * c - 3.0, 0.0],
            [0.0, 0.0, -n * s, 0.0, 0.0, c],
        ]
    )
