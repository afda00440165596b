"""Reads a recording, whole or broken off."""
from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.records import Attachment, Channel, Chunk, Header, Metadata, Schema
from mcap.stream_reader import get_chunk_data_stream
from zstandard import ZstdError

from hil_relative_dynamics.bag import RECORDING
from hil_relative_dynamics.bag.mcap_file import CHUNK_OPCODE, LIBRARY, MAGIC, MESSAGE, MESSAGE_OPCODE, RECORD
from hil_relative_dynamics.bag.writer import FACTS, RESULT

FOOTER_OPCODE = 2
_KINDS: dict[int, Any] = {1: Header, 3: Schema, 4: Channel, 9: Attachment, 12: Metadata}


class BagError(ValueError):
    """A recording that cannot be read at all; the message says which and why."""


class Message(NamedTuple):
    """One serialised message, as it was sent."""

    topic: str
    log_time: int  # [ns], of the run
    publish_time: int  # [ns], on the wall clock
    data: bytes


class Record(NamedTuple):
    """Where a record lies in the file, without its opcode and length."""

    opcode: int
    start: int
    end: int


class Bag:
    """What is in a recording. Everything before the point where it broke off counts."""

    def __init__(self, path: Path) -> None:
        """Raises BagError."""
        self.path = path
        try:
            with path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise BagError(f"{path} is not an MCAP recording")
                self.data = mmap(file.fileno(), 0, access=ACCESS_READ)  # recordings may be larger than memory
        except OSError as error:
            raise BagError(f"{path} cannot be read: {error.strerror}") from None
        self.library = ""
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, Channel] = {}
        self.attachments: dict[str, bytes] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.records: list[Record] = []
        self.complete = False
        self.damaged: set[int] = set()  # where chunks begin that could not be read
        for record in self._walk():
            self.records.append(record)
            if record.opcode in _KINDS:
                self._learn(record.opcode, self.data[record.start : record.end])
        if not self.complete and not self.ours:  # others put their channels into the chunks
            for _ in self.messages():
                pass

    def _walk(self) -> Iterator[Record]:
        at, size = len(MAGIC), len(self.data)
        while at + RECORD.size <= size:
            opcode, length = RECORD.unpack_from(self.data, at)
            start, end = at + RECORD.size, at + RECORD.size + length
            if end > size:
                return
            yield Record(opcode, start, end)
            if opcode == FOOTER_OPCODE:
                self.complete = self.data[end:] == MAGIC
                return
            at = end

    def _learn(self, opcode: int, data: bytes) -> None:
        if opcode not in _KINDS:
            return
        record = _KINDS[opcode].read(ReadDataStream(BytesIO(data)))
        match record:
            case Header():
                self.library = record.library
            case Schema():
                self.schemas[record.id] = record
            case Channel():
                self.channels[record.id] = record
            case Attachment():
                self.attachments[record.name] = record.data
            case Metadata():
                self.metadata[record.name] = record.metadata

    @property
    def ours(self) -> bool:
        """Whether this software wrote it."""
        return self.library.startswith(LIBRARY)

    @property
    def facts(self) -> dict[str, str]:
        """What the run is, as its recorder wrote it down."""
        return self.metadata.get(FACTS, {})

    @property
    def lost(self) -> dict[str, int]:
        """Messages by topic that could not be recorded; unknown where the recording broke off."""
        result = self.metadata.get(RESULT, {})
        return {key.removeprefix("lost "): int(value) for key, value in result.items()}

    @property
    def types(self) -> dict[str, str]:
        """Message type by topic."""
        return {channel.topic: self.schemas[channel.schema_id].name for channel in self.channels.values()}

    def counts(self) -> dict[str, int]:
        """Messages by topic."""
        counts = {channel.topic: 0 for channel in self.channels.values()}
        for message in self.messages():
            counts[message.topic] += 1
        return counts

    def messages(self, topics: Collection[str] | None = None) -> Iterator[Message]:
        """In the order in which they were written."""
        for record in self.records:
            if record.opcode == CHUNK_OPCODE:
                yield from self._messages(self._chunk(record), topics)
            elif record.opcode == MESSAGE_OPCODE:
                yield from self._messages(self.data[record.start - RECORD.size : record.end], topics)

    def _chunk(self, record: Record) -> bytes:
        """What a chunk holds, uncompressed; nothing if it is damaged."""
        stream = ReadDataStream(BytesIO(self.data[record.start : record.end]))
        try:
            contents, size = get_chunk_data_stream(Chunk.read(stream), validate_crc=True)
        except (ValueError, RuntimeError, ZstdError):  # by its sum; or before, when it is unpacked
            self.damaged.add(record.start)
            return b""
        return contents.read(size)

    def _messages(self, data: bytes, topics: Collection[str] | None) -> Iterator[Message]:
        at, size, unpack = 0, len(data), MESSAGE.unpack_from
        channels = self.channels
        while at < size:
            if data[at] != MESSAGE_OPCODE:
                opcode, length = RECORD.unpack_from(data, at)
                self._learn(opcode, data[at + RECORD.size : at + RECORD.size + length])
                at += RECORD.size + length
                continue
            _, length, number, _, log_time, publish_time = unpack(data, at)
            end = at + RECORD.size + length
            topic = channels[number].topic
            if topics is None or topic in topics:
                yield Message(topic, log_time, publish_time, data[at + MESSAGE.size : end])
            at = end


def find_bag(path: Path) -> Path:
    """The MCAP file of a run's folder, of a recording's folder, or the file itself. Raises BagError."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise BagError(f"{path}: there is nothing of that name")
    for folder in (path / RECORDING, path):
        files = sorted(folder.glob("*.mcap"))
        if len(files) > 1:
            raise BagError(f"{folder} holds {len(files)} MCAP files: name one of them")
        if files:
            return files[0]
    if any(path.glob("*.db3")):
        raise BagError(f"{path} is a recording in SQLite: turn it into MCAP with 'ros2 bag convert'")
    raise BagError(f"{path} holds no recording")


__all__ = ["RECORDING", "Bag", "BagError", "Message", "Record", "find_bag"]
