"""Measurements on the message types of real drivers, stamped with their acquisition."""
import numpy as np
import pinocchio as pin
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped, QuaternionStamped
from sensor_msgs.msg import Imu

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.container import Container
from hil_relative_dynamics.ros.wire import read_time
from hil_relative_dynamics.scenario import load

TOPICS = {"imu": Imu, "star_tracker": QuaternionStamped, "relative_pose": PoseWithCovarianceStamped}


@pytest.fixture(scope="module")
def run():
    """What came on the three topics, and the recording of the run."""
    scenario = load("envisat_capture", ["duration_s=1"])
    container = Container(scenario, lockstep=True)
    came = {name: [] for name in TOPICS}
    for name, kind in TOPICS.items():
        listen = came[name].append
        container.nodes[0].create_subscription(kind, f"sensors/{name}", listen, qos.SIGNAL)
    container.run()
    recording = container.recorder.recording()
    container.close()
    return scenario, came, recording


def truth(recording, signal, stamp):
    """Pose at the acquisition."""
    row = int(np.searchsorted(recording.stamps(signal), stamp))
    assert recording.stamps(signal)[row] == stamp
    return pin.XYZQUATToSE3(recording[signal][row][:7])


def test_every_measurement_comes_once_and_late(run):
    scenario, came, _ = run
    devices = scenario.sensors.devices
    for name, settings in (("star_tracker", devices.star_tracker), ("relative_pose", devices.relative_pose)):
        stamps = [read_time(message.header.stamp) for message in came[name]]
        assert len(stamps) >= 2 and set(np.diff(stamps)) == {settings.period_ns}, name
        assert stamps[-1] <= scenario.duration_ns - settings.latency_ns, name
    assert len({read_time(message.header.stamp) for message in came["imu"]}) == len(came["imu"]) > 10


def test_measurements_are_of_the_state_at_their_stamp(run):
    scenario, came, recording = run
    for message in came["star_tracker"]:
        assert message.header.frame_id == "orbit"
        q = message.quaternion
        pose = truth(recording, signals.SERVICER_ABSOLUTE, read_time(message.header.stamp))
        error = pin.log3(pose.rotation.T @ pin.Quaternion(q.w, q.x, q.y, q.z).toRotationMatrix())
        assert np.abs(error).max() < np.radians(6 * 20 / 3600)  # 20 arcsec about the boresight
    for message in came["relative_pose"]:
        assert message.header.frame_id == "servicer"
        stamp = read_time(message.header.stamp)
        servicer = truth(recording, signals.SERVICER_ABSOLUTE, stamp)
        client = truth(recording, signals.CLIENT_ABSOLUTE, stamp)
        expected = servicer.actInv(client * scenario.client.grasp_point.pose_in_client).translation
        p, spread = message.pose.pose.position, np.sqrt(message.pose.covariance[0])
        assert 0.0 < spread < 0.02
        assert np.abs(np.array([p.x, p.y, p.z]) - expected).max() < 6 * spread


def test_what_a_gyro_does_not_measure_is_said(run):
    message, recording = run[1]["imu"][-1], run[2]
    assert message.orientation_covariance[0] == message.linear_acceleration_covariance[0] == -1.0
    assert message.angular_velocity_covariance[0] > 0.0
    row = np.searchsorted(recording.stamps(signals.SERVICER_ABSOLUTE), read_time(message.header.stamp))
    rate = recording[signals.SERVICER_ABSOLUTE][row][10:13]
    assert message.angular_velocity.y == pytest.approx(rate[1], abs=6 * np.sqrt(message.angular_velocity_covariance[0]))
