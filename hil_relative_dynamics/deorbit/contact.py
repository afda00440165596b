"""Feet on a face: unilateral spring-dampers with friction, vectorised over the feet."""
from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pinocchio as pin

Friction = Literal["none", "held", "coulomb"]
TOUCHING = 1e-9
"""A foot so near to the face stands on it [m]: bodies that start in touch must not be parted by round-off."""


def hexagon(count: int, radius: float, first_angle: float) -> np.ndarray:
    """Feet evenly on a circle in the y-z plane of the contact frame (3 x count) [m]."""
    angles = first_angle + 2.0 * np.pi * np.arange(count) / count
    return np.array([np.zeros(count), radius * np.cos(angles), radius * np.sin(angles)])


class Pressed(NamedTuple):
    """What the feet do to the face, in its frame."""

    wrench: pin.Force  # on the face's body, at the face's origin
    forces: np.ndarray  # 3 x n: normal, and two across
    slip: np.ndarray  # 2 x n: rate of the bristles [m/s]
    loss: float  # what friction and dampers turn into heat; never negative [W]
    stored: float  # in springs and bristles [J]


class FeetOnFace:
    r"""Feet fixed to the chaser press on the plane x = 0 of the target.

    A foot at depth \( \delta \) is pushed back with \( N = \max(0, c \delta + d \dot\delta) \) while
    it touches (the paper's six spring-dampers, x only). Across, a bristle of the same stiffness and
    damping holds the foot to where it stands: not at all (`none`), whatever it takes (`held`, the paper's element that
    prevents lateral movement), or up to the friction cone (18) (`coulomb`), beyond which its root slides along.

    The force across is the projection of what the bristle asks for onto the cone, which only ever takes energy:
    with the bristle's own force inside the cone, (projected - own) . rate >= 0.

    Args:
        feet: positions in the chaser's frame (3 x n) [m].
        stiffness, damping: of each foot [N/m, N s/m].
        friction: see above.
        coefficient: Coulomb's, for `coulomb`.
    """

    def __init__(
        self, feet: np.ndarray, stiffness: float, damping: float, friction: Friction, coefficient: float = 0.0
    ) -> None:
        self.feet, self.stiffness, self.damping = feet, stiffness, damping
        self._friction, self._coefficient = friction, coefficient

    @property
    def count(self) -> int:
        return int(self.feet.shape[1])

    @property
    def slides(self) -> bool:
        """Whether bristles may slide along: those of a friction cone."""
        return self._friction == "coulomb"

    def press(self, pose: pin.SE3, twist: pin.Motion, bristles: np.ndarray) -> Pressed:
        """From the chaser's pose and twist relative to the target, in its frame, and the bristles (2 x n) [m]."""
        at = pose.rotation @ self.feet + pose.translation[:, None]
        wx, wy, wz = twist.angular.tolist()
        turning = np.array([[0.0, -wz, wy], [wz, 0.0, -wx], [-wy, wx, 0.0]])
        rates = turning @ at + twist.linear[:, None]
        depth = np.maximum(at[0], 0.0)
        spring = self.stiffness * depth
        touching = at[0] > -TOUCHING
        normal = np.maximum(spring + self.damping * rates[0], 0.0) * touching
        forces, slip, held = np.zeros_like(at), np.zeros_like(bristles), 0.0
        forces[0] = normal
        loss = (normal - spring) @ rates[0]
        stored = 0.5 * (spring @ depth)
        if self._friction != "none":
            slip = rates[1:] if self._friction == "held" else rates[1:] * touching
            own = self.stiffness * bristles
            forces[1:] = self._limited(own + self.damping * rates[1:], normal)
            loss += float((forces[1:] * rates[1:] - own * slip).sum())
            held = 0.5 * float((own * bristles).sum())
        (fx, fy, fz), (x, y, z) = forces, at
        moment = np.array([y @ fz - z @ fy, z @ fx - x @ fz, x @ fy - y @ fx])
        return Pressed(pin.Force(forces.sum(axis=1), moment), forces, slip, float(loss), stored + held)

    def settled(self, bristles: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Bristles after a step: those longer than the cone allows have slid."""
        return self._limited(self.stiffness * bristles, normal) / self.stiffness

    def _limited(self, across: np.ndarray, normal: np.ndarray) -> np.ndarray:
        if self._friction == "held":
            return across
        size = np.sqrt(across[0] ** 2 + across[1] ** 2)
        limit = self._coefficient * normal
        return across * np.where(size > limit, limit / np.maximum(size, 1e-300), 1.0)
