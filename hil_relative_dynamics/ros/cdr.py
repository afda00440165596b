"""Where the fields of a message lie in its serialised form (CDR, as all ROS 2 middlewares send it).

Only what has a meaning is listed: the padding in between is whatever was in memory before.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

_SIZES = {
    "boolean": 1,
    "octet": 1,
    "uint8": 1,
    "int8": 1,
    "uint16": 2,
    "int16": 2,
    "uint32": 4,
    "int32": 4,
    "float": 4,
    "double": 8,
    "uint64": 8,
    "int64": 8,
}


class Field(NamedTuple):
    """A run of bytes after the encapsulation header."""

    start: int
    size: int
    is_double: bool


def layout(message: Any) -> list[Field]:
    """The fields of a message with the lengths of strings and sequences that it has now."""
    return list(_Walker().message(message))


class _Walker:
    def __init__(self) -> None:
        self._at = 0

    def message(self, message: Any) -> Iterator[Field]:
        for name, kind in message.get_fields_and_field_types().items():
            yield from self._value(getattr(message, name), kind)

    def _value(self, value: Any, kind: str) -> Iterator[Field]:
        if kind.startswith("sequence<"):
            yield self._run(4)
            element = kind[len("sequence<") : kind.index(">")].split(",")[0]
            for item in value:
                yield from self._value(item, element)
        elif kind.endswith("]"):
            for item in value:
                yield from self._value(item, kind[: kind.rindex("[")])
        elif kind.startswith("string"):
            yield self._run(4)
            yield self._run(len(value.encode()) + 1, alignment=1)
        elif kind in _SIZES:
            yield self._run(_SIZES[kind], is_double=kind == "double")
        else:
            yield from self.message(value)

    def _run(self, size: int, alignment: int | None = None, is_double: bool = False) -> Field:
        alignment = alignment or size
        start = -(-self._at // alignment) * alignment
        self._at = start + size
        return Field(start, size, is_double)
