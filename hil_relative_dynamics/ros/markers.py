"""The orbit for RViz, beside the laboratory and at half size, as on the browser page.

    markers   visualization_msgs/MarkerArray, where visualization_msgs is installed: satellites, trails, forces

Shapes are RViz's own, because a mesh would be sent point by point every time: rings are closed lines, cones cylinders.
"""
from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import Point
from rclpy.node import Node

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.scene.places import ARROW, ORBIT_PLACE, ORBIT_SCALE, Orbit
from hil_relative_dynamics.scene.shapes import BOX, CONE, CYLINDER, MESH, RING, SEGMENTS, SPHERE, Colour, Shape
from hil_relative_dynamics.scene.snapshot import Snapshot

try:
    from visualization_msgs.msg import Marker, MarkerArray
except ImportError:
    Marker = MarkerArray = None

TOPIC, FRAME = "markers", "world"
TRAILS: dict[str, Colour] = {"grasp_point": (0.34, 0.71, 0.91, 1.0), "servicer": (0.9, 0.6, 0.0, 1.0)}
CONTACT: Colour = (0.9, 0.1, 0.3, 1.0)
THRUST: Colour = (0.0, 0.75, 0.5, 1.0)
#: points of a trail
LENGTH = 150


class OrbitMarkers:
    """Publishes the orbit of a snapshot; does nothing where visualization_msgs is missing or nobody listens."""

    def __init__(self, node: Node, world: World) -> None:
        self._publisher: Any = None
        if MarkerArray is None:
            return
        self._publisher = node.create_publisher(MarkerArray, TOPIC, qos.DIAGNOSTICS)
        self._orbit, self._message = Orbit(world), MarkerArray()
        self._shapes: list[tuple[str, Shape, Any]] = []
        for body, shapes in self._orbit.bodies.items():
            for shape in shapes:
                if shape.kind != MESH:
                    self._shapes.append((body, shape, self._add(body, *_looks(shape), shape.colour)))
        self._trails = {name: self._add("trail", Marker.LINE_STRIP, (0.02, 0.0, 0.0), colour)
                        for name, colour in TRAILS.items()}
        self._points: dict[str, deque[Point]] = {name: deque(maxlen=LENGTH) for name in TRAILS}
        self._contact, self._thrust = (
            self._add("force", Marker.ARROW, (0.04, 0.09, 0.12), colour) for colour in (CONTACT, THRUST)
        )

    def _add(self, namespace: str, kind: int, scale: tuple[float, ...], colour: Colour) -> Any:
        marker = Marker(ns=namespace, id=len(self._message.markers), type=kind)
        marker.header.frame_id = FRAME
        marker.pose.orientation.w = 1.0
        marker.scale.x, marker.scale.y, marker.scale.z = scale
        marker.color.r, marker.color.g, marker.color.b, marker.color.a = colour
        self._message.markers.append(marker)
        return marker

    @property
    def wanted(self) -> bool:
        return self._publisher is not None and self._publisher.get_subscription_count() > 0

    def publish(self, seen: Snapshot) -> None:
        poses = self._orbit.place(seen)
        for body, shape, marker in self._shapes:
            _place(marker, poses[body] * shape.pose)
            if shape.kind == RING and not marker.points:
                marker.points = _circle(ORBIT_SCALE * shape.size[0])
            if body == "nominal":
                marker.action = Marker.ADD if seen.left_nominal else Marker.DELETE
        for name, marker in self._trails.items():
            self._points[name].append(_point(_drawn(poses[name].translation)))
            marker.points = list(self._points[name])
        grasp_point = self._orbit.pose_grasp_point
        _aim(self._contact, poses["grasp_point"], grasp_point.rotation.T @ seen.wrench_client.linear)
        _aim(self._thrust, poses["servicer"], seen.thrust.linear)
        self._publisher.publish(self._message)


def _looks(shape: Shape) -> tuple[int, tuple[float, float, float]]:
    """RViz's own type and its scale."""
    size = [ORBIT_SCALE * length for length in shape.size]
    if shape.kind == BOX:
        return Marker.CUBE, (size[0], size[1], size[2])
    if shape.kind == CYLINDER:
        return Marker.CYLINDER, (2.0 * size[0], 2.0 * size[0], size[1])
    if shape.kind == CONE:
        return Marker.CYLINDER, (size[0] + size[1], size[0] + size[1], size[2])
    if shape.kind == SPHERE:
        return Marker.SPHERE, (2.0 * size[0],) * 3
    return Marker.LINE_STRIP, (size[1], 0.0, 0.0)


def _drawn(position: np.ndarray) -> np.ndarray:
    return ORBIT_PLACE + ORBIT_SCALE * position


def _place(marker: Any, pose: pin.SE3) -> None:
    position, rotation = marker.pose.position, marker.pose.orientation
    position.x, position.y, position.z = _drawn(pose.translation).tolist()
    rotation.x, rotation.y, rotation.z, rotation.w = pin.Quaternion(pose.rotation).coeffs().tolist()


def _aim(marker: Any, pose: pin.SE3, force: np.ndarray) -> None:
    """An arrow that ends where the force acts; none without a force."""
    marker.action = Marker.ADD if np.linalg.norm(force) > 0.5 else Marker.DELETE
    end = _drawn(pose.translation)
    marker.points = [_point(end - ARROW * (pose.rotation @ force)), _point(end)]


def _circle(radius: float) -> list[Point]:
    angles = 2.0 * np.pi * np.arange(SEGMENTS + 1) / SEGMENTS
    return [_point(radius * np.array([np.cos(angle), np.sin(angle), 0.0])) for angle in angles]


def _point(position: np.ndarray) -> Point:
    x, y, z = position.tolist()
    return Point(x=x, y=y, z=z)
