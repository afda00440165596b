"""Every node by itself: a process that comes up, holds no formula, and if it moves hardware, a managed node."""
import ast
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pinocchio as pin
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import DescribeParameters, GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import hil_relative_dynamics.nodes
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.facility.safety_state import ENABLED
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import load

SCENARIO = "envisat_unforced_facility"
FILES = sorted(Path(hil_relative_dynamics.nodes.__file__).parent.glob("[!_]*.py"))
STAGES = [stage.name for stage in assemble(load(SCENARIO, []))]
MANAGED = [stage.name for stage in assemble(load(SCENARIO, [])) if stage.moves_hardware]
#: which function is the entry point of which node, as setup.py has it
MAIN = {name: f"{name}:main" for name in STAGES} | {
    f"{robot}_commander": f"robot_commander:{robot}" for robot in ("client_robot", "servicer_robot")
}
PATIENCE = 60.0  # of a busy machine [s]
SLOW = ("rates_ms.arm=20", "rates_ms.dynamics=20", "safety.data_age_ms=off", "safety.stamp_gap_ms=off")


# ---- what is in them ----


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_node_is_short_and_holds_no_formula(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    tree = ast.parse(text)
    computed = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitOr)]
    assert not computed, f"line {computed[0].lineno} computes"
    imported = {name for node in ast.walk(tree) for name in _imported(node)}
    assert not imported & {"math", "numpy", "pinocchio", "scipy"}


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    return [node.module.split(".")[0]] if isinstance(node, ast.ImportFrom) and node.module else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_node_says_what_goes_in_and_out(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if path.stem == "facility":
        assert "Parameters:" in text
    else:
        assert re.search(r"^in: .*\S$", text, re.M) and re.search(r"^out: .*\S$", text, re.M)


def test_every_block_has_a_node_and_every_node_a_block():
    modules = {main.split(":")[0] for main in MAIN.values()}
    assert modules | {"facility", "command_guard", "recorder"} == {path.stem for path in FILES}


# ---- that they run ----


def start(name, *overrides, **parameters):
    """The process, as `ros2 run` starts it."""
    module, function = MAIN[name].split(":")
    code = f"import sys; from hil_relative_dynamics.nodes.{module} import {function}; sys.exit({function}())"
    texts = [f"'{text}'" for text in overrides]
    given = {"scenario": SCENARIO, **({"overrides": f"[{','.join(texts)}]"} if texts else {}), **parameters}
    arguments = [word for key, value in given.items() for word in ("-p", f"{key}:={value}")]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", code, "--ros-args", *arguments], env=environment, text=True, stderr=subprocess.PIPE
    )


