"""Motions known in closed form, and derivatives taken numerically: what the blocks are compared with."""
from collections.abc import Callable

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.spatial import MotionPoints, MotionSample

NANOSECONDS = 1e9


def swaying(time: float) -> MotionSample:
    """A motion that no free body would make: rocking about an axis, the origin on an elliptic helix."""
    axis = np.array([0.36, 0.48, 0.8])
    phase = 0.7 * time
    angle, rate, acceleration = 0.5 * np.sin(phase), 0.35 * np.cos(phase), -0.245 * np.sin(phase)
    rotation = pin.exp3(axis * angle)
    position = np.array([2.0 * np.cos(0.5 * time), np.sin(0.5 * time), 0.3 * time])
    velocity = np.array([-np.sin(0.5 * time), 0.5 * np.cos(0.5 * time), 0.3])
    second = np.array([-0.5 * np.cos(0.5 * time), -0.25 * np.sin(0.5 * time), 0.0])
    omega, linear = axis * rate, rotation.T @ velocity
    return MotionSample.of(
        pin.SE3(rotation, position),
        pin.Motion(linear, omega),
        pin.Motion(rotation.T @ second - np.cross(omega, linear), axis * acceleration),
    )


def numerical_twist(pose_at: Callable[[float], pin.SE3], time: float, delta: float = 1e-4) -> np.ndarray:
    """Body twist from poses alone, by a central difference of fourth order."""
    here = pose_at(time)

    def displacement(offset: float) -> np.ndarray:
        return pin.log6(here.actInv(pose_at(time + offset))).vector

    near = displacement(delta) - displacement(-delta)
    far = displacement(2 * delta) - displacement(-2 * delta)
    return (8.0 * near - far) / (12.0 * delta)


def numerical_rate(value_at: Callable[[float], np.ndarray], time: float, delta: float = 1e-4) -> np.ndarray:
    near = value_at(time + delta) - value_at(time - delta)
    far = value_at(time + 2 * delta) - value_at(time - 2 * delta)
    return (8.0 * near - far) / (12.0 * delta)


def points_of(motion: Callable[[float], MotionSample], start: float, dt: float) -> MotionPoints:
    return MotionPoints.of(*[motion(start + fraction * dt) for fraction in (0.0, 0.5, 1.0)])
