"""Tests with real nodes: on this machine only, on a domain of their own."""
import os

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed: 'make setup' brings the wheels")

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_DOMAIN_ID"] = str(30 + os.getpid() % 70)  # tests may run in several processes
