"""The layout of messages, against the middleware's own serialiser."""
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String

from hil_relative_dynamics.ros.cdr import layout


@pytest.mark.parametrize(
    "message",
    [
        WrenchStamped(),
        Odometry(child_frame_id="base_link"),
        Imu(),
        PoseWithCovarianceStamped(),
        String(data="a"),
        String(data="grüße"),
        JointState(name=["a", "bcd"], position=[1.0, 2.0], velocity=[1.0], effort=[1.0]),
    ],
    ids=lambda message: type(message).__name__,
)
def test_last_field_ends_where_the_message_ends(message):
    last = layout(message)[-1]
    assert last.start + last.size == len(serialize_message(message)) - 4


def test_doubles_are_found():
    message = WrenchStamped()
    message.header.frame_id = "ft_sensor"
    message.wrench.torque.z = 1.5
    last = [field for field in layout(message) if field.is_double][-1]
    import struct

    assert struct.unpack_from("<d", serialize_message(message), 4 + last.start) == (1.5,)
