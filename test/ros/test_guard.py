"""The command guard on topics, with nobody there who could deactivate the controllers."""
import time
import types

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.ros import guard as guards
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.guard import GuardNode
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import load

NAME = "envisat_unforced_facility"
EFFORT = signals.CONTROLLER_TOPICS[signals.ARM_COMMAND]


@pytest.fixture
def guard():
    rclpy.init()
    scenario = load(NAME, ["safety.lost_node_ms=500"])
    executor = EventsExecutor()
    node = GuardNode(scenario, SignalWires(assemble(scenario, simulated=False), joint_names(scenario)), executor)
    speaker = Speaker(scenario)
    executor.add_node(speaker)
    yield types.SimpleNamespace(node=node, speaker=speaker, spin=lambda done: _spin(executor, node, done))
    speaker.destroy_node()
    node.destroy_node()
    executor.shutdown()
    rclpy.try_shutdown()


def _spin(executor, node, done):
    end = time.monotonic() + 30.0
    while not done():
        assert time.monotonic() < end, node.phase
        executor.spin_once(timeout_sec=0.01)
        node.look()


class Speaker(Node):
    """Everything a guard listens to, all at 50 Hz, except for what is `silent`."""

    def __init__(self, scenario):
        super().__init__("speaker")
        self.silent, self.efforts, self.said = set(), [], []
        names, robots = joint_names(scenario), Robots(World(scenario))
        positions = {**robots.postures, "arm": World(scenario).joints.position}
        self._messages = {}
        for device, joints in names.items():
            message = JointState(name=joints, position=positions[device].tolist())
            message.velocity = message.effort = [0.0] * len(joints)
            self._messages[f"{device}/joint_states"] = message
        for topic in signals.CONTROLLER_TOPICS.values():
            self._messages[topic] = Float64MultiArray(data=[0.0])
        self._messages[signals.SAFETY] = DiagnosticArray(status=[DiagnosticStatus()])
        self._topics = {topic: self.create_publisher(type(one), topic, 1) for topic, one in self._messages.items()}
        self.create_timer(0.02, self._speak)
        self.create_subscription(Float64MultiArray, EFFORT, lambda one: self.efforts.append(list(one.data)), 10)
        self.create_subscription(DiagnosticArray, "/diagnostics", lambda one: self.said.extend(one.status), 10)

    def _speak(self):
        for topic, message in self._messages.items():
            if topic not in self.silent:
                self._topics[topic].publish(message)


def _watching(guard):
    def ready():
        try:
            return bool(guard.node._watch())
        except ValueError:
            return False

    guard.spin(ready)
    assert guard.node.phase == guards.READY
    guard.node._time.begin(guard.node.get_clock().now().nanoseconds)
    guard.spin(lambda: guard.node.phase == guards.WATCHING)


@pytest.mark.parametrize("silent", [signals.SAFETY, EFFORT, "client_robot/joint_states"])
def test_silence_of_any_input_trips_the_guard(guard, silent):
    _watching(guard)
    guard.speaker.silent.add(silent)
    guard.spin(lambda: guard.node.phase == guards.TRIPPED)
    guard.spin(lambda: any(status.level == DiagnosticStatus.ERROR for status in guard.speaker.said))
    error = next(status for status in guard.speaker.said if status.level == DiagnosticStatus.ERROR)
    assert f"{silent} has been silent for" in error.message and "(limit 500 ms)" in error.message


def test_with_nobody_to_deactivate_controllers_the_arm_is_told_to_carry_itself(guard):
    _watching(guard)
    guard.speaker.silent.update(signals.CONTROLLER_TOPICS.values())  # as if the facility's process had died
    guard.spin(lambda: any(len(effort) == 7 for effort in guard.speaker.efforts))
    held = guard.speaker.efforts[-1]
    assert np.isfinite(held).all() and max(map(abs, held)) > 10.0
    guard.spin(lambda: "is not there" in guard.node._did)


def test_a_guard_that_tripped_does_not_watch_again_before_it_is_reset(guard):
    _watching(guard)
    guard.speaker.silent.add(signals.SAFETY)
    guard.spin(lambda: guard.node.phase == guards.TRIPPED)
    with pytest.raises(ValueError, match="tripped, reset it first: safety/state has been silent"):
        guard.node._watch()
    assert guard.node._reset() and guard.node.phase == guards.IDLE


def test_a_guard_that_hears_nothing_is_not_ready():
    rclpy.init()
    try:
        scenario, executor = load(NAME, ["safety.lost_node_ms=1"]), EventsExecutor()
        node = GuardNode(scenario, SignalWires(assemble(scenario, simulated=False), joint_names(scenario)), executor)
        time.sleep(0.01)
        with pytest.raises(ValueError, match=r"client_robot/joint_states, .* cannot be heard"):
            node._watch()
        node.destroy_node()
        executor.shutdown()
    finally:
        rclpy.try_shutdown()
