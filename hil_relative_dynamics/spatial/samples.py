"""What blocks exchange, in the very form in which messages carry it.

A rotation matrix turned into a quaternion and back is bit-exact for only a quarter of all poses. Blocks
therefore keep and pass on quaternions (x, y, z, w, as ROS and pinocchio order them) and float64 numbers, so
that a run over topics and a run by direct calls see the same bits. Pinocchio types are views of these.
"""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

#: position 3, quaternion xyzw 4, body twist 6 (linear first), its derivative 6
SAMPLE_SIZE = 19
_POSE, _TWIST, _ACCELERATION = slice(0, 7), slice(7, 13), slice(13, 19)


class MotionSample:
    """Pose, body twist and derivative of the body twist at one instant."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(
        cls, pose: pin.SE3, twist: pin.Motion | None = None, acceleration: pin.Motion | None = None
    ) -> MotionSample:
        array = np.zeros(SAMPLE_SIZE)
        array[_POSE] = pin.SE3ToXYZQUAT(pose)
        if twist is not None:
            array[_TWIST] = twist.vector
        if acceleration is not None:
            array[_ACCELERATION] = acceleration.vector
        return cls(array)

    @property
    def pose(self) -> pin.SE3:
        return pin.XYZQUATToSE3(self.array[_POSE])

    @property
    def twist(self) -> pin.Motion:
        return pin.Motion(self.array[_TWIST])

    @property
    def acceleration(self) -> pin.Motion:
        """Derivative of the body twist (spatial acceleration; the classical one adds omega x v)."""
        return pin.Motion(self.array[_ACCELERATION])

    def __repr__(self) -> str:
        return f"MotionSample({self.array!r})"


class MotionPoints:
    """Samples of one motion over a step: at its start and end, or at its start, middle and end."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(cls, *samples: MotionSample) -> MotionPoints:
        return cls(np.array([sample.array for sample in samples]))

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> MotionSample:
        return MotionSample(self.array[index])

    def __iter__(self) -> Iterator[MotionSample]:
        return (MotionSample(row) for row in self.array)

    @property
    def start(self) -> MotionSample:
        return MotionSample(self.array[0])

    @property
    def end(self) -> MotionSample:
        return MotionSample(self.array[-1])


class JointSample:
    """Position, velocity and acceleration of the arm's joints [rad or m]: rows of one 3 x n array.

    The acceleration is the estimate from before the instant (its limit from the left).
    """

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(cls, position: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray | None = None) -> JointSample:
        rest = np.zeros_like(position) if acceleration is None else acceleration
        return cls(np.array([position, velocity, rest], dtype=float))

    @property
    def position(self) -> np.ndarray:
        return self.array[0]

    @property
    def velocity(self) -> np.ndarray:
        return self.array[1]

    @property
    def acceleration(self) -> np.ndarray:
        return self.array[2]


class JointReading:
    """What a device tells of its joints: position, velocity and effort, rows of one 3 x n array."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(cls, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray | None = None) -> JointReading:
        return cls(np.array([position, velocity, np.zeros_like(position) if effort is None else effort], dtype=float))

    @property
    def position(self) -> np.ndarray:
        return self.array[0]

    @property
    def velocity(self) -> np.ndarray:
        return self.array[1]

    @property
    def effort(self) -> np.ndarray:
        return self.array[2]
