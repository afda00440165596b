"""Robots and arm, without the facility's own nodes: their descriptions, and with hardware:=mock|real their drivers.

devices:=client_robot brings up one of them; so do client_robot.launch.py, servicer_robot.launch.py, arm.launch.py.
"""
from launch.conditions import IfCondition
from launch.launch_description import LaunchDescription
from launch.substitutions import LaunchConfiguration, NotEqualsSubstitution

from hil_relative_dynamics.bringup.actions import beside, declared


def generate_launch_description():
    driven = IfCondition(NotEqualsSubstitution(LaunchConfiguration("hardware"), "sim"))
    return LaunchDescription([
        *declared(),
        beside("description.launch.py"),
        beside("hardware.launch.py", condition=driven),
    ])
