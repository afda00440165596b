"""A small strict reader: dataclass fields say their YAML key, kind and meaning, and are read by them."""
from __future__ import annotations

from dataclasses import MISSING as NO_DEFAULT
from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, TypeVar

from hil_relative_dynamics.scenario.errors import MISSING, ScenarioError

T = TypeVar("T")
P = TypeVar("P", bound="Part")


@dataclass(frozen=True)
class Place:
    """Where a value stands: in which file (or on the command line) and under which dotted key."""

    file: str
    folder: Path
    overridden: tuple[str, ...] = ()
    key: str = ""

    def __truediv__(self, part: object) -> Place:
        name = str(part) if str(part) and str(part).isprintable() else repr(part)
        return replace(self, key=f"{self.key}.{name}" if self.key else name)

    def error(self, value: object, allowed: str) -> ScenarioError:
        """What to raise for this value; it blames `--set` for what came from there."""
        blamed = self.key and any(_one_within_other(self.key, key) for key in self.overridden)
        return ScenarioError("--set" if blamed else self.file, self.key, value, allowed)


def _one_within_other(first: str, second: str) -> bool:
    first, second = first + ".", second + "."
    return first.startswith(second) or second.startswith(first)


class Kind(Generic[T]):
    """How one kind of value is read from YAML (`read`) and written back (`write`)."""

    @property
    def unit(self) -> str:
        """Unit in YAML; inside, everything is SI, radians and integer nanoseconds."""
        return ""

    @property
    def allowed(self) -> str:
        """Continues "key = value": "must be a positive number [kg]"."""
        raise NotImplementedError

    def read(self, value: object, at: Place) -> T:
        raise NotImplementedError

    def write(self, value: T) -> object:
        return value


def entry(key: str, kind: Kind[Any], description: str, default: object = NO_DEFAULT) -> Any:
    """A dataclass field with its YAML key, kind, unit and meaning; without a default it is required."""
    metadata = {"key": key, "kind": kind, "unit": kind.unit, "description": description}
    return field(default=default, metadata=metadata)  # type: ignore[call-overload]


def entries(part: type[Part] | Part) -> dict[str, Field[Any]]:
    """The fields of a part that stand in YAML, by key."""
    return {item.metadata["key"]: item for item in fields(part) if item.metadata}


@dataclass(frozen=True, kw_only=True)
class Part:
    """A mapping of the scenario file."""

    def resolved(self, at: Place) -> Part:
        """This part with what follows from its other values filled in, or a ScenarioError."""
        return self

    def error(self, key: str, at: Place, allowed: str) -> ScenarioError:
        """What to raise for one of this part's own values, shown as YAML has it."""
        return (at / key).error(Section(type(self)).write(self).get(key, MISSING), allowed)


@dataclass(frozen=True)
class Section(Kind[P]):
    """A mapping with the keys of a Part."""

    part: type[P]

    @property
    def allowed(self) -> str:
        return f"must be a mapping of {', '.join(entries(self.part))}"

    def read(self, value: object, at: Place) -> P:
        if not isinstance(value, dict):
            raise at.error(value, self.allowed)
        known = entries(self.part)
        for key in value:
            if key not in known:
                raise (at / key).error(value[key], f"is no known key{nearest(key, known)}")
        read = {}
        for key, item in known.items():
            if key in value:
                read[item.name] = item.metadata["kind"].read(value[key], at / key)
            elif item.default is NO_DEFAULT:
                raise (at / key).error(MISSING, item.metadata["kind"].allowed)
        return self.part(**read).resolved(at)  # type: ignore[return-value]

    def write(self, value: P) -> dict[str, object]:
        inside = {key: (item, getattr(value, item.name)) for key, item in entries(value).items()}
        return {key: item.metadata["kind"].write(it) for key, (item, it) in inside.items() if it is not None}


@dataclass(frozen=True)
class ListOf(Kind[tuple[T, ...]]):
    """Any number of the same kind."""

    kind: Kind[T]

    @property
    def allowed(self) -> str:
        return "must be a list, each item of which " + self.kind.allowed

    def read(self, value: object, at: Place) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise at.error(value, self.allowed)
        return tuple(self.kind.read(item, at / index) for index, item in enumerate(value))

    def write(self, value: tuple[T, ...]) -> list[object]:
        return [self.kind.write(item) for item in value]


def nearest(word: object, known: Any) -> str:
    """A hint at what was probably meant, and what is allowed."""
    return meant(word, known) + f" (allowed: {', '.join(known) or 'none'})"


def meant(word: object, known: Any) -> str:
    """A hint at what was probably meant; empty if nothing is close."""
    close = get_close_matches(str(word), list(known), n=1, cutoff=0.5)
    return f", did you mean {close[0]}?" if close else ""
