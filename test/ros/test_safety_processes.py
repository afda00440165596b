"""Safety where processes are apart: one that is killed, one that is interrupted, one too many."""
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.scenario import load

SCENARIO = "envisat_unforced_facility"
DEVICES = ("client_robot", "servicer_robot", "arm")
PATIENCE = 60.0  # of a busy machine [s]
STOP_TIME, SETTLING = 0.5, 0.3
AT_REST = 1e-3  # [rad/s]
#: from rest, the servicer backs away at 0.25 m/s^2; and what a busy machine is late by is not what is tested
LEAVING = (
    "duration_s=120",
    "onboard={kind: scripted, thrust: [{start_s: 0.5, duration_s: 1, force_N: [-150, 0, 0]}]}",
    "safety.data_age_ms=400",
    "safety.stamp_gap_ms=off",
    "safety.late_tick_ms=off",
    "safety.lost_node_ms=1000",
)
SLOW = ("rates_ms.arm=20", "rates_ms.dynamics=20")


class Observer(Node):
    """Hears the supervisor and the devices."""

    def __init__(self, context) -> None:
        super().__init__("observer", context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self)
        self.speed = dict.fromkeys(DEVICES, np.nan)
        self.joints = dict.fromkeys(DEVICES)
        self.heard_at = dict.fromkeys(DEVICES, 0.0)
        self.enabled, self.sentence, self.later = None, "", []
        self.create_subscription(DiagnosticArray, "safety/state", self._hear, qos.SIGNAL)
        for device in DEVICES:
            self.create_subscription(JointState, f"{device}/joint_states", self._reading(device), qos.SENSOR)

    def _hear(self, message) -> None:
        status = message.status[0]
        values = {pair.key: pair.value for pair in status.values}
        self.enabled, self.sentence = values["enabled"] == "true", status.message
        self.later = [text for key, text in values.items() if key.startswith("later")]

    def _reading(self, device):
        def received(message) -> None:
            self.speed[device] = float(np.abs(message.velocity).max())
            self.joints[device] = np.array(message.position)
            self.heard_at[device] = time.perf_counter()

        return received

    def wait(self, condition, seconds=PATIENCE) -> bool:
        end = time.perf_counter() + seconds
        while not condition():
            if time.perf_counter() > end:
                return False
            self._executor.spin_once(timeout_sec=0.02)
        return True

    def pause(self, seconds) -> None:
        self.wait(lambda: False, seconds)

    def moving(self) -> bool:
        return bool(self.enabled) and self.speed["servicer_robot"] > 0.05

    def at_rest(self) -> bool:
        return max(self.speed["client_robot"], self.speed["servicer_robot"]) < AT_REST


@pytest.fixture
def observer():
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Observer(context)
    yield node
    node._executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


@pytest.fixture
def start():
    """Starts processes, and ends what is left of them."""
    processes = []

    def started(name, *overrides, **parameters):
        module, function = ("robot_commander", name.removesuffix("_commander")) if "_robot_" in name else (name, "main")
        code = f"import sys; from hil_relative_dynamics.nodes.{module} import {function}; sys.exit({function}())"
        texts = ",".join(f"'{text}'" for text in overrides)
        given = {"scenario": SCENARIO, "overrides": f"[{texts}]", **parameters}
        arguments = [word for key, value in given.items() for word in ("-p", f"{key}:={value}")]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-c", code, "--ros-args", *arguments]
        processes.append(subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE))
        return processes[-1]

    yield started
    for process in processes:
        process.kill()
        process.wait()
        process.stderr.close()


def test_ctrl_c_ramps_first_and_a_second_facility_is_refused(start, observer):
    facility = start("facility", *LEAVING, "rates_ms.arm=2")
    assert observer.wait(lambda: observer.enabled is not None), "nothing came up"
    second = start("facility", *LEAVING)
    _, errors = second.communicate(timeout=PATIENCE)
    assert second.returncode == 1
    assert re.fullmatch(r"facility: a facility is running already: [^\n]*\n", errors)
    assert observer.wait(observer.moving), observer.sentence  # and the first one does not mind
    facility.send_signal(signal.SIGINT)
    assert observer.wait(lambda: not observer.enabled)
    assert observer.sentence.startswith("a stop was asked for by Ctrl-C (always obeyed), since ")
    assert observer.wait(lambda: facility.poll() is not None)
    assert facility.returncode == 130
    observer.pause(0.2)
    assert observer.at_rest()
    assert observer.speed["arm"] < 0.02
    assert "Traceback" not in facility.stderr.read()


def test_a_process_that_is_killed_stops_the_robots(start, observer):
    names = [stage.name for stage in assemble(load(SCENARIO, []))]
    names.sort(key=lambda name: name == "facility_sim")  # last: it waits for the others, but not for ever
    processes = {name: start(name, *LEAVING, *SLOW) for name in names if name != "facility_sim"}
    assert observer.wait(lambda: set(processes) <= set(observer.get_node_names()))
    processes["facility_sim"] = start("facility_sim", *LEAVING, *SLOW)
    assert observer.wait(observer.moving), observer.sentence
    processes["arm_commander"].kill()
    assert observer.wait(lambda: not observer.enabled)
    words = r"arm_commander has been silent for \d+\.?\d* ms \(limit 1000 ms\), since .*; .* valid until .* s\."
    assert re.fullmatch(words, observer.sentence), observer.sentence
    processes["servicer_dynamics"].kill()
    assert observer.wait(lambda: any("servicer/commanded has an age of" in text for text in observer.later))
    observer.pause(STOP_TIME + SETTLING)
    assert observer.wait(observer.at_rest, 5.0)
    held = observer.joints["arm"]
    observer.pause(1.0)
    assert not observer.enabled and observer.at_rest()
    assert observer.speed["arm"] < 0.02 and np.abs(observer.joints["arm"] - held).max() < 0.05
    # and now everything else that commands: the devices are on their own
    for name, process in processes.items():
        if name != "facility_sim":
            process.kill()
    observer.pause(1.5)
    assert processes["facility_sim"].poll() is None
    assert time.perf_counter() - observer.heard_at["arm"] < 1.0
    assert observer.at_rest()
    assert observer.speed["arm"] < 0.02 and np.abs(observer.joints["arm"] - held).max() < 0.05
