"""A rigid body with full inertia tensor and a centre of mass anywhere, eq. (2)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin


def packed_inertia(inertia: pin.Inertia) -> np.ndarray:
    """Mass, first moment and inertia about the frame's origin, as `kernels/spatial.h` lays them out."""
    matrix = inertia.matrix()
    return np.concatenate([[inertia.mass], inertia.mass * inertia.lever, matrix[3:, 3:].ravel()])


class RigidBody:
    r"""A body that obeys  \( M_t \dot V_t + C_t(V_t) V_t = F_t \)  (2).

    Twists and wrenches are taken at the origin of the body frame, in its axes; the centre of mass may be
    anywhere. A wrench known in another frame of the body is moved there with `transport_wrench`.
    """

    def __init__(self, inertia: pin.Inertia) -> None:
        self.inertia = inertia
        self.packed = packed_inertia(inertia)
        self._inverse = np.linalg.inv(inertia.matrix())

    def coriolis_wrench(self, twist: pin.Motion) -> pin.Force:
        """C(V) V = V x* (M V): what it takes to keep the body twist constant."""
        return twist.cross(self.inertia * twist)

    def acceleration(self, twist: pin.Motion, wrench: pin.Force) -> pin.Motion:
        """Derivative of the body twist under a wrench on the body, (2)."""
        return pin.Motion(self._inverse @ (wrench - self.coriolis_wrench(twist)).vector)

    def inverse_matrix(self) -> np.ndarray:
        """M^-1, 6x6."""
        return self._inverse

    def kinetic_energy(self, twist: pin.Motion) -> float:
        """[J]"""
        return 0.5 * twist.dot(self.inertia * twist)

    def momentum(self, pose: pin.SE3, twist: pin.Motion) -> pin.Force:
        """Linear and angular momentum in the inertial frame, about its origin."""
        return pose.act(self.inertia * twist)
