"""The mixer of a hexarotor with tilted rotors: rotor speeds to force and torque, and back, paper 003, eq. (23)."""
from __future__ import annotations

from math import pi

import numpy as np
import pinocchio as pin

WORST_CONDITION = 50.0
"""A mixer whose condition is worse is of no use: some wrench takes fifty times the thrust of another."""


def _turn(axis: int, angle: float) -> np.ndarray:
    return pin.exp3(angle * np.eye(3)[axis])


class Mixer:
    r"""Six rotors on arms 60 degrees apart, each turned by alpha about its arm (sides alternate) and by beta across it.

    \( [F; M] = \sum_i k_f [z_i; p_i \times z_i + c_i \kappa z_i] \omega_i^2 \), with
    \( R_i = R_z(\psi_i) R_x(s_i \alpha) R_y(\beta) \), \( z_i \) its third column, \( \psi_i = i \pi / 3 \).
    In the paper's symbols A holds the z_i, B the levers, C the drag: \( H = [A C_T; B L C_T + C C_D] \).

    Args:
        arm: from the centre of mass to each rotor [m].
        alpha, beta: tilt [rad].
        thrust: k_f [N/(rad/s)^2], of all rotors or of each.
        drag: kappa, torque over thrust of a rotor [m].
        slowest, fastest: speed of a rotor [rad/s].
    """

    def __init__(
        self,
        arm: float,
        alpha: float,
        beta: float,
        thrust: float | np.ndarray,
        drag: float,
        slowest: float,
        fastest: float,
    ) -> None:
        self.slowest, self.fastest = slowest, fastest
        self._least, self._most = slowest**2, fastest**2
        sides = np.array([1.0, -1.0] * 3)
        rotations = [_turn(2, i * pi / 3) @ _turn(0, s * alpha) @ _turn(1, beta) for i, s in enumerate(sides)]
        self.axes = np.array([rotation[:, 2] for rotation in rotations])
        self.positions = arm * np.array([_turn(2, i * pi / 3)[:, 0] for i in range(6)])
        self.spins = -sides  # a rotor leaning to one side turns to the other: drag and lever add up in yaw
        self.thrust, self.drag = thrust, drag
        torques = np.cross(self.positions, self.axes) + drag * self.spins[:, None] * self.axes
        directions = np.hstack([self.axes, torques]).T
        self.matrix = directions * thrust
        scaled = directions / np.repeat([1.0, arm], 3)[:, None]  # torques as forces at the arm's end
        self.singular_values = np.linalg.svd(scaled, compute_uv=False)
        self.inverse = np.linalg.inv(self.matrix) if self.rank == 6 else None

    @property
    def condition(self) -> float:
        """Largest over smallest singular value, torques taken as forces at the end of an arm."""
        large, small = self.singular_values[[0, -1]]
        return float(large / small) if small > 0.0 else float("inf")

    @property
    def rank(self) -> int:
        return int(np.sum(self.singular_values > 1e-9 * self.singular_values[0]))

    def wrench(self, speeds: np.ndarray) -> np.ndarray:
        """[F; M] on the vehicle in its axes, of the rotor speeds [rad/s]."""
        return self.matrix @ (speeds * speeds)

    def speeds(self, wrench: np.ndarray) -> np.ndarray:
        """Rotor speeds that give a wrench, or what comes near it: lift first, then torque, then horizontal force.

        In this order as attitude and height are what a vehicle must not lose; what does not fit is scaled down.
        """
        assert self.inverse is not None, "no full rank"
        squares = self.inverse @ wrench
        if squares.min() < self._least or squares.max() > self._most:
            squares = self._nearest(wrench)
        return np.sqrt(squares)

    def _nearest(self, wrench: np.ndarray) -> np.ndarray:
        parts = self.inverse * wrench  # columns: what each component of the wrench takes
        squares = np.clip(parts[:, 2], self._least, self._most)
        for part in (parts[:, 3:].sum(axis=1), parts[:, 0] + parts[:, 1]):
            squares = squares + self._share(squares, part) * part
        return np.clip(squares, self._least, self._most)

    def _share(self, squares: np.ndarray, part: np.ndarray) -> float:
        """How much of a part fits between the limits, 0 to 1."""
        room = np.where(part > 0.0, self._most - squares, squares - self._least)
        needed = np.abs(part)
        shares = np.divide(room, needed, out=np.ones_like(room), where=needed > 0.0)
        return float(np.clip(shares.min(), 0.0, 1.0))

    @property
    def lifts(self) -> tuple[float, float]:
        """Smallest and largest lift without torque or horizontal force [N]."""
        assert self.inverse is not None, "no full rank"
        shares = self.inverse[:, 2]
        return float(self._least / shares.min()), float(self._most / shares.max())

    def horizontal_force(self, lift: float) -> float:
        """The largest horizontal force that every direction allows while the rotors lift `lift` [N] without torque."""
        assert self.inverse is not None, "no full rank"
        hover = self.inverse[:, 2] * lift
        if hover.min() < self._least or hover.max() > self._most:
            return 0.0
        angles = np.arange(720) * pi / 360
        parts = self.inverse[:, :2] @ np.array([np.cos(angles), np.sin(angles)])
        room = np.where(parts > 0.0, (self._most - hover)[:, None], (hover - self._least)[:, None])
        return float((room / np.maximum(np.abs(parts), 1e-300)).min())
