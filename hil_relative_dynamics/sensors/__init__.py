"""Performance models of the servicer's sensors: what the on-board software gets to see of the truth."""
from hil_relative_dynamics.sensors.force_torque import ForceTorque
from hil_relative_dynamics.sensors.gyro import Gyro
from hil_relative_dynamics.sensors.joint_encoders import JointEncoders
from hil_relative_dynamics.sensors.relative_pose import PoseReading, RelativePose
from hil_relative_dynamics.sensors.sampled import Measurement, SensorState
from hil_relative_dynamics.sensors.star_tracker import StarTracker

__all__ = [
    "ForceTorque",
    "Gyro",
    "JointEncoders",
    "Measurement",
    "PoseReading",
    "RelativePose",
    "SensorState",
    "StarTracker",
]
