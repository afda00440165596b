"""One block of the table on topics: takes messages, runs the block, publishes what it gives."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.counters import Counters
from hil_relative_dynamics.ros.inbox import LockstepInbox, NewestInbox
from hil_relative_dynamics.ros.recorder import RosBag
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.sensor_topics import SensorTopics
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.transforms import OrbitTransforms
from hil_relative_dynamics.ros.wire import BadMessage

#: signals that no block takes are for looking at: in real time they are published this often [ns]
MONITOR_PERIOD = 20_000_000


class StageRunner:
    """Connects a stage to a node's topics.

    Args:
        lockstep: join inputs by exact stamps; otherwise the trigger runs the block with the newest of the rest.
        failed: called with a sentence when the block raises; a block that failed does not run again.
        time: when the run began; stamps are ROS time on topics and counted from there inside.
        hardware: real devices, whose stamps jitter and which are held where they are until the run begins.
        bag: records what is published.
    """

    def __init__(
        self,
        node: Node,
        stage: Stage,
        table: TickTable,
        wires: SignalWires,
        lockstep: bool,
        failed: Callable[[str], None],
        recorder: Recorder | None = None,
        time: RunTime | None = None,
        hardware: bool = False,
        bag: RosBag | None = None,
    ) -> None:
        self.node, self.stage, self.lockstep, self._bag = node, stage, lockstep, bag
        self.time = time or RunTime()
        self.active = True
        self.counters = Counters(stage.period)
        self._failed = failed
        mapping = stage.name == "relative_mapping"
        self._transforms = OrbitTransforms(node, ("nominal", "client", "servicer")) if mapping else None
        measures = signals.SENSORS_READINGS in stage.outputs
        self._sensors = SensorTopics(node, stage.act) if measures else None
        self._answer: list[tuple[Callable[[bytes], None], bytes]] = []
        taken = {name for other in table for name in other.inputs}
        self._outputs = [
            (
                self._publisher(name, wires),
                wire.write,
                recorder.track(name) if recorder else None,
                stage.slower.get(name, 0),
                0 if lockstep or name in taken else MONITOR_PERIOD,
            )
            for name in stage.outputs
            for wire in [wires.make(name)]
        ]
        self._to_controllers = [
            (index, node.create_publisher(wire.message_type, topic, qos.COMMAND).publish, wire.write)
            for index, name in enumerate(stage.outputs)
            if (topic := signals.CONTROLLER_TOPICS.get(name))
            for wire in [wires.make_command(name)]
        ]
        periods = {name: table.every(name) for name in stage.inputs}
        loose = {name: period for name, period in periods.items() if hardware and name in signals.FROM_DEVICES}
        self._earliest = {name: -(period // 2) for name, period in loose.items()}
        self.inbox: Any = LockstepInbox(stage, periods) if lockstep else NewestInbox(stage, periods=loose)
        self._holding = hardware and stage.hold is not None
        self._held: dict[str, Any] = {}
        for name in dict.fromkeys((*stage.inputs, *(stage.hold_inputs if self._holding else ()))):
            self._subscribe(name, wires)

    def _publisher(self, signal: str, wires: SignalWires) -> Callable[[bytes], None]:
        message_type = wires.make(signal).message_type
        publish: Callable[[bytes], None] = self.node.create_publisher(message_type, signal, qos.SIGNAL).publish
        if self._bag is None:
            return publish
        return self._bag.tapped(publish, self.node.resolve_topic_name(signal), message_type, qos.SIGNAL)

    def _subscribe(self, signal: str, wires: SignalWires) -> None:
        receive = self._receive_lockstep if self.lockstep else self._receive_newest
        profile = qos.SENSOR if signal in signals.FROM_DEVICES and not self.lockstep else qos.SIGNAL
        wire = wires.make(signal)
        callback = self._callback(signal, wire.read, receive)
        self.node.create_subscription(wire.message_type, signal, callback, profile, raw=True)

    def _callback(
        self, signal: str, read: Callable[[bytes], tuple[int, Any]], receive: Callable[[str, int, Any], None]
    ) -> Callable[[bytes], None]:
        time, earliest, taken = self.time, self._earliest.get(signal, 0), signal in self.stage.inputs

        def received(raw: bytes) -> None:
            if not self.active:
                return
            try:
                stamp, value = read(raw)
            except BadMessage as error:
                self.reject(signal, str(error))
                return
            if self._holding:
                self._hold(signal, value)
            # what is stamped before the origin is not of the run
            if taken and time.origin is not None and stamp - time.origin >= earliest:
                receive(signal, stamp - time.origin, value)

        return received

    def _hold(self, signal: str, value: Any) -> None:
        """Before its first run: what keeps the device where it is, as often as the device speaks."""
        stage = self.stage
        self._held[signal] = value
        if stage.hold is None or signal != stage.heartbeat or not self._held.keys() >= set(stage.hold_inputs):
            return
        command = stage.hold(*[self._held[name] for name in stage.hold_inputs])
        for _, publish, write in self._to_controllers if command is not None else ():
            publish(write(command))

    def reject(self, signal: str, why: str) -> None:
        self.counters.rejected += 1
        self.node.get_logger().warning(f"{signal}: message refused, {why}", throttle_duration_sec=5.0)

    def _receive_lockstep(self, signal: str, stamp: int, value: Any) -> None:
        inbox = self.inbox
        if not self.stage.closes_loop and inbox.repeated(signal, stamp):
            self.repeat()
            return
        inbox.offer(signal, stamp, value)
        self._run_ready()

    def _run_ready(self) -> None:
        while self.active and (ready := self.inbox.take()) is not None:
            self.run(*ready)

    def _receive_newest(self, signal: str, stamp: int, value: Any) -> None:
        inbox = self.inbox
        if inbox.repeated(signal, stamp):
            self.repeat()
            return
        inbox.offer(signal, stamp, value)
        ticks = inbox.due(signal, stamp)
        if ticks:
            # every tick is published, so that what depends on time alone (the nominal) has no gaps downstream
            stamps = {"stamps": inbox.stamps()} if self.stage.takes_stamps else {}
            for tick in ticks:
                self.run(tick, inbox.inputs(), **stamps)
            self.counters.losses = inbox.made_up
            self.counters.age = max(self.counters.age, inbox.oldest(stamp))

    def act(self, stamp: int, inputs: list[Any], **stamps: list[int]) -> tuple[Any, ...] | None:
        """Runs the block; an exception stops this block and is told, never swallowed."""
        try:
            return self.stage.act(stamp, *inputs, **stamps)
        except Exception as error:
            self.active = False
            self.counters.exceptions += 1
            self._failed(f"{self.stage.name} failed at {1e-9 * stamp:.3f} s: {type(error).__name__}: {error}")
            return None

    def run(self, stamp: int, inputs: list[Any], **stamps: list[int]) -> None:
        values = self.act(stamp, inputs, **stamps)
        if values is None:
            return
        self.counters.ran()
        self._holding = False
        answer, at = [], stamp + (self.time.origin or 0)
        for (publish, write, record, every, monitor), value in zip(self._outputs, values):
            if every and stamp % every:
                continue
            if record is not None:
                record(value)
            if monitor and stamp % monitor:
                continue
            raw = write(at, value)
            publish(raw)
            answer.append((publish, raw))
        self._answer = answer
        for index, publish_command, write_command in self._to_controllers:
            publish_command(write_command(values[index]))
        if self._sensors is not None:
            self._sensors.publish(self.time.origin or 0)
        if self._transforms is not None and stamp % MONITOR_PERIOD == 0:
            self._transforms.publish(at, (inputs[0].start, *values))

    def runs(self) -> int:
        """How often the block has run."""
        return self.counters.runs

    def repeat(self) -> None:
        """Sends the last answer once more: somebody did not hear it."""
        for publish, raw in self._answer:
            publish(raw)
