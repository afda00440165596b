"""/tf of the orbit, where tf2_msgs is installed: client, servicer and nominal in the inertial frame.

The robots' own frames come from robot_state_publisher; the laboratory and the orbit are two trees.
"""
from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from hil_relative_dynamics.ros.wire import write_time
from hil_relative_dynamics.spatial import MotionSample

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not among the wheels
    TFMessage = None

PARENT = "orbit"


class OrbitTransforms:
    """Publishes the named bodies; does nothing where tf2_msgs is missing."""

    def __init__(self, node: Node, bodies: tuple[str, ...]) -> None:
        self._publisher: Any = None
        if TFMessage is None:
            return
        self._publisher = node.create_publisher(
            TFMessage, "/tf", QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
        )
        self._message = TFMessage(transforms=[TransformStamped(child_frame_id=body) for body in bodies])
        for transform in self._message.transforms:
            transform.header.frame_id = PARENT

    def publish(self, stamp: int, samples: tuple[MotionSample, ...]) -> None:
        if self._publisher is None:
            return
        for transform, sample in zip(self._message.transforms, samples):
            write_time(transform.header.stamp, stamp)
            position, rotation = transform.transform.translation, transform.transform.rotation
            x, y, z, qx, qy, qz, qw = sample.array[:7].tolist()
            position.x, position.y, position.z = x, y, z
            rotation.x, rotation.y, rotation.z, rotation.w = qx, qy, qz, qw
        self._publisher.publish(self._message)
