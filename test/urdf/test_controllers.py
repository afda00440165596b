"""controllers.yaml names joints, sensors and frames that the descriptions have."""
import pytest
import yaml

from .description import CONTROLLERS_FILE, DEVICES, parse

CONTROLLERS = yaml.safe_load(CONTROLLERS_FILE.read_text())
RATES = {"client_robot": 250, "servicer_robot": 250, "arm": 1000}
STREAM = {"client_robot": "position", "servicer_robot": "position", "arm": "effort"}


def parameters(device: str, node: str) -> dict:
    return CONTROLLERS[f"/{device}/{node}"]["ros__parameters"]


def mock(device: str):
    return parse(device, hardware="mock").find("ros2_control")


def joints(device: str) -> list[str]:
    return [joint.get("name") for joint in mock(device).findall("joint")]


@pytest.mark.parametrize("device", DEVICES)
def test_manager_runs_at_the_device_rate_and_knows_its_controllers(device):
    manager = parameters(device, "controller_manager")
    assert manager["update_rate"] == RATES[device]
    typed = {name for name, value in manager.items() if isinstance(value, dict) and "type" in value}
    configured = {key.rsplit("/", 1)[1] for key in CONTROLLERS if key.startswith(f"/{device}/")}
    assert typed == configured - {"controller_manager"}


@pytest.mark.parametrize("device", DEVICES)
def test_stream_controller_commands_every_joint_in_order(device):
    controller = parameters(device, f"forward_{STREAM[device]}_controller")
    assert controller["joints"] == joints(device)
    assert controller["interface_name"] == STREAM[device]


@pytest.mark.parametrize("device", DEVICES)
def test_trajectory_controller_moves_the_same_joints(device):
    controller = parameters(device, "joint_trajectory_controller")
    assert controller["joints"] == joints(device)
    assert controller["command_interfaces"] == ["position"]


@pytest.mark.parametrize("device", DEVICES)
def test_claimed_interfaces_exist(device):
    for joint in mock(device).findall("joint"):
        commands = {tag.get("name") for tag in joint.findall("command_interface")}
        states = {tag.get("name") for tag in joint.findall("state_interface")}
        assert {STREAM[device], "position"} <= commands and "position" in states


@pytest.mark.parametrize("robot", DEVICES[:2])
def test_broadcaster_reads_the_robots_sensor_in_its_frame(robot):
    broadcaster = parameters(robot, "ft_broadcaster")
    links = {link.get("name") for link in parse(robot).findall("link")}
    assert broadcaster["sensor_name"] == mock(robot).find("sensor").get("name")
    assert broadcaster["frame_id"] in links


@pytest.mark.parametrize("device", DEVICES)
def test_joint_states_are_stamped_with_a_frame_of_the_device(device):
    links = {link.get("name") for link in parse(device).findall("link")}
    assert parameters(device, "joint_state_broadcaster")["frame_id"] in links


def test_file_has_no_anchors():
    """ROS's parameter reader refuses YAML aliases."""
    tokens = [type(token).__name__ for token in yaml.scan(CONTROLLERS_FILE.read_text())]
    assert "AliasToken" not in tokens and "AnchorToken" not in tokens
