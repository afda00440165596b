"""What the joints of a device may do: the limits of its description, tightened by the scenario."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.safety import Safety


class JointBounds(NamedTuple):
    """One entry per joint.

    Attributes:
        names: of the joints.
        lower, upper: positions, margin taken off [rad].
        speed: [rad/s]
        acceleration: [rad/s^2]
        effort: [N m]
    """

    names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    speed: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray

    @classmethod
    def of_robot(cls, model: pin.Model, safety: Safety) -> JointBounds:
        """Of a position-controlled robot; the torques of its drives are its own affair."""
        return cls._of(model, safety, safety.robot_acceleration, np.full(model.nv, np.inf))

    @classmethod
    def of_arm(cls, model: pin.Model, safety: Safety) -> JointBounds:
        return cls._of(model, safety, safety.arm_acceleration, safety.arm_torque_share * model.effortLimit)

    @classmethod
    def _of(cls, model: pin.Model, safety: Safety, acceleration: float, effort: np.ndarray) -> JointBounds:
        return cls(
            names=tuple(model.names)[1:],  # the first is the universe
            lower=model.lowerPositionLimit + safety.joint_margin,
            upper=model.upperPositionLimit - safety.joint_margin,
            speed=safety.joint_speed_share * model.velocityLimit,
            acceleration=np.full(model.nv, acceleration),
            effort=effort,
        )
