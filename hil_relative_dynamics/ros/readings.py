"""The newest reading of each device, and when it came."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.task import Future

from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BadMessage

#: whoever waits for readings looks up at least this often [s]
WINK = 0.05


class Heard(NamedTuple):
    """A value, its stamp [ns] and when it arrived on the steady clock [s]."""

    value: Any
    stamp: int
    arrival: float


class Readings:
    """Listens to signals of devices."""

    def __init__(self, node: Node, wires: SignalWires, signals: Iterable[str]) -> None:
        self.newest: dict[str, Heard] = {}
        self.signals = tuple(signals)
        self._waiting: list[Future] = []
        for signal in self.signals:
            wire = wires.make(signal)
            callback = self._callback(signal, wire.read)
            node.create_subscription(wire.message_type, signal, callback, qos.SENSOR, raw=True)
        node.create_timer(WINK, self._wake)

    def _callback(self, signal: str, read: Callable[[bytes], tuple[int, Any]]) -> Callable[[bytes], None]:
        def received(raw: bytes) -> None:
            try:
                stamp, value = read(raw)
            except BadMessage:
                return  # counted and told where it is used
            self.newest[signal] = Heard(value, stamp, monotonic())
            self._wake()

        return received

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def change(self) -> None:
        """Returns with the next reading, or after a while without."""
        future: Future = Future()
        self._waiting.append(future)
        await future

    def silent(self, seconds: float) -> list[str]:
        """Signals that were not heard for so long, or never."""
        now = monotonic()
        return [
            signal
            for signal in self.signals
            if signal not in self.newest or now - self.newest[signal].arrival > seconds
        ]
