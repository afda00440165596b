"""What the relative motion is compared with: both bodies integrated in inertial axes, by scipy."""
import numpy as np
from scipy.integrate import solve_ivp

from hil_relative_dynamics.orbit.kepler import Orbit


def two_bodies(orbit: Orbit, state: np.ndarray, duration: float, rtol: float = 2.3e-14) -> np.ndarray:
    """Relative state in LVLH axes after `duration`, from inertial motion of target and chaser."""
    position, velocity, rotation = orbit.state_at(0.0)
    turn = np.array([0.0, 0.0, orbit.at(0.0).rate])
    chaser = position + rotation @ state[:3], velocity + rotation @ (state[3:] + np.cross(turn, state[:3]))

    def law(time, y):
        return np.concatenate([y[3:], -orbit.mu * y[:3] / np.linalg.norm(y[:3]) ** 3])

    ends = [
        solve_ivp(law, (0.0, duration), np.concatenate(start), method="DOP853", rtol=rtol, atol=1e-9).y[:, -1]
        for start in ((position, velocity), chaser)
    ]
    (target, chased) = ends
    radial, normal = target[:3] / np.linalg.norm(target[:3]), np.cross(target[:3], target[3:])
    rate = np.linalg.norm(normal) / (target[:3] @ target[:3])
    normal /= np.linalg.norm(normal)
    axes = np.array([radial, np.cross(normal, radial), normal])
    where = axes @ (chased[:3] - target[:3])
    return np.concatenate([where, axes @ (chased[3:] - target[3:]) - np.cross([0.0, 0.0, rate], where)])
