"""Shapes as triangles: closed, facing outwards, of the volume they should have."""
from math import pi, sin

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.scene.shapes import BOX, CONE, CYLINDER, RING, SEGMENTS, SPHERE, Shape, merged, triangles

#: area of the polygon that stands for a circle of radius 1
CIRCLE = 0.5 * SEGMENTS * sin(2.0 * pi / SEGMENTS)
COLOUR = (1.0, 0.0, 0.0, 1.0)


def volume(vertices, faces):
    """By the divergence theorem: right only if the surface is closed, positive only if it faces outwards."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(
    "kind, size, expected",
    [
        (BOX, (1.0, 2.0, 3.0), 6.0),
        (CYLINDER, (0.5, 2.0), CIRCLE * 0.25 * 2.0),
        (CONE, (0.2, 0.5, 0.9), CIRCLE * 0.9 / 3.0 * (0.04 + 0.1 + 0.25)),
        (RING, (1.312, 0.04, 0.03), CIRCLE * (1.332**2 - 1.292**2) * 0.03),
    ],
)
def test_the_volume_is_that_of_the_shape_wherever_it_is(kind, size, expected):
    placed = Shape(kind, size, pin.SE3.Random(), COLOUR)
    assert volume(*triangles(placed)) == pytest.approx(expected, rel=1e-9)


def test_a_sphere_is_nearly_one():
    vertices, faces = triangles(Shape(SPHERE, (0.3,), pin.SE3.Identity(), COLOUR))
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 0.3, rtol=1e-12)
    assert 0.97 < volume(vertices, faces) / (4.0 / 3.0 * pi * 0.3**3) < 1.0


def test_moving_a_shape_moves_its_triangles():
    pose, shape = pin.SE3.Random(), Shape(BOX, (1.0, 2.0, 3.0), pin.SE3.Random(), COLOUR)
    expected = [pose.act(vertex) for vertex in triangles(shape)[0]]
    np.testing.assert_allclose(triangles(shape.moved(pose))[0], expected, atol=1e-12)


def test_merged_shapes_are_all_there():
    shapes = [Shape(BOX, (1.0, 1.0, 1.0), pin.SE3(np.eye(3), np.array([3.0 * k, 0, 0])), COLOUR) for k in range(3)]
    vertices, faces = merged(shapes)
    assert volume(vertices, faces) == pytest.approx(3.0, rel=1e-12)
    assert len(vertices) == 24 and faces.max() == 23
