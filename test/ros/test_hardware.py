"""The facility with real devices: the plant stands in for them, in a process of its own, on the wall clock."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.ros.inbox import NewestInbox, nearest
from hil_relative_dynamics.ros.run_time import RunTime
from hil_relative_dynamics.scenario import ScenarioError, load

NAME = "envisat_unforced_facility"
#: slow and patient: several processes share a machine with who knows what
OVERRIDES = [
    "rates_ms.arm=5",
    "rates_ms.dynamics=10",
    "safety.data_age_ms=1000",
    "safety.stamp_gap_ms=off",
    "safety.lost_node_ms=2000",
    "facility.client_robot.start_deg=[2,-79,106,0,-28,1]",
]


def test_the_table_for_real_devices_has_all_but_the_plant():
    scenario = load(NAME)
    simulated, real = assemble(scenario), assemble(scenario, simulated=False)
    assert {stage.name for stage in simulated} - {"facility_sim"} == {stage.name for stage in real} - {"devices"}
    assert [stage.name for stage in real if stage.outside] == ["devices"]
    assert real["facility_kinematics"].trigger == signals.SERVICER_ROBOT_JOINTS
    other = assemble(load(NAME, ["facility.master=client_robot"]), simulated=False)
    assert other["facility_kinematics"].trigger == other["safety_supervisor"].heartbeat == signals.CLIENT_ROBOT_JOINTS


def test_the_devices_are_not_run_here():
    scenario = load(NAME)
    with pytest.raises(RuntimeError, match="run by their drivers"):
        run(assemble(scenario, simulated=False), scenario.duration_ns)


def test_a_scenario_without_robots_is_not_for_real_ones():
    with pytest.raises(ScenarioError, match=r"facility\.kind = 'none' must be sim for real robots"):
        assemble(load("envisat_unforced"), simulated=False)


def test_stamps_that_jitter_count_for_the_nearest_tick():
    stage = Stage("block", ("device",), (), 4, lambda *_: (), trigger="device")
    inbox = NewestInbox(stage, periods={"device": 4})
    ticks = []
    for stamp in (0, 3, 9, 11, 17, 18):
        inbox.offer("device", stamp, stamp)
        assert not inbox.repeated("device", stamp)
        ticks.append(list(inbox.due("device", stamp)))
    assert ticks == [[0], [4], [8], [12], [16], [20]]
    assert inbox.made_up == 0 and inbox.stamps() == [18]
    assert [nearest(stamp, 4) for stamp in (-2, -3, 1, 2)] == [0, -4, 0, 4]


def test_a_process_has_one_run():
    run_time = RunTime(None)
    assert not run_time.begun
    run_time.begin(5)
    run_time.begin(5)  # the same, heard twice
    with pytest.raises(RuntimeError, match="has had its run"):
        run_time.begin(6)


def test_before_the_run_the_commanders_hold():
    scenario = load(NAME)
    table, offline = assemble(scenario, simulated=False), run(assemble(scenario), 1_000_000)
    client, servicer, arm = (table[f"{device}_commander"].act for device in ("client_robot", "servicer_robot", "arm"))
    reading = {name: signals.KINDS[name](offline[name][0]) for name in signals.FROM_DEVICES if "joint" in name}
    for commander, name in ((client, signals.CLIENT_ROBOT_JOINTS), (servicer, signals.SERVICER_ROBOT_JOINTS)):
        np.testing.assert_array_equal(commander.hold(reading[name]), reading[name].position)
    effort = arm.hold(reading[signals.ARM_JOINT_STATES], reading[signals.SERVICER_ROBOT_JOINTS])
    assert abs(effort).max() > 10.0  # the arm's weight
    np.testing.assert_allclose(effort, offline["arm/torque_terms"][0][1], atol=0.5)  # in (22), too


class Operator:
    """Starts the processes, calls services, looks at the devices."""

    def __init__(self, duration):
        self._overrides = [f"duration_s={duration}", *OVERRIDES]
        self.processes = {"facility_sim": self._start("facility_sim", "stamp_with_ros_time:=true")}
        for name in ("safety_supervisor", "command_guard", "facility"):
            self.processes[name] = self._start(name, "hardware:=real")
        self.context = Context()
        rclpy.init(context=self.context)
        self.node, self.executor = Node("operator", context=self.context), EventsExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.joints, self.guard = {}, DiagnosticStatus()
        for device in ("client_robot", "servicer_robot", "arm"):
            self.node.create_subscription(
                JointState, f"{device}/joint_states", self._heard(device), qos_profile_sensor_data
            )
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnostics, 10)

    def _start(self, name, *parameters):
        code = f"import sys; from hil_relative_dynamics.nodes.{name} import main; sys.exit(main())"
        listed = "[" + ",".join(f"'{override}'" for override in self._overrides) + "]"
        given = [f"scenario:={NAME}", f"overrides:={listed}", *parameters]
        arguments = [argument for parameter in given for argument in ("-p", parameter)]
        return subprocess.Popen(
            [sys.executable, "-c", code, "--ros-args", *arguments],
            env=os.environ.copy(), text=True, stderr=subprocess.PIPE if name == "facility" else None,
        )

    def _heard(self, device):
        def heard(message):
            self.joints[device] = np.array(message.position), np.array(message.velocity), np.array(message.effort)

        return heard

    def _diagnostics(self, message):
        for status in message.status:
            if status.name == "/command_guard":
                self.guard = status

    def until(self, done, seconds=60.0):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, "too long"
            self.executor.spin_once(timeout_sec=0.02)

    def call(self, name):
        client = self.node.create_client(Trigger, name)
        self.until(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.until(future.done)
        return future.result()

    def start(self):
        """Repeated while not everybody is there yet."""
        answer = self.call("/facility/start")
        end = time.monotonic() + 60.0
        while not answer.success and time.monotonic() < end:
            answer = self.call("/facility/start")
        assert answer.success, answer.message

    def at_rest(self):
        """Whether nothing moves for a while."""
        before = {device: joints[0] for device, joints in self.joints.items()}
        self._pass(0.5)
        return all(abs(joints[0] - before[device]).max() < 1e-5 for device, joints in self.joints.items())

    def _pass(self, seconds):
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.processes.values():
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
        self.node.destroy_node()
        self.executor.shutdown()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture
def operator():
    made = []

    def make(duration):
        made.append(Operator(duration))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_home_start_run_and_end(operator):
    facility = operator(duration=2)
    facility.until(lambda: len(facility.joints) == 3)
    refused = facility.call("/facility/start")
    assert not refused.success and refused.message.startswith("not ready: ")
    homed = facility.call("/facility/home")
    assert homed.success and homed.message == "homed client_robot"
    facility.start()
    process = facility.processes["facility"]
    _, errors = facility.processes["facility"].communicate(timeout=60)
    assert process.returncode == 0, errors
    facility.until(facility.at_rest)
    assert facility.guard.level == DiagnosticStatus.OK


def test_a_killed_facility_leaves_robots_at_rest_and_an_arm_that_gives_way(operator):
    facility = operator(duration=600)
    facility.until(lambda: len(facility.joints) == 3)
    assert facility.call("/facility/home").success
    facility.start()
    facility.until(lambda: abs(facility.joints["arm"][2]).max() > 1.0)  # the arm is told torques
    facility.processes["facility"].kill()
    facility.until(lambda: facility.guard.level == DiagnosticStatus.ERROR)
    assert "forward_position_controller/commands has been silent" in facility.guard.message
    deactivated = {"controllers": "all controllers are deactivated"}
    facility.until(lambda: deactivated.items() <= {pair.key: pair.value for pair in facility.guard.values}.items())
    facility.until(facility.at_rest)
    assert abs(facility.joints["arm"][2]).max() > 1.0  # its weight is carried
    for name in ("facility_sim", "safety_supervisor", "command_guard"):
        assert facility.processes[name].poll() is None, name


def test_a_stop_ends_the_run_and_says_why(operator):
    facility = operator(duration=600)
    facility.until(lambda: len(facility.joints) == 3)
    assert facility.call("/facility/home").success
    assert not facility.call("/facility/stop").success
    facility.start()
    facility.until(lambda: abs(facility.joints["arm"][2]).max() > 1.0)
    assert facility.call("/facility/stop").success
    _, errors = facility.processes["facility"].communicate(timeout=60)
    assert facility.processes["facility"].returncode == 1
    assert "a stop was asked for by the user" in errors
    facility.until(facility.at_rest)


def test_without_its_supervisor_the_run_ends_at_rest(operator):
    facility = operator(duration=600)
    facility.until(lambda: len(facility.joints) == 3)
    assert facility.call("/facility/home").success
    facility.start()
    facility.until(lambda: abs(facility.joints["arm"][2]).max() > 1.0)
    facility.processes["safety_supervisor"].kill()
    facility.until(lambda: facility.guard.level == DiagnosticStatus.ERROR)
    assert "safety/state has been silent" in facility.guard.message
    _, errors = facility.processes["facility"].communicate(timeout=60)
    assert facility.processes["facility"].returncode == 1
    assert "safety_supervisor has been silent" in errors
    facility.until(facility.at_rest)
