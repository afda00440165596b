"""A facility that is running, heard from a process of its own.

Nothing here is in its way: it tells what can be seen 30 times a second on `run/monitor`. Where nodes run one by one
nobody does so; then the signals' own topics are heard. Of every topic the middleware keeps only the newest message,
best effort, and it is picked up as often as a picture is drawn; messages in between are never touched.
"""
from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic
from typing import Any

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.monitor import MONITOR, SCENARIO, read, read_scenario
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BadMessage
from hil_relative_dynamics.scenario import Scenario
from hil_relative_dynamics.scene.snapshot import JOINTS, NEEDED, WELCOME, Snapshot, snapshot

#: how long to look for a facility [s]
PATIENCE = 8.0
#: a facility that says nothing for so long is gone [s]
SILENCE = 1.0
#: heard from where they are said: they change rarely
SENTENCES = (signals.SAFETY, signals.ONBOARD_STATUS)
#: by button, the services that may do it: the first that is there is asked
SERVICES = {
    "Home": ("facility/home",),
    "Start": ("facility/start",),
    "Hold": ("onboard_software/hold",),
    "Stop": ("facility/stop", "safety_supervisor/stop"),
    "Tare": ("wrench_chain/tare",),
}


class Facility:
    """What a running facility tells, and what it can be asked."""

    def __init__(self, scenario: Scenario | None = None) -> None:
        """Finds it; RuntimeError where there is none. `scenario`: where nobody tells what is running."""
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._listener = Node("viewer_listener", context=self._context, start_parameter_services=False)
        self._node = Node("viewer", context=self._context, start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._time = RunTime()
        self._time.listen(self._node, lambda _: None)
        self._requests: SimpleQueue[str] = SimpleQueue()
        self._asked: list[tuple[str, Any, Any, float]] = []  # button, client, future, until when to wait
        try:
            self.scenario = scenario or self._ask_scenario()
            table = assemble(self.scenario)
            wires = SignalWires(table, joint_names(self.scenario))
            wanted = SENTENCES if scenario is None else (*NEEDED, *JOINTS, *WELCOME)
            there = [name for name in wanted if name in table.producers]
            self._inputs = {name: _Newest(self._listener, name, wires.make(name)) for name in there}
            self._monitor = None
            if scenario is None:
                self._monitor = self._inputs[MONITOR] = _Newest(self._listener, MONITOR, _MonitorWire())
            self._heard_at = 0.0
            self._wait_for_all()
        except BaseException:
            self.close()
            raise

    def _ask_scenario(self) -> Scenario:
        told: list[str] = []

        def hear(text: String) -> None:
            told.append(text.data)

        subscription = self._node.create_subscription(String, SCENARIO, hear, qos.LATCHED)
        self._spin_until(lambda: bool(told))
        self._node.destroy_subscription(subscription)
        if not told:
            raise RuntimeError(
                f"no facility is running here: nobody tells its scenario on {SCENARIO}; start one with"
                " 'hil run envisat_capture --mode realtime', or name what is running with --scenario"
            )
        return read_scenario(told[0])

    def _wait_for_all(self) -> None:
        needed = NEEDED if self._monitor is None else (MONITOR,)
        self._spin_until(lambda: all(self._inputs[name].poll() or self._inputs[name].heard for name in needed))
        silent = [name for name in needed if not self._inputs[name].heard]
        if silent:
            raise RuntimeError(f"no facility is running here: nothing is heard on {', '.join(silent)}")
        self._heard_at = monotonic()

    def _spin_until(self, done: Callable[[], bool]) -> None:
        end = monotonic() + PATIENCE
        while not done() and monotonic() < end:
            self._executor.spin_once(timeout_sec=0.05)

    def look(self) -> Snapshot | None:
        """What is newest; None where nothing has come since the last look."""
        for _ in range(5):  # answers and the like are few
            self._executor.spin_once(timeout_sec=0.0)
        news = [name for name, reading in self._inputs.items() if reading.poll()]
        if (self._monitor is not None and MONITOR not in news) or not news:
            return None
        self._heard_at = monotonic()
        values = {name: reading.value for name, reading in self._inputs.items() if reading.heard}
        if self._monitor is not None:
            time, rows = values.pop(MONITOR)
        else:
            time = 1e-9 * (self._inputs[signals.CLIENT_ABSOLUTE].stamp - (self._time.origin or 0))
            rows = {name: signals.to_array(name)(value) for name, value in values.items()}
        return snapshot(time, rows, alert=_alert(values))

    @property
    def silent(self) -> bool:
        return monotonic() - self._heard_at > SILENCE

    def offered(self) -> dict[str, str]:
        """By button, the service that does it."""
        names = {name for name, _ in self._node.get_service_names_and_types()}
        there = {button: [self._resolved(name) for name in those] for button, those in SERVICES.items()}
        return {button: found[0] for button, those in there.items() if (found := [n for n in those if n in names])}

    def _resolved(self, service: str) -> str:
        return str(self._node.resolve_service_name(service))

    def request(self, button: str) -> None:
        """From any thread; `answers` carries it out."""
        self._requests.put(button)

    def answers(self) -> list[tuple[str, str]]:
        """Asks what was requested and tells what was answered: button and sentence."""
        told = []
        while not self._requests.empty():
            button = self._requests.get()
            service = self.offered().get(button)
            if service is None:
                told.append((button, "this facility has no such service at the moment"))
                continue
            client = self._node.create_client(Trigger, service)
            self._asked.append((button, client, client.call_async(Trigger.Request()), monotonic() + PATIENCE))
        for asked in list(self._asked):
            button, client, future, end = asked
            if future.done() or monotonic() > end:
                self._asked.remove(asked)
                told.append((button, _said(future)))
                self._node.destroy_client(client)
        return told

    def close(self) -> None:
        self._executor.shutdown()
        self._listener.destroy_node()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)


class _Newest:
    """The newest message of one signal."""

    def __init__(self, node: Node, topic: str, wire: Any) -> None:
        self._wire = wire
        self._subscription = node.create_subscription(wire.message_type, topic, _not_called, qos.SENSOR, raw=True)
        self.heard, self.stamp, self.value = False, 0, None

    def poll(self) -> bool:
        """Whether there is something new; what cannot be read is not."""
        with self._subscription.handle:
            taken = self._subscription.handle.take_message(self._wire.message_type, True)
        if taken is None:
            return False
        try:
            self.stamp, self.value = self._wire.read(taken[0])
        except BadMessage:
            return False
        self.heard = True
        return True


class _MonitorWire:
    """All that can be seen in one message."""

    message_type = Float64MultiArray

    def read(self, raw: bytes) -> tuple[int, tuple[float, dict[str, np.ndarray]]]:
        return 0, read(deserialize_message(raw, Float64MultiArray))


def _said(future: Any) -> str:
    if not future.done():
        return f"no answer within {PATIENCE:g} s"
    answer = future.result()
    return str(answer.message) if answer.success else f"refused: {answer.message}"


def _not_called(_: bytes) -> None:
    """Messages are picked up: no executor knows of these subscriptions."""


def _alert(values: dict[str, Any]) -> str:
    safety, status = values.get(signals.SAFETY), values.get(signals.ONBOARD_STATUS)
    stopped = safety.sentence or "the robots may not move yet" if safety and not safety.enabled else ""
    return " ".join(filter(None, (stopped, status.reason if status else "")))
