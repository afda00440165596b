"""Controller manager and controllers of each device, and what its vendor adds."""
from launch.launch_description import LaunchDescription

from hil_relative_dynamics.bringup import driver
from hil_relative_dynamics.bringup.actions import declared, drive, with_options


def drivers(options):
    found = (driver(options, device) for device in options.chosen)
    return [action for each in found if each is not None for action in drive(each, options.activate_drivers)]


def generate_launch_description():
    return LaunchDescription([*declared(), with_options(drivers)])
