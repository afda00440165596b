"""Small things that the checks share."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.spatial import orientation_error, position_error


class Worst:
    """The largest distance and angle seen between poses that should be the same."""

    def __init__(self) -> None:
        self.position = self.orientation = 0.0

    def add(self, pose_a: pin.SE3, pose_b: pin.SE3) -> None:
        self.position = largest(self.position, position_error(pose_a, pose_b))
        self.orientation = largest(self.orientation, orientation_error(pose_a, pose_b))

    def checks(
        self,
        name: str,
        source: str,
        quantity: str,
        limits: tuple[float, float],
        reached: tuple[float | None, float | None] = (None, None),
    ) -> Iterator[Check]:
        """Two rows: metres and radians."""
        value = self.position
        yield Check(f"{name}.position", source, quantity, value, limits[0], "m", reached=reached[0])
        value = self.orientation
        yield Check(f"{name}.orientation", source, quantity, value, limits[1], "rad", reached=reached[1])


def largest(*values: float | np.ndarray) -> float:
    """The largest magnitude; NaN if there is one, so that it cannot get lost in a comparison."""
    return float(np.max([np.max(np.abs(value)) for value in values]))


def order(coarse: float, fine: float, ratio: float = 2.0) -> float:
    """Order of accuracy from the errors at two step sizes, the coarse one `ratio` times the fine one."""
    return float(np.log(coarse / fine) / np.log(ratio))


def random_pose(random: np.random.Generator) -> pin.SE3:
    """Anywhere within 5 m, any attitude."""
    quaternion = random.normal(size=4)
    rotation = pin.Quaternion(quaternion / np.linalg.norm(quaternion)).toRotationMatrix()
    return pin.SE3(rotation, random.uniform(-5.0, 5.0, 3))


def random_twist(random: np.random.Generator) -> pin.Motion:
    """Speeds as in a capture: up to 0.3 m/s and 0.1 rad/s; accelerations are of that size too."""
    return pin.Motion(random.uniform(-0.3, 0.3, 3), random.uniform(-0.1, 0.1, 3))
