"""What a facility tells to whoever looks: its scenario, the newest tick, markers for RViz."""
import numpy as np
import pinocchio as pin
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.ros import markers, monitor
from hil_relative_dynamics.scenario import load, to_yaml
from hil_relative_dynamics.scene.places import ORBIT_PLACE, ORBIT_SCALE
from hil_relative_dynamics.scene.snapshot import Snapshot, snapshot


@pytest.fixture
def node():
    context = Context()
    rclpy.init(context=context)
    node = Node("looked_at", context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_numbers_go_there_and_back():
    rows = {"nominal": np.arange(57.0).reshape(3, 19), "safety/state": np.array([1.0]), "arm": np.arange(7.0)}
    time, back = monitor.read(monitor.written(1.25, rows))
    assert time == 1.25 and back.keys() == rows.keys()
    for name, row in rows.items():
        np.testing.assert_array_equal(back[name], row)


def test_the_scenario_goes_there_and_back():
    scenario = load("envisat_capture", ["client.angular_velocity_deg_s=[0,-5,0]"])
    told = monitor.read_scenario(f"# {scenario.name}\n{to_yaml(scenario)}")
    assert told == scenario and told.name == "envisat_capture"


def test_all_numbers_are_of_one_tick():
    scenario = load("envisat_unforced_facility", ["duration_s=0.032"])
    table = assemble(scenario)
    recorder = Recorder(table, scenario.duration_ns)
    names = [signals.NOMINAL, signals.ARM_JOINTS, signals.CLIENT_ABSOLUTE]
    assert recorder.newest(names) == (-1, {})
    recording = run(table, 30_000_000, recorder)
    stamp, rows = recorder.newest(names)
    assert stamp == 28_000_000  # the last tick of the dynamics, every 4 ms; the arm's is at 29
    for name in names:
        row = list(recording.stamps(name)).index(stamp)
        np.testing.assert_array_equal(rows[name], recording[name][row])


def test_nothing_is_published_while_nobody_listens(node):
    scenario = load("envisat_unforced")
    table = assemble(scenario)
    looked_at = monitor.Monitor(node, scenario, Recorder(table, scenario.duration_ns))
    looked_at._publisher = Unheard()
    looked_at._look()
    looked_at._mark()


class Unheard:
    def get_subscription_count(self):
        return 0


class Heard:
    def __init__(self):
        self.messages = []

    def publish(self, message):
        self.messages.append(message)


@pytest.fixture
def orbit(node):
    pytest.importorskip("visualization_msgs")
    orbit = markers.OrbitMarkers(node, World(load("envisat_unforced")))
    orbit._publisher = Heard()
    return orbit


def test_markers_are_where_the_bodies_are(orbit):
    pose = pin.SE3.Random()
    seen = Snapshot(0.0, pose, pose, pin.SE3.Random(), np.zeros(7), wrench_client=pin.Force(np.r_[30.0, np.zeros(5)]))
    orbit.publish(seen)
    message = orbit._publisher.messages[0]
    assert len({(marker.ns, marker.id) for marker in message.markers}) == len(message.markers) > 60
    assert {marker.header.frame_id for marker in message.markers} == {"world"}
    body = next(marker for marker in message.markers if marker.ns == "client" and marker.scale.x == 5.0)
    shape = next(shape for name, shape, marker in orbit._shapes if marker is body)
    expected = ORBIT_PLACE + ORBIT_SCALE * (pose * shape.pose).translation
    np.testing.assert_allclose([body.pose.position.x, body.pose.position.y, body.pose.position.z], expected)
    ghosts = [marker for marker in message.markers if marker.ns == "nominal"]
    assert ghosts and all(marker.action == markers.Marker.DELETE for marker in ghosts)
    contact, thrust = (marker for marker in message.markers if marker.ns == "force")
    assert contact.action == markers.Marker.ADD and thrust.action == markers.Marker.DELETE
    start, end = (np.array([point.x, point.y, point.z]) for point in contact.points)
    np.testing.assert_allclose(end - start, 0.01 * pose.rotation @ [30.0, 0.0, 0.0], atol=1e-12)


def test_the_ghost_appears_when_the_client_has_left(orbit):
    away = pin.SE3(np.eye(3), np.array([0.5, 0.0, 0.0]))
    for _ in range(3):
        orbit.publish(Snapshot(0.0, pin.SE3.Identity(), away, away, np.zeros(7)))
    message = orbit._publisher.messages[-1]
    assert all(marker.action == markers.Marker.ADD for marker in message.markers if marker.ns == "nominal")
    assert [len(marker.points) for marker in message.markers if marker.ns == "trail"] == [3, 3]


def test_a_snapshot_needs_what_is_needed():
    with pytest.raises(KeyError, match="client/absolute"):
        snapshot(0.0, {})
