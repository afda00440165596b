"""An MCAP file that is only ever appended to, so that whatever was written stays readable when the writer dies.

The rarely written records are those of the `mcap` package; chunks of messages are put together here, because a
thousand messages as Python objects cost more than the loop that sends them.
"""
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from zlib import crc32

import numpy as np
from mcap.data_stream import RecordBuilder
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
)
from zstandard import ZstdCompressor

from hil_relative_dynamics import __version__

MAGIC = b"\x89MCAP0\r\n"
LIBRARY = "hil_relative_dynamics"
COMPRESSION = b"zstd"
#: opcode and length, before every record
RECORD = Struct("<BQ")
#: before the bytes of a message: opcode, length, channel, sequence, log time, publish time
MESSAGE = Struct("<BQHIQQ")
MESSAGE_OPCODE = 5
#: what the length of a message counts beside its bytes
MESSAGE_EXTRA = MESSAGE.size - RECORD.size
#: first and last log time, size and CRC before compression, then the compression's name and the size after it
CHUNK = Struct(f"<QQQII{len(COMPRESSION)}sQ")
CHUNK_OPCODE, MESSAGE_INDEX_OPCODE = 6, 7
_INDEX = Struct("<HI")
_HEADERS = np.dtype(
    [("opcode", "u1"), ("length", "<u8"), ("channel", "<u2"), ("sequence", "<u4"), ("log", "<u8"), ("publish", "<u8")]
)


def message_header(channel: int, size: int, log_time: int, publish_time: int) -> bytes:
    return MESSAGE.pack(MESSAGE_OPCODE, size + MESSAGE_EXTRA, channel, 0, log_time, publish_time)


class McapFile:
    """Writes one file. `finish` adds the summary; a file without it is still readable from its start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.schemas: dict[str, Schema] = {}
        self.channels: dict[str, Channel] = {}
        self.counts: dict[int, int] = {}
        self.start, self.end = 2**63 - 1, 0  # log times of the first and last message [ns]
        self._chunks: list[ChunkIndex] = []
        self._attachments: list[AttachmentIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._compressor = ZstdCompressor(level=1)
        self._file = open(path, "xb", buffering=0)
        self._at = 0
        self._write(MAGIC)
        self._add(Header("ros2", f"{LIBRARY} {__version__}"))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:  # an unbuffered file may take less than it is given
            view = view[self._file.write(view) :]
        self._at += len(data)

    def _add(self, *records: McapRecord) -> tuple[int, int]:
        """Offset and length of what was written."""
        builder = RecordBuilder()
        for record in records:
            record.write(builder)
        data, at = builder.end(), self._at
        self._write(data)
        return at, len(data)

    def add_channel(self, topic: str, type_name: str, definition: str, qos: str) -> int:
        """The channel's number; `definition` in the ros2msg format."""
        if type_name not in self.schemas:
            schema = Schema(len(self.schemas) + 1, definition.encode(), "ros2msg", type_name)
            self._add(schema)
            self.schemas[type_name] = schema
        metadata = {"offered_qos_profiles": qos}
        channel = Channel(len(self.channels) + 1, topic, "cdr", metadata, self.schemas[type_name].id)
        self._add(channel)
        self.channels[topic] = channel
        self.counts[channel.id] = 0
        return channel.id

    def add_attachment(self, name: str, media_type: str, data: bytes, time: int) -> None:
        at, length = self._add(Attachment(time, time, name, media_type, data))
        self._attachments.append(AttachmentIndex(at, length, time, time, len(data), name, media_type))

    def add_metadata(self, name: str, values: Mapping[str, str]) -> None:
        at, length = self._add(Metadata(name, dict(values)))
        self._metadata.append(MetadataIndex(at, length, name))

    def add_chunk(self, headers: bytes, messages: bytes) -> None:
        """A chunk of messages and its index; `headers` are those within `messages`, without what is in between."""
        fields = np.frombuffer(headers, _HEADERS)
        start, end = int(fields["log"].min()), int(fields["log"].max())
        data = self._compressor.compress(messages)
        head = CHUNK.pack(start, end, len(messages), crc32(messages), len(COMPRESSION), COMPRESSION, len(data))
        chunk = RECORD.pack(CHUNK_OPCODE, len(head) + len(data)) + head + data
        at = self._at
        indexes, offsets = _message_indexes(fields, at + len(chunk))
        self._write(chunk + indexes)  # in one go: no chunk without its index
        self._chunks.append(
            ChunkIndex(
                chunk_length=len(chunk),
                chunk_start_offset=at,
                compression=COMPRESSION.decode(),
                compressed_size=len(data),
                message_end_time=end,
                message_index_length=len(indexes),
                message_index_offsets=offsets,
                message_start_time=start,
                uncompressed_size=len(messages),
            )
        )
        numbers, counts = np.unique(fields["channel"], return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist()):
            self.counts[number] += count
        self.start, self.end = min(self.start, start), max(self.end, end)

    @property
    def message_count(self) -> int:
        return sum(self.counts.values())

    def finish(self) -> None:
        """The summary, by which readers find their way without reading everything."""
        self._add(DataEnd(0))
        at = self._at
        statistics = Statistics(
            attachment_count=len(self._attachments),
            channel_count=len(self.channels),
            channel_message_counts=self.counts,
            chunk_count=len(self._chunks),
            message_count=self.message_count,
            message_end_time=self.end,
            message_start_time=self.start if self.message_count else 0,
            metadata_count=len(self._metadata),
            schema_count=len(self.schemas),
        )
        self._add(
            *self.schemas.values(),
            *self.channels.values(),
            statistics,
            *self._chunks,
            *self._attachments,
            *self._metadata,
        )
        self._add(Footer(at, 0, 0))
        self._write(MAGIC)
        self.close()

    def close(self) -> None:
        self._file.close()


def _message_indexes(fields: np.ndarray, at: int) -> tuple[bytes, dict[int, int]]:
    """Of a chunk's messages: the index records, and where that of each channel is in the file."""
    sizes = fields["length"].astype(np.int64) + RECORD.size
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    parts, offsets = [], {}
    for channel in np.unique(fields["channel"]).tolist():
        rows = fields["channel"] == channel
        entries = np.column_stack([fields["log"][rows].astype("<u8"), begins[rows].astype("<u8")]).tobytes()
        record = RECORD.pack(MESSAGE_INDEX_OPCODE, _INDEX.size + len(entries)) + _INDEX.pack(channel, len(entries))
        offsets[channel] = at
        parts.append(record + entries)
        at += len(record) + len(entries)
    return b"".join(parts), offsets
