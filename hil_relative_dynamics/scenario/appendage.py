"""A flexible appendage of a client, as a scenario describes it."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hil_relative_dynamics.scenario.quantities import ZERO, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Whole

MOST_MODES = 20


@dataclass(frozen=True, kw_only=True)
class Appendage(Part):
    """A beam or panel clamped to the body at one end: it runs along the x axis of its own frame."""

    position: Vector3 = entry("position_m", vector("m"), "where it is clamped, in body axes")
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), "attitude of its frame in the body", ZERO)
    bending_axis: Vector3 = entry(
        "bending_axis",
        vector(""),
        "about which it bends, in its own axes, at right angles to x; a positive deflection turns the tip about it",
        (0.0, -1.0, 0.0),
    )
    length: float = entry("length_m", Number("m", "positive"), "length")
    width: float = entry("width_m", Number("m", "non-negative"), "width along the bending axis; 0: a thin beam", 0.0)
    mass: float = entry("mass_kg", Number("kg", "positive"), "mass, evenly spread")
    stiffness: float = entry("stiffness_N_m2", Number("N m^2", "positive"), "bending stiffness EI")
    damping: float = entry("damping_ratio", Number("", "non-negative"), "of every mode, below 1", 0.0)
    modes: int = entry("modes", Whole(), "how many bending modes it has, at least 1", 2)
    tip_deflection: float = entry(
        "tip_deflection_m", Number("m"), "how far its tip is bent at the start, in its first mode, and let go", 0.0
    )

    def resolved(self, at: Place) -> Appendage:
        if self.modes < 1 or self.modes > MOST_MODES:
            raise self.error("modes", at, f"must be a whole number from 1 to {MOST_MODES}")
        if not self.damping < 1.0:
            raise self.error("damping_ratio", at, "must be a number from 0 to below 1")
        axis = np.array(self.bending_axis)
        if not np.linalg.norm(axis) > 0.0 or abs(axis[0]) > 1e-9 * np.linalg.norm(axis):
            raise self.error("bending_axis", at, "must be at right angles to the beam: [0, y, z], not all zero")
        return self

