"""One block of the table on topics: takes messages, runs the block, publishes what it gives."""
from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage, TickTable
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.counters import Counters
from hil_relative_dynamics.ros.inbox import LockstepInbox, NewestInbox
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.transforms import OrbitTransforms
from hil_relative_dynamics.ros.wire import BadMessage, write_time

#: signals that no block takes are for looking at: in real time they are published this often [ns]
MONITOR_PERIOD = 20_000_000


class StageRunner:
    """Connects a stage to a node's topics.

    Args:
        lockstep: join inputs by exact stamps; otherwise the trigger runs the block with the newest of the rest.
        failed: called with a sentence when the block raises; a block that failed does not run again.
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
    ) -> None:
        self.node, self.stage, self.lockstep = node, stage, lockstep
        self.active = True
        self.counters = Counters(stage.period)
        self._failed = failed
        mapping = stage.name == "relative_mapping"
        self._transforms = OrbitTransforms(node, ("nominal", "client", "servicer")) if mapping else None
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
        self.inbox: Any = LockstepInbox(stage, periods) if lockstep else NewestInbox(stage)
        for name in stage.inputs:
            self._subscribe(name, wires)

    def _publisher(self, signal: str, wires: SignalWires) -> Callable[[bytes], None]:
        return self.node.create_publisher(wires.make(signal).message_type, signal, qos.SIGNAL).publish

    def _subscribe(self, signal: str, wires: SignalWires) -> None:
        receive = self._receive_lockstep if self.lockstep else self._receive_newest
        profile = qos.SENSOR if signal in signals.FROM_DEVICES and not self.lockstep else qos.SIGNAL
        wire = wires.make(signal)
        callback = self._callback(signal, wire.read, receive)
        self.node.create_subscription(wire.message_type, signal, callback, profile, raw=True)

    def _callback(
        self, signal: str, read: Callable[[bytes], tuple[int, Any]], receive: Callable[[str, int, Any], None]
    ) -> Callable[[bytes], None]:
        def received(raw: bytes) -> None:
            if not self.active:
                return
            try:
                stamp, value = read(raw)
            except BadMessage as error:
                self.reject(signal, str(error))
                return
            receive(signal, stamp, value)

        return received

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
        answer = []
        for (publish, write, record, every, monitor), value in zip(self._outputs, values):
            if every and stamp % every:
                continue
            if record is not None:
                record(value)
            if monitor and stamp % monitor:
                continue
            raw = write(stamp, value)
            publish(raw)
            answer.append((publish, raw))
        self._answer = answer
        for index, publish_command, write_command in self._to_controllers:
            publish_command(write_command(values[index]))
        if self._transforms is not None and stamp % MONITOR_PERIOD == 0:
            self._transforms.publish(stamp, (inputs[0].start, *values))

    def repeat(self) -> None:
        """Sends the last answer once more: somebody did not hear it."""
        for publish, raw in self._answer:
            publish(raw)


class Plant(StageRunner):
    """The stage that closes the loop and so drives time: by the answers in lockstep, by the clock in real time.

    Args:
        duration: simulated time after which the run is over [ns].
        finished: called then.
    """

    #: without an answer for this long a tick is sent again, and after so long the run is given up [ns]
    RESEND, GIVE_UP = 500_000_000, 5_000_000_000
    RESEND_FIRST = 50_000_000

    def __init__(self, *arguments: Any, duration: int, finished: Callable[[], None], **options: Any) -> None:
        self._duration, self._finished = duration, finished
        self._sent = self._answered = 0
        self._origin: int | None = None
        self.stamp = 0
        self.misses = 0
        super().__init__(*arguments, **options)
        self._clock = self.node.create_publisher(Clock, "/clock", qos.SENSOR)
        self._time = Clock()

    def _subscribe(self, signal: str, wires: SignalWires) -> None:
        """In real time the plant listens where the stock controllers listen."""
        topic = signals.CONTROLLER_TOPICS.get(signal)
        if topic is None or self.lockstep:
            super()._subscribe(signal, wires)
            return
        wire = wires.make_command(signal)

        def received(message: Any) -> None:
            try:
                self._receive_newest(signal, self.stamp, wire.read(message))
            except BadMessage as error:
                self.reject(topic, f"{error}: a stock controller would have been deactivated")

        self.node.create_subscription(wire.message_type, topic, received, qos.COMMAND)

    def start(self) -> None:
        """The first tick. Matched endpoints do not deliver yet: it is sent again until everybody has answered."""
        self.run(0, [None] * len(self.stage.inputs))

    def run(self, stamp: int, inputs: list[Any], **stamps: list[int]) -> None:
        if stamp >= self._duration:
            self.active = False
            self._finished()
            return
        self.stamp = stamp
        self._sent = self._answered = perf_counter_ns()
        if stamp % MONITOR_PERIOD == 0:  # slower than the loop: a fast clock costs every listener dearly
            write_time(self._time.clock, stamp)
            self._clock.publish(self._time)
        super().run(stamp, inputs)

    def _receive_newest(self, signal: str, stamp: int, value: Any) -> None:
        self.inbox.offer(signal, stamp, value)
        if self._origin is None and not self.inbox.missing():
            self._origin = perf_counter_ns()  # tick 0 is answered: time begins

    def watch(self) -> float:
        """To be called often. Does what is due and says how long it may wait for messages [s]."""
        if not self.active:
            return 0.0
        if self._origin is not None:
            return self._tick(perf_counter_ns() - self._origin)
        self._send_again()
        return 0.05

    def _tick(self, elapsed: int) -> float:
        """Runs the tick that is due by the clock, and those before it that were missed."""
        period = self.stage.period
        due = elapsed - elapsed % period
        if due > self.stamp:
            self.misses += elapsed - self.stamp > 2 * period  # started more than a period late
            inputs = self.inbox.inputs()
            for missed in range(self.stamp + period, min(due, self._duration), period):
                self._catch_up(missed, self.act(missed, inputs))
            self.run(min(due, self._duration), inputs)
            return 0.0
        return 1e-9 * (self.stamp + period - elapsed)

    def _catch_up(self, stamp: int, values: tuple[Any, ...] | None) -> None:
        """As devices do, which go on whether or not anybody listens: of the fast ones only the newest is told."""
        for (publish, write, record, every, _), value in zip(self._outputs, values or ()):
            if every and stamp % every:
                continue
            if record is not None:
                record(value)
            if every:
                publish(write(stamp, value))

    def _send_again(self) -> None:
        now = perf_counter_ns()
        if now - self._sent < (self.RESEND if self.stamp else self.RESEND_FIRST):
            return
        if now - self._answered > self.GIVE_UP:
            self.active = False
            waiting = ", ".join(self.inbox.missing())
            self._failed(f"no answer to the tick at {1e-9 * self.stamp:.3f} s: {waiting} did not come")
            return
        self._sent = now
        self.counters.losses += 1
        self.repeat()
