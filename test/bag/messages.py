"""Serialised messages without ROS: a Header, as CDR."""
from __future__ import annotations

import struct

TYPE = "std_msgs/msg/Header"
DEFINITION = """builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


def header(nanoseconds: int, frame: str = "world") -> bytes:
    text = frame.encode() + b"\0"
    return b"\0\1\0\0" + struct.pack("<iII", *divmod(nanoseconds, 10**9), len(text)) + text
