"""What the drivers of real sensors would publish: each measurement when it comes, stamped with its acquisition.

The joint encoders and the F/T sensors are devices of the laboratory and have the topics of their broadcasters.
"""
from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped, QuaternionStamped
from rclpy.node import Node
from sensor_msgs.msg import Imu

from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.transforms import PARENT
from hil_relative_dynamics.ros.wire import write_time

BASE = "servicer"
#: of a covariance that is not known because the quantity is not measured (sensor_msgs/Imu)
NOT_MEASURED = -1.0


class SensorTopics:
    """`sensors/imu`, `sensors/star_tracker` and `sensors/relative_pose` of the block that models these sensors."""

    def __init__(self, node: Node, block: Any) -> None:
        self._block = block
        self._imu = node.create_publisher(Imu, "sensors/imu", qos.SIGNAL)
        self._tracker = node.create_publisher(QuaternionStamped, "sensors/star_tracker", qos.SIGNAL)
        self._pose = node.create_publisher(PoseWithCovarianceStamped, "sensors/relative_pose", qos.SIGNAL)
        self._rate, self._attitude, self._seen = Imu(), QuaternionStamped(), PoseWithCovarianceStamped()
        self._rate.header.frame_id = self._seen.header.frame_id = BASE
        self._attitude.header.frame_id = PARENT
        self._rate.angular_velocity_covariance = block.suite.gyro_covariance.ravel()
        self._rate.orientation_covariance[0] = self._rate.linear_acceleration_covariance[0] = NOT_MEASURED

    def publish(self, origin: int) -> None:
        """What came at the tick that has just run; `origin` of the run [ns]."""
        rate, attitude, pose = self._block.arrived
        if rate is not None:
            write_time(self._rate.header.stamp, origin + rate.stamp)
            vector = self._rate.angular_velocity
            vector.x, vector.y, vector.z = rate.value.tolist()
            self._imu.publish(self._rate)
        if attitude is not None:
            write_time(self._attitude.header.stamp, origin + attitude.stamp)
            turn = self._attitude.quaternion
            turn.x, turn.y, turn.z, turn.w = attitude.value.tolist()
            self._tracker.publish(self._attitude)
        if pose is not None:
            write_time(self._seen.header.stamp, origin + pose.stamp)
            position, turn = self._seen.pose.pose.position, self._seen.pose.pose.orientation
            position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w = pose.value.array.tolist()
            self._seen.pose.covariance = pose.value.covariance.ravel()
            self._pose.publish(self._seen)
