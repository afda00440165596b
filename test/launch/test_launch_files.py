"""What the launch files start, under the real launch."""
import pytest
import yaml

pytest.importorskip("launch_ros", reason="launch files are for ROS 2's launch_ros, which the wheels do not bring")

from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import get_launch_description_from_python_launch_file

from hil_relative_dynamics.bringup import ARGUMENTS, DEVICES, BringupError, read
from hil_relative_dynamics.bringup.facility import node_names

FILES = (
    "facility.launch.py",
    "devices.launch.py",
    "description.launch.py",
    "hardware.launch.py",
    *(f"{device}.launch.py" for device in DEVICES),
)
KUKA = {
    "hardware": "real",
    "client_robot_client_ip": "192.0.2.1",
    "client_robot_ft_ip": "192.0.2.2",
    "servicer_robot_client_ip": "192.0.2.1",
    "servicer_robot_ft_ip": "192.0.2.3",
    "arm_ip": "192.0.2.4",
    "arm_client_ip": "192.0.2.1",
}
UR_AND_FRANKA = {
    "hardware": "real",
    "client_robot_vendor": "ur",
    "client_robot_ip": "192.0.2.5",
    "servicer_robot_vendor": "ur",
    "servicer_robot_ip": "192.0.2.6",
    "arm_vendor": "franka",
    "arm_ip": "192.0.2.7",
}
ALONE = {f"/{name}" for name in node_names(read({}))}
PUBLISHERS = {f"/{device}/robot_state_publisher" for device in DEVICES}


def of(started, package):
    return [process for process in started if process.package == package]


def nodes(started, package="hil_relative_dynamics"):
    return [process.node for process in of(started, package)]


def spawned(started, device):
    """Controller names with whether they start active."""
    found = {}
    for process in of(started, "controller_manager"):
        if process.executable == "spawner" and process.remappings["__ns"].endswith(f"/{device}"):
            names = process.arguments[: process.arguments.index("--controller-manager")]
            found |= dict.fromkeys(names, "--inactive" not in process.arguments)
    return found


@pytest.mark.parametrize("file", FILES)
def test_loads_and_describes_its_arguments(file, prefix):
    path = prefix / "share/hil_relative_dynamics/launch" / file
    description = get_launch_description_from_python_launch_file(str(path))
    arguments = [entity for entity in description.entities if isinstance(entity, DeclareLaunchArgument)]
    assert all(argument.description for argument in arguments)
    if file not in {f"{device}.launch.py" for device in DEVICES}:
        assert [argument.name for argument in arguments] == [argument.name for argument in ARGUMENTS]


def test_arguments_have_the_fields_names_and_choices(prefix):
    path = prefix / "share/hil_relative_dynamics/launch/facility.launch.py"
    entities = get_launch_description_from_python_launch_file(str(path)).entities
    choices = {entity.name: entity.choices for entity in entities if isinstance(entity, DeclareLaunchArgument)}
    assert choices["hardware"] == ["sim", "mock", "real"]
    assert choices["composed"] == choices["record"] == choices["launch_rviz"] == ["true", "false"]
    assert choices["client_robot_vendor"] == ["kuka", "ur", "external"]
    assert choices["arm_vendor"] == ["kuka_fri", "franka", "external"]
    assert {"scenario", "namespace", "tf_prefix", "use_sim_time", "controllers_file"} <= set(choices)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, {"/facility"}),
        ({"composed": "false"}, ALONE),
        ({"hardware": "mock"}, {"/facility"}),
        (KUKA, {"/facility", "/safety_supervisor", "/command_guard"}),
        (UR_AND_FRANKA, {"/facility", "/safety_supervisor", "/command_guard"}),
    ],
    ids=lambda value: "-".join(value.values())[:24] if isinstance(value, dict) else "",
)
def test_starts_our_nodes_once_each(start, arguments, expected):
    started = start("facility.launch.py", **arguments)
    found = nodes(started)
    assert len(found) == len(set(found)) and set(found) == expected
    assert set(nodes(started, "robot_state_publisher")) == PUBLISHERS


@pytest.mark.parametrize("arguments", [{}, {"composed": "false"}, {"hardware": "mock"}, UR_AND_FRANKA])
def test_no_process_renames_its_nodes(start, arguments):
    """__node would rename every node of a process, controllers included."""
    started = [process for process in start("facility.launch.py", **arguments) if process.package != "ur_robot_driver"]
    assert [process.node for process in started if "__node" in process.remappings] == []


