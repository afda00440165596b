"""Messages as bytes: why the loop runs at a kilohertz in Python.

Building the Python objects of a message costs ten times as much as sending it. But between two messages of one
signal only the stamp and the numbers differ: names, lengths and padding stay. So a message is serialised once, as a
template, and from then on only its numbers are replaced (publishing) or picked out (subscribing, as raw bytes). What
is on the wire is the standard message, as anybody else sees it. A message that does not look like the template (a
driver with another frame or order of joints) is read field by field instead.
"""
from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

from hil_relative_dynamics.ros.cdr import Field, layout
from hil_relative_dynamics.ros.wire import BILLION, SafetyWire, Wire, read_time

_STAMP = struct.Struct("<iI")
_ENCAPSULATION = 4  # bytes before the payload; doubles are aligned to eight from here on
_LITTLE_ENDIAN_CDR = b"\x00\x01"


class RawWire:
    """Numbers of one signal to and from serialised messages.

    Args:
        wire: knows the fields of the message.
        shape: of the array of numbers.
        to_array, from_array: between a signal's value and its numbers.
    """

    def __init__(
        self,
        wire: Wire,
        shape: tuple[int, ...],
        to_array: Callable[[Any], np.ndarray],
        from_array: Callable[[np.ndarray], Any],
    ) -> None:
        self.message_type = wire.message_type
        self._wire, self._shape, self._to_array, self._from_array = wire, shape, to_array, from_array
        marks = np.arange(1, int(np.prod(shape)) + 1) * 1.234567890123e100  # nothing else looks like these
        template = wire.write(0, from_array(marks.reshape(shape)))
        fields = layout(template)
        self._buffer = bytearray(serialize_message(template))
        self._size = len(self._buffer)
        if bytes(self._buffer[:2]) != _LITTLE_ENDIAN_CDR or self._size != _ENCAPSULATION + _end(fields):
            raise RuntimeError(f"this middleware does not serialise {self.message_type.__name__} as plain CDR")
        self._doubles = (self._size - _ENCAPSULATION) // 8
        self._numbers = np.frombuffer(self._buffer, "<f8", self._doubles, _ENCAPSULATION)
        self._places = np.array([int(np.flatnonzero(self._numbers == mark)[0]) for mark in marks], dtype=np.intp)
        # what has to be as in the template: every byte with a meaning other than stamp and numbers
        fixed = [range(field.start, field.start + field.size) for field in fields[2:] if not field.is_double]
        self._fixed = np.array([byte for run in fixed for byte in run], dtype=np.intp) + _ENCAPSULATION
        self._expected = np.frombuffer(self._buffer, np.uint8)[self._fixed].tobytes()

    def write(self, stamp: int, value: Any) -> bytes:
        _STAMP.pack_into(self._buffer, _ENCAPSULATION, *divmod(stamp, BILLION))
        self._numbers[self._places] = self._to_array(value).ravel()
        return bytes(self._buffer)

    def read(self, raw: bytes) -> tuple[int, Any]:
        """(stamp, value); raises BadMessage."""
        if len(raw) == self._size and raw[:2] == _LITTLE_ENDIAN_CDR:
            if np.frombuffer(raw, np.uint8)[self._fixed].tobytes() == self._expected:
                numbers = np.frombuffer(raw, "<f8", self._doubles, _ENCAPSULATION)[self._places]
                seconds, nanoseconds = _STAMP.unpack_from(raw, _ENCAPSULATION)
                return seconds * BILLION + nanoseconds, self._from_array(numbers.reshape(self._shape))
        message = deserialize_message(raw, self.message_type)
        return read_time(message.header.stamp), self._wire.read(message)


def _end(fields: list[Field]) -> int:
    return fields[-1].start + fields[-1].size


class RawMessageWire:
    """Field by field, for what is said rarely."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self.message_type = wire, wire.message_type

    def write(self, stamp: int, value: Any) -> bytes:
        return serialize_message(self._wire.write(stamp, value))

    def read(self, raw: bytes) -> tuple[int, Any]:
        message = deserialize_message(raw, self.message_type)
        return read_time(message.header.stamp), self._wire.read(message)


class RawSafetyWire:
    """The supervisor's word changes rarely: each different one is serialised and read once."""

    def __init__(self, name: str) -> None:
        self._wire = SafetyWire(name)
        self.message_type = self._wire.message_type
        self._written: dict[Any, bytearray] = {}
        self._read: dict[bytes, Any] = {}

    def write(self, stamp: int, value: Any) -> bytes:
        buffer = self._written.get(value)
        if buffer is None:
            buffer = self._written[value] = bytearray(serialize_message(self._wire.write(0, value)))
        _STAMP.pack_into(buffer, _ENCAPSULATION, *divmod(stamp, BILLION))
        return bytes(buffer)

    def read(self, raw: bytes) -> tuple[int, Any]:
        seconds, nanoseconds = _STAMP.unpack_from(raw, _ENCAPSULATION)
        content = raw[_ENCAPSULATION + _STAMP.size :]
        state = self._read.get(content)
        if state is None:
            state = self._read[content] = self._wire.read(deserialize_message(raw, self.message_type))
        return seconds * BILLION + nanoseconds, state
