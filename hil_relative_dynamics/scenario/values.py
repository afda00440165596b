"""What else a scenario holds: times, counts, words and files."""
from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from hil_relative_dynamics.scenario.quantities import finite
from hil_relative_dynamics.scenario.reader import Kind, Place
from hil_relative_dynamics.scenario.share import share

LONGEST_S = 10**9  # keeps every time within the 64-bit nanoseconds of ROS


@dataclass(frozen=True)
class Time(Kind[int]):
    """A time as integer nanoseconds, taken exactly from the decimal number as written."""

    unit: str = "s"
    positive: bool = False

    @property
    def allowed(self) -> str:
        sign = "positive" if self.positive else "non-negative"
        return f"must be {sign}, a whole number of nanoseconds and at most {LONGEST_S} s [{self.unit}]"

    def read(self, value: object, at: Place) -> int:
        if finite(value) is None:
            raise at.error(value, self.allowed)
        nanoseconds = Decimal(str(value)) * self._nanoseconds
        lowest = 1 if self.positive else 0
        if not lowest <= nanoseconds <= LONGEST_S * 10**9 or nanoseconds % 1 != 0:
            raise at.error(value, self.allowed)
        return int(nanoseconds)

    def write(self, value: int) -> float:
        return float(Decimal(value) / self._nanoseconds)

    @property
    def _nanoseconds(self) -> int:
        return {"s": 10**9, "ms": 10**6}[self.unit]


@dataclass(frozen=True)
class Whole(Kind[int]):
    """A whole number, 0 or more."""

    allowed = "must be a whole number not below 0"

    def read(self, value: object, at: Place) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise at.error(value, self.allowed)
        return value


@dataclass(frozen=True)
class Flag(Kind[bool]):
    """true or false."""

    allowed = "must be true or false"

    def read(self, value: object, at: Place) -> bool:
        if not isinstance(value, bool):
            raise at.error(value, self.allowed)
        return value


@dataclass(frozen=True)
class Text(Kind[str]):
    """Words on one line; line breaks become spaces."""

    allowed = "must be text"

    def read(self, value: object, at: Place) -> str:
        if not isinstance(value, str) or not value.strip():
            raise at.error(value, self.allowed)
        return " ".join(value.split())


@dataclass(frozen=True)
class Choice(Kind[str]):
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return f"must be {' or '.join(self.words)}"

    def read(self, value: object, at: Place) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise at.error(value, self.allowed)
        return value


@dataclass(frozen=True)
class FileName(Kind[Path]):
    """A readable file: absolute, beside the scenario file, or in a folder of the package's share."""

    share_folder: str

    @property
    def allowed(self) -> str:
        return f"must name a readable file beside the scenario file or in {share() / self.share_folder}"

    def read(self, value: object, at: Place) -> Path:
        if isinstance(value, str) and value:
            for path in (at.folder / value, self._shared(value)):
                if _readable(path):
                    return path.resolve()
        raise at.error(value, self.allowed)

    def write(self, value: Path) -> str:
        """The bare name of a file of the package (which moves with it), the whole path of any other."""
        return value.name if self._shared(value.name).resolve() == value else str(value)

    def _shared(self, name: str) -> Path:
        return share() / self.share_folder / name


def _readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False
