"""On-board software of the user's own, in place of the reference: the example, and ways to get it wrong."""
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from hil_relative_dynamics.commands.run import main as run_command
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import left_out, recorded
from hil_relative_dynamics.examples.station_keeping import FACING, STATION
from hil_relative_dynamics.ros import container as composed
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.plant import Plant
from hil_relative_dynamics.scenario import load

#: a quarter of the ticks, for machines with much to do; the contact is far away
SLOWER = ["rates_ms.arm=4", "contact.lightest_mass_kg=50", "contact.lightest_inertia_kg_m2=5"]
PATIENT = ["safety.data_age_ms=off", "safety.stamp_gap_ms=off", "safety.late_tick_ms=off"]
FAULT_AT = 0.2  # [s]
BACK = 1_000_000_000


@pytest.fixture
def facility():
    made = []

    def make(lockstep, duration, *overrides):
        scenario = load("envisat_capture", [f"duration_s={duration}", *SLOWER, *overrides])
        made.append(composed.Container(scenario, lockstep, table=left_out(assemble(scenario))))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def example():
    process = subprocess.Popen(
        [sys.executable, "-m", "hil_relative_dynamics.examples.station_keeping"], env=os.environ.copy()
    )
    yield process
    process.kill()
    process.wait()


class Stranger(Node):
    """Answers with zeros; from `FAULT_AT` on as `fault` says, which gets topic and message and may give None."""

    def __init__(self, facility, fault=lambda topic, message: message):
        super().__init__("stranger", context=facility.context, start_parameter_services=False)
        facility.executor.add_node(self)
        self.fault, self.said = fault, []
        kinds = {"arm/onboard_torque": JointState, "servicer/thrust": WrenchStamped, "gripper/command": JointState}
        self.out = {topic: self.create_publisher(kind, topic, qos.SIGNAL) for topic, kind in kinds.items()}
        self.create_subscription(JointTrajectory, "arm/joints", self.answer, qos.SIGNAL)
        self.create_subscription(DiagnosticArray, "safety/state", self.listen, qos.SIGNAL)

    def answer(self, message):
        header, names = message.header, message.joint_names
        self.send("arm/onboard_torque", JointState(header=header, name=names, effort=[0.0] * len(names)))
        self.send("servicer/thrust", WrenchStamped(header=header))
        self.send("gripper/command", JointState(header=header, name=["close"], position=[0.0]))

    def send(self, topic, message):
        stamp = message.header.stamp
        sent = self.fault(topic, message) if stamp.sec + 1e-9 * stamp.nanosec >= FAULT_AT else message
        if sent is not None:
            self.out[topic].publish(sent)

    def listen(self, message):
        if message.status[0].level != b"\x00":
            self.said.append(message.status[0].message)


def only(wrong_topic, spoil):
    """A fault of one topic."""
    return lambda topic, message: spoil(message) if topic == wrong_topic else message


def nan_torque(message):
    message.effort[2] = float("nan")
    return message


def infinite_thrust(message):
    message.wrench.force.x = float("inf")
    return message


def short_torque(message):
    return JointState(header=message.header, name=message.name, effort=list(message.effort)[:-1])


def misnamed(message):
    return JointState(header=message.header, name=["open"], position=message.position)


def silence(message):
    return None


def huge_torque(message):
    message.effort = [1000.0] * len(message.effort)
    return message


def future(message):
    message.header.stamp.sec += 100
    return message


def station_errors(recording):
    """Of the base: [m], [rad]."""
    pairs = zip(recording["client/absolute"], recording["servicer/absolute"])
    station = pin.SE3(FACING, STATION)
    off = [(pin.XYZQUATToSE3(c[:7]) * station).actInv(pin.XYZQUATToSE3(s[:7])) for c, s in pairs]
    return np.array([(np.linalg.norm(e.translation), np.linalg.norm(pin.log3(e.rotation))) for e in off])


