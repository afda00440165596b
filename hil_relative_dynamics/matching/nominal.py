"""Nominal motions: what the laboratory moves with, so that only the difference has to be flown.

A nominal block answers `step(state, stamp, period)` with its samples at the start, middle and end of the
step (RK4 needs the middle one). Times are integer nanoseconds.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionPoints, MotionSample

_nominal_points = function("nominal_points", pointers=2, doubles=1)


class Nominal(Protocol):
    """(g_n, V_n, dV_n) as a block."""

    def initial_state(self) -> Any: ...

    def step(self, state: Any, stamp: int, period: int) -> tuple[Any, MotionPoints]: ...


class UnforcedNominal:
    r"""The client's own motion if nothing touched it:  \( M_t \dot V_n + C_t(V_n) V_n = 0 \)  (4)."""

    def __init__(self, body: RigidBody, pose: pin.SE3, twist: pin.Motion) -> None:
        self._body = body  # keeps the memory behind the address
        self._address = body.packed.ctypes.data
        self._start = MotionSample.of(pose, twist)
        self._memory = Workspace(points=(3, SAMPLE_SIZE))

    def initial_state(self) -> MotionSample:
        return self._start

    def step(self, state: MotionSample, stamp: int, period: int) -> tuple[MotionSample, MotionPoints]:
        self._memory.points[0] = state.array
        _nominal_points(self._address, self._memory.address, 1e-9 * period)
        points = MotionPoints(self._memory.points.copy())
        return points.end, points


class FixedNominal:
    """A nominal that stays where it is: the absolute formulation."""

    def __init__(self, pose: pin.SE3) -> None:
        self._points = MotionPoints.of(*[MotionSample.of(pose)] * 3)

    def initial_state(self) -> None:
        return None

    def step(self, state: None, stamp: int, period: int) -> tuple[None, MotionPoints]:
        return None, self._points


class FunctionNominal:
    """Any motion given as a function of time [s]."""

    def __init__(self, sample_at: Callable[[float], MotionSample]) -> None:
        self._sample_at = sample_at

    def initial_state(self) -> None:
        return None

    def step(self, state: None, stamp: int, period: int) -> tuple[None, MotionPoints]:
        times = (stamp, stamp + period // 2, stamp + period)
        return None, MotionPoints.of(*[self._sample_at(1e-9 * time) for time in times])


class SampledNominal(FunctionNominal):
    """A motion known at some instants: cubic splines through positions and rotations (C2, so dV is continuous).

    Args:
        times: [s], increasing, at least four.
        positions: in the inertial frame, N x 3 [m].
        quaternions: x, y, z, w, N x 4.
    """

    def __init__(self, times: np.ndarray, positions: np.ndarray, quaternions: np.ndarray) -> None:
        self.times = np.asarray(times, dtype=float)
        self._position = CubicSpline(self.times, positions)
        self._rotation = RotationSpline(self.times, Rotation.from_quat(quaternions))
        super().__init__(self._interpolate)

    def _interpolate(self, time: float) -> MotionSample:
        rotation = self._rotation(time).as_matrix()
        angular, angular_rate = self._rotation(time, 1), self._rotation(time, 2)
        linear = rotation.T @ self._position(time, 1)
        # body components: the derivative of R^T v has a part that comes from R turning
        linear_rate = rotation.T @ self._position(time, 2) - np.cross(angular, linear)
        return MotionSample.of(
            pin.SE3(rotation, self._position(time)),
            pin.Motion(linear, angular),
            pin.Motion(linear_rate, angular_rate),
        )


def read_motion(path: str) -> SampledNominal:
    """A motion from a CSV file with a header line: t, x, y, z, qx, qy, qz, qw [s, m]."""
    columns = ["t", "x", "y", "z", "qx", "qy", "qz", "qw"]
    with open(path, encoding="utf-8") as file:
        header = [name.strip() for name in file.readline().lstrip("#").split(",")]
        if header != columns:
            raise ValueError(f"its first line must read {','.join(columns)}, not {','.join(header)}")
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    if len(table) < 4 or not np.all(np.isfinite(table)) or not np.all(np.diff(table[:, 0]) > 0):
        raise ValueError("it must hold at least four rows of finite numbers with increasing times")
    if table.shape[1] != len(columns):
        raise ValueError(f"its rows must hold {len(columns)} numbers, not {table.shape[1]}")
    norms = np.linalg.norm(table[:, 4:], axis=1)
    if np.any(np.abs(norms - 1.0) > 1e-6):
        raise ValueError("its quaternions must have unit length")
    return SampledNominal(table[:, 0], table[:, 1:4], table[:, 4:])