def test_parameters_arrive_with_their_types(start):
    started = start("facility.launch.py", tf_prefix="007", overrides="duration_s=20; seed=3")
    (facility,) = of(started, "hil_relative_dynamics")
    expected = {"tf_prefix": "007", "overrides": ["duration_s=20", "seed=3"], "hardware": "sim", "lockstep": False}
    assert facility.parameters.items() >= expected.items()


@pytest.mark.parametrize(("arguments", "ends"), [({}, True), ({"hardware": "mock"}, True), (KUKA, False)])
def test_everything_ends_with_our_nodes_except_before_robots(start, arguments, ends):
    started = start("facility.launch.py", **arguments)
    assert {process.ends_all for process in of(started, "hil_relative_dynamics")} == {ends}


def test_namespace_surrounds_everything(start):
    started = start("facility.launch.py", namespace="lab", launch_rviz="true", composed="false")
    assert {f"/lab{node}" for node in ALONE} == set(nodes(started))
    assert set(nodes(started, "robot_state_publisher")) == {f"/lab{node}" for node in PUBLISHERS}
    (rviz,) = of(started, "rviz2")
    assert rviz.remappings["/client_robot/robot_description"] == "/lab/client_robot/robot_description"


def test_prefix_goes_before_frames_not_joints(start):
    started = start("description.launch.py", tf_prefix="left_", devices="arm")
    (publisher,) = started
    assert publisher.parameters["frame_prefix"] == "left_"
    assert '<joint name="arm_joint_1"' in publisher.parameters["robot_description"]


def test_simulation_has_no_controller_manager(start):
    assert of(start("facility.launch.py"), "controller_manager") == []


@pytest.mark.parametrize(
    ("initial", "robot", "arm"),
    [
        ("none", [False, False], [False, False]),
        ("trajectory", [True, False], [True, False]),
        ("stream", [False, True], [False, True]),
    ],
)
def test_mock_has_a_controller_manager_per_device(start, initial, robot, arm, prefix):
    started = start("hardware.launch.py", hardware="mock", initial_controllers=initial)
    managers = [process for process in started if process.executable == "ros2_control_node"]
    assert [manager.remappings["__ns"] for manager in managers] == [f"/{device}" for device in DEVICES]
    controllers = str(prefix / "share/hil_relative_dynamics/config/controllers.yaml")
    assert all(controllers in manager.parameter_files for manager in managers)
    for device in DEVICES[:2]:
        assert spawned(started, device) == {
            "joint_state_broadcaster": True,
            "ft_broadcaster": True,
            "joint_trajectory_controller": robot[0],
            "forward_position_controller": robot[1],
        }
    assert spawned(started, "arm") == {
        "joint_state_broadcaster": True,
        "joint_trajectory_controller": arm[0],
        "forward_effort_controller": arm[1],
    }


def test_every_spawner_brings_the_parameters_of_its_controllers(start):
    for arguments in ({"hardware": "mock"}, UR_AND_FRANKA):
        for process in start("hardware.launch.py", **arguments):
            if process.executable == "spawner":
                file = process.arguments[process.arguments.index("--param-file") + 1]
                with open(file, encoding="utf-8") as text:
                    listed = yaml.safe_load(text)
                names = process.arguments[: process.arguments.index("--controller-manager")]
                assert all(f"{process.remappings['__ns']}/{name}" in listed for name in names)


def test_kuka_robots_wait_for_their_manager(start):
    started = start("hardware.launch.py", **KUKA)
    manager, *_ = of(started, "kuka_drivers_core")
    assert manager.node == "/client_robot/control_node"
    assert manager.parameters["hardware_components_initial_state.unconfigured"] == ["client_robot_hardware"]
    assert manager.parameters["update_rate"] == 250
    assert spawned(started, "client_robot") == {
        "joint_state_broadcaster": False,
        "ft_broadcaster": True,
        "joint_trajectory_controller": False,
        "forward_position_controller": False,
        "event_broadcaster": False,
    }
    lifecycle = of(started, "kuka_rsi_driver")
    assert [process.node for process in lifecycle] == ["/client_robot/robot_manager", "/servicer_robot/robot_manager"]
    assert lifecycle[0].parameters["position_controller_name"] == "joint_trajectory_controller"


