"""One facility at a time on these topics.

The graph shows another one only after a while, on a busy machine after seconds. What the system itself keeps shows at
once, and is gone with the process that took it, however that ended; but only on this machine. So both are asked, before
there is any node that the other facility could hear or obey.
"""
from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterable
from time import perf_counter, sleep

from rclpy.context import Context
from rclpy.node import Node

#: how long to look for another facility [s]
DISCOVERY = 0.3
#: how long one that has just ended may still be seen [s]
GRACE = 5.0


class Taken(RuntimeError):
    """There is another facility; the message says so in one sentence."""

    def __init__(self, where: str) -> None:
        super().__init__(f"a facility is running already: {where}")


class Claim:
    """Held from here to `release`; Taken if somebody else holds it.

    Only where the system has abstract sockets: on Linux.
    """

    def __init__(self, namespace: str) -> None:
        domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if os.path.exists("/proc/net/unix") else None
        try:
            if self._socket is not None:
                self._socket.bind(f"\0hil_relative_dynamics/{domain}{namespace}")
        except OSError:
            self.release()
            raise Taken(f"on this machine, in domain {domain} and namespace {namespace}") from None

    def release(self) -> None:
        if self._socket is not None:
            self._socket.close()


def claim(context: Context, names: Iterable[str]) -> Claim:
    """Of a facility with nodes of these names; raises Taken."""
    node = Node("lookout", context=context, start_parameter_services=False)
    try:
        claimed = Claim(node.get_namespace())
        wanted = [f"{node.get_namespace().rstrip('/')}/{name}" for name in names]
        end = perf_counter() + GRACE
        sleep(DISCOVERY)
        while (others := present(node, wanted)) and perf_counter() < end:  # the dead stay for a while
            sleep(DISCOVERY)
    finally:
        node.destroy_node()
    if others:
        claimed.release()
        raise Taken(f"there is another node {next(iter(others))} on these topics")
    return claimed


def refuse_others(nodes: list[Node]) -> None:
    """Once more with our own nodes: two that start at the same time do not see each other before. Raises Taken."""
    seen = present(nodes[0], [node.get_fully_qualified_name() for node in nodes])
    for name, count in seen.items():
        if count > 1:
            raise Taken(f"there is another node {name} on these topics")


def present(node: Node, names: Iterable[str]) -> dict[str, int]:
    """Which of these nodes are in the graph, and how often."""
    graph = Counter(f"{space.rstrip('/')}/{name}" for name, space in node.get_node_names_and_namespaces())
    return {name: graph[name] for name in names if graph[name]}
