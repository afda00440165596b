"""A uniform Euler-Bernoulli cantilever: its modes, and the modal integrals that couple them to what carries it."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cosh, pi, sqrt

import numpy as np
from scipy.optimize import brentq


@dataclass(frozen=True)
class Beam:
    """Fixed at one end, free at the other; a panel is a beam with a width, which does not bend across."""

    length: float
    """[m]"""
    mass: float
    """[kg], evenly spread"""
    stiffness: float
    """EI [N m^2]"""
    width: float = 0.0
    """[m], along the bending axis"""

    def modes(self, count: int) -> BeamModes:
        """The lowest `count` modes."""
        return BeamModes(self, np.array([clamped_free_root(k) for k in range(count)]))


def clamped_free_root(index: int) -> float:
    """The root beta L of  cos x + 1 / cosh x = 0  (clamped and free end) near (2 index + 1) pi / 2."""
    middle = (index + 0.5) * pi
    # the first roots stand 0.3 off the middle on alternating sides, the later ones closer and closer
    return float(brentq(lambda x: np.cos(x) + 1.0 / cosh(x), middle - 0.4, middle + 0.4, xtol=1e-15))


@dataclass(frozen=True)
class BeamModes:
    r"""Shapes  \( \phi = [\cosh - \cos - \sigma (\sinh - \sin)](\beta s) / \pm 2 \),  scaled to 1 at the tip.

    A modal coordinate therefore is the tip deflection in metres that the mode contributes. Integrals are over the
    mass of the beam; distinct modes are orthogonal.
    """

    beam: Beam
    roots: np.ndarray
    """beta L"""

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Of the beam on a base that does not move [rad/s]."""
        beam = self.beam
        return self.roots**2 * sqrt(beam.stiffness / (beam.mass * beam.length**3))

    @cached_property
    def mass(self) -> np.ndarray:
        """int phi^2 dm: a quarter of the beam, for every mode [kg]."""
        return np.full(len(self.roots), 0.25 * self.beam.mass)

    @cached_property
    def first(self) -> np.ndarray:
        """int phi dm [kg]."""
        return self.beam.mass * self._sigma * self._sign / self.roots

    @cached_property
    def lever(self) -> np.ndarray:
        """int s phi dm [kg m]."""
        return self.beam.mass * self.beam.length * self._sign / self.roots**2

    def shape(self, s: np.ndarray) -> np.ndarray:
        """phi at distances s from the root: one row per mode."""
        x = np.outer(self.roots, np.asarray(s) / self.beam.length)
        sigma, sign = self._sigma[:, None], self._sign[:, None]
        # (cosh - sigma sinh) by exponentials: the two cancel for the higher modes
        hyperbolic = 0.5 * ((1.0 - sigma) * np.exp(x) + (1.0 + sigma) * np.exp(-x))
        return 0.5 * sign * (hyperbolic - np.cos(x) + sigma * np.sin(x))

    @property
    def _sigma(self) -> np.ndarray:
        return (np.cosh(self.roots) + np.cos(self.roots)) / (np.sinh(self.roots) + np.sin(self.roots))

    @property
    def _sign(self) -> np.ndarray:
        """The unscaled shapes end at +2, -2, +2, ..."""
        return (-1.0) ** np.arange(len(self.roots))
