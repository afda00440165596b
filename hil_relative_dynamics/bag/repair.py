"""Gives a recording that broke off its summary, so that every tool can read it again."""
from __future__ import annotations

from itertools import islice
from pathlib import Path
from time import time_ns

from hil_relative_dynamics.bag.mcap_file import McapFile, message_header
from hil_relative_dynamics.bag.metadata import NAME, write_metadata
from hil_relative_dynamics.bag.reader import Bag

#: messages in a chunk
BATCH = 5000


def repair(path: Path) -> str:
    """One sentence on what was done; empty if nothing had to be. Raises BagError.

    What could not be read (a chunk that was being written) is left out; the rest is as it was, byte for byte.
    """
    bag = Bag(path)
    if bag.complete and (path.parent / NAME).exists():
        return ""
    if not bag.ours:
        return f"{path.name} is not complete, and stays so: it was written by {bag.library or 'another program'}"
    saved = path.with_suffix(".saved")
    saved.unlink(missing_ok=True)
    file = McapFile(saved)
    _copy(bag, file)
    file.finish()
    saved.replace(path)
    file.path = path
    write_metadata(file, bag.facts)
    if bag.complete:
        return f"{NAME} of {path.name} was missing and was written anew"
    seconds = 1e-9 * (file.end - file.start) if file.message_count else 0.0
    return f"{path.name} broke off and was mended: {file.message_count} messages over {seconds:.1f} s were saved"


def _copy(bag: Bag, file: McapFile) -> None:
    for name, values in bag.metadata.items():
        file.add_metadata(name, values)
    for name, data in bag.attachments.items():
        file.add_attachment(name, "text/yaml", data, time_ns())
    numbers = {}
    for channel in bag.channels.values():
        schema = bag.schemas[channel.schema_id]
        qos = channel.metadata.get("offered_qos_profiles", "")
        numbers[channel.topic] = file.add_channel(channel.topic, schema.name, schema.data.decode(), qos)
    messages = bag.messages()
    while batch := list(islice(messages, BATCH)):
        headers = [
            message_header(numbers[topic], len(data), log_time, publish_time)
            for topic, log_time, publish_time, data in batch
        ]
        whole = [part for header, message in zip(headers, batch) for part in (header, message.data)]
        file.add_chunk(b"".join(headers), b"".join(whole))
