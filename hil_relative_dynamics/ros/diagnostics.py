"""/diagnostics: each node says once a second how it does."""
from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.counters import Counters

PERIOD = 1.0  # [s]


class Diagnostics:
    """The counters of one node as a DiagnosticStatus: OK, or WARN since the last report and why."""

    def __init__(self, node: Node, counters: Counters) -> None:
        self._node, self._counters = node, counters
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
        self._before = (0, 0, 0)

    def publish(self, active: bool) -> None:
        counters = self._counters
        now = (counters.rejected, counters.losses, counters.exceptions)
        worse = [after > before for after, before in zip(now, self._before)]
        self._before = now
        status = DiagnosticStatus(name=self._node.get_fully_qualified_name(), hardware_id="hil_relative_dynamics")
        status.level = DiagnosticStatus.OK
        status.message = "running" if active else "not active"
        if counters.exceptions:
            status.level, status.message = DiagnosticStatus.ERROR, "stopped by an exception"
        elif worse[0]:
            status.level, status.message = DiagnosticStatus.WARN, "messages were refused"
        elif worse[1]:
            status.level, status.message = DiagnosticStatus.WARN, "ticks were missed"
        status.values = [KeyValue(key=key, value=value) for key, value in counters.values().items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
