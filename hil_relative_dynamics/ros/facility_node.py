"""What an operator asks of the facility with real devices: home, start, stop.

    /facility/home    moves the robots to where the run starts, one after the other
    /facility/start   begins the run, once everything is ready for it
    /facility/stop    ramps the robots to rest and ends the run
"""
from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import degrees
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.context import Context
from rclpy.node import Node
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World
from hil_relative_dynamics.engine.real_laboratory import MASTERS
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.facility.controller_switch import TRAJECTORY
from hil_relative_dynamics.facility.homing import ROBOTS, HomingRefused
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.controllers import ARM, DEVICES, STREAM, Controllers, Refused, answer, controllers_of
from hil_relative_dynamics.ros.homing import ARM_JOINTS, RobotHoming
from hil_relative_dynamics.ros.readings import Readings
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import Scenario

#: from the answer to /facility/start to time 0: every process knows by then when that is [ns]
LEAD = 300_000_000
#: how long inputs may take to be fresh all at once [s]
FRESH_WITHIN = 2.0

WAITING, HOMING, STARTING, RUNNING, OVER = "waiting", "homing", "starting", "running", "over"


class FacilityNode(Node):
    """The operator's services.

    Args:
        apart: supervisor and command guard run in processes of their own, as they do with real robots.
        stop: asks a supervisor in this process to stop; None if it is apart.
    """

    def __init__(
        self,
        scenario: Scenario,
        wires: SignalWires,
        time: RunTime,
        joint_names: dict[str, list[str]],
        context: Context,
        apart: bool,
        stop: Callable[[], str] | None,
    ) -> None:
        super().__init__("facility", context=context)
        self._scenario, self._time, self._apart, self._stop = scenario, time, apart, stop
        world = World(scenario)
        self.phase, self.safety, self.safety_heard = WAITING, SafetyState(False), 0.0
        self.readings = Readings(self, wires, sorted(signals.FROM_DEVICES))
        self.controllers: Controllers = controllers_of(self, simulated=False)
        self.homing = RobotHoming(self, Robots(world).homing(), self.readings, self.controllers, joint_names)
        self._arm_start = world.joints.position
        wire = wires.make(signals.SAFETY)

        def heard(raw: bytes) -> None:
            self.safety, self.safety_heard = wire.read(raw)[1], monotonic()

        self.create_subscription(DiagnosticArray, signals.SAFETY, heard, qos.SENSOR, raw=True)
        if apart:
            self._get_state = self.create_client(GetState, "safety_supervisor/get_state")
            self._change_state = self.create_client(ChangeState, "safety_supervisor/change_state")
            self._ask_stop = self.create_client(Trigger, "safety_supervisor/stop")
            self._watch = self.create_client(Trigger, "command_guard/watch")
            self._release = self.create_client(Trigger, "command_guard/release")
        self._serve("home", self.home)
        self._serve("start", self.start)
        self._serve("stop", self.stop)

    def _serve(self, name: str, act: Callable[[], Awaitable[str]]) -> None:
        async def handle(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            try:
                response.success, response.message = True, await act()
            except (Refused, HomingRefused) as refusal:
                response.success, response.message = False, str(refusal)
                self.get_logger().error(f"{name}: {refusal}")
            return response

        self.create_service(Trigger, f"~/{name}", handle)

    async def home(self) -> str:
        return await self._while(HOMING, WAITING, self.homing.home)

    async def start(self) -> str:
        return await self._while(STARTING, RUNNING, self._begin)

    async def _while(self, phase: str, after: str, act: Callable[[], Awaitable[str]]) -> str:
        if self.phase != WAITING:
            raise Refused(f"not now: the facility is {self.phase}.")
        self.phase, done = phase, WAITING
        try:
            said = await act()
            done = after
            return said
        finally:
            self.phase = done

    async def _begin(self) -> str:
        await self._fresh()
        self._at_the_start()
        for robot in ROBOTS:
            await self.homing.at_rest(robot)
        if self._apart:
            await self._supervisor_is_active()
            await self._succeed(self._watch, "command_guard")
        try:
            for device in DEVICES:
                await self.controllers.activate(device, STREAM[device])
        except Refused:
            await self.give_back()
            raise
        self._time.announce(self, self._origin())
        return f"the run begins in {1e-9 * LEAD:.1f} s"

    def _origin(self) -> int:
        """On the master's grid, so that its samples are in the middle of their ticks."""
        stamp = self.readings.newest[MASTERS[self._scenario.facility.master]].stamp
        period = self._scenario.rates.dynamics_ns
        return stamp + LEAD - LEAD % period

    async def _fresh(self) -> None:
        """All inputs at once no older than the scenario allows, by their arrival and by their stamps."""
        end = monotonic() + FRESH_WITHIN
        while stale := self._stale():
            if monotonic() > end:
                raise Refused(f"not ready: {stale}.")
            await self.readings.change()

    def _stale(self) -> str:
        limit, now = self._scenario.safety.data_age_ns, self.get_clock().now().nanoseconds
        for signal in self.readings.signals:
            heard = self.readings.newest.get(signal)
            if heard is None:
                return f"{signal} has not been heard"
            arrived = int(1e9 * (monotonic() - heard.arrival))
            for age, what in ((now - heard.stamp, "its stamp"), (arrived, "its arrival")):
                if abs(age) > limit:
                    return f"{signal} is {1e-6 * age:.0f} ms old by {what}, limit {1e-6 * limit:.0f} ms"
        return ""

    def _at_the_start(self) -> None:
        limit = self._scenario.laboratory.commanding.first_step
        far = self.homing.far(limit)
        if far:
            raise Refused(f"not ready: {far}; home the robots first ({self.get_fully_qualified_name()}/home).")
        gap = self.readings.newest[ARM_JOINTS].value.position - self._arm_start
        joint = int(abs(gap).argmax())
        if not abs(gap[joint]) <= limit:
            off = f"joint {joint + 1} of the arm is {degrees(gap[joint]):.2f} deg off its start"
            raise Refused(f"not ready: {off}, allowed {degrees(limit):.2f}; move it there first.")

    async def _supervisor_is_active(self) -> None:
        who = "safety_supervisor"
        state = (await answer(self, self._get_state, GetState.Request(), who)).current_state
        if state.id == State.PRIMARY_STATE_ACTIVE:
            return
        if state.id != State.PRIMARY_STATE_UNCONFIGURED:
            raise Refused(f"{who} is {state.label}: it has been through a run, start it anew.")
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            await self._change(transition)

    async def _change(self, transition: int) -> None:
        request = ChangeState.Request(transition=Transition(id=transition))
        if not (await answer(self, self._change_state, request, "safety_supervisor")).success:
            raise Refused("safety_supervisor refused to be configured, activated or deactivated.")

    async def _succeed(self, client: Any, who: str) -> str:
        response = await answer(self, client, Trigger.Request(), who)
        if not response.success:
            raise Refused(f"{who}: {response.message}")
        return str(response.message)

    async def stop(self) -> str:
        """Asks the supervisor, which ramps the robots to rest."""
        if self.phase != RUNNING:
            raise Refused(f"there is no run to stop: the facility is {self.phase}.")
        if self._stop is not None:
            return self._stop()
        return await self._succeed(self._ask_stop, "safety_supervisor")

    async def end(self) -> list[str]:
        """After the robots came to rest: nothing moves them any more. What could not be done, in sentences."""
        self.phase = OVER
        steps = [self.controllers.activate(device, None) for device in DEVICES]
        if self._apart:
            steps += [self._succeed(self._release, "command_guard"), self._change(Transition.TRANSITION_DEACTIVATE)]
        return [refusal for step in steps if (refusal := await _refusal(step))]

    async def give_back(self) -> None:
        """After a start that was refused: robots under their trajectory controllers, the arm under none."""
        for device in DEVICES:
            await _refusal(self.controllers.activate(device, None if device == ARM else TRAJECTORY))


async def _refusal(step: Awaitable[Any]) -> str:
    try:
        await step
    except Refused as refusal:
        return str(refusal)
    return ""
