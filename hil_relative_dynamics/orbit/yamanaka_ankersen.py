r"""Motion close to a target in an elliptic orbit: Tschauner and Hempel's equations, solved by Yamanaka and Ankersen.

With \( \rho = 1 + e \cos\theta \) and the true anomaly as independent variable, \( \tilde r = \rho r \) obeys
\( X'' = 3 X / \rho + 2 Y' \), \( Y'' = -2 X' \), \( Z'' = -Z \). Four solutions in the plane, with
\( s = \rho \sin\theta \), \( c = \rho \cos\theta \), \( J = k^2 (t - t_0) \), \( k^2 = h / p^2 \), are regular for
every \( e < 1 \), also for e = 0 (K. Yamanaka, F. Ankersen, New state transition matrix for relative motion on an
arbitrary elliptical orbit, J. Guidance, Control and Dynamics 25(1), 2002; there x is along-track and z points down).
"""
from __future__ import annotations

from math import cos, sin

import numpy as np

from hil_relative_dynamics.orbit.kepler import Orbit


def transition(orbit: Orbit, start: float, dt: float) -> np.ndarray:
    """Takes [x radial, y along-track, z cross-track, and rates] at `start` [s] to those `dt` [s] later, 6x6."""
    k2 = orbit.momentum / orbit.parameter**2
    before = _solutions(orbit.eccentricity, orbit.anomaly_at(start), 0.0, k2)
    after = _solutions(orbit.eccentricity, orbit.anomaly_at(start + dt), k2 * dt, k2)
    return np.linalg.solve(before.T, after.T).T


def _solutions(e: float, anomaly: float, j: float, k2: float) -> np.ndarray:
    """Six independent motions: position and rate of each, as a column."""
    sine, cosine = sin(anomaly), cos(anomaly)
    rho = 1.0 + e * cosine
    s, c = rho * sine, rho * cosine
    ds, dc = cosine + e * (2.0 * cosine * cosine - 1.0), -sine - 2.0 * e * sine * cosine  # by the anomaly
    scaled = np.zeros((6, 6))
    scaled[:3] = [
        [s, c, 2.0 - 3.0 * e * s * j, 0.0, 0.0, 0.0],
        [c * (1.0 + 1.0 / rho), -s * (1.0 + 1.0 / rho), -3.0 * rho * rho * j, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, cosine, sine],
    ]
    scaled[3:] = [
        [ds, dc, -3.0 * e * (ds * j + s / rho**2), 0.0, 0.0, 0.0],
        [-2.0 * s, e - 2.0 * c, -3.0 * (1.0 - 2.0 * e * s * j), 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, -sine, cosine],
    ]
    # back to metres and seconds: r = R / rho, dr/dt = k^2 (rho R' + e sin(anomaly) R)
    return np.vstack([scaled[:3] / rho, k2 * (rho * scaled[3:] + e * sine * scaled[:3])])
