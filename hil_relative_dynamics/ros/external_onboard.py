"""What the facility hears from a user's own on-board software, which is a process of its own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.external import ONBOARD
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.facility.supervisor_events import Event, LostNode, NodeFailure
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BadMessage


class ExternalOnboard:
    """Listens to what a user's on-board software answers: records it and tells what is wrong with it.

    Args:
        node: subscribes.
        stop: called, once for each topic, with why the robots must stop, and whether the tick cannot end for it.
        duration: of the run [ns].
        limit: how far the newest stamp of each topic may be from the run's time [ns].
    """

    def __init__(
        self,
        node: Node,
        table: TickTable,
        wires: SignalWires,
        recorder: Recorder,
        time: RunTime,
        stop: Callable[[Event, bool], None],
        duration: int,
        limit: int,
    ) -> None:
        self._duration = duration
        self._node, self._time, self._stop, self._limit = node, time, stop, limit
        stage = table[ONBOARD]
        taken = {name for other in table for name in other.inputs}
        self._periods = {name: stage.every(name) for name in stage.outputs if name in taken}
        self._newest = dict.fromkeys(self._periods, -1)
        self._told: set[str] = set()
        for name in self._periods:
            wire = wires.make(name)
            callback = self._callback(name, wire.read, recorder.track(name))
            node.create_subscription(wire.message_type, name, callback, qos.SIGNAL, raw=True)

    def _callback(
        self, name: str, read: Callable[[bytes], tuple[int, Any]], record: Callable[[Any], None] | None
    ) -> Callable[[bytes], None]:
        to_array, period, due = signals.to_array(name), self._periods[name], 0

        def received(raw: bytes) -> None:
            nonlocal due
            try:
                stamp, value = read(raw)
            except BadMessage as error:
                self._tell(name, NodeFailure(_who(name), f"a misfit message: {error}"), blocks=True)
                return
            if self._time.origin is None or stamp < self._time.origin:
                return  # not of the run
            array, stamp = to_array(value), stamp - self._time.origin
            if not np.isfinite(array).all():
                self._tell(name, NodeFailure(_who(name), f"the number {array[~np.isfinite(array)][0]}"))
            self._newest[name] = max(self._newest[name], stamp)
            # what was not answered is recorded as it acted: held
            while record is not None and due <= stamp < self._duration:
                record(value)
                due += period

        return received

    def _tell(self, name: str, event: Event, blocks: bool = False) -> None:
        if name not in self._told:
            self._told.add(name)
            self._stop(event, blocks)

    def absent(self) -> list[str]:
        """Topics that nobody publishes."""
        return [name for name in self._periods if not self._node.count_publishers(self._node.resolve_topic_name(name))]

    def excuse(self, stamp: int) -> str:
        """Which topics have no answer to the tick `stamp`, to be added to a sentence."""
        late = [name for name, period in self._periods.items() if self._newest[name] < stamp - stamp % period]
        return f"; {ONBOARD}, which is external, has not sent {', '.join(late)}" if late else ""

    def look(self, stamp: int) -> None:
        """Whether each topic goes on; `stamp` is the run's time [ns]."""
        for name, newest in self._newest.items():
            if newest - stamp > self._limit:
                ahead = f"a stamp {1e-9 * (newest - stamp):.3f} s in the future"
                self._tell(name, NodeFailure(_who(name), ahead))
            elif stamp - newest > self._limit:
                self._tell(name, LostNode(_who(name), stamp - newest))


def _who(name: str) -> str:
    return f"external {ONBOARD} on {name}"
