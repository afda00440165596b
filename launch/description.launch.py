"""robot_state_publisher of each device: its description and its frames."""
from launch.launch_description import LaunchDescription

from hil_relative_dynamics.bringup import publisher
from hil_relative_dynamics.bringup.actions import declared, node, with_options


def publishers(options):
    found = (publisher(options, device) for device in options.chosen)
    return [node(process) for process in found if process is not None]


def generate_launch_description():
    return LaunchDescription([*declared(), with_options(publishers)])
