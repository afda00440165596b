"""Every condition of the supervisor, provoked in a facility of real nodes: the stop, the sentence, the latch."""
import re
import time

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.container import Container
from hil_relative_dynamics.scenario import load

SCENARIO = "envisat_unforced_facility"
COARSE = ("rates_ms.arm=4", "rates_ms.dynamics=4")
#: without its noise a sensor tells exactly what is provoked
EXACT = "facility.imperfections=false"
DEVICES = (signals.CLIENT_ROBOT_JOINTS, signals.SERVICER_ROBOT_JOINTS, signals.ARM_JOINT_STATES)
WATCHED = (signals.SAFETY, *DEVICES)  # they go on when another falls silent
AT_REST = 1e-3  # [rad/s]
VALID = r", since \d+\.\d{3} s; the run is physically valid until \d+\.\d{3} s\."
NUMBER = r"-?\d+\.?\d*(e-\d+)?"


def thrust(*force):
    """From 0.1 s on, in base axes: x to the client."""
    return f"onboard={{kind: scripted, thrust: [{{start_s: 0.1, duration_s: 3, force_N: {list(force)}}}]}}"


def wrench(on, force, torque=(0, 0, 0)):
    inside = f"on: {on}, start_s: 0.6, duration_s: 0.2, force_N: {list(force)}, torque_N_m: {list(torque)}"
    return f"external_wrenches=[{{{inside}}}]"


AWAY, CLOSER = thrust(-600, 0, 0), thrust(600, 0, 0)
TURNED = thrust(0, 0, 0).replace("force_N: [0, 0, 0]", "torque_N_m: [0, 0, 200]")
OTHERS = "robot_acceleration_deg_s2", "speed_m_s", "joint_speed_share", "sensor_torque_N_m"
FAST = [f"safety.{key}=off" for key in OTHERS]
SWING = (
    "onboard={kind: scripted, arm_moves: [{start_s: 0.1, duration_s: 0.4, joints_deg: [60, 35, 0, -80, 0, -25, 0]}],"
    " stiffness_N_m_rad: [2000, 200, 100, 100, 20, 20, 5], damping_N_m_s_rad: [30, 30, 8, 10, 1, 1, 0.2]}"
)

#: what provokes it, and the sentence up to where it tells since when
PHYSICAL = {
    "joint position": (
        (AWAY, "safety.joint_margin_deg=39.5", "safety.reachability=false"),
        rf"(arm|servicer_robot)_joint_\d is at {NUMBER} deg \(allowed {NUMBER} to {NUMBER} deg, margin included\)",
    ),
    "joint speed": (
        (AWAY, "safety.joint_speed_share=0.02", "safety.reachability=false"),
        rf"(arm|servicer_robot)_joint_\d turns at {NUMBER} deg/s \(limit {NUMBER} deg/s\)",
    ),
    "joint acceleration": (
        (AWAY, "safety.robot_acceleration_deg_s2=2"),
        rf"servicer_robot_joint_\d [a-z ]+ {NUMBER} deg/s\^2 \(limit 2 deg/s\^2\)",
    ),
    "workspace box": (
        (AWAY, "safety.workspace_upper_m=[3.15,2.5,3.6]"),
        rf"x of arm_mount in the laboratory is {NUMBER} m \(allowed -1\.5 to 3\.15 m\)",
    ),
    "distance from start": (
        (AWAY, "safety.distance_from_start_m=0.05"),
        rf"distance of arm_mount from its start is {NUMBER} m \(limit 0\.05 m\)",
    ),
    "speed": ((AWAY, "safety.speed_m_s=0.1"), rf"arm_mount moves at {NUMBER} m/s \(limit 0\.1 m/s\)"),
    "turn rate": ((TURNED, "safety.turn_rate_deg_s=3"), rf"arm_mount turns at {NUMBER} deg/s \(limit 3 deg/s\)"),
    "tracking": (
        (AWAY, "safety.tracking_position_m=0.002", "safety.tracking_lag_ms=0"),
        r"measured position of arm_mount differs from the commanded one by .* \(limit 0\.002 m, .*\)",
    ),
    "clearance": ((CLOSER, "safety.clearance_m=0.2"), rf"clearance between .* and .* is {NUMBER} m \(limit 0\.2 m\)"),
    "reach": (
        (thrust(-2400, 0, 0), *FAST),
        r"servicer_robot cannot (reach|follow to) x .* m \(.*\)",
    ),
    "contact force": (
        (EXACT, wrench("client", (-300, 0, 0))),
        rf"force of contact is {NUMBER} N \(limit 250 N\)",
    ),
    "sensor torque": (
        (EXACT, wrench("client", (0, 0, 0), (150, 0, 0)), "safety.contact_torque_N_m=off"),
        rf"torque of client_robot's F/T sensor is {NUMBER} N m \(limit 120 N m\)",
    ),
    "arm torque": (
        (SWING, "safety.arm_torque_share=0.5", "safety.joint_speed_share=off", "safety.sensor_torque_N_m=off"),
        rf"arm_joint_\d .* {NUMBER} N m \(limit {NUMBER} N m\)",
    ),
}


@pytest.fixture
def facility():
    made = []

    def make(*overrides, lockstep=True, seconds=3):
        scenario = load(SCENARIO, [f"duration_s={seconds}", *COARSE, *overrides])
        table = assemble(scenario)
        made.append(Container(scenario, lockstep, Recorder(table, scenario.duration_ns, WATCHED), table))
        return made[-1]

    yield make
    for one in made:
        one.close()


