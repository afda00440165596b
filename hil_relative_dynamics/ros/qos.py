"""The QoS profiles, named once.

Stock controllers use SystemDefaultsQoS, which each middleware resolves in its own way; these connect to all.
"""
from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def _profile(reliability: ReliabilityPolicy, durability: DurabilityPolicy, depth: int) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=reliability, durability=durability
    )


#: to a controller: the newest counts, and it must arrive
COMMAND = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE, 1)
#: from a device: the newest counts, whatever the driver offers
SENSOR = _profile(ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE, 1)
#: between blocks: nothing may get lost
SIGNAL = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE, 250)
#: said once, heard by whoever comes later
LATCHED = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL, 1)
#: /diagnostics, as diagnostic_updater has it
DIAGNOSTICS = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE, 10)
