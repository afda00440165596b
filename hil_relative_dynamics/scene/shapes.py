"""Simple shapes, each with its place in the body that it belongs to and its colour; any of them as triangles."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
import pinocchio as pin

Colour = tuple[float, float, float, float]
#: vertices [m] and, by three indices each, triangles
Mesh = tuple[np.ndarray, np.ndarray]

BOX, CYLINDER, SPHERE, CONE, RING, MESH = "box", "cylinder", "sphere", "cone", "ring", "mesh"
SEGMENTS = 32


@dataclass(frozen=True, eq=False)
class Shape:
    """One part of a body.

    Attributes:
        size: [m] box: edges; cylinder: radius, length; sphere: radius; cone: radii at the ends -z and +z, length;
            ring: mean radius, radial thickness, length. Axes are along z.
        pose: in the body.
        given: vertices and triangles of what is none of these.
    """

    kind: str
    size: tuple[float, ...]
    pose: pin.SE3
    colour: Colour
    given: Mesh | None = None

    def moved(self, pose: pin.SE3) -> Shape:
        return replace(self, pose=pose * self.pose)

    def tinted(self, colour: Colour) -> Shape:
        return replace(self, colour=colour)


def triangles(shape: Shape) -> Mesh:
    """Vertices in the body's frame, and triangles that face outwards."""
    vertices, faces = shape.given if shape.given is not None else _MAKERS[shape.kind](*shape.size)
    return vertices @ shape.pose.rotation.T + shape.pose.translation, faces


def merged(shapes: Iterable[Shape]) -> Mesh:
    """All in one."""
    vertices, faces, count = [], [], 0
    for points, corners in map(triangles, shapes):
        vertices.append(points)
        faces.append(corners + count)
        count += len(points)
    return np.concatenate(vertices), np.concatenate(faces)


def of_description(model: pin.Model, geometry: pin.GeometryModel) -> dict[str, list[tuple[int, Shape]]]:
    """By link, its visuals: the joint that carries them and their shape in that joint's frame."""
    found: dict[str, list[tuple[int, Shape]]] = {}
    for item in geometry.geometryObjects:
        kind, size, given = _of_coal(item.geometry, item.meshScale)
        colour = tuple(float(part) for part in item.meshColor)
        shape = Shape(kind, size, item.placement.copy(), colour, given)  # type: ignore[arg-type]
        found.setdefault(model.frames[item.parentFrame].name, []).append((int(item.parentJoint), shape))
    return found


def _of_coal(geometry: Any, scale: np.ndarray) -> tuple[str, tuple[float, ...], Mesh | None]:
    name = type(geometry).__name__
    if name == "Box":
        return BOX, tuple(2.0 * geometry.halfSide), None
    if name == "Cylinder":
        return CYLINDER, (geometry.radius, 2.0 * geometry.halfLength), None
    if name == "Sphere":
        return SPHERE, (geometry.radius,), None
    vertices = np.array(geometry.vertices()) * scale
    corners = [tuple(geometry.tri_indices(index)) for index in range(geometry.num_tris)]
    return MESH, (), (vertices, np.array(corners, dtype=int))


def _box(x: float, y: float, z: float) -> Mesh:
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return 0.5 * signs * (x, y, z), _split(quads)


def _turned(profile: list[tuple[float, float]], closed: bool = False) -> Mesh:
    """The surface of a profile (radius, z) turned about z; closed: the last point is joined to the first."""
    angles = 2.0 * pi * np.arange(SEGMENTS) / SEGMENTS
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = [np.column_stack([radius * around, np.full(SEGMENTS, z)]) for radius, z in profile]
    count, quads = len(profile), []
    for row in range(count if closed else count - 1):
        below, above = row * SEGMENTS, (row + 1) % count * SEGMENTS
        quads += [
            (below + k, below + (k + 1) % SEGMENTS, above + (k + 1) % SEGMENTS, above + k) for k in range(SEGMENTS)
        ]
    return np.concatenate(rows), _split(quads)


def _cone(low: float, high: float, length: float) -> Mesh:
    half = 0.5 * length
    return _turned([(0.0, -half), (low, -half), (low, -half), (high, half), (high, half), (0.0, half)])


def _cylinder(radius: float, length: float) -> Mesh:
    return _cone(radius, radius, length)


def _sphere(radius: float) -> Mesh:
    angles = np.linspace(-pi / 2, pi / 2, SEGMENTS // 2 + 1)
    return _turned([(radius * float(np.cos(angle)), radius * float(np.sin(angle))) for angle in angles])


def _ring(radius: float, thickness: float, length: float) -> Mesh:
    inner, outer, half = radius - 0.5 * thickness, radius + 0.5 * thickness, 0.5 * length
    return _turned([(inner, -half), (outer, -half), (outer, half), (inner, half)], closed=True)


def _split(quads: list[tuple[int, int, int, int]]) -> np.ndarray:
    return np.array([corners for a, b, c, d in quads for corners in ((a, b, c), (a, c, d))])


_MAKERS: dict[str, Callable[..., Mesh]] = {BOX: _box, CYLINDER: _cylinder, SPHERE: _sphere, CONE: _cone, RING: _ring}
