"""Launch files under the real launch, up to the moment when a process would be started.

This folder must not be a package: it would hide the real `launch`.
"""
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from hil_relative_dynamics.bringup import read
from hil_relative_dynamics.bringup.facility import CONTAINER, GUARD, node_names

ROOT = Path(__file__).resolve().parents[2]
OURS = "hil_relative_dynamics"
#: what the launch files start and read of other packages
EXECUTABLES = {
    OURS: [CONTAINER, GUARD, "recorder", *node_names(read({}))],
    "robot_state_publisher": ["robot_state_publisher"],
    "controller_manager": ["ros2_control_node", "spawner"],
    "kuka_drivers_core": ["control_node"],
    "kuka_rsi_driver": ["robot_manager_node_rsi_only"],
    "kuka_sunrise_fri_driver": ["robot_manager_node"],
    "ur_robot_driver": ["dashboard_client"],
    "ur_client_library": [],
    "rviz2": ["rviz2"],
    "ros2bag": [],
}
DASHBOARD = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

def generate_launch_description():
    address = {"robot_ip": LaunchConfiguration("robot_ip")}
    node = Node(package="ur_robot_driver", executable="dashboard_client", name="dashboard_client", parameters=[address])
    return LaunchDescription([DeclareLaunchArgument("robot_ip"), node])
"""
FILES = {
    "kuka_rsi_driver/config/ros2_controller_config_rsi_only.yaml": "/**/controller_manager: {ros__parameters: {a: 1}}",
    "kuka_sunrise_fri_driver/config/ros2_controller_config.yaml": "/**/controller_manager: {ros__parameters: {a: 1}}",
    "ur_robot_driver/launch/ur_dashboard_client.launch.py": DASHBOARD,
}


@pytest.fixture(scope="session")
def prefix(tmp_path_factory) -> Path:
    """An ament prefix with executables that only wait; our own files are those of the source tree."""
    folder = tmp_path_factory.mktemp("prefix")
    for package, executables in EXECUTABLES.items():
        _write(folder / "share/ament_index/resource_index/packages" / package, "")
        (folder / "share" / package).mkdir()
        for name in executables:
            _write(folder / "lib" / package / name, "#!/bin/sh\nexec sleep 60\n").chmod(0o755)
    for name, text in FILES.items():
        _write(folder / "share" / name, text)
    for name in ("config", "launch", "rviz", "urdf"):
        (folder / "share" / OURS / name).symlink_to(ROOT / name)
    return folder


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@dataclass(frozen=True)
class Started:
    """A process as it would have been started."""

    command: list[str]
    ends_all: bool

    @property
    def package(self) -> str:
        return Path(self.command[0]).parent.name

    @property
    def executable(self) -> str:
        return Path(self.command[0]).name

    @property
    def arguments(self) -> list[str]:
        """Those that are not for ROS."""
        first = self.command.index("--ros-args") if "--ros-args" in self.command else len(self.command)
        return self.command[1:first]

    def after(self, flag: str) -> list[str]:
        return [value for key, value in zip(self.command, self.command[1:]) if key == flag]

    @property
    def remappings(self) -> dict[str, str]:
        """Also __node and __ns, where they are given."""
        return dict(rule.split(":=", 1) for rule in self.after("-r"))

    @property
    def node(self) -> str:
        """Namespace and name; the executable's where the process names its own."""
        given = self.remappings
        return f"{given.get('__ns', '').rstrip('/')}/{given.get('__node', self.executable)}"

    @property
    def parameter_files(self) -> list[str]:
        return self.after("--params-file")

    @property
    def parameters(self) -> dict:
        """Those that launch wrote, from all its files."""
        found: dict = {}
        for name in self.parameter_files:
            if Path(name).name.startswith("launch_params_"):
                for content in yaml.safe_load(Path(name).read_text()).values():
                    found |= content["ros__parameters"]
        return found


@pytest.fixture
def start(prefix, monkeypatch):
    """Visits a launch file with arguments; gives what it would have started, in order."""
    from launch.actions import ExecuteLocal, IncludeLaunchDescription, Shutdown
    from launch.launch_context import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    from launch.utilities import perform_substitutions
    from launch_ros.actions import LifecycleNode, Node

    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix), prepend=":")
    started: list[Started] = []

    def execute(action, context):
        command = [perform_substitutions(context, part) for part in action.cmd]
        ending = action._ExecuteLocal__on_exit
        started.append(Started(command, isinstance(ending, Shutdown)))

    monkeypatch.setattr(ExecuteLocal, "execute", execute)
    monkeypatch.setattr(LifecycleNode, "execute", Node.execute)

    def visit(entity, context):
        for inner in entity.visit(context) or ():
            visit(inner, context)

    def run(file: str, **arguments: str) -> list[Started]:
        started.clear()
        source = PythonLaunchDescriptionSource(str(prefix / "share" / OURS / "launch" / file))
        visit(IncludeLaunchDescription(source, launch_arguments=arguments.items()), LaunchContext())
        return list(started)

    return run
