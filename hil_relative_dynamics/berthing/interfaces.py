"""Where servicer and target touch: fingers on a bar, spheres on a port."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.contact import Press, SpheresOnPlanes
from hil_relative_dynamics.berthing.gripper import GearedGripper
from hil_relative_dynamics.scenario.rendezvous_contact import GearedFingers, Port

_NO_WRENCH = pin.Force.Zero()


class Touch(NamedTuple):
    """What spheres of the servicer feel on the target."""

    points: np.ndarray  # of the spheres, in the target's interface
    press: Press | None
    wrench: pin.Force  # on what carries the spheres, in its frame
    power: float = 0.0  # that contact gives to everything that moves [W]
    pressing: float = 0.0  # sum of what the fingers press with [N]


class FingersOnBar:
    """Two spheres on each pad against two faces of a bar (x across it, y along it, in the gripper's frame as it holds).

    Fingers reach the bar open: closed ones that come along the bar's depth are beyond this model.
    """

    def __init__(self, settings: GearedFingers) -> None:
        self.gripper, self._radius = GearedGripper(settings), settings.pad_radius
        half = 0.5 * settings.pad_width
        self._sides = np.array([1.0, 1.0, -1.0, -1.0])
        self._pads = np.array([[0.0] * 4, [half, -half, half, -half], [0.0] * 4])
        self._planes = SpheresOnPlanes(
            normals=np.array([self._sides, [0.0] * 4, [0.0] * 4]),
            heights=np.full(4, 0.5 * settings.bar),
            radius=settings.pad_radius,
            stiffness=settings.stiffness,
            damping=settings.damping,
            friction=settings.friction,
            extent=np.array([np.inf, 0.5 * settings.bar_length, 0.5 * settings.bar]),
        )

    def touch(self, pose: pin.SE3, twist: pin.Motion, angle: float, rate: float, anchors: np.ndarray) -> Touch:
        """With the gripper at a pose in the bar's frame, its twist relative to it, and the clamp gears' angle."""
        pads, sides = self._pads, self._sides
        pads[0] = sides * (self.gripper.half_gap(angle) + self._radius)
        rotation = pose.rotation
        points = rotation @ pads + pose.translation[:, None]
        local = pin.skew(twist.angular) @ pads + twist.linear[:, None]
        local[0] -= sides * (rate * self.gripper.arm(angle))  # (6)
        velocities = rotation @ local
        press = self._planes.press(points, velocities, anchors)
        if press is None:
            return Touch(points, None, _NO_WRENCH)
        forces = rotation.T @ press.forces
        power = float(np.vdot(press.forces, velocities))
        return Touch(points, press, _total(pads, forces), power, float(sides @ forces[0]))

    def settled(self, touch: Touch, anchors: np.ndarray) -> np.ndarray:
        return self._planes.settled(touch.points, anchors, touch.press)


class SpheresOnPort:
    """Three spheres around the servicer's port against the plane of the target's (x outwards)."""

    def __init__(self, settings: Port) -> None:
        turns, (x, y, z) = 2.0 * np.pi / 3.0 * np.arange(3), settings.position
        across = y + settings.radius * np.sin(turns), z + settings.radius * np.cos(turns)
        self._spheres = np.array([np.full(3, x - settings.sphere), *across])
        self._plane = SpheresOnPlanes(
            normals=np.array([[1.0] * 3, [0.0] * 3, [0.0] * 3]),
            heights=np.zeros(3),
            radius=settings.sphere,
            stiffness=settings.stiffness,
            damping=settings.damping,
            friction=settings.friction,
            extent=np.full(3, np.inf),
        )

    def touch(self, pose: pin.SE3, twist: pin.Motion, anchors: np.ndarray) -> Touch:
        """With the base at a pose in the frame of the target's port, and its twist relative to it."""
        rotation, spheres = pose.rotation, self._spheres
        points = rotation @ spheres + pose.translation[:, None]
        velocities = rotation @ (pin.skew(twist.angular) @ spheres + twist.linear[:, None])
        press = self._plane.press(points, velocities, anchors)
        if press is None:
            return Touch(points, None, _NO_WRENCH)
        wrench = _total(spheres, rotation.T @ press.forces)
        return Touch(points, press, wrench, float(np.vdot(press.forces, velocities)))

    def settled(self, touch: Touch, anchors: np.ndarray) -> np.ndarray:
        return self._plane.settled(touch.points, anchors, touch.press)


def _total(points: np.ndarray, forces: np.ndarray) -> pin.Force:
    """Of forces at points (3 x n), at the origin."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = (points @ forces.T).tolist()
    return pin.Force(forces.sum(axis=1), np.array([yz - zy, zx - xz, xy - yx]))
