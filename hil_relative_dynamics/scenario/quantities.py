"""Numbers with units: as the key says in YAML, SI and radians inside."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hil_relative_dynamics.scenario.reader import Kind, Place

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
ZERO: Vector3 = (0.0, 0.0, 0.0)


def finite(value: object) -> float | None:
    """A finite int or float as a float, None for anything else: `true`, text, .nan, 10^400."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


@dataclass(frozen=True)
class Number(Kind[float]):
    """One number; degrees become radians."""

    unit: str = ""
    sign: Literal["finite", "positive", "non-negative"] = "finite"

    @property
    def allowed(self) -> str:
        return f"must be a {self.sign} number" + (f" [{self.unit}]" if self.unit else "")

    def read(self, value: object, at: Place) -> float:
        number = finite(value)
        if number is None or not self._sign_fits(number):
            raise at.error(value, self.allowed)
        return math.radians(number) if self._in_degrees else number

    def write(self, value: float) -> float:
        return degrees_that_read_as(value) if self._in_degrees else value

    def _sign_fits(self, number: float) -> bool:
        return {"finite": True, "positive": number > 0.0, "non-negative": number >= 0.0}[self.sign]

    @property
    def _in_degrees(self) -> bool:
        return self.unit.startswith("deg")


def degrees_that_read_as(angle: float) -> float:
    """The shortest decimal whose `math.radians` is this very angle (`math.degrees` may be a bit off)."""
    close = math.degrees(angle)
    candidates = [float(f"{close:.{digits}g}") for digits in range(1, 18)]
    for side in (-math.inf, math.inf):
        neighbour = close
        for _ in range(3):
            neighbour = math.nextafter(neighbour, side)
            candidates.append(neighbour)
    return next((number for number in candidates if math.radians(number) == angle), close)


@dataclass(frozen=True)
class Numbers(Kind[tuple[float, ...]]):
    """A list of numbers, of a given size or of any."""

    of: Number
    size: int | None = None

    @property
    def unit(self) -> str:
        return self.of.unit

    @property
    def allowed(self) -> str:
        count = "numbers" if self.size is None else f"{self.size} numbers"
        return f"must be a list of {count}" + (f" [{self.unit}]" if self.unit else "")

    def read(self, value: object, at: Place) -> tuple[float, ...]:
        if not isinstance(value, list) or self.size not in (None, len(value)):
            raise at.error(value, self.allowed)
        return tuple(self.of.read(item, at / index) for index, item in enumerate(value))

    def write(self, value: tuple[float, ...]) -> list[float]:
        return [self.of.write(item) for item in value]


def vector(unit: str) -> Numbers:
    """Three numbers, e.g. the components of a force."""
    return Numbers(Number(unit), 3)


@dataclass(frozen=True)
class OneOrPerJoint(Numbers):
    """One number for all joints (read as a float), or a list with one per joint (a tuple)."""

    @property
    def allowed(self) -> str:
        return f"{self.of.allowed}, or a list with one per joint"

    def read(self, value: object, at: Place) -> Any:
        if isinstance(value, list):
            return super().read(value, at)
        if finite(value) is None:
            raise at.error(value, self.allowed)
        return self.of.read(value, at)

    def write(self, value: Any) -> Any:
        return super().write(value) if isinstance(value, tuple) else self.of.write(value)


@dataclass(frozen=True)
class InertiaTensor(Kind[Matrix3]):
    """A 3x3 inertia about the CoM that a rigid body can have."""

    unit: str = "kg m^2"

    @property
    def allowed(self) -> str:
        return f"must be 3 lists of 3 numbers [{self.unit}]"

    def read(self, value: object, at: Place) -> Matrix3:
        if not isinstance(value, list) or len(value) != 3:
            raise at.error(value, self.allowed)
        rows: Any = tuple(vector(self.unit).read(row, at / index) for index, row in enumerate(value))
        tensor = np.array(rows)
        if not np.array_equal(tensor, tensor.T):
            raise at.error(value, f"must be symmetric [{self.unit}]")
        small, middle, large = np.linalg.eigvalsh(tensor)
        moments = f"(principal moments {small:.6g}, {middle:.6g}, {large:.6g} {self.unit})"
        if not small > 1e-12 * large:  # round-off of a singular tensor may lie above 0
            raise at.error(value, f"must be positive definite {moments}")
        if small < large * (1.0 - 1e-9) - middle:  # a flat plate has equality, up to round-off
            raise at.error(value, f"must have no principal moment above the sum of the others {moments}")
        return rows

    def write(self, value: Matrix3) -> list[list[float]]:
        return [list(row) for row in value]
