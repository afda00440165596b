"""Runs of a sensor, and what statistics allow of them: bounds that a right model leaves once in 10^4."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

CONFIDENCE = 1.0 - 1e-4
MS = 1_000_000


def run(sensor: Any, truth: Callable[[int], tuple], count: int, tick: int) -> list[tuple[int, Any]]:
    """(when it was given, measurement) of steps at 0, tick, ..."""
    state, given = sensor.initial_state(), []
    for stamp in range(0, count * tick, tick):
        state, measurement = sensor.step(state, *truth(stamp), stamp)
        if measurement is not None:
            given.append((stamp, measurement))
    return given


def values(sensor: Any, truth: Callable[[int], tuple], count: int, tick: int) -> np.ndarray:
    """Of measurements that are arrays."""
    return np.array([measurement.value for _, measurement in run(sensor, truth, count, tick)])


def assert_variance(samples: np.ndarray, deviation: np.ndarray | float, degrees: float | None = None) -> None:
    """Mean squares of columns fit these standard deviations (zero mean, normal)."""
    degrees = len(samples) if degrees is None else degrees
    lower, upper = np.array(stats.chi2.interval(CONFIDENCE, degrees)) / degrees
    ratio = (np.asarray(samples) ** 2).mean(axis=0) / np.asarray(deviation) ** 2
    assert (lower < ratio).all() and (ratio < upper).all(), f"{ratio} not within {lower:.4f} to {upper:.4f}"


def assert_centred(samples: np.ndarray, deviation: np.ndarray | float, mean: np.ndarray | float = 0.0) -> None:
    bound = stats.norm.interval(CONFIDENCE)[1] / np.sqrt(len(samples))
    assert_allclose((samples.mean(axis=0) - mean) / deviation, 0.0, atol=bound)


def assert_white(samples: np.ndarray, shifts: tuple[int, ...] = (1, 2, 3, 10, 100)) -> None:
    """No column is correlated with itself later, or with another."""
    unit = (samples - samples.mean(axis=0)) / samples.std(axis=0)
    bound = stats.norm.interval(CONFIDENCE)[1] / np.sqrt(len(samples))
    for shift in shifts:
        assert_allclose((unit[shift:] * unit[:-shift]).mean(axis=0), 0.0, atol=bound, err_msg=f"shift {shift}")
    assert_allclose(np.cov(unit.T) - np.eye(unit.shape[1]), 0.0, atol=1.5 * bound)


def assert_unrelated(first: np.ndarray, second: np.ndarray) -> None:
    """Columns of two sequences of the same length are not correlated."""
    bound = stats.norm.interval(CONFIDENCE)[1] / np.sqrt(len(first))
    columns = first.shape[1]
    assert_allclose(np.corrcoef(first.T, second.T)[:columns, columns:], 0.0, atol=bound)
