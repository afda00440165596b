"""Spheres on planes: the contact proxies of paper 002."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

_SUM = np.ones(3)  # _SUM @ vectors adds up components, faster than numpy's sum
_TINY = 1e-300


class Press(NamedTuple):
    """What planes do to spheres."""

    forces: np.ndarray  # on the spheres, 3 x n, in the frame of the planes
    pressures: np.ndarray  # n, along the normals
    stored: float  # in springs and bristles [J]


class SpheresOnPlanes:
    r"""Unilateral springs with Hunt and Crossley's damping, and Coulomb friction by elastic bristles.

    At depth \(\delta\):  \( N = \max(0, k \delta (1 + a \dot\delta)) \), continuous when a sphere comes or goes.
    Across, a bristle of the same stiffness holds the sphere to an anchor; beyond the friction cone the anchor slides
    along (`settled`, once a step). Springs and bristles only store and lose energy.

    Args:
        normals: of the plane under each sphere, outwards, 3 x n.
        heights: of the planes along their normals, n [m].
        radius: of the spheres [m].
        extent: a sphere farther than this from the origin along any axis is beside the plane [m].
    """

    def __init__(
        self,
        normals: np.ndarray,
        heights: np.ndarray,
        radius: float,
        stiffness: float,
        damping: float,
        friction: float,
        extent: np.ndarray,
    ) -> None:
        self._normals, self._reach, self._extent = normals, heights + radius, extent[:, None]
        self._stiffness, self._damping, self._friction = stiffness, damping, friction

    def depth(self, points: np.ndarray) -> np.ndarray:
        """Of spheres at points (3 x n) [m]; negative: apart."""
        depth = self._reach - _SUM @ (self._normals * points)
        beside = (abs(points) > self._extent).any(axis=0)
        return np.where(beside, -1.0, depth)

    def press(self, points: np.ndarray, velocities: np.ndarray, anchors: np.ndarray) -> Press | None:
        """At positions and velocities (3 x n) in the frame of the planes; None: no touch."""
        depth = self.depth(points)
        if depth.max() <= 0.0:
            return None
        depth = np.maximum(depth, 0.0)
        closing = -(_SUM @ (self._normals * velocities))
        pressures = np.maximum(self._stiffness * depth * (1.0 + self._damping * closing), 0.0)
        bristle = self._across(np.nan_to_num(points - anchors)) * (depth > 0.0)
        slide = self._across(velocities)
        # rubbing is damped as pressing is: in proportion to depth
        rub = self._stiffness * (bristle + self._damping * depth * slide)
        forces = pressures * self._normals - _shortened(rub, self._friction * pressures)
        held = _shortened(bristle, self._friction * pressures / self._stiffness)
        stored = 0.5 * self._stiffness * float(depth @ depth + np.vdot(held, held))
        return Press(forces, pressures, stored)

    def settled(self, points: np.ndarray, anchors: np.ndarray, press: Press | None) -> np.ndarray:
        """Anchors after a step: set where a sphere has come to touch, drawn along where it slides, none (NaN) apart.

        A sphere that touches first within a step has no bristle until its end: one rooted before the touch would be
        bent from the start, out of nothing.
        """
        if press is None:
            return np.full_like(points, np.nan)
        longest = self._friction * press.pressures / self._stiffness
        bristle = self._across(np.nan_to_num(points - anchors))
        return np.where(press.pressures > 0.0, points - _shortened(bristle, longest), np.nan)

    def _across(self, vectors: np.ndarray) -> np.ndarray:
        return vectors - (_SUM @ (vectors * self._normals)) * self._normals


def _shortened(vectors: np.ndarray, length: np.ndarray) -> np.ndarray:
    """To at most these lengths."""
    return vectors * np.minimum(1.0, length / (np.sqrt(_SUM @ (vectors * vectors)) + _TINY))
