"""Between the orbital and the contact phase, paper 002, Figs. 4 and 5: nothing jumps.

The contact phase is computed in inertial axes that fall along with the target from the hand-over on. Positions are
turned; velocities also lose or gain what the turning LVLH axes hide, w x rho; attitudes and rates are inertial in both
phases and stay as they are. What the contact phase does not have, the difference in gravity, is reported.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hil_relative_dynamics.orbit.kepler import Orbit, lvlh_rotation
from hil_relative_dynamics.orbit.lvlh import RelativeMotion, gravity_difference


class FallingState(NamedTuple):
    """Of the chaser's CoM relative to the target's, in inertial axes."""

    position: np.ndarray
    velocity: np.ndarray


def to_contact(orbit: Orbit, time: float, relative: np.ndarray) -> FallingState:
    """From position and rate in LVLH axes."""
    point = orbit.at(time)
    rotation, turn = lvlh_rotation(point.anomaly), np.array([0.0, 0.0, point.rate])
    return FallingState(rotation @ relative[:3], rotation @ (relative[3:] + np.cross(turn, relative[:3])))


def to_orbit(orbit: Orbit, time: float, falling: FallingState) -> np.ndarray:
    """Back to position and rate in LVLH axes."""
    point = orbit.at(time)
    rotation, turn = lvlh_rotation(point.anomaly), np.array([0.0, 0.0, point.rate])
    position = rotation.T @ falling.position
    return np.concatenate([position, rotation.T @ falling.velocity - np.cross(turn, position)])


class Neglected(NamedTuple):
    """What the contact phase leaves out."""

    acceleration: float  # difference of gravity at the hand-over [m/s^2]
    drift: float  # of a free chaser from where the contact phase would have it, at the end [m]
    turn_speed: float  # |w x rho|, which a hand-over of LVLH rates alone would lose [m/s]


def neglected(orbit: Orbit, time: float, relative: np.ndarray, duration: float) -> Neglected:
    """For a chaser that nobody controls during `duration` [s] after the hand-over."""
    point = orbit.at(time)
    pull = gravity_difference(point, orbit.mu, *relative[:3])
    start = to_contact(orbit, time, relative)
    straight = start.position + duration * start.velocity
    flown = RelativeMotion(orbit).propagate(time, tuple(relative), duration)
    true = to_contact(orbit, time + duration, flown).position
    return Neglected(
        float(np.linalg.norm(pull)),
        float(np.linalg.norm(true - straight)),
        float(point.rate * np.hypot(relative[0], relative[1])),
    )


def left_by(orbit: Orbit, time: float, position: np.ndarray, velocity: np.ndarray) -> tuple[Orbit, np.ndarray]:
    """Orbit of a target that contact has moved away from the one it was in, with its time 0 now.

    Args:
        position, velocity: of the target's CoM relative to where its old orbit would have it, inertial axes.

    Returns:
        the orbit, and the rotation from the old to the new inertial axes (its pericentre and plane are others).
    """
    at, speed, _ = orbit.state_at(time)
    at, speed = at + position, speed + velocity
    found = Orbit.from_state(at, speed, orbit.mu)
    normal = np.cross(at, speed)
    radial, normal = at / np.linalg.norm(at), normal / np.linalg.norm(normal)
    axes = np.array([radial, np.cross(normal, radial), normal])  # old inertial axes to LVLH
    return found, lvlh_rotation(found.anomaly) @ axes
