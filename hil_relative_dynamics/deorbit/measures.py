"""What a push in space shows, as numbers."""
from __future__ import annotations

import numpy as np

from hil_relative_dynamics.deorbit.track import Track

SETTLED = 2.0
"""The contact has settled after the first step of thrust by then [s]"""


def lateral(track: Track) -> np.ndarray:
    """Size of the lateral force on the target, across the chaser's x axis [N]."""
    return np.hypot(track.force[:, 1], track.force[:, 2])


def lateral_start(track: Track) -> tuple[float, float]:
    """Where it levels out (mean of 2 to 5 s) and its largest in the first 15 s [N]."""
    size, times = lateral(track), track.times
    level = size[(times >= SETTLED) & (times <= 5.0)]
    return float(level.mean()) if len(level) else np.nan, float(size[times <= 15.0].max())


def least_loaded(track: Track) -> np.ndarray:
    """Force of the foot that carries least [N]."""
    return track.normal.min(axis=1)


def first_time(track: Track, happened: np.ndarray) -> float:
    """From when on something happened for the first time after the contact settled; NaN: never [s]"""
    found = np.flatnonzero(happened & (track.times >= SETTLED))
    return float(track.times[found[0]]) if len(found) else np.nan


def opens(track: Track) -> float:
    """When the first foot lifts off [s]"""
    return first_time(track, least_loaded(track) <= 0.0)


def torque_x(track: Track) -> float:
    """Largest torque of the feet about the thrust axis while all of them press [N m]"""
    opened = opens(track)
    pressing = track.times < (opened if np.isfinite(opened) else np.inf)
    return float(np.abs(track.torque_x[pressing]).max())


def graze(track: Track) -> tuple[float, float]:
    """When the least loaded foot is first at a minimum below a fifth of its settled force, and that force [s, N].

    The load moves around the hexagon as the bodies tumble, so that there are several minima; this is the first that
    comes near zero.
    """
    load, times = least_loaded(track), track.times
    settled = load[np.searchsorted(times, SETTLED)]
    inner = np.flatnonzero((load[1:-1] <= load[:-2]) & (load[1:-1] < load[2:])) + 1
    near = [index for index in inner if times[index] >= SETTLED and 0.0 < load[index] < 0.2 * settled]
    return (float(times[near[0]]), float(load[near[0]])) if near else (np.nan, np.nan)


def friction_suffices(track: Track, coefficient: float, radius: float) -> tuple[float, float]:
    """Until when no foot needs more than its own cone (equal shares), and until when all together have enough [s].

    Together: |F_l| + |tau_x| / radius <= mu N, (18). Friction is a reaction and may share unequally: what it can hold
    lies between the two.
    """
    each = first_time(track, np.any(track.across > coefficient * track.normal, axis=1))
    size = lateral(track) + np.abs(track.torque_x) / radius
    together = first_time(track, size > coefficient * track.normal.sum(axis=1))
    return each, together


def gap(track: Track) -> tuple[float, float]:
    """Largest distance between the bodies, and how long nothing touched [m, s]."""
    apart = track.depth < 0.0
    step = track.times[1] - track.times[0]
    return float(max(0.0, -track.depth.min())), float(apart.sum() * step)
