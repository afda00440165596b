"""What only the graph and the wall clock show: who else commands the robots."""
from __future__ import annotations

from time import perf_counter
from typing import Any

from rclpy.node import Node

from hil_relative_dynamics.engine.signals import CONTROLLER_TOPICS
from hil_relative_dynamics.facility.supervisor_events import SecondPublisher

PERIOD = 0.05  # [s]


class GraphWatch:
    """Tells the supervisor of a second publisher on a command topic.

    Discovery takes tens of milliseconds, and until then a controller obeys both: detect and stop, no more.
    """

    def __init__(self, node: Node, supervisor: Any) -> None:
        self._node, self._supervisor = node, supervisor
        self._next = 0.0
        self._known: set[str] = set()

    def look(self) -> None:
        now = perf_counter()
        if now < self._next:
            return
        self._next = now + PERIOD
        for topic in CONTROLLER_TOPICS.values():
            name = self._node.resolve_topic_name(topic)
            if name in self._known or self._node.count_publishers(name) < 2:
                continue
            self._known.add(name)
            publishers = self._node.get_publishers_info_by_topic(name)
            nodes = tuple(sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in publishers))
            self._supervisor.report(SecondPublisher(name, nodes))
