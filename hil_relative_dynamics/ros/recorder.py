"""Recording of topics: as the bytes that are published here, and as those that are heard from others."""
from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.signals import CONTROLLER_TOPICS
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.evidence.run_folder import versions
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.message_definitions import definition, type_name
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import Scenario, configuration_hash, to_yaml

#: stands for every topic
ALL = "all"
#: how many messages of a topic may wait until they are taken
DEPTH = 1000


class RosBag:
    """A recording, and which topics go into it.

    Args:
        mode: how the run is run, for the record.
        topics: names, with or without the leading slash; None: all.
        wall_clock: stamps are the time of day, as with real devices.
    """

    def __init__(
        self,
        folder: Path,
        scenario: Scenario,
        mode: str,
        topics: Collection[str] | None = None,
        wall_clock: bool = False,
    ) -> None:
        """Raises ImportError where the Python package mcap is not installed."""
        from hil_relative_dynamics.bag.metadata import qos_text
        from hil_relative_dynamics.bag.writer import BagWriter

        self._qos_text = qos_text
        self._topics = None if topics is None else {absolute(topic) for topic in topics}
        waits = mode not in ("realtime", "hardware")
        attachments = {"scenario.yaml": to_yaml(scenario)}
        self.writer = BagWriter(folder, facts(scenario, mode), attachments, waits, wall_clock)
        self.recorded: set[str] = set()

    def chosen(self, topic: str) -> bool:
        return self._topics is None or topic in self._topics

    def named(self, topic: str) -> bool:
        """Whether it was asked for by its name."""
        return self._topics is not None and topic in self._topics

    def put(
        self, topic: str, message_type: Any, profile: QoSProfile, stamped: bool = True
    ) -> Callable[[bytes], None] | None:
        """What takes the serialised messages of a topic; None if it is not recorded, or is already."""
        if not self.chosen(topic) or topic in self.recorded:
            return None
        self.recorded.add(topic)
        latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        offered = self._qos_text(profile.depth, profile.reliability == ReliabilityPolicy.RELIABLE, latched)
        return self.writer.channel(topic, type_name(message_type), definition(message_type), offered, stamped)

    def tapped(
        self, publish: Callable[[bytes], None], topic: str, message_type: Any, profile: QoSProfile
    ) -> Callable[[bytes], None]:
        """The same `publish`, which records what it sends."""
        put = self.put(topic, message_type, profile)
        if put is None:
            return publish

        def publish_and_record(raw: bytes) -> None:
            publish(raw)
            put(raw)

        return publish_and_record

    def close(self) -> None:
        self.writer.close()


def facts(scenario: Scenario, mode: str) -> dict[str, str]:
    """What a recording says of its run."""
    return {
        "scenario": scenario.name,
        "mode": mode,
        "seed": str(scenario.seed),
        "configuration_hash": configuration_hash(scenario),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **{f"version {name}": version for name, version in versions().items()},
    }


def absolute(topic: str) -> str:
    return topic if topic.startswith("/") else f"/{topic}"


class OfflineRecorder(Recorder):
    """Records what blocks give each other by direct calls as the messages that nodes would have sent."""

    def __init__(
        self, table: TickTable, duration: int, signals: Collection[str], bag: RosBag, wires: SignalWires
    ) -> None:
        super().__init__(table, duration, signals)
        self._table, self._bag, self._wires = table, bag, wires

    def track(self, signal: str) -> Callable[[Any], None] | None:
        add, wire, every = super().track(signal), self._wires.make(signal), self._table.every(signal)
        put = self._bag.put(absolute(signal), wire.message_type, qos.SIGNAL)
        if put is None:
            return add
        stamp = -every

        def record(value: Any) -> None:
            nonlocal stamp
            stamp += every
            put(wire.write(stamp, value))
            if add is not None:
                add(value)

        return record


class Listener:
    """Subscribes to whatever else is on the graph.

    Left out unless it is named: what the controllers are told, of which stamped copies are among the signals.

    Args:
        stamped: topics whose stamps are of the run; what is on others is recorded with the newest of those.
        heard: called with topic and message, after it was recorded.
    """

    def __init__(
        self,
        node: Node,
        bag: RosBag,
        stamped: Collection[str] = (),
        heard: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self._node, self._bag, self._stamped, self._heard = node, bag, stamped, heard
        self._refused = {node.resolve_topic_name(topic) for topic in CONTROLLER_TOPICS.values()}
        self._refused = {topic for topic in self._refused if not bag.named(topic)}

    def look(self) -> None:
        """To be called now and then: topics come and go."""
        for topic, types in self._node.get_topic_names_and_types():
            if topic in self._bag.recorded or topic in self._refused or not self._bag.chosen(topic):
                continue
            publishers = self._node.get_publishers_info_by_topic(topic)
            if publishers:
                self._subscribe(topic, types[0], [publisher.qos_profile for publisher in publishers])

    def _subscribe(self, topic: str, kind: str, offered: list[QoSProfile]) -> None:
        message_type = _message_type(kind)
        if message_type is None:
            self._refused.add(topic)
            self._node.get_logger().warning(f"{topic} is not recorded: {kind} is not installed here")
            return
        self.subscribe(topic, message_type, _profile(offered))

    def subscribe(self, topic: str, message_type: Any, profile: QoSProfile) -> None:
        put = self._bag.put(topic, message_type, profile, topic in self._stamped)
        if put is None:
            return
        heard = self._heard

        def received(raw: bytes) -> None:
            put(raw)
            if heard is not None:
                heard(topic, raw)

        def lost(event: Any) -> None:
            self._bag.writer.count_lost(topic, event.total_count_change)

        events = SubscriptionEventCallbacks(message_lost=lost)
        self._node.create_subscription(message_type, topic, received, profile, event_callbacks=events, raw=True)


def _message_type(kind: str) -> Any:
    """The class of `geometry_msgs/msg/Wrench`; None where it is not installed."""
    package, _, name = kind.split("/")
    try:
        return getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        return None


def _profile(offered: list[QoSProfile]) -> QoSProfile:
    """Connects to all that publish."""
    reliable = all(profile.reliability == ReliabilityPolicy.RELIABLE for profile in offered)
    latched = all(profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for profile in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
