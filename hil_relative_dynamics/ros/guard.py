"""The command guard on topics: a process of its own that takes the controllers away when anything goes silent.

Forward controllers hold their last command for ever, and nobody on the thread that has died can say so. What it does,
in this order: /diagnostics tells why (ERROR); the arm is told to carry its weight and give way, for as long as it still
listens; the controllers of all devices are deactivated, through their controller managers.

What it cannot promise: it runs on an ordinary operating system and on the network that it watches. It sees silence
after the scenario's `safety.lost_node_ms`, not before. Until a controller manager has answered, a robot holds its last
position, and when none answers that is where it stays: neither speed nor force is limited by the guard. A process that
keeps sending the wrong commands is not silent: that is the supervisor's part. Not safety-rated: the emergency stop
chain is required.
"""
from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.executors import Executor
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World
from hil_relative_dynamics.engine.command_stages import ArmCommanderStage
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.facility.supervisor_guard import CommandGuard
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.controllers import ARM, DEVICES, Controllers, Refused, controllers_of
from hil_relative_dynamics.ros.homing import ARM_JOINTS, JOINTS
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BadMessage
from hil_relative_dynamics.scenario import Scenario

BASE_JOINTS = JOINTS["servicer_robot"]
#: everything that must keep coming while a run is on
WATCHED = (signals.SAFETY, *signals.CONTROLLER_TOPICS.values(), *JOINTS.values(), ARM_JOINTS)
#: how often it looks [s]
LOOK = 0.01
REPORT = 1_000_000_000

IDLE, READY, WATCHING, TRIPPED = "idle", "ready", "watching", "tripped"


class GuardNode(Node):
    """Services: ~/watch (be ready for a run), ~/release (the run is over), ~/reset (after a trip)."""

    def __init__(self, scenario: Scenario, wires: SignalWires, executor: Executor) -> None:
        super().__init__("command_guard")
        self._executor, self._limit = executor, scenario.safety.lost_node_ns
        self._guard = CommandGuard(dict.fromkeys(WATCHED, self._limit))
        self._state = self._guard.watch(monotonic_ns())
        self.phase, self._did = IDLE, ""
        self._time = RunTime(None)
        self._time.listen(self, self.get_logger().error)
        self._controllers: Controllers = controllers_of(self, simulated=False)
        self._arm = ArmCommanderStage(Robots(World(scenario)))
        self._readings: dict[str, Any] = {}
        self._effort: Any = None  # a second publisher is a reason to stop: only after a trip
        self._told = 0
        for name in WATCHED:
            self._listen(name, wires)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
        for name, act in (("watch", self._watch), ("release", self._release), ("reset", self._reset)):
            self.create_service(Trigger, f"~/{name}", _handler(act))
        executor.add_node(self)

    def _listen(self, name: str, wires: SignalWires) -> None:
        if name in signals.CONTROLLER_TOPICS.values():
            self.create_subscription(Float64MultiArray, name, self._heard(name), qos.COMMAND, raw=True)
            return
        wire = wires.make(name)
        read = wire.read if name in (ARM_JOINTS, BASE_JOINTS) else None
        self.create_subscription(wire.message_type, name, self._heard(name, read), qos.SENSOR, raw=True)

    def _heard(self, name: str, read: Callable[[bytes], tuple[int, Any]] | None = None) -> Callable[[bytes], None]:
        def received(raw: bytes) -> None:
            self._state = self._guard.heard(self._state, name, monotonic_ns())
            if read is not None:
                try:
                    self._readings[name] = read(raw)[1]
                except BadMessage:
                    return
                if name == ARM_JOINTS and self._effort is not None:
                    self._hold()

        return received

    def _watch(self) -> str:
        if self.phase == TRIPPED:
            raise ValueError(f"it has tripped, reset it first: {self._state.sentence}")
        silent = [name for name in WATCHED[1:] if not self._recent(name)]
        if silent:
            raise ValueError(f"{', '.join(silent)} cannot be heard")
        self.phase = READY
        return "will watch from the start of the run on"

    def _recent(self, name: str) -> bool:
        return name in self._state.heard and monotonic_ns() - self._state.heard[name] <= self._limit

    def _release(self) -> str:
        if self.phase == TRIPPED:
            raise ValueError(f"it has tripped: {self._state.sentence}")
        self.phase = IDLE
        return "no longer watching"

    def _reset(self) -> str:
        if self.phase != TRIPPED:
            raise ValueError(f"there is nothing to reset: it is {self.phase}")
        self._let_go()
        self.phase, self._state = IDLE, self._guard.watch(monotonic_ns())
        return "ready for another run"

    def look(self) -> None:
        """To be called often."""
        now = monotonic_ns()
        if self.phase == READY and self._begun():
            self.phase, self._state = WATCHING, self._guard.watch(now)
        if self.phase == WATCHING:
            self._state, deactivate = self._guard.step(self._state, now)
            if deactivate:
                self._trip()
        if now - self._told > REPORT:
            self._report()

    def _begun(self) -> bool:
        origin = self._time.origin
        return origin is not None and self.get_clock().now().nanoseconds >= origin

    def _trip(self) -> None:
        self.phase = TRIPPED
        self.get_logger().error(self._state.sentence)
        topic = signals.CONTROLLER_TOPICS[signals.ARM_COMMAND]
        self._effort = self.create_publisher(Float64MultiArray, topic, qos.COMMAND)
        self._did = "deactivating"
        self._report()
        self._executor.create_task(self._deactivate)

    async def _deactivate(self) -> None:
        """The arm last: until then it is held."""
        failures = []
        for device in DEVICES:
            try:
                await self._controllers.activate(device, None)
            except Refused as refusal:
                failures.append(str(refusal))
                self.get_logger().error(str(refusal))
            else:
                if device == ARM:
                    self._let_go()
        self._did = " ".join(failures) or "all controllers are deactivated"
        self._report()

    def _hold(self) -> None:
        """The arm's effort, from its own readings: as long as these come."""
        if BASE_JOINTS in self._readings:
            effort = self._arm.hold(self._readings[ARM_JOINTS], self._readings[BASE_JOINTS])
            self._effort.publish(Float64MultiArray(data=effort.tolist()))

    def _let_go(self) -> None:
        if self._effort is not None:
            self.destroy_publisher(self._effort)
        self._effort = None

    def _report(self) -> None:
        self._told = monotonic_ns()
        status = DiagnosticStatus(name=self.get_fully_qualified_name(), hardware_id="hil_relative_dynamics")
        tripped = self.phase == TRIPPED
        status.level = DiagnosticStatus.ERROR if tripped else DiagnosticStatus.OK
        status.message = self._state.sentence if tripped else self.phase
        status.values = [KeyValue(key="phase", value=self.phase), KeyValue(key="controllers", value=self._did)]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def _handler(act: Callable[[], str]) -> Callable[[Any, Any], Any]:
    def handle(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.success, response.message = True, act()
        except ValueError as error:
            response.success, response.message = False, str(error)
        return response

    return handle