def test_the_example_keeps_station_in_lockstep(facility, example):
    run = facility(True, 4)
    run.run()
    recording = run.recorder.recording()
    errors = station_errors(recording)
    assert len(errors) >= 998
    assert errors[0] == pytest.approx((0.1, np.radians(3.0)), rel=0.05)
    assert np.all(errors[-1] < 0.4 * errors[0])
    assert np.all(np.diff(errors[::100], axis=0) < 0.0)
    joints = recording["arm/joints"][:, 0]
    assert np.abs(joints - joints[0]).max() < 0.01
    assert np.all(recording["safety/state"])
    assert np.any(recording["servicer/thrust"]), "answers are recorded"
    example.send_signal(signal.SIGINT)
    assert example.wait(timeout=10) == 0


def test_the_run_ends_with_a_sentence_if_nobody_comes(facility, monkeypatch):
    monkeypatch.setattr(composed, "APPEARANCE", 0.2)
    with pytest.raises(composed.RunFailed, match=r"nobody publishes arm/onboard_torque, servicer/thrust, gripper/com"):
        facility(True, 1).run()


def test_a_silent_controller_ends_a_lockstep_run_with_a_sentence(facility, monkeypatch):
    monkeypatch.setattr(Plant, "GIVE_UP", BACK)
    run = facility(True, 1)
    Stranger(run, only("servicer/thrust", silence))
    with pytest.raises(composed.RunFailed, match=r"at 0\.200 s: .* external, has not sent servicer/thrust$"):
        run.run()


def test_a_misfit_ends_a_lockstep_run_at_once(facility):
    run = facility(True, 1)
    Stranger(run, only("arm/onboard_torque", short_torque))
    with pytest.raises(composed.RunFailed, match=r"arm/onboard_torque failed with .* 6 numbers instead of 7"):
        run.run()


@pytest.mark.parametrize(
    "topic, spoil, sentence",
    [
        ("arm/onboard_torque", nan_torque, "arm/torque is nan"),
        ("servicer/thrust", infinite_thrust, "servicer/(commanded|simulated) is (nan|inf)"),
        ("arm/onboard_torque", huge_torque, "arm.* N m"),
    ],
    ids=["nan torque", "infinite thrust", "huge torque"],
)
def test_bad_numbers_stop_the_robots_at_their_tick_in_lockstep(facility, topic, spoil, sentence):
    run = facility(True, 0.3)
    Stranger(run, only(topic, spoil))
    run.run()
    enabled = run.recorder.recording()["safety/state"][:, 0]
    assert np.flatnonzero(enabled == 0.0)[0] in (50, 51)  # ticks of 4 ms
    assert_that(run.supervisor.sentence, sentence)


@pytest.mark.parametrize(
    "topic, spoil, sentence",
    [
        ("arm/onboard_torque", nan_torque, "arm/onboard_torque failed with the number nan|arm/torque is nan"),
        ("servicer/thrust", silence, "servicer/thrust has been silent for"),
        ("arm/onboard_torque", silence, "arm/onboard_torque has been silent for"),
        ("gripper/command", misnamed, "gripper/command failed with a misfit message: joints open instead of close"),
        ("servicer/thrust", future, "servicer/thrust failed with a stamp .* in the future"),
    ],
    ids=["nan torque", "no thrust", "no torque", "misnamed gripper", "wrong clock"],
)
def test_in_real_time_the_supervisor_stops_with_a_sentence(facility, topic, spoil, sentence):
    run = facility(False, 0.9, *PATIENT)
    stranger = Stranger(run, only(topic, spoil))
    run.run()
    assert stranger.said, "safety/state stayed OK"
    assert_that(stranger.said[0], sentence)


def assert_that(text, pattern):
    assert re.search(pattern, text), text


def test_what_is_recorded_leaves_the_strangers_status_out():
    table = assemble(load("envisat_capture"))
    assert "onboard/status" in recorded(table)
    assert set(recorded(table)) - set(recorded(left_out(table))) == {"onboard/status"}


def test_offline_has_no_place_for_a_node(tmp_path):
    from argparse import Namespace

    options = Namespace(scenario="envisat_capture", overrides=[], mode="offline", onboard="external", out=str(tmp_path))
    with pytest.raises(ValueError, match="needs --mode lockstep or realtime"):
        run_command(options)
