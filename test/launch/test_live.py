"""Launch files with processes that really start: stand-ins that do nothing, and a managed node."""
import os
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest

pytest.importorskip("launch_ros", reason="launch files are for ROS 2's launch_ros, which the wheels do not bring")
pytest.importorskip("rclpy", reason="launch speaks to managed nodes through rclpy")

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

file, *arguments = sys.argv[1:]
service = LaunchService()
given = [tuple(argument.split(":=", 1)) for argument in arguments]
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=given)])
)
sys.exit(service.run())
"""
#: tells which transitions it went through
MANAGER = f"""#!{sys.executable}
import os, rclpy
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

class Manager(LifecycleNode):
    def told(self, word):
        with open(os.environ["TRANSITIONS"], "a") as file:
            file.write(word + " ")
        return TransitionCallbackReturn.SUCCESS
    def on_configure(self, state): return self.told("configured")
    def on_activate(self, state): return self.told("activated")

rclpy.init()
try:
    rclpy.spin(Manager("to_be_renamed"))
except BaseException:
    pass
"""
KUKA = ("hardware:=real", "client_robot_client_ip:=192.0.2.1", "client_robot_ft_ip:=192.0.2.2")


@pytest.fixture
def launch(prefix, tmp_path):
    """Starts a launch file in a process of its own; ends it with SIGINT, as Ctrl-C does."""
    running = []

    def run(file: str, *arguments: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            "AMENT_PREFIX_PATH": os.pathsep.join(filter(None, [str(prefix), os.environ.get("AMENT_PREFIX_PATH")])),
            "ROS_DOMAIN_ID": str(100 + os.getpid() % 100),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            "ROS_LOG_DIR": str(tmp_path / "log"),
            "TRANSITIONS": str(tmp_path / "transitions"),
        }
        path = prefix / "share/hil_relative_dynamics/launch" / file
        command = [sys.executable, "-c", LAUNCH, str(path), *arguments]
        log = (tmp_path / "output").open("w")
        running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT))
        return running[-1]

    yield run
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


@pytest.fixture
def replaced(prefix):
    """Replaces executables of the prefix until the test is over."""
    before = {}

    def replace(name: str, text: str) -> None:
        path = prefix / "lib" / name
        before.setdefault(path, path.read_text())
        path.write_text(text)

    yield replace
    for path, text in before.items():
        path.write_text(text)


def wait_for(condition, seconds: float = 60.0):
    end = monotonic() + seconds
    while not condition() and monotonic() < end:
        sleep(0.05)
    return condition()


def test_everything_starts_and_ctrl_c_ends_it(launch, tmp_path):
    process = launch("facility.launch.py")
    output = tmp_path / "output"
    assert wait_for(lambda: output.read_text().count("process started") == 4), output.read_text()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0


def test_everything_ends_with_the_facility(launch, replaced, tmp_path):
    replaced("hil_relative_dynamics/facility", "#!/bin/sh\nexit 0\n")
    assert launch("facility.launch.py").wait(timeout=60) == 0
    assert "facility-4] was required: shutting down" in (tmp_path / "output").read_text()


def test_a_bad_scenario_starts_nothing(launch, tmp_path):
    assert launch("facility.launch.py", "scenario:=envisat_unforsed").wait(timeout=60) == 1
    output = (tmp_path / "output").read_text()
    assert "envisat_unforsed must be a file or the name of a shipped scenario" in output
    assert "process started" not in output


@pytest.mark.parametrize(("asked", "spawners", "expected"), [
    ("true", "exit 0", "configured activated "),
    ("true", "exit 1", ""),
    ("false", "exit 0", ""),
])
def test_manager_is_activated_once_all_controllers_are_loaded(launch, replaced, tmp_path, asked, spawners, expected):
    replaced("kuka_rsi_driver/robot_manager_node_rsi_only", MANAGER)
    replaced("controller_manager/spawner", f"#!/bin/sh\n{spawners}\n")
    launch("client_robot.launch.py", *KUKA, f"activate_drivers:={asked}")
    told, output = tmp_path / "transitions", tmp_path / "output"
    if expected:
        assert wait_for(lambda: told.exists() and told.read_text() == expected), output.read_text()
    else:
        assert wait_for(lambda: output.read_text().count("process has") >= 4), output.read_text()
        sleep(2.0)
        assert not told.exists()
