"""Writes a recording while a run goes on.

The loop only appends bytes to a list; a thread joins, compresses and writes them, all of which Python does without
holding the loop up. What was handed over half a second ago is on disk, whatever happens to this process.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from struct import Struct
from threading import Event, Thread
from time import sleep, time_ns

from hil_relative_dynamics.bag.mcap_file import MESSAGE, MESSAGE_EXTRA, MESSAGE_OPCODE, McapFile
from hil_relative_dynamics.bag.metadata import write_metadata

BILLION = 1_000_000_000
#: where a message with a header has its stamp
_STAMP, _STAMP_AT = Struct("<iI"), 4
#: how often a chunk is written [s], and metadata.yaml after so many of them
PERIOD, METADATA_EVERY = 0.2, 5
#: parts that may wait to be written, two for each message: some hundred megabytes
MOST = 400_000
#: names of the records inside
FACTS, RESULT = "hil_relative_dynamics", "hil_relative_dynamics/result"


class BagWriter:
    """One recording: `<folder>/<folder's name>_0.mcap` and metadata.yaml, there from the start.

    Args:
        facts: what the run is: scenario, mode, seed, configuration hash, versions.
        attachments: texts by name, such as the resolved scenario.
        waits: whoever hands messages over waits when the disk is slower; otherwise they are lost and counted.
        wall_clock: stamps are the time of day; otherwise they are simulated, and what has no stamp gets the newest.
    """

    def __init__(
        self,
        folder: Path,
        facts: Mapping[str, str],
        attachments: Mapping[str, str] | None = None,
        waits: bool = True,
        wall_clock: bool = False,
    ) -> None:
        folder.mkdir(parents=True)
        self.folder, self._facts, self._waits, self._wall_clock = folder, facts, waits, wall_clock
        self.file = McapFile(folder / f"{folder.name}_0.mcap")
        self.lost: dict[str, int] = {}
        self.error = ""
        self._topics: dict[int, str] = {}
        self._parts: list[bytes] = []
        self._newest = 0
        self.file.add_metadata(FACTS, facts)
        for name, text in (attachments or {}).items():
            self.file.add_attachment(name, "text/yaml", text.encode(), time_ns())
        write_metadata(self.file, facts)
        self._added: list[tuple[str, str, str, str]] = []
        self._ending = Event()
        self._thread = Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def channel(
        self, topic: str, type_name: str, definition: str, qos: str, stamped: bool = True
    ) -> Callable[[bytes], None]:
        """What to call with each serialised message of a topic. To be asked for in one thread.

        `stamped`: the message begins with a header whose stamp is of the run. A message that is sent once more, with
        the same stamp and content as the one before, is recorded once.
        """
        self._added.append((topic, type_name, definition, qos))
        number = len(self._added)  # as the file will number it
        self._topics[number] = topic
        parts, most, pack, unpack, now = self._parts, MOST, MESSAGE.pack, _STAMP.unpack_from, time_ns
        last_time, last = -1, b""

        def put(raw: bytes) -> None:
            nonlocal last_time, last
            wall = now()
            if stamped:
                seconds, nanoseconds = unpack(raw, _STAMP_AT)
                time = self._newest = seconds * BILLION + nanoseconds
                if time == last_time and raw == last:
                    return
                last_time, last = time, raw
            else:
                time = wall if self._wall_clock else self._newest
            if len(parts) >= most and not self._room():
                self.count_lost(topic)
                return
            parts.append(pack(MESSAGE_OPCODE, len(raw) + MESSAGE_EXTRA, number, 0, time, wall))
            parts.append(raw)

        return put

    def _room(self) -> bool:
        """Waits for it, if that is wanted; False while there is none."""
        while self._waits and self._thread.is_alive() and len(self._parts) >= MOST:
            sleep(0.001)
        return len(self._parts) < MOST

    def count_lost(self, topic: str, number: int = 1) -> None:
        self.lost[topic] = self.lost.get(topic, 0) + number

    def _work(self) -> None:
        chunks = 0
        try:
            while not self._ending.wait(PERIOD):
                self._write()
                chunks += 1
                if chunks % METADATA_EVERY == 0:
                    write_metadata(self.file, self._facts)
        except OSError as error:  # the disk is full, or gone
            self.error = f"{self.file.path}: {error.strerror}"

    def _write(self) -> None:
        parts = self._parts
        count = len(parts) // 2 * 2  # both parts of a message
        known = len(self.file.channels)
        for added in self._added[known:]:
            self.file.add_channel(*added)
        if not count:
            return
        batch = parts[:count]
        self.file.add_chunk(b"".join(batch[::2]), b"".join(batch))
        del parts[:count]

    def close(self) -> None:
        """Writes what is left and the summary. The first reason why something could not be written is `error`."""
        self._ending.set()
        self._thread.join()
        try:
            if not self.error:
                self._finish()
        except OSError as error:
            self.error = f"{self.file.path}: {error.strerror}"
        if self.error:
            for header in self._parts[::2]:
                self.count_lost(self._topics[MESSAGE.unpack(header)[2]])
            self.file.close()

    def _finish(self) -> None:
        self._write()
        self.file.add_metadata(RESULT, {f"lost {topic}": str(count) for topic, count in self.lost.items()})
        self.file.finish()
        write_metadata(self.file, self._facts)
