"""Attitude of a chaser relative to a target that tumbles freely, paper 003, eqs. (6) to (8)."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.spatial import rk4_step

_NONE = np.zeros(3)


@dataclass(frozen=True)
class AttitudeState:
    """Attitudes are rotations from body axes: of the target to inertial ones, of the chaser to the target's."""

    target: np.ndarray
    chaser_in_target: np.ndarray
    rate_target: np.ndarray  # of the target in inertial space, target axes [rad/s]
    rate: np.ndarray  # of the chaser relative to the target, chaser axes [rad/s]

    @property
    def chaser(self) -> np.ndarray:
        """Attitude of the chaser in inertial axes."""
        return self.target @ self.chaser_in_target

    @property
    def rate_chaser(self) -> np.ndarray:
        """Of the chaser in inertial space, chaser axes [rad/s]."""
        return self.rate + self.chaser_in_target.T @ self.rate_target


class RelativeAttitude:
    r"""\( J_c \dot\omega + C_r \omega + n_r = t_c \)  (6), with \(\omega\) relative to the target, in chaser axes.

    Args:
        chaser, target: inertias about the centres of mass, body axes, 3x3 [kg m^2].
    """

    def __init__(self, chaser: np.ndarray, target: np.ndarray) -> None:
        self._chaser, self._target = np.asarray(chaser, dtype=float), np.asarray(target, dtype=float)
        self._chaser_inverse, self._target_inverse = np.linalg.inv(self._chaser), np.linalg.inv(self._target)

    def acceleration(
        self, rate: np.ndarray, chaser_in_target: np.ndarray, rate_target: np.ndarray, torque: np.ndarray = _NONE
    ) -> np.ndarray:
        """Derivative of the relative rate, seen from the chaser; `torque` acts on the chaser, in its axes."""
        inertia, carried = self._chaser, chaser_in_target.T @ rate_target
        turn = pin.skew(carried)
        coriolis = inertia @ turn + turn @ inertia - pin.skew(inertia @ (rate + carried))  # (7)
        free = chaser_in_target.T @ self.target_acceleration(rate_target)
        rest = turn @ (inertia @ carried) + inertia @ free  # (8)
        return self._chaser_inverse @ (torque - coriolis @ rate - rest)

    def target_acceleration(self, rate_target: np.ndarray) -> np.ndarray:
        """Euler's equations of the free target."""
        return -self._target_inverse @ np.cross(rate_target, self._target @ rate_target)

    def step(self, state: AttitudeState, torque: np.ndarray, dt: float) -> AttitudeState:
        """Both attitudes `dt` [s] later, torque held."""

        def law(time: float, poses: object, rates: np.ndarray) -> tuple[list[pin.Motion], np.ndarray]:
            rate_target, rate = rates[:3], rates[3:]
            relative = poses[1].rotation  # type: ignore[index]
            change = np.concatenate(
                [self.target_acceleration(rate_target), self.acceleration(rate, relative, rate_target, torque)]
            )
            return [pin.Motion(_NONE, rate_target), pin.Motion(_NONE, rate)], change

        poses = [pin.SE3(state.target, _NONE), pin.SE3(state.chaser_in_target, _NONE)]
        (target, chaser), rates = rk4_step(law, 0.0, poses, np.concatenate([state.rate_target, state.rate]), dt)
        return AttitudeState(target.rotation, chaser.rotation, rates[:3], rates[3:])