@pytest.mark.parametrize(("initial", "mode"), [("none", 1), ("stream", 4)])
def test_kuka_arm_has_all_that_its_manager_activates(start, initial, mode):
    started = start("arm.launch.py", **KUKA, initial_controllers=initial)
    (manager,) = of(started, "kuka_sunrise_fri_driver")
    assert manager.parameters["control_mode"] == mode
    assert manager.parameters["torque_controller_name"] == "forward_effort_controller"
    activated = {
        "joint_state_broadcaster",
        "external_torque_broadcaster",
        "fri_state_broadcaster",
        "fri_configuration_controller",
        "control_mode_handler",
        "event_broadcaster",
        "joint_group_impedance_controller",
        "joint_trajectory_controller",
        "forward_effort_controller",
    }
    assert spawned(started, "arm") == dict.fromkeys(activated, False)
    assert {process.remappings["__ns"] for process in started} == {"/arm"}


def test_ur_robots_have_ports_of_their_own_and_the_sensor_turned_round(start):
    started = start("devices.launch.py", **UR_AND_FRANKA)
    texts = [process.parameters["robot_description"] for process in of(started, "robot_state_publisher")[:2]]
    assert [f'"reverse_port">{port}<' in text for port, text in zip((50001, 50011), texts)] == [True, True]
    (ft,) = [
        process
        for process in of(started, "controller_manager")
        if "ft_broadcaster" in process.arguments and process.remappings["__ns"] == "/servicer_robot"
    ]
    settings = ft.arguments[ft.arguments.index("--controller-ros-args") + 1]
    assert "sensor_name:=servicer_robot_tcp_fts_sensor" in settings and "multiplier.force.z:=-1.0" in settings
    dashboards = of(started, "ur_robot_driver")
    assert [process.node for process in dashboards] == [f"/{robot}/dashboard_client" for robot in DEVICES[:2]]
    assert dashboards[1].parameters["robot_ip"] == "192.0.2.6"


def test_device_driven_elsewhere_is_left_alone(start):
    others = {**UR_AND_FRANKA, "client_robot_vendor": "external"}
    started = start("devices.launch.py", **others)
    assert not any(process.node.startswith("/client_robot/") for process in started)


def test_wrench_of_another_driver_is_taken_from_its_topic(start):
    others = {**KUKA, "client_robot_ft": "topic", "client_robot_ft_topic": "/ati/wrench"}
    started = start("facility.launch.py", **others)
    (facility,) = [process for process in started if process.executable == "facility"]
    assert facility.remappings["client_robot/ft_broadcaster/wrench"] == "/ati/wrench"
    assert "ft_broadcaster" not in spawned(started, "client_robot")


def test_recording_is_ours(start):
    started = start("facility.launch.py", record="true", record_to="there", lockstep="true")
    recorder = next(process for process in started if process.executable == "recorder")
    facility = next(process for process in started if process.executable == "facility")
    assert recorder.parameters["record_to"] == "there" and recorder.parameters["lockstep"] is True
    assert facility.parameters["await_recorder"] is True
    plain = start("facility.launch.py", lockstep="true")
    assert "recorder" not in [process.executable for process in plain]
    assert all("await_recorder" not in process.parameters for process in plain)


def test_recording_is_rosbags_where_that_is_wanted(start):
    started = start("facility.launch.py", record="true", recorder="rosbag2", record_to="there")
    command = started[0].command
    assert command[:3] == ["ros2", "bag", "record"] and command[-2:] == ["--output", "there"]
    assert ["--storage", "mcap"] == command[4:6]


def test_rviz_opens_our_view(start, prefix):
    (rviz,) = of(start("facility.launch.py", launch_rviz="true"), "rviz2")
    view = rviz.arguments[rviz.arguments.index("--display-config") + 1]
    assert view == str(prefix / "share/hil_relative_dynamics/rviz/facility.rviz")


def test_refusal_is_one_sentence(start):
    with pytest.raises(BringupError, match=r"^hardware:=real with .* needs client_robot_client_ip:=\.\.\.$"):
        start("facility.launch.py", hardware="real")


def test_argument_outside_its_choices_is_refused(start):
    with pytest.raises(RuntimeError, match="hardware"):
        start("facility.launch.py", hardware="simulated")
