"""The simulated plant on topics: it closes the loop and drives time."""
from __future__ import annotations

from array import array
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.recorder_node import ACKNOWLEDGED, WINDOW
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.simulated_controllers import SimulatedControllers
from hil_relative_dynamics.ros.stage_runner import MONITOR_PERIOD, StageRunner
from hil_relative_dynamics.ros.wire import BadMessage, read_time, write_time

NEVER = 2**63 - 1


class Plant(StageRunner):
    """The stage that closes the loop and so drives time: by the answers in lockstep, by the clock in real time.

    Before the run (`prepare`) the devices are there, tell their readings and can be homed: by the clock in real time;
    in lockstep time passes only while a robot moves, and then as fast as it goes. So how long homing takes is the same
    every time.

    Args:
        duration: simulated time after which the run is over [ns].
        finished: called then.
        stands_in: for real devices: stamps are ROS time, and time waits for nobody.
        awaits_recorder: in lockstep a recorder in another process takes part: time waits for it, so that no message
            is lost however slow it is.
    """

    #: without an answer for this long a tick is sent again, and after so long the run is given up [ns]
    RESEND, GIVE_UP = 500_000_000, 5_000_000_000
    RESEND_FIRST = 50_000_000
    #: a recorder that was promised may take this long to come [ns]
    APPEARANCE = 60_000_000_000
    #: before the run the readings are told this often [ns]
    TELL = 20_000_000

    def __init__(
        self,
        *arguments: Any,
        duration: int,
        finished: Callable[[], None],
        stands_in: bool = False,
        awaits_recorder: bool = False,
        **options: Any,
    ) -> None:
        self._duration, self._finished = NEVER if stands_in else duration, finished
        self._stands_in = stands_in
        self._prepared: int | None = None
        self._told = 0
        self._sent = self._answered = 0
        self._origin: int | None = None
        self.stamp = 0
        self.misses = 0
        self._late = 0
        self.ticks = array("q")  # stamp and when it was on the steady clock, in turns [ns]
        super().__init__(*arguments, **options)
        self._recorded = NEVER
        if awaits_recorder and self.lockstep:
            self._recorded = -NEVER
            self.node.create_subscription(Time, ACKNOWLEDGED, self._recorder_told, qos.SIGNAL)
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

    def prepare(self) -> None:
        """The devices are there from now on, with the controllers that home them."""
        self._prepared = perf_counter_ns()
        SimulatedControllers(self.node, self.stage.act, self.settle, self.reject)

    def begin(self) -> int:
        """Ends what was before the run; when the run begins on the plant's clock [ns]."""
        self.settle()
        self._prepared = None
        self.stage.act.begin()
        return int(self.stage.act.run_start)

    def settle(self) -> None:
        """In lockstep nothing new begins while a robot still moves."""
        while self.lockstep and self._prepared is not None and self.stage.act.busy:
            self.stage.act.wait()

    def start(self) -> None:
        """The first tick. Matched endpoints do not deliver yet: it is sent again until everybody has answered."""
        if self._stands_in:
            self.stage.act.stand_in()
            SimulatedControllers(self.node, self.stage.act, self.settle, self.reject)
            self._origin = perf_counter_ns()
            self.time.begin(self.node.get_clock().now().nanoseconds)
        self.run(0, [None] * len(self.stage.inputs))

    def run(self, stamp: int, inputs: list[Any], **stamps: list[int]) -> None:
        if stamp >= self._duration:
            self.active = False
            self._finished()
            return
        self.stamp = stamp
        self._sent = self._answered = perf_counter_ns()
        self.ticks.extend((stamp, self._sent))
        if stamp % MONITOR_PERIOD == 0 and not self._stands_in:  # a fast clock costs every listener dearly
            write_time(self._time.clock, stamp + (self.time.origin or 0))
            self._clock.publish(self._time)
        super().run(stamp, inputs)

    def _receive_newest(self, signal: str, stamp: int, value: Any) -> None:
        self.inbox.offer(signal, stamp, value)
        if self._origin is None and not self.inbox.missing():
            self._origin = perf_counter_ns()  # tick 0 is answered: time begins

    def _recorder_told(self, until: Time) -> None:
        self._recorded = read_time(until) - (self.time.origin or 0)
        self._run_ready()

    def _run_ready(self) -> None:
        if self.stamp - self._recorded < WINDOW * self.stage.period:
            super()._run_ready()

    def watch(self) -> float:
        """To be called often. Does what is due and says how long it may wait for messages [s]."""
        if not self.active:
            return 0.0
        if self._prepared is not None:
            return self._wait(perf_counter_ns() - self._prepared)
        if self._origin is not None:
            return self._tick(perf_counter_ns() - self._origin)
        self._send_again()
        return 0.05

    def _wait(self, elapsed: int) -> float:
        """Before the run."""
        devices = self.stage.act
        if not self.lockstep:
            while devices.elapsed + devices.cycle <= elapsed:
                devices.wait()
                self._tell(devices.elapsed)
            return 1e-9 * (devices.elapsed + devices.cycle - elapsed)
        busy, end = devices.busy, devices.elapsed + self.TELL
        while devices.busy and devices.elapsed < end:
            devices.wait()
        if busy or elapsed - self._told > self.TELL:  # once more at rest: somebody may have come late
            self._told = elapsed
            self._tell(devices.elapsed)
        return 0.0 if busy else 1e-9 * self.TELL

    def _tell(self, stamp: int) -> None:
        for (publish, write, *_), value in zip(self._outputs, self.stage.act.read()):
            publish(write(stamp, value))

    def _tick(self, elapsed: int) -> float:
        """Runs the tick that is due by the clock, and those before it that were missed."""
        period = self.stage.period
        due = elapsed - elapsed % period
        if due > self.stamp:
            self.misses += elapsed - self.stamp > 2 * period  # started more than a period late
            self._late = max(self._late, elapsed - self.stamp - period)
            inputs = self.inbox.inputs()
            for missed in range(self.stamp + period, min(due, self._duration), period):
                self._catch_up(missed, self.act(missed, inputs))
            self.run(min(due, self._duration), inputs)
            return 0.0
        return 1e-9 * (self.stamp + period - elapsed)

    def lateness(self) -> int:
        """The largest of a tick since this was last asked [ns]."""
        late, self._late = self._late, 0
        return late

    def _catch_up(self, stamp: int, values: tuple[Any, ...] | None) -> None:
        """As devices do, which go on whether or not anybody listens: of the fast ones only the newest is told."""
        for (publish, write, record, every, _), value in zip(self._outputs, values or ()):
            if every and stamp % every:
                continue
            if record is not None:
                record(value)
            if every:
                publish(write(stamp + (self.time.origin or 0), value))

    def _send_again(self) -> None:
        now = perf_counter_ns()
        if now - self._sent < (self.RESEND if self.stamp else self.RESEND_FIRST):
            return
        if now - self._answered > (self.APPEARANCE if self._recorded == -NEVER else self.GIVE_UP):
            self.active = False
            waiting = ", ".join(self.inbox.missing()) or ACKNOWLEDGED
            self._failed(f"no answer to the tick at {1e-9 * self.stamp:.3f} s: {waiting} did not come")
            return
        self._sent = now
        self.counters.losses += 1
        self.repeat()
