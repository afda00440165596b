"""What resists the arm's joints: friction and end stops."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer

WIDTH = 0.005
"""Below about this speed dry friction fades out [rad/s]: a stuck joint creeps by a part of it."""


class JointFriction:
    r"""Viscous and Coulomb friction, smooth near rest:  \( \tau = -(b + c / \sqrt{\dot q^2 + w^2}) \dot q \).

    Args:
        viscous: b of each joint [N m s/rad].
        coulomb: c of each joint [N m].
    """

    def __init__(self, viscous: np.ndarray, coulomb: np.ndarray) -> None:
        self._viscous, self._coulomb = viscous, coulomb

    @property
    def is_zero(self) -> bool:
        return not (self._viscous.any() or self._coulomb.any())

    def resistance(self, velocity: np.ndarray) -> np.ndarray:
        """Friction over speed [N m s/rad], never negative."""
        return self._viscous + self._coulomb / np.sqrt(velocity * velocity + WIDTH * WIDTH)

    def torque(self, velocity: np.ndarray) -> np.ndarray:
        """On the joints [N m]."""
        return -self.resistance(velocity) * velocity


class JointResistance:
    r"""How resistances R slow down the coupled joints in a step h:  \( (M_q + h R) \dot q' = M_q \dot q \).

    Implicit, so that no resistance is too large for the step: energy only decreases, and a huge one stops its
    joint without a rebound, with the due jerk on all others.
    """

    def __init__(self, servicer: FreeFlyer) -> None:
        self._model = pin.buildReducedModel(servicer.model, [1], pin.neutral(servicer.model))  # base held
        self._model.gravity.setZero()
        self._data = self._model.createData()
        self._rest = np.zeros(self._model.nv)

    def change(
        self, position: np.ndarray, velocity: np.ndarray, resistance: np.ndarray, dt: float
    ) -> np.ndarray:
        """Of the velocity: -(M_q + h R)^-1 h R dq, where h R stands like the inertia of rotors."""
        self._model.armature = inertia = dt * resistance
        return pin.aba(self._model, self._data, position, self._rest, -inertia * velocity)
