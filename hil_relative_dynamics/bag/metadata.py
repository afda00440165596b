"""metadata.yaml, by which rosbag2 and rosbags know a recording."""
from __future__ import annotations

import json
from collections.abc import Mapping

from hil_relative_dynamics.bag.mcap_file import McapFile

NAME = "metadata.yaml"
#: of the format: the newest whose QoS profiles Humble still reads
VERSION = 8
_FOREVER = "{sec: 9223372036, nsec: 854775807}"


def qos_text(depth: int, reliable: bool, latched: bool) -> str:
    """A profile as rosbag2 writes it into a recording."""
    return (
        f"- {{history: 1, depth: {depth}, reliability: {1 if reliable else 2}, durability: {1 if latched else 2},"
        f" deadline: {_FOREVER}, lifespan: {_FOREVER}, liveliness: 1, liveliness_lease_duration: {_FOREVER},"
        " avoid_ros_namespace_conventions: false}"
    )


def write_metadata(file: McapFile, facts: Mapping[str, str]) -> None:
    """Beside the file; replaced as a whole, so that it can be read at any time."""
    path = file.path.parent / NAME
    path.with_suffix(".new").write_text(_text(file, facts), encoding="utf-8")
    path.with_suffix(".new").replace(path)


def _text(file: McapFile, facts: Mapping[str, str]) -> str:
    """By hand rather than by PyYAML, which takes milliseconds. A JSON text is a YAML one."""
    names = {schema.id: name for name, schema in file.schemas.items()}
    count = file.message_count
    start = file.start if count else 0
    times = (
        f"starting_time: {{nanoseconds_since_epoch: {start}}}",
        f"duration: {{nanoseconds: {file.end - start if count else 0}}}",
        f"message_count: {count}",
    )
    lines = [
        "rosbag2_bagfile_information:",
        f"  version: {VERSION}",
        "  storage_identifier: mcap",
        *(f"  {line}" for line in times),
        "  compression_format: ''",  # of rosbag2 itself; the chunks of MCAP are another matter
        "  compression_mode: ''",
        "  ros_distro: ''",
        f"  relative_file_paths: [{file.path.name}]",
        f"  files: [{{path: {file.path.name}, {', '.join(times)}}}]",
        f"  custom_data: {json.dumps(dict(facts))}",
        "  topics_with_message_count:" if file.channels else "  topics_with_message_count: []",
    ]
    for topic, channel in file.channels.items():
        lines += [
            f"    - message_count: {file.counts[channel.id]}",
            f"      topic_metadata: {{name: {json.dumps(topic)}, type: {names[channel.schema_id]},"
            f" serialization_format: cdr, offered_qos_profiles: {json.dumps(channel.metadata['offered_qos_profiles'])},"
            " type_description_hash: ''}",
        ]
    return "\n".join(lines) + "\n"
