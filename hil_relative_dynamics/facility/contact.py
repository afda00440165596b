"""Points that press and rub on the launch adapter ring."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

SUM = np.ones(3)
"""`SUM.dot(vectors)` adds up the components of vectors (3 x n), faster than numpy's sum."""
TINY = 1e-300
"""Keeps quotients of zeros at zero."""


class Ring:
    """A bar of rectangular profile bent to a circle, in the frame of the grasp point.

    The grasp point is the middle of the profile; x is the ring's axis (outwards), z points away from its centre.

    Args:
        radius: to the middle of the profile [m].
        width: of the profile, along x [m].
        thickness: of the profile, along z [m].
    """

    def __init__(self, radius: float, width: float, thickness: float) -> None:
        self._radius, self._half_width, self._half_thickness = radius, 0.5 * width, 0.5 * thickness
        self.half_diagonal = float(np.hypot(self._half_width, self._half_thickness))

    def distance(self, point: np.ndarray) -> float:
        """From one point to the middle of the profile, wherever along the ring [m]."""
        x, y, z = point.tolist()
        return float(((((z + self._radius) ** 2 + y * y) ** 0.5 - self._radius) ** 2 + x * x) ** 0.5)

    def depth(self, points: np.ndarray) -> np.ndarray:
        """Of points (3 x n) below the nearest face [m]; negative outside."""
        below_front, below_side, *_ = self._below(points)
        return np.minimum(below_front, below_side)

    def normal(self, points: np.ndarray) -> np.ndarray:
        """Of the nearest face, outwards (3 x n)."""
        below_front, below_side, radius, across = self._below(points)
        front = below_front < below_side
        side = np.copysign(~front, radius - self._radius) / radius
        return np.array([np.copysign(front, points[0]), side * points[1], side * across])

    def _below(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        x, y, z = points
        across = z + self._radius
        radius = np.sqrt(across * across + y * y)
        return self._half_width - abs(x), self._half_thickness - abs(radius - self._radius), radius, across


class Press(NamedTuple):
    """What points do to a ring during a step, and what it does to them."""

    anchors: np.ndarray  # 3 x n, where the bristles are rooted on the ring
    forces: np.ndarray  # 3 x n, on the points, in the frame of the ring
    energy: float  # in springs and bristles, at the start of the step [J]


class PointContacts:
    r"""Unilateral springs and dampers with Coulomb friction, sampled: forces are means over the step to come.

    A point at depth \(\delta\) feels, along the normal,
    \( N = \max(0, k \bar\delta + c \min(1, \bar\delta / \delta_c) \dot\delta) \),
    with the mean depth over the step if the motion goes on as it is. A spring takes exactly as much energy then as
    it gives back, whether the point is inside, enters or leaves during the step. With c = 0 and a free mass m
    this is the leapfrog method, stable for k dt^2 < 4 m; with damping for k dt^2 + 2 c dt < 4 m.

    Across, an elastic bristle of the same stiffness and damping holds the point to where it touched; beyond
    the friction cone its root slides along. Both only store and lose energy.

    Args:
        ring: what the points touch.
        stiffness: of each point [N/m].
        damping: of each point [N s/m].
        damping_depth: at which damping is complete [m].
        friction: Coulomb coefficient.
    """

    def __init__(
        self, ring: Ring, stiffness: np.ndarray, damping: np.ndarray, damping_depth: float, friction: float
    ) -> None:
        self._ring, self._stiffness, self._damping, self._friction = ring, stiffness, damping, friction
        self._damping_depth = max(damping_depth, 1e-12)

    def step(self, anchors: np.ndarray, start: np.ndarray, end: np.ndarray, dt: float) -> Press | None:
        """From positions at the start of the step to the expected ones at its end (3 x n); None: no touch."""
        depth = self._ring.depth(np.concatenate((start, end), axis=1)).reshape(2, -1)
        before, after = inside = np.maximum(depth, 0.0)
        if not inside.any():
            return None
        distance = np.abs(depth)
        total = before + after
        mean = 0.5 * total * total / (distance[0] + distance[1] + TINY)

        damping = self._damping * np.minimum(mean / self._damping_depth, 1.0)
        pressure = np.maximum(self._stiffness * mean + damping * (after - before) / dt, 0.0)
        grip = self._friction * pressure

        way = end - start
        normal = self._ring.normal(start + 0.5 * way)
        roots = np.where(before > 0.0, anchors, start)
        bristle = _shortened(_across(start - roots, normal), grip / self._stiffness)
        slide = _across(way, normal)
        rub = self._stiffness * bristle + (0.5 * self._stiffness + damping / dt) * slide
        forces = pressure * normal - _shortened(rub, grip)
        energy = 0.5 * self._stiffness.dot(before * before + SUM.dot(bristle * bristle))
        return Press(start - bristle, forces, float(energy))


def _across(vectors: np.ndarray, normal: np.ndarray) -> np.ndarray:
    return vectors - SUM.dot(vectors * normal) * normal


def _shortened(vectors: np.ndarray, length: np.ndarray) -> np.ndarray:
    """To at most these lengths."""
    return vectors * np.minimum(1.0, length / (np.sqrt(SUM.dot(vectors * vectors)) + TINY))
