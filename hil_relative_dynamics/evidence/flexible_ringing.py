"""What a flight of a flexible client showed: how it rang, and what it conserved."""
from __future__ import annotations

from dataclasses import dataclass
from math import exp, pi

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.spatial import orientation_error, position_error

#: of a recording are looked at where each costs Python calls
MOST_ROWS = 1000


@dataclass(frozen=True)
class Ringing:
    """One damped oscillation of the hub."""

    frequency: float
    """[Hz]"""
    damping: float
    """Ratio."""
    amplitude: float
    """At the start [m or rad]."""

    @property
    def peak_to_peak(self) -> float:
        """From the start to the turning point half a cycle later."""
        return self.amplitude * (1.0 + exp(-pi * self.damping))


def free_response(body: FlexibleBody, deflections: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [rad/s], and in columns how each vibration moves the hub when the body is let go (undamped)."""
    frequencies, shapes = body.frequencies()
    # shapes have unit modal mass; the hub starts where no rigid motion remains
    shares = shapes[6:].T @ (body.stiffness * deflections) / frequencies**2
    return frequencies, shapes[:6] * shares


def ringing(times: np.ndarray, motion: np.ndarray, guesses: list[float]) -> list[Ringing]:
    """Damped oscillations near the guessed frequencies [rad/s] in a motion that may also drift, by least squares."""

    def columns(unknown: np.ndarray) -> np.ndarray:
        listed = [np.ones_like(times), times]
        for frequency, decay in unknown.reshape(-1, 2):
            listed += [np.exp(-decay * times) * wave(frequency * times) for wave in (np.cos, np.sin)]
        return np.stack(listed, axis=1)

    def residual(unknown: np.ndarray) -> np.ndarray:
        matrix = columns(unknown)
        weights, *_ = np.linalg.lstsq(matrix, motion, rcond=None)
        return np.asarray((matrix @ weights - motion) / scale)

    scale = float(np.std(motion)) or 1.0
    start = np.array([[guess, 0.005 * guess] for guess in guesses]).ravel()
    found = least_squares(residual, start, x_scale=np.abs(start), xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    weights, *_ = np.linalg.lstsq(columns(found), motion, rcond=None)
    pairs = weights[2:].reshape(-1, 2)
    return [
        Ringing(*map(float, (np.hypot(*pole) / (2 * pi), pole[1] / np.hypot(*pole), np.hypot(*pair))))
        for pole, pair in zip(found.reshape(-1, 2), pairs)
    ]


@dataclass(frozen=True)
class HubMotion:
    """The hub along or about the one axis along or about which it rings most."""

    turns: bool
    axis: np.ndarray

    @classmethod
    def of(cls, body: FlexibleBody, deflections: np.ndarray) -> HubMotion:
        _, amplitudes = free_response(body, deflections)
        swing = amplitudes[:, np.argmax(np.linalg.norm(amplitudes, axis=0))]
        turns = bool(np.linalg.norm(swing[3:]) > np.linalg.norm(swing[:3]))
        part = swing[3:] if turns else swing[:3]
        largest = part[np.argmax(np.abs(part))]
        if largest == 0.0:  # nothing swings: any axis will do
            return cls(turns, np.array([1.0, 0.0, 0.0]))
        return cls(turns, np.sign(largest) * part / np.linalg.norm(part))

    def __call__(self, samples: np.ndarray) -> np.ndarray:
        """[m] or [rad], from rows of motion samples."""
        if not self.turns:
            return np.asarray(samples[:, :3] @ self.axis)
        return np.array([pin.log3(pin.Quaternion(row).toRotationMatrix()) @ self.axis for row in samples[:, 3:7]])

    @property
    def unit(self) -> tuple[str, float]:
        return ("deg", 180.0 / pi) if self.turns else ("mm", 1e3)

    def heard(self, body: FlexibleBody, deflections: np.ndarray) -> list[float]:
        """Frequencies [rad/s] that show in this motion: at least a tenth as strong as the strongest."""
        frequencies, amplitudes = free_response(body, deflections)
        sizes = np.abs(self.axis @ (amplitudes[3:] if self.turns else amplitudes[:3]))
        return [float(frequency) for frequency, size in zip(frequencies, sizes) if size > 0.1 * np.max(sizes)]


def balance(body: FlexibleBody, times: np.ndarray, hub: np.ndarray, modes: np.ndarray) -> dict[str, float]:
    """Largest change of momentum and of energy that nothing explains, of a body that nobody touches."""
    count, every = body.modes, max(1, len(hub) // MOST_ROWS)
    taken = (modes[:, count:] ** 2) @ body.damping
    spent = _integral(taken, times[1] - times[0]) if len(times) > 2 else np.zeros_like(taken)
    rows = [(row[7:13], x[:count], x[count:]) for row, x in zip(hub[::every], modes[::every])]
    poses = [pin.XYZQUATToSE3(row) for row in hub[::every, :7]]
    momenta = np.array([body.momentum(pose, *row).vector.copy() for pose, row in zip(poses, rows)])
    energies = np.array([body.energy(*row) for row in rows])
    change = momenta - momenta[0]
    return {
        "linear_momentum_error_N_s": float(np.max(np.linalg.norm(change[:, :3], axis=1))),
        "angular_momentum_error_N_m_s": float(np.max(np.linalg.norm(change[:, 3:], axis=1))),
        "energy_error_J": float(np.max(np.abs(energies - energies[0] + spent[::every]))),
    }


def matching(nominal: np.ndarray, commanded: np.ndarray, hub: np.ndarray) -> dict[str, float]:
    """Largest distance and angle of g_n g_c from g_t."""
    errors, every = [], max(1, len(hub) // MOST_ROWS)
    for rows in zip(nominal[::every, :7], commanded[::every, :7], hub[::every, :7]):
        pose_nominal, pose_relative, pose = (pin.XYZQUATToSE3(row) for row in rows)
        reached = pose_nominal * pose_relative
        errors.append((position_error(reached, pose), orientation_error(reached, pose)))
    position, orientation = np.max(errors, axis=0)
    return {"relative_position_error_m": float(position), "relative_orientation_error_rad": float(orientation)}


def _integral(rate: np.ndarray, dt: float) -> np.ndarray:
    """Up to each instant: trapezoids with the correction of their ends, of fourth order."""
    slopes = np.gradient(rate, dt, edge_order=2)
    steps = 0.5 * dt * (rate[1:] + rate[:-1]) - dt**2 / 12 * np.diff(slopes)
    return np.concatenate([[0.0], np.cumsum(steps)])
