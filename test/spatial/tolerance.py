"""Comparison with an absolute tolerance alone: numpy's own adds a relative one of 1e-7 unless told not to."""
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike


def assert_near(actual: ArrayLike, expected: ArrayLike, atol: float) -> None:
    assert_allclose(actual, expected, rtol=0.0, atol=atol)
