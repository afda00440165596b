"""Every description expands and loads, and `hardware` selects what stands behind the joints."""
import pinocchio as pin
import pytest
import xacro

from .description import DEVICES, FRANKA, KUKA, KUKA_FRI, UR, VARIANTS, expand, parse

JOINT_COUNT = {"servicer": 7, "facility": 19, "client_robot": 6, "servicer_robot": 6, "arm": 7}
WRENCH = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"}


def name_of(value) -> str:
    if isinstance(value, dict):
        return "-".join([value.get("hardware", "default"), *([value["vendor"]] if "vendor" in value else [])])
    return value


def components(name: str, arguments: dict) -> dict:
    return {tag.get("name"): tag for tag in parse(name, **arguments).findall("ros2_control")}


def plugin(component) -> str:
    return component.find("hardware/plugin").text


def parameters(component) -> dict[str, str | None]:
    return {tag.get("name"): tag.text for tag in component.findall("hardware/param")}


def interfaces(component, kind: str) -> list[set[str]]:
    """Names of the command or state interfaces, joint by joint."""
    joints = component.findall("joint")
    return [{tag.get("name") for tag in joint.findall(f"{kind}_interface")} for joint in joints]


@pytest.mark.parametrize(("name", "arguments"), VARIANTS, ids=name_of)
def test_expands_and_loads_in_pinocchio(name, arguments):
    model = pin.buildModelFromXML(expand(name, **arguments))
    assert model.nv == JOINT_COUNT[name]


@pytest.mark.parametrize(("name", "arguments"), VARIANTS, ids=name_of)
def test_no_meshes(name, arguments):
    assert parse(name, **arguments).find(".//mesh") is None


@pytest.mark.parametrize("device", DEVICES)
def test_simulation_has_no_hardware(device):
    assert components(device, {}) == {} == components(device, {"hardware": "sim"})


@pytest.mark.parametrize("device", DEVICES)
def test_mock_mirrors_commands_and_lets_sensors_be_set(device):
    mock = components(device, {"hardware": "mock"})[f"{device}_hardware"]
    assert plugin(mock) == "mock_components/GenericSystem"
    assert parameters(mock)["mock_sensor_commands"] == "true"
    # With dynamics the mock refuses a controller that claims effort only, as the arm's does.
    assert parameters(mock)["calculate_dynamics"] == ("false" if device == "arm" else "true")


@pytest.mark.parametrize("robot", DEVICES[:2])
def test_kuka_robot_has_what_its_driver_asks_for(robot):
    found = components(robot, KUKA)
    system = found[f"{robot}_hardware"]
    assert plugin(system) == "kuka_rsi_driver::KukaRSIHardwareInterface"
    expected = {"client_ip": "192.0.2.1", "client_port": "59152", "rsi_xml_config_file": None}
    assert parameters(system) == expected
    for kind in ("command", "state"):
        assert interfaces(system, kind) == [{"position", "velocity", "effort"}] * 6
    assert [gpio.get("name") for gpio in system.findall("gpio")] == ["gpio"]
    sensor = found[f"{robot}_ft_hardware"]
    assert sensor.get("type") == "sensor" and plugin(sensor) == "net_ft_driver/NetFtHardwareInterface"
    assert parameters(sensor)["ip_address"] == "192.0.2.2"


@pytest.mark.parametrize("robot", DEVICES[:2])
def test_ur_robot_has_what_its_driver_asks_for(robot):
    found = components(robot, UR)
    system = found[f"{robot}_hardware"]
    assert set(found) == {f"{robot}_hardware"}
    assert plugin(system) == "ur_robot_driver/URPositionHardwareInterface"
    assert parameters(system)["robot_ip"] == "192.0.2.3" and parameters(system)["tf_prefix"] == f"{robot}_"
    assert all({"position", "velocity"} <= names for names in interfaces(system, "command"))
    assert system.find("sensor").get("name") == f"{robot}_tcp_fts_sensor"


def test_kuka_arm_has_what_its_driver_asks_for():
    arm = components("arm", KUKA_FRI)["arm_hardware"]
    assert plugin(arm) == "kuka_sunrise_fri_driver::KukaFRIHardwareInterface"
    assert parameters(arm) == {"controller_ip": "192.0.2.4", "client_ip": "192.0.2.1", "client_port": "30200"}
    assert interfaces(arm, "command") == [{"position", "stiffness", "damping", "effort"}] * 7
    assert interfaces(arm, "state") == [{"position", "effort", "external_torque", "commanded_position"}] * 7
    assert len(arm.findall("gpio")) == 1


def test_franka_arm_has_what_its_driver_asks_for():
    arm = components("arm", FRANKA)["arm_hardware"]
    assert plugin(arm) == "franka_hardware/FrankaHardwareInterface"
    assert {"version", "robot_ip", "robot_type", "prefix"} <= set(parameters(arm))
    assert all("effort" in names for names in interfaces(arm, "command"))


@pytest.mark.parametrize("arguments", [{"hardware": "mock"}, KUKA, UR], ids=name_of)
@pytest.mark.parametrize("robot", DEVICES[:2])
def test_sensor_has_six_axes_in_a_frame_that_exists(robot, arguments):
    robot_tag = parse(robot, **arguments)
    links = {link.get("name") for link in robot_tag.findall("link")}
    sensors = robot_tag.findall("ros2_control/sensor")
    assert len(sensors) == 1
    assert {tag.get("name") for tag in sensors[0].findall("state_interface")} == WRENCH
    assert sensors[0].find("param[@name='frame_id']").text in links


@pytest.mark.parametrize(("device", "arguments"), [
    variant for variant in VARIANTS if variant[1].get("hardware", "sim") != "sim"
], ids=name_of)
def test_controlled_joints_are_the_movable_joints(device, arguments):
    robot = parse(device, **arguments)
    movable = [joint.get("name") for joint in robot.findall("joint") if joint.get("type") == "revolute"]
    assert [joint.get("name") for joint in robot.findall("ros2_control/joint")] == movable


@pytest.mark.parametrize(("device", "arguments", "missing"), [
    ("client_robot", KUKA, "client_ip"),
    ("client_robot", KUKA, "ft_ip"),
    ("servicer_robot", UR, "robot_ip"),
    ("servicer_robot", UR, "script_filename"),
    ("arm", KUKA_FRI, "controller_ip"),
    ("arm", KUKA_FRI, "client_ip"),
    ("arm", FRANKA, "robot_ip"),
])
def test_missing_address_is_named(device, arguments, missing):
    without = {key: value for key, value in arguments.items() if key != missing}
    with pytest.raises(xacro.XacroException, match=f"hardware:=real needs {missing}:="):
        expand(device, **without)


@pytest.mark.parametrize(("device", "arguments"), [
    ("client_robot", {"hardware": "simulated"}),
    ("client_robot", {"vendor": "franka"}),
    ("client_robot", {"ft_driver": "none"}),
    ("arm", {"vendor": "ur"}),
    ("client_robot", {**KUKA, "ft_driver": "builtin"}),
])
def test_unknown_choice_is_refused(device, arguments):
    with pytest.raises(xacro.XacroException, match=r"is not known|has no force/torque sensor"):
        expand(device, **arguments)


def test_prefix_renames_every_frame_and_joint():
    robot = parse("client_robot", hardware="mock", tf_prefix="left_")
    names = [tag.get("name") for tag in (*robot.findall("link"), *robot.findall("joint"))]
    assert all(name == "world" or name.startswith("left_") for name in names)
