"""The whole facility.

ros2 launch hil_relative_dynamics facility.launch.py                                  simulated
ros2 launch hil_relative_dynamics facility.launch.py launch_rviz:=true record:=true   seen and recorded
ros2 launch hil_relative_dynamics facility.launch.py hardware:=mock                   through ros2_control, no robots
ros2 launch hil_relative_dynamics facility.launch.py --show-args                      everything there is to choose

Robots: docs/hardware.md, before anything moves.
"""
from launch.actions import ExecuteProcess
from launch.conditions import IfCondition
from launch.launch_description import LaunchDescription
from launch.substitutions import LaunchConfiguration

from hil_relative_dynamics.bringup import processes
from hil_relative_dynamics.bringup.actions import beside, declared, node, with_options
from hil_relative_dynamics.bringup.arguments import OWN_RECORDER
from hil_relative_dynamics.bringup.facility import recorder
from hil_relative_dynamics.bringup.tools import rosbag2, rviz


def generate_launch_description():
    return LaunchDescription([
        *declared(),
        with_options(
            lambda options: [
                node(recorder(options))
                if options.recorder == OWN_RECORDER
                else ExecuteProcess(cmd=rosbag2(options), output="screen")
            ],
            condition=IfCondition(LaunchConfiguration("record")),
        ),
        beside("devices.launch.py"),
        with_options(lambda options: map(node, processes(options))),
        with_options(
            lambda options: [node(rviz(options))],
            condition=IfCondition(LaunchConfiguration("launch_rviz")),
        ),
    ])
