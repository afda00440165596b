"""What surrounds the two spacecraft: nominal motion, facility and laboratory."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.quantities import ZERO, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Choice, FileName

NominalKind = Literal["unforced", "fixed", "file"]
FacilityKind = Literal["none"]


@dataclass(frozen=True, kw_only=True)
class Nominal(Part):
    """The nominal motion, relative to which the facility moves."""

    kind: NominalKind = entry(
        "kind",
        Choice(get_args(NominalKind)),
        "unforced: the client's own motion from its start, without wrenches; fixed: at rest where the"
        " client starts; file: read from a file",
        "unforced",
    )
    file: Path | None = entry("file", FileName("config/scenarios"), "the motion, with kind: file", None)

    def resolved(self, at: Place) -> Nominal:
        if self.kind == "file" and self.file is None:
            raise self.error("file", at, "must name a readable file with kind: file")
        if self.kind != "file" and self.file is not None:
            raise self.error("file", at, f"must be left out with kind: {self.kind}")
        return self


@dataclass(frozen=True, kw_only=True)
class Facility(Part):
    """The robots that move the mock-ups."""

    kind: FacilityKind = entry("kind", Choice(get_args(FacilityKind)), "none: all motion is perfect", "none")


@dataclass(frozen=True, kw_only=True)
class Laboratory(Part):
    """The room in which the mock-ups move."""

    gravity: Vector3 = entry("gravity_m_s2", vector("m/s^2"), "gravity in laboratory axes", (0.0, 0.0, -9.81))
    base_attitude_rpy: Vector3 = entry(
        "base_attitude_rpy_deg", vector("deg"), f"attitude of the servicer mock-up at start: {RPY}", ZERO
    )

    @property
    def base_rotation(self) -> np.ndarray:
        """Takes base axes to laboratory axes, at start."""
        return pin.rpy.rpyToMatrix(*self.base_attitude_rpy)
