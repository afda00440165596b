"""What only the graph and the wall clock show: who else commands the robots, who is gone, what is late."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter, perf_counter_ns
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

from hil_relative_dynamics.engine.signals import CONTROLLER_TOPICS
from hil_relative_dynamics.facility.supervisor_events import LateTick, LostNode, SecondPublisher
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.scenario.safety import Safety

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


def commanders_heard(node: Node) -> dict[str, Callable[[], int]]:
    """By commander, how many commands it has sent: where it is in another process."""
    return {f"{topic.split('/')[0]}_commander": _counted(node, topic) for topic in CONTROLLER_TOPICS.values()}


def _counted(node: Node, topic: str) -> Callable[[], int]:
    count = 0

    def heard(_: bytes) -> None:
        nonlocal count
        count += 1

    node.create_subscription(Float64MultiArray, topic, heard, qos.COMMAND, raw=True)
    return lambda: count


class WallClockWatch:
    """Tells the supervisor of a node that does nothing any more, and of a tick that came too late.

    Args:
        runs: by node, how often its block has run.
        supervisor: is told.
        safety: the limits.
        lateness: the largest of a tick since it was last asked for [ns].
    """

    def __init__(
        self,
        runs: Mapping[str, Callable[[], int]],
        supervisor: Any,
        safety: Safety,
        lateness: Callable[[], int] = lambda: 0,
    ) -> None:
        self._runs, self._supervisor, self._safety, self._lateness = runs, supervisor, safety, lateness
        self._seen: dict[str, tuple[int, int]] = {}  # runs, and since when there were no more
        self._lost: set[str] = set()
        self._next = self._last = 0

    def look(self) -> None:
        now = perf_counter_ns()
        late = self._lateness()
        if late > self._safety.late_tick_ns:
            self._supervisor.report(LateTick(late))
        if now < self._next:
            return
        if now - self._last > self._safety.lost_node_ns:
            self._seen.clear()  # nobody could run while nobody looked
        self._next, self._last = now + round(1e9 * PERIOD), now
        for name, runs in self._runs.items():
            count = runs()
            before, since = self._seen.get(name, (-1, now))
            if count != before:
                self._seen[name] = count, now
            elif now - since > self._safety.lost_node_ns and name not in self._lost:
                self._lost.add(name)
                self._supervisor.report(LostNode(name, now - since))