def until_at_rest(container):
    """Ends the run when the robots have had their time to stop."""
    stop_time = round(1e9 * (container.scenario.laboratory.commanding.stop_time + 0.3))
    stopped = []

    def look(stamp):
        if container.supervisor.sentence and not stopped:
            stopped.append(stamp)
        if stopped and stamp > stopped[0] + stop_time:
            container.finish()

    return look


def see_the_stop(container, words):
    """Enabled, then never again; the sentence; robots at rest and the arm held at the end."""
    recording = container.recorder.recording()
    enabled = recording[signals.SAFETY][:, 0] > 0.5
    first = int(np.argmin(enabled))
    assert enabled[:first].all() and first and not enabled[first:].any(), "no stop, or one that did not latch"
    assert re.fullmatch(words + VALID, container.supervisor.sentence), container.supervisor.sentence
    for device, limit in zip(DEVICES, (AT_REST, AT_REST, 0.02)):
        speed = np.abs(recording[device][-1, 1]).max()
        assert speed < limit, f"{device} still moves at {speed:.2g} rad/s"


@pytest.mark.parametrize("condition", PHYSICAL)
def test_physical(facility, condition):
    overrides, words = PHYSICAL[condition]
    container = facility(*overrides)
    container.run(until_at_rest(container))
    see_the_stop(container, words)


def replaced(stage, change):
    """Lets a block of a running facility do something else from now on."""
    object.__setattr__(stage, "act", change)


def runner_of(container, name):
    return next(node.runner for node in container.nodes if node.get_name() == name)


def test_a_reading_that_is_no_number(facility):
    container = facility()
    plant = runner_of(container, "facility_sim")
    act, index = plant.stage.act, plant.stage.outputs.index(signals.SERVICER_ROBOT_SENSOR)

    class Spoilt:
        def __call__(self, stamp, *inputs):
            values = list(act(stamp, *inputs))
            if stamp == 200_000_000:
                values[index] = type(values[index])(np.array([np.nan, 0, 0, 0, 0, 0]))
            return tuple(values)

        def __getattr__(self, name):
            return getattr(act, name)

    replaced(plant.stage, Spoilt())
    container.run(until_at_rest(container))
    see_the_stop(container, r"servicer_robot/ft_sensor is nan \(must be finite\)")


class InRealTime:
    """A facility by the clock, in which something happens at 0.4 s."""

    LENIENT = tuple(
        f"safety.{limit}" for limit in ("data_age_ms=300", "stamp_gap_ms=300", "late_tick_ms=off", "lost_node_ms=400")
    )

    def __init__(self, facility, *overrides):
        self.container = facility("rates_ms.arm=10", "rates_ms.dynamics=10", *self.LENIENT, *overrides, lockstep=False)
        self.node = self.container.nodes[0]

    def run(self, happens):
        done = []
        at_rest = until_at_rest(self.container)

        def look(stamp):
            at_rest(stamp)
            if stamp >= 400_000_000 and not done:
                done.append(happens())

        self.container.run(look)


def test_a_node_that_falls_silent(facility):
    case = InRealTime(facility)
    case.run(lambda: setattr(runner_of(case.container, "arm_commander"), "active", False))
    see_the_stop(case.container, r"arm_commander has been silent for \d+\.?\d* ms \(limit 400 ms\)")


def test_data_that_grow_old(facility):
    case = InRealTime(facility, "safety.lost_node_ms=off")
    case.run(lambda: setattr(runner_of(case.container, "client_dynamics"), "active", False))
    see_the_stop(case.container, r"client/commanded has an age of \d+\.?\d* ms \(limit 300 ms\)")


def test_a_tick_that_comes_late(facility):
    case = InRealTime(facility, "safety.late_tick_ms=200", "safety.data_age_ms=off", "safety.stamp_gap_ms=off")
    case.run(lambda: time.sleep(0.4))
    see_the_stop(case.container, r"the tick is late by \d+\.?\d* ms \(limit 200 ms\)")


def test_stamps_that_run_backwards(facility):
    case = InRealTime(facility)
    publisher = case.node.create_publisher(JointState, signals.CLIENT_ROBOT_JOINTS, qos.SIGNAL)
    message = JointState(name=[f"client_robot_joint_{number}" for number in range(1, 7)])
    message.position, message.velocity = [0.0] * 6, [0.0] * 6
    message.header.stamp.nanosec = 100_000_000
    case.run(lambda: publisher.publish(message))
    see_the_stop(case.container, r"the stamp of client_robot/joint_states runs backwards to .* \(must not decrease\)")


def test_a_second_publisher_of_commands(facility):
    case = InRealTime(facility)
    topic = signals.CONTROLLER_TOPICS[signals.SERVICER_ROBOT_COMMAND]
    case.run(lambda: case.container.nodes[1].create_publisher(Float64MultiArray, topic, qos.COMMAND))
    words = rf"/{topic} is published by .*servicer_robot_commander.* \(limit 1 node\)"
    see_the_stop(case.container, words)


def test_a_person_who_asks_for_it(facility):
    case = InRealTime(facility)
    client = case.node.create_client(Trigger, "safety_supervisor/stop")
    case.run(lambda: client.call_async(Trigger.Request()))
    see_the_stop(case.container, r"a stop was asked for by the user \(always obeyed\)")
