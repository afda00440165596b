"""The robot that moves the client's mock-up, alone: its description and, with hardware:=mock|real, its driver."""
from launch.launch_description import LaunchDescription

from hil_relative_dynamics.bringup.actions import beside


def generate_launch_description():
    return LaunchDescription([beside("devices.launch.py", devices="client_robot")])
