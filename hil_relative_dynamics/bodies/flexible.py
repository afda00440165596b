"""A hub with flexible appendages: eqs. (1) to (7) of the flexible-client paper, in the hub's own frame.

That frame floats with the hub; deflections are of first order, so that a spinning beam is not stiffened by its spin
(an effect of (spin rate / bending frequency)^2, which is 2e-3 for an Envisat panel at 2.5 deg/s).
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from scipy.linalg import eigh
from scipy.linalg.lapack import dposv

from hil_relative_dynamics.bodies.appendage import Appendage, Integrals, joined


class FlexibleBody:
    r"""A body that obeys  \( M(q) [\dot V; \ddot q] = Q_v + Q_e + [F; 0] \)  (1).

    V is the hub's body twist, q the modal coordinates of all appendages in turn (tip deflections [m]). The
    mass matrix (2) has blocks  \( M_{rr}(q) \)  (3) to (5),  \( G = [\bar S; \bar I_{\theta f}] \)  and the diagonal
    modal masses. An appendage that bends about one axis has constant G and  \( M_{rr} \)  of second degree in q:

    \( M_{rr}(q) = M_0 + \sum_k (q_k A_k + q_k^2 B_k) \)

    The quadratic velocity vector (7) then is  \( -\dot M_{rr} V - V \times^* (M_{rr} V + G \dot q) \)  for the
    hub and  \( \frac12 V^T (A_k + 2 q_k B_k) V \)  for each mode: every term of (7), with its sign.
    """

    def __init__(self, hub: pin.Inertia, appendages: Sequence[Appendage]) -> None:
        self.hub, self.appendages = hub, tuple(appendages)
        parts = [Integrals(appendage) for appendage in self.appendages]
        self.modal_mass = joined([part.modal_mass for part in parts])
        self.stiffness = joined([part.stiffness for part in parts])
        self.damping = joined([part.damping for part in parts])
        self.modes = len(self.modal_mass)
        self._undeformed = hub.matrix() + sum((part.undeformed for part in parts), np.zeros((6, 6)))
        self.coupling = np.hstack([np.zeros((6, 0)), *[part.coupling for part in parts]])
        linear = [matrix.ravel() for part in parts for matrix in part.linear]
        quadratic = [matrix.ravel() for part in parts for matrix in part.quadratic]
        self._gradient = np.array(linear + quadratic).reshape(2 * self.modes, 36)  # A_k, then B_k
        self._per_mass = self.coupling / self.modal_mass
        # what is left of the inertia when the modes give way: constant but for M_rr itself
        self._yielding = self._undeformed - self._per_mass @ self.coupling.T

    @property
    def packed(self) -> np.ndarray:
        """As `kernels/flexible.c` lays a body out."""
        parts = self._undeformed, self._gradient, self.coupling.T, self.modal_mass, self.stiffness, self.damping
        return np.concatenate([[self.modes], *(part.ravel() for part in parts)])

    @classmethod
    def within(cls, whole: pin.Inertia, appendages: Sequence[Appendage]) -> FlexibleBody:
        """A body of known inertia some parts of which are flexible: the hub is what remains without them.

        Raises:
            ValueError: nothing that can exist would remain.
        """
        return cls(_from_matrix(whole.matrix() - cls(pin.Inertia.Zero(), appendages)._undeformed), appendages)

    @property
    def rigid(self) -> pin.Inertia:
        """Everything together, undeformed and rigid."""
        return _from_matrix(self._undeformed)

    def inertia_matrix(self, q: np.ndarray) -> np.ndarray:
        """M_rr, 6x6: of the whole body frozen in its present shape."""
        return self._undeformed + (np.concatenate([q, q * q]) @ self._gradient).reshape(6, 6)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """(2), twist first."""
        return np.block([[self.inertia_matrix(q), self.coupling], [self.coupling.T, np.diag(self.modal_mass)]])

    def frequencies(self) -> tuple[np.ndarray, np.ndarray]:
        """Small undamped vibrations of the free body: frequencies [rad/s], shapes in columns (twist first)."""
        stiffness = np.diag(np.concatenate([np.zeros(6), self.stiffness]))
        squares, shapes = eigh(stiffness, self.mass_matrix(np.zeros(self.modes)))
        return np.sqrt(squares[6:]), shapes[:, 6:]

    @property
    def longest_step(self) -> float:
        """With which RK4 still follows the fastest vibration [s]: a radian of it."""
        return 1.0 / float(self.frequencies()[0].max(initial=0.0) or 1e-9)

    def elastic_force(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """-k q - b dq on the modes."""
        return -self.stiffness * q - self.damping * dq

    def quadratic_velocity(self, twist: np.ndarray, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Coriolis and centrifugal terms of (7), without the elastic ones."""
        _, hub, modal = self._velocity_terms(twist, q, dq)
        return np.concatenate([hub, modal])

    def acceleration(
        self, twist: np.ndarray, q: np.ndarray, dq: np.ndarray, wrench: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivative of the hub's twist and of the modal rates under a wrench on the hub, (1)."""
        shape, hub, modal = self._velocity_terms(twist, q, dq)
        force = modal + self.elastic_force(q, dq)
        # the modal rows solved first: what remains is 6x6, however many modes there are
        _, acceleration, _ = dposv(self._yielding + shape, wrench + hub - self._per_mass.dot(force))
        return acceleration, (force - acceleration.dot(self.coupling)) / self.modal_mass

    def driven(
        self, twist: np.ndarray, acceleration: np.ndarray, q: np.ndarray, dq: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of a hub that moves as it is told: the modes' accelerations, and the wrench on the hub that it takes, (1)."""
        shape, hub, modal = self._velocity_terms(twist, q, dq)
        ddq = (modal + self.elastic_force(q, dq) - acceleration.dot(self.coupling)) / self.modal_mass
        return ddq, (self._undeformed + shape).dot(acceleration) + self.coupling.dot(ddq) - hub

    def momentum(self, pose: pin.SE3, twist: np.ndarray, q: np.ndarray, dq: np.ndarray) -> pin.Force:
        """Linear and angular momentum in the inertial frame, about its origin."""
        return pose.act(pin.Force(self.inertia_matrix(q) @ twist + self.coupling @ dq))

    def energy(self, twist: np.ndarray, q: np.ndarray, dq: np.ndarray) -> float:
        """Kinetic energy and that of bending [J]."""
        of_hub = (0.5 * self.inertia_matrix(q) @ twist + self.coupling @ dq) @ twist
        return float(of_hub + 0.5 * (self.modal_mass @ (dq * dq) + self.stiffness @ (q * q)))

    def dissipation(self, dq: np.ndarray) -> float:
        """What damping takes [W]."""
        return float(self.damping @ (dq * dq))

    def _velocity_terms(
        self, twist: np.ndarray, q: np.ndarray, dq: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M_rr less the undeformed one, and the two parts of the quadratic velocity vector."""
        count = self.modes
        powers = np.empty((2, 2 * count))  # of q, and their rates
        powers[0, :count] = q
        powers[0, count:] = q * q
        powers[1, :count] = dq
        powers[1, count:] = 2.0 * q * dq
        shape, rate = powers.dot(self._gradient).reshape(2, 6, 6)
        carried = pin.Force((self._undeformed + shape).dot(twist) + self.coupling.dot(dq))
        hub = -rate.dot(twist) - pin.Motion(twist).cross(carried).vector
        slopes = self._gradient.dot((twist[:, None] * twist).ravel())
        return shape, hub, 0.5 * slopes[:count] + q * slopes[count:]


def _from_matrix(matrix: np.ndarray) -> pin.Inertia:
    mass = matrix[0, 0]
    lever = pin.unSkew(matrix[3:, :3]) / mass
    skew = pin.skew(lever)
    about_com = matrix[3:, 3:] + mass * skew @ skew
    small, middle, large = np.linalg.eigvalsh(about_com)
    if not 0.0 < small or small + middle < large * (1.0 - 1e-9):
        raise ValueError(f"principal moments of {small:.4g}, {middle:.4g} and {large:.4g} kg m^2 cannot be")
    return pin.Inertia(mass, lever, about_com)
