"""The node that records what others publish, and in lockstep says how far it is, so that nothing can be lost."""
from __future__ import annotations

from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from builtin_interfaces.msg import Time
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node

from hil_relative_dynamics.engine.external import recorded
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.parameters import BadParameter
from hil_relative_dynamics.ros.recorder import Listener, RosBag
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BILLION, write_time

#: how far everything has been recorded, told by a recorder to a plant that waits for it
ACKNOWLEDGED = "recorder/recorded"
#: how many ticks the plant may be ahead of a recorder: fewer than the messages a topic keeps
WINDOW = 100
#: how often the graph is looked at for new topics [s]
LOOK = 1.0
#: how long what is still under way may take after a stop was asked for [s]
LAST = 0.5


class RecorderNode(Node):
    """Listens to every chosen topic that is not recorded where it is published.

    Args:
        acknowledge: with the wires of the signals: subscribe to all of them now, and tell how far they have come.
    """

    def __init__(
        self, bag: RosBag, table: TickTable, acknowledge: SignalWires | None = None, context: Context | None = None
    ) -> None:
        super().__init__("recorder", context=context)
        self._bag = bag
        names = {self.resolve_topic_name(signal): signal for signal in recorded(table)}
        self._progress = Progress({topic: table.every(signal) for topic, signal in names.items()}, table.period)
        self._listener = Listener(self, bag, names, self._heard if acknowledge else None)
        if acknowledge is not None:
            self._acknowledged = self.create_publisher(Time, ACKNOWLEDGED, qos.SIGNAL)
            for topic, signal in names.items():
                self._listener.subscribe(topic, acknowledge.make(signal).message_type, qos.SIGNAL)
        self._listener.look()
        self.create_timer(LOOK, self._listener.look)

    def record_until(self, stopped: list[Any]) -> None:
        """Alone in its process: until there is something in `stopped`, and what is under way then has come."""
        executor = EventsExecutor()
        executor.add_node(self)
        while not stopped and not self._bag.writer.error:
            executor.spin_once(timeout_sec=0.1)
        end = monotonic() + LAST
        while monotonic() < end:
            executor.spin_once(timeout_sec=0.05)
        self.destroy_node()
        executor.shutdown()

    def _heard(self, topic: str, raw: bytes) -> None:
        if topic not in self._progress.periods:
            return
        stamp = int.from_bytes(raw[4:8], "little") * BILLION + int.from_bytes(raw[8:12], "little")
        missing = self._progress.missing(topic, stamp)
        if missing:
            self._bag.writer.count_lost(topic, missing)
        until = self._progress.reached(topic, stamp)
        if until is not None:
            message = Time()
            write_time(message, until)
            self._acknowledged.publish(message)


def declare(node: Node) -> tuple[Path, list[str]]:
    """Declares and reads the recorder's own parameters: its folder, and the topics (none: all). Raises BadParameter."""
    folder = node.declare_parameter(
        "record_to",
        "",
        ParameterDescriptor(
            type=ParameterType.PARAMETER_STRING,
            description="folder of the recording, which must not exist; empty: recording-<time> in the current one",
        ),
    ).value
    topics = node.declare_parameter(
        "topics",
        [""],
        ParameterDescriptor(
            type=ParameterType.PARAMETER_STRING_ARRAY, description="which topics to record; empty: all"
        ),
    ).value
    path = Path(folder or f"recording-{datetime.now():%Y%m%d-%H%M%S}").absolute()
    if path.exists():
        raise BadParameter(f"record_to = '{path}' exists already: a recording needs a folder of its own")
    return path, [topic for topic in topics if topic]


class Progress:
    """Up to where all topics have come; each has its period [ns]."""

    def __init__(self, periods: dict[str, int], tick: int) -> None:
        self.periods, self._step = periods, tick * WINDOW // 4
        self._newest = dict.fromkeys(periods, -1)
        self._goal = 0
        self._waiting = set(periods)

    def missing(self, topic: str, stamp: int) -> int:
        """How many messages there should have been between the one before and this one."""
        newest = self._newest[topic]
        return 0 if newest < 0 else max(0, (stamp - newest) // self.periods[topic] - 1)

    def reached(self, topic: str, stamp: int) -> int | None:
        """A message has come. The time up to which everything has, if that is worth telling."""
        self._newest[topic] = max(stamp, self._newest[topic])
        if self._behind(topic):
            return None
        self._waiting.discard(topic)
        if self._waiting:
            return None
        until = min(newest + self.periods[other] for other, newest in self._newest.items()) - 1
        self._goal = until + self._step
        self._waiting = {other for other in self.periods if self._behind(other)}
        return until

    def _behind(self, topic: str) -> bool:
        newest = self._newest[topic]
        return newest < 0 or newest + self.periods[topic] <= self._goal
