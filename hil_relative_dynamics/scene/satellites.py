"""The two spacecraft. The servicer looks as its description says; the client has none and is built here.

Its proportions are Envisat's: a body of 10 m by 2.75 m with the launch adapter ring at one end, the engine's nozzle
inside the ring, an antenna below and one solar array of 14 m by 5 m on a boom. Ring and grasp point are where the
scenario has them; the rest grows with the cube root of the mass.
"""
from __future__ import annotations

from math import pi

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario import Scenario
from hil_relative_dynamics.scene.shapes import BOX, CONE, CYLINDER, RING, Colour, Shape

FOIL: Colour = (0.80, 0.62, 0.20, 1.0)
CELL: Colour = (0.10, 0.16, 0.45, 1.0)
WHITE: Colour = (0.92, 0.92, 0.90, 1.0)
STEEL: Colour = (0.70, 0.72, 0.75, 1.0)
DARK: Colour = (0.15, 0.16, 0.18, 1.0)

ENVISAT_MASS = 7828.0  # [kg]
BODY, PANEL = (10.0, 2.75, 2.75), (5.0, 14.0, 0.06)  # [m]
BOOM, HINGE = 1.2, 3.0  # from body to panel, and from the ring to the boom along the body [m]
ALONG_X, ALONG_Y = pin.rpy.rpyToMatrix(0.0, pi / 2, 0.0), pin.rpy.rpyToMatrix(-pi / 2, 0.0, 0.0)


def client(scenario: Scenario) -> list[Shape]:
    """In the client's frame. The ring's axis is x of the grasp point, which lies on its edge, highest in z."""
    size = float(np.cbrt(scenario.client.mass / ENVISAT_MASS))
    contact, grasp_point = scenario.contact, scenario.client.grasp_point.pose_in_client
    radius = 0.5 * contact.ring_diameter
    length, width, height = (size * edge for edge in BODY)
    panel_x, panel_y, panel_z = (size * edge for edge in PANEL)
    gap = 0.25 * size  # from the ring to the body
    hinge, boom, half = -size * HINGE, size * BOOM, 0.5 * width
    parts = [
        _part(RING, (radius, contact.ring_thickness, contact.ring_width), (0.0, 0.0, 0.0), STEEL, ALONG_X),
        _part(CONE, (0.5 * width, radius - 0.02, gap), (-0.5 * gap, 0.0, 0.0), DARK, ALONG_X),
        _part(CONE, (0.12 * size, 0.45 * size, 0.9 * size), (0.35 * size - gap, 0.0, 0.0), STEEL, ALONG_X),
        _part(BOX, (length, width, height), (-gap - 0.5 * length, 0.0, 0.0), FOIL),
        _part(BOX, (0.25 * length, 1.02 * width, 1.02 * height), (-gap - 0.13 * length, 0.0, 0.0), WHITE),
        _part(CYLINDER, (0.1 * size, boom + half), (hinge, 0.5 * (boom + half), 0.0), STEEL, ALONG_Y),
        *_panel((panel_x, panel_y, panel_z), (hinge, half + boom, 0.0), size),
        # the radar antenna, 10 m by 1.3 m, and the scatterometer's on the earth side
        _part(BOX, (0.95 * length, 0.08 * size, 0.45 * height), (-gap - 0.5 * length, -half - 0.1 * size, 0.0), WHITE),
        _part(CYLINDER, (0.45 * size, 0.08 * size), (-0.85 * length, 0.0, -0.5 * height - 0.06 * size), WHITE),
    ]
    pose_ring = grasp_point * pin.SE3(np.eye(3), np.array([0.0, 0.0, -radius]))
    return [part.moved(pose_ring) for part in parts]


def _panel(edges: tuple[float, float, float], root: tuple[float, float, float], size: float) -> list[Shape]:
    """Fourteen fields of cells, a gap between each two, on a frame."""
    x, y, z = edges
    count, gap = 7, 0.12 * size
    field_x, field_y = 0.5 * x - gap, y / count - gap
    frame = _part(BOX, (x, y, 0.5 * z), (root[0], root[1] + 0.5 * y, root[2]), STEEL)
    fields = [
        _part(BOX, (field_x, field_y, z), (root[0] + side * 0.25 * x, root[1] + (row + 0.5) * y / count, root[2]), CELL)
        for row in range(count)
        for side in (-1, 1)
    ]
    return [frame, *fields]


def _part(
    kind: str,
    size: tuple[float, ...],
    position: tuple[float, float, float],
    colour: Colour,
    rotation: np.ndarray | None = None,
) -> Shape:
    return Shape(kind, size, pin.SE3(np.eye(3) if rotation is None else rotation, np.array(position)), colour)
