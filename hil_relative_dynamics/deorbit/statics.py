"""What acts between two bodies that move as one, without integrating anything: (10) to (17), (19)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin


class Loads(NamedTuple):
    """Between chaser and target, on the target."""

    normal: np.ndarray  # of each contact [N]
    lateral: np.ndarray  # F_l, y and z [N]
    torque: float  # tau_x [N m]


def rigid_start(target: pin.Inertia, chaser: pin.Inertia, thrust: pin.Force) -> tuple[pin.Force, pin.Motion]:
    """Force and torque on the target at its CoM, (14), (15), and the common acceleration, (11), from rest.

    Everything in the contact frame; `thrust` acts on the chaser, at the frame's origin.
    """
    both = target + chaser
    acceleration = pin.Motion(np.linalg.solve(both.matrix(), thrust.vector))
    wrench = target * acceleration
    at_com = pin.SE3(np.eye(3), target.lever).actInv(wrench)
    return at_com, acceleration


def balance_matrix(contacts: np.ndarray, lateral_point: np.ndarray) -> np.ndarray:
    """The matrix of (16), 6 x (n + 3).

    Its signs ask for vectors from the target's CoM to the contacts (3 x n) and to where the lateral force acts; the
    text beside it has them the other way round.
    """
    count = contacts.shape[1]
    if count < 3:
        raise ValueError(f"{count} contacts cannot balance a torque about two axes: at least three are needed")
    matrix = np.zeros((6, count + 3))
    matrix[0, :count] = 1.0
    matrix[4, :count], matrix[5, :count] = contacts[2], -contacts[1]
    matrix[1, count] = matrix[2, count + 1] = matrix[3, count + 2] = 1.0
    x, y, z = lateral_point
    matrix[3:, count] = -z, 0.0, x
    matrix[3:, count + 1] = y, -x, 0.0
    return matrix


def internal_loads(wrench: pin.Force, contacts: np.ndarray, lateral_point: np.ndarray) -> Loads:
    """Solves (16) for a wrench on the target at its CoM.

    Of all solutions for more than three contacts, the smallest: normal forces that grow linearly across the face, as
    equal springs on rigid bodies share them.
    """
    count = contacts.shape[1]
    found, *_ = np.linalg.lstsq(balance_matrix(contacts, lateral_point), wrench.vector, rcond=None)
    return Loads(found[:count], found[count : count + 2], float(found[count + 2]))


def lateral_force(
    mass_target: float, inertia: np.ndarray, deviation: np.ndarray, thrust: np.ndarray, arm: np.ndarray
) -> np.ndarray:
    """(17): m_t I^-1 (r_dev x F_thr) x r_st, with r_dev from the common CoM to the thrust line [N]."""
    return np.asarray(mass_target * np.cross(np.linalg.solve(inertia, np.cross(deviation, thrust)), arm))


def lateral_force_diagonal(
    mass_target: float, moments: np.ndarray, deviation: np.ndarray, thrust: float, arm: np.ndarray
) -> np.ndarray:
    """(19) for a diagonal inertia, corrected: I_3 belongs to y, I_2 to z, and x is neither over I_1 nor times l_x."""
    (_, second, third), (_, dy, dz), (lx, ly, lz) = moments, deviation, arm
    along_x = dz * lz / second + dy * ly / third
    return mass_target * thrust * np.array([along_x, -dy * lx / third, -dz * lx / second])


def sliding_frequencies(target: pin.Inertia, chaser: pin.Inertia, thrust: float) -> np.ndarray:
    r"""Of the undamped oscillation without friction, in y and z [rad/s].

    The normal force N pushes the target aside of its CoM by the deviation e, and both bodies turn together:
    \( (I_t + I_s) \ddot\theta = N e \), each about its own CoM. Seen from the chaser, whose CoM is l behind, the
    target's comes back by \( l \theta \): \( \omega^2 = N l / (I_t + I_s) \). Small angles, no damping.
    """
    normal = thrust * target.mass / (target.mass + chaser.mass)
    distance = target.lever[0] - chaser.lever[0]
    moments = np.diag(target.inertia + chaser.inertia)
    return np.sqrt(normal * distance / moments[[2, 1]])
