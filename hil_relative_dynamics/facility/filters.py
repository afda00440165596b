"""Filters without hidden state: the caller keeps y."""
from __future__ import annotations

from math import expm1, pi
from typing import Any, TypeVar

T = TypeVar("T", bound=Any)


def time_constant(cutoff: float) -> float:
    """Of a first-order low-pass with this cut-off frequency [Hz]; 0 stands for no filter and gives 0 s."""
    return 1.0 / (2.0 * pi * cutoff) if cutoff > 0.0 else 0.0


def low_pass(y: T, x: T, tau: float, dt: float) -> T:
    """The output `dt` after it was y, the input being x meanwhile: exact for any dt; x itself for tau = 0.

    For numbers, arrays, pin.Motion and pin.Force.
    """
    if tau <= 0.0:
        return x
    return y + (x - y) * -expm1(-dt / tau)