@pytest.fixture(scope="module")
def observer():
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node("observer", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    node.wait = lambda condition, seconds=PATIENCE: _wait(executor, condition, seconds)
    node.pause = lambda seconds: _wait(executor, lambda: False, seconds)
    node.call = lambda kind, name, request: _call(node, kind, name, request)
    yield node
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def _wait(executor, condition, seconds):
    end = time.perf_counter() + seconds
    while not condition():
        if time.perf_counter() > end:
            return False
        executor.spin_once(timeout_sec=0.05)
    return True


def _call(node, kind, name, request):
    client = node.create_client(kind, name)
    try:
        assert node.wait(client.service_is_ready), f"there is no service {name}"
        future = client.call_async(request)
        assert node.wait(future.done), f"no answer from {name}"
        return future.result()
    finally:
        node.destroy_client(client)


@pytest.fixture(scope="module")
def alone():
    """A process for every node, none of which has the others it needs: but for the plant they form no facility."""
    processes = {name: start(name, *SLOW, "duration_s=600") for name in STAGES if name != "facility_sim"}
    yield processes
    for process in processes.values():
        process.kill()
        process.communicate()


def test_every_node_comes_up_in_a_process_of_its_own(alone, observer):
    assert observer.wait(lambda: set(alone) <= set(observer.get_node_names())), set(alone) - set(
        observer.get_node_names()
    )
    assert not [name for name, process in alone.items() if process.poll() is not None]


def test_every_node_says_that_it_is_there(alone, observer):
    heard = {}

    def hear(message):
        heard.update({status.name.lstrip("/"): status.message for status in message.status})

    subscription = observer.create_subscription(DiagnosticArray, "/diagnostics", hear, qos.DIAGNOSTICS)
    assert observer.wait(lambda: set(alone) <= set(heard)), set(alone) - set(heard)
    assert set(heard.values()) == {"running"}
    observer.destroy_subscription(subscription)


def test_every_node_describes_its_parameters(alone, observer):
    names = ["scenario", "overrides", "lockstep", "hardware"]
    for name in ("client_dynamics", "arm_commander"):
        request = DescribeParameters.Request(names=names)
        described = observer.call(DescribeParameters, f"/{name}/describe_parameters", request)
        assert [one.name for one in described.descriptors] == names
        assert all(one.description for one in described.descriptors)
        values = observer.call(GetParameters, f"/{name}/get_parameters", GetParameters.Request(names=names)).values
        assert values[0].string_value == SCENARIO and values[3].string_value == "sim"


def test_with_simulated_robots_managed_nodes_are_active_at_once(alone, observer):
    for name in MANAGED:
        assert state_of(observer, name) == State.PRIMARY_STATE_ACTIVE


def test_every_node_ends_when_asked_to(alone):
    for process in alone.values():
        process.send_signal(signal.SIGINT)
    for name, process in alone.items():
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, f"{name}: {errors}"


# ---- managed nodes ----


def state_of(observer, name):
    return observer.call(GetState, f"/{name}/get_state", GetState.Request()).current_state.id


def change(observer, name, transition):
    request = ChangeState.Request(transition=Transition(id=transition))
    return observer.call(ChangeState, f"/{name}/change_state", request).success


@pytest.fixture
def commander():
    process = start("client_robot_commander", *SLOW)
    yield "client_robot_commander"
    process.kill()
    process.communicate()


class Neighbours:
    """What a robot commander hears: a command, its robot's joints and the supervisor's word."""

    def __init__(self, node) -> None:
        scenario = load(SCENARIO, list(SLOW))
        table = assemble(scenario)
        wires = SignalWires(table, joint_names(scenario))
        _, _, joints, *_ = table["facility_sim"].act(0, None, None, None)
        (nominal,) = table["nominal_trajectory"].act(0, None)
        _, commanded = table["client_dynamics"].act(0, pin.Force.Zero(), nominal)
        said = {"client/commanded": commanded, "client_robot/joint_states": joints, "safety/state": ENABLED}
        self._node, self.stamp = node, 0
        self._said = [
            (node.create_publisher(wires.make(name).message_type, name, qos.SIGNAL), wires.make(name), value)
            for name, value in said.items()
        ]

    def tick(self) -> None:
        for publisher, wire, value in self._said:
            publisher.publish(wire.write(self.stamp, value))
        self.stamp += 20_000_000

    def close(self) -> None:
        for publisher, *_ in self._said:
            self._node.destroy_publisher(publisher)


def test_a_managed_node_follows_its_transitions_and_is_silent_unless_active(commander, observer):
    heard = []
    stream = "client_robot/forward_position_controller/commands"
    listening = [
        observer.create_subscription(JointState, "client_robot/command", heard.append, qos.SIGNAL),
        observer.create_subscription(Float64MultiArray, stream, heard.append, qos.COMMAND),
    ]
    neighbours = Neighbours(observer)

    def speaks(ticks=20):
        """Whether the node says anything to so many ticks."""
        observer.pause(0.2)  # answers to earlier ones may be under way
        heard.clear()
        for _ in range(ticks):
            neighbours.tick()
            observer.pause(0.02)
        observer.pause(0.2)
        return bool(heard)

    assert state_of(observer, commander) == State.PRIMARY_STATE_ACTIVE
    assert observer.wait(speaks)  # matched endpoints do not deliver at once
    for transition, reached in (
        (Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE),
        (Transition.TRANSITION_CLEANUP, State.PRIMARY_STATE_UNCONFIGURED),
        (Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE),
    ):
        assert change(observer, commander, transition)
        assert state_of(observer, commander) == reached
        assert not speaks()
    assert not change(observer, commander, Transition.TRANSITION_DEACTIVATE)  # it is not active
    assert change(observer, commander, Transition.TRANSITION_ACTIVATE)
    assert speaks()
    for subscription in listening:
        observer.destroy_subscription(subscription)
    neighbours.close()


def test_with_real_robots_the_supervisor_waits_to_be_activated(observer):
    process = start("safety_supervisor", *SLOW, hardware="real")
    try:
        assert state_of(observer, "safety_supervisor") == State.PRIMARY_STATE_UNCONFIGURED
        assert change(observer, "safety_supervisor", Transition.TRANSITION_CONFIGURE)
        assert change(observer, "safety_supervisor", Transition.TRANSITION_ACTIVATE)
        assert state_of(observer, "safety_supervisor") == State.PRIMARY_STATE_ACTIVE
    finally:
        process.kill()
        process.communicate()


# ---- bad input ----


@pytest.mark.parametrize(
    "options, words",
    [
        ({"scenario": "no_such_scenario"}, "no_such_scenario"),
        ({"overrides": "['client.mass_kg=-1']"}, "client.mass_kg = -1 must be"),
        ({"overrides": "['safety.speed_m_s=0']"}, "safety.speed_m_s = 0 must be"),
        ({"hardware": "wishful"}, "hardware = 'wishful' must be one of sim, mock, real"),
        ({"scenario": "envisat_unforced"}, "this scenario has no block client_robot_commander, only"),
    ],
)
def test_bad_input_ends_a_node_with_one_sentence(options, words):
    process = start("client_robot_commander", **options)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert words in errors
    lines = [line for line in errors.splitlines() if line.strip()]
    assert len(lines) == 1 and lines[0].startswith("client_robot_commander: ")
