"""What others made and is started beside the facility: RViz and rosbag2's recorder."""
from __future__ import annotations

from hil_relative_dynamics.bringup.arguments import DEVICES, ROBOTS
from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.bringup.options import Options
from hil_relative_dynamics.bringup.process import Process
from hil_relative_dynamics.scenario.share import share

#: topics that rviz/facility.rviz shows, without a namespace
RVIZ_TOPICS = (
    *(f"{device}/robot_description" for device in DEVICES),
    *(f"{robot}/ft_broadcaster/wrench" for robot in ROBOTS),
    "markers",
)


def rviz(options: Options) -> Process:
    """RViz on rviz/facility.rviz, whose topics are moved to the namespace."""
    return Process(
        package="rviz2",
        executable="rviz2",
        parameters={"use_sim_time": options.use_sim_time},
        remappings=tuple(
            (f"/{topic}", f"/{options.namespace}/{topic}") for topic in RVIZ_TOPICS if options.namespace
        ),
        arguments=(
            *("--display-config", str(share() / "rviz" / "facility.rviz")),
            *("--fixed-frame", f"{options.tf_prefix}world"),
        ),
    )


def rosbag2(options: Options) -> list[str]:
    """Command line of rosbag2's recorder. Raises BringupError where it is not installed."""
    try:
        from ament_index_python.packages import get_package_prefix

        get_package_prefix("ros2bag")
    except LookupError as error:  # also PackageNotFoundError
        raise BringupError(
            "recorder:=rosbag2 needs rosbag2: install ros2bag and rosbag2_storage_mcap, or use recorder:=hil."
        ) from error
    command = ["ros2", "bag", "record", "--all", "--storage", "mcap", "--disable-keyboard-controls"]
    if options.record_to:
        command += ["--output", options.record_to]
    if options.use_sim_time:
        command += ["--use-sim-time"]
    return command
