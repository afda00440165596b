"""An appendage: a beam on a hub, and its integrals over the mass in the hub's axes."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.scenario.appendage import Appendage as Described

_IDENTITY = np.eye(3)


@dataclass(frozen=True)
class Appendage:
    """A beam on the hub: it runs along the x axis of its own frame and bends about one axis."""

    beam: Beam
    pose: pin.SE3
    """Of the root, in the hub."""
    bending_axis: np.ndarray
    """In the appendage's axes, at right angles to x; a positive deflection turns the tip about it."""
    modes: int = 2
    damping: float = 0.0
    """Ratio zeta, of every mode."""


def appendages_of(described: Sequence[Described]) -> list[Appendage]:
    """The appendages of a scenario."""
    return [
        Appendage(
            Beam(part.length, part.mass, part.stiffness, part.width),
            pin.SE3(pin.rpy.rpyToMatrix(*part.rpy), np.array(part.position)),
            np.array(part.bending_axis),
            part.modes,
            part.damping,
        )
        for part in described
    ]


def deflections_of(described: Sequence[Described]) -> np.ndarray:
    """The modal coordinates at the start: each first mode by the given tip deflection."""
    return joined([np.array([part.tip_deflection] + [0.0] * (part.modes - 1)) for part in described])


class Integrals:
    """One appendage: its integrals over the mass, in hub axes."""

    def __init__(self, appendage: Appendage) -> None:
        modes = appendage.beam.modes(appendage.modes)
        rotation, root = appendage.pose.rotation, appendage.pose.translation
        along, axis = rotation[:, 0], rotation @ (appendage.bending_axis / np.linalg.norm(appendage.bending_axis))
        across = np.cross(axis, along)  # where a positive deflection goes
        mass, length, width = appendage.beam.mass, appendage.beam.length, appendage.beam.width
        self.modal_mass = modes.mass
        self.stiffness = modes.mass * modes.frequencies**2
        self.damping = 2.0 * appendage.damping * modes.frequencies * modes.mass
        middle = root + 0.5 * length * along
        second = mass * (
            np.outer(middle, middle) + length**2 / 12 * np.outer(along, along) + width**2 / 12 * np.outer(axis, axis)
        )
        self.undeformed = _inertia(mass, mass * middle, second)
        firsts = np.outer(modes.first, across)
        moments = np.outer(modes.first, root) + np.outer(modes.lever, along)  # int phi r dm
        self.coupling = np.vstack([firsts.T, np.cross(moments, across).T])
        products = [np.outer(moment, across) for moment in moments]
        self.linear = [_inertia(0.0, first, product + product.T) for first, product in zip(firsts, products)]
        self.quadratic = [_inertia(0.0, np.zeros(3), m * np.outer(across, across)) for m in modes.mass]


def _inertia(mass: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """6x6 from the integrals of 1, r and r r^T over a mass."""
    skew = pin.skew(first)
    rotary = np.trace(second) * _IDENTITY - second
    return np.block([[mass * _IDENTITY, -skew], [skew, rotary]])


def joined(arrays: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *arrays])
