"""When the run began. Stamps on topics are ROS time; what the blocks call time starts at 0 with the run.

In simulation without homing both are the same. Otherwise a run begins at an origin, which is told once on the latched
topic `run/start`: what is stamped before it is not of the run.
"""
from __future__ import annotations

from collections.abc import Callable

from builtin_interfaces.msg import Time
from rclpy.node import Node

from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.wire import read_time, write_time

TOPIC = "run/start"


class RunTime:
    """The origin of the run [ns], None while it is not known. Nodes of one process share one."""

    def __init__(self, origin: int | None = 0) -> None:
        self.origin = origin

    def begin(self, origin: int) -> None:
        """One run for each start of a process: the blocks carry the state of theirs."""
        if self.origin is not None and self.origin != origin:
            raise RuntimeError("this process has had its run: start it anew for another one")
        self.origin = origin

    @property
    def begun(self) -> bool:
        return self.origin is not None

    def announce(self, node: Node, origin: int) -> None:
        """Begins, and tells whoever listens or comes later."""
        self.begin(origin)
        message = Time()
        write_time(message, origin)
        self._publisher = node.create_publisher(Time, TOPIC, qos.LATCHED)
        self._publisher.publish(message)

    def listen(self, node: Node, failed: Callable[[str], None]) -> None:
        """Begins when another process says so."""

        def told(message: Time) -> None:
            try:
                self.begin(read_time(message))
            except RuntimeError as error:
                failed(str(error))

        node.create_subscription(Time, TOPIC, told, qos.LATCHED)
