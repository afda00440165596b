"""Two impulses that take a chaser from where it is to rest at a goal."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

WORST_CONDITION = 1e4
"""Of the part of the transition that takes the first impulse to the arrival: beyond, small errors become large."""


class SingularTransfer(ValueError):
    """A transfer time for which no impulse reaches every goal."""


def condition(transition: np.ndarray) -> float:
    """How badly the first impulse decides on the arrival; infinite at a singular transfer time."""
    return float(np.linalg.cond(transition[:3, 3:]))


def two_impulse(
    transition: np.ndarray, start: Sequence[float] | np.ndarray, goal_position: Sequence[float] | np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first impulse, second impulse [m/s], state [m, m/s] on arrival before the second one).

    Args:
        transition: of the transfer time, 6x6; of any linear model.
        start: position and rate before the first impulse.
        goal_position: where the chaser comes to rest in LVLH axes.

    Raises:
        SingularTransfer: the transfer time is one for which some goals cannot be reached, as half a revolution
            (which always leads back across the orbital plane).
    """
    start, goal = np.asarray(start, dtype=float), np.asarray(goal_position, dtype=float)
    worst = condition(transition)
    if not worst < WORST_CONDITION:
        raise SingularTransfer(f"the first impulse does not decide on the arrival (condition {worst:.3g})")
    departure = np.linalg.solve(transition[:3, 3:], goal - transition[:3, :3] @ start[:3])
    arrival = transition @ np.concatenate([start[:3], departure])
    return departure - start[3:], -arrival[3:], arrival


def nearest_regular(transition: Callable[[float], np.ndarray], dt: float, reach: float = 0.5) -> tuple[float, float]:
    """Transfer times around a singular one that are regular: the nearest found below and above, in steps of 0.1 %."""
    def first(sign: int) -> float:
        for step in range(1, int(1000 * reach)):
            trial = dt * (1.0 + sign * 1e-3 * step)
            if condition(transition(trial)) < WORST_CONDITION:
                return trial
        return float("nan")

    return first(-1), first(1)
