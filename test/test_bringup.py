"""Bring-up as data: which processes, which parameters, and what is refused; nothing is started."""
import re
import runpy
import subprocess
import sys
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import pytest
import yaml

from hil_relative_dynamics import bringup
from hil_relative_dynamics.bringup import ARGUMENTS, DEVICES, ROBOTS, BringupError, read
from hil_relative_dynamics.bringup.facility import CONTAINER, node_names
from hil_relative_dynamics.bringup.tools import RVIZ_TOPICS
from hil_relative_dynamics.bringup.vendors import Vendor, vendors
from hil_relative_dynamics.scenario import load

ROOT = Path(__file__).resolve().parent.parent
REAL = {
    "hardware": "real",
    "client_robot_client_ip": "192.0.2.1",
    "client_robot_ft_ip": "192.0.2.2",
    "servicer_robot_client_ip": "192.0.2.1",
    "servicer_robot_ft_ip": "192.0.2.3",
    "arm_ip": "192.0.2.4",
    "arm_client_ip": "192.0.2.1",
}
TABLE = [(kind, name) for kind in ("robots", "arms") for name in vendors(kind)]


def executables(**values):
    return [process.executable for process in bringup.processes(read(values))]


def topics(display) -> list[str]:
    found = [display[key]["Value"] for key in ("Topic", "Description Topic") if key in display]
    return found + [topic for inner in display.get("Displays", ()) for topic in topics(inner)]


def test_pulls_no_ros_in():
    """The wheels' `hil` command reads the same data as the launch files."""
    code = "import sys, hil_relative_dynamics.bringup.tools; print({'rclpy', 'launch', 'launch_ros'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.strip() == "set()", done.stderr


def test_by_default_everything_is_simulated_in_one_process():
    (process,) = bringup.processes(read({}))
    assert (process.executable, process.name, process.namespace) == ("facility", None, "")
    assert {"facility_sim", "wrench_chain", "safety_supervisor", "client_robot_commander"} <= set(process.nodes)


def test_separated_nodes_are_those_of_the_container():
    (container,) = bringup.processes(read({}))
    alone = [process.nodes for process in bringup.processes(read({"composed": False}))]
    assert sorted(container.nodes) == sorted(node for (node,) in alone)


@pytest.mark.parametrize("hardware", ["mock", "real"])
def test_with_devices_there_is_no_plant_and_one_process_to_start_the_run(hardware):
    values = {**REAL, "hardware": hardware}
    assert "facility_sim" not in [node for process in bringup.processes(read(values)) for node in process.nodes]
    with pytest.raises(BringupError, match=f"composed:=false needs hardware:=sim; with hardware:={hardware}"):
        bringup.processes(read({**values, "composed": False}))


def test_with_robots_supervisor_and_guard_have_their_own_processes():
    container, supervisor, guard = bringup.processes(read(REAL))
    assert not {"safety_supervisor", "command_guard"} & set(container.nodes)
    assert supervisor.executable == "safety_supervisor" and supervisor.separate
    assert guard.executable == "command_guard" and guard.separate


@pytest.mark.parametrize("scenario", ["envisat_unforced", "envisat_unforced_facility"])
def test_every_separated_node_is_an_executable(scenario):
    declared = {script.split(" = ")[0] for script in console_scripts()}
    assert {CONTAINER, *(executables(scenario=scenario, composed=False))} <= declared


def console_scripts() -> list[str]:
    with pytest.MonkeyPatch.context() as patch, mock.patch("setuptools.setup") as setup:
        patch.chdir(ROOT)
        runpy.run_path("setup.py")
    return setup.call_args.kwargs["entry_points"]["console_scripts"]


def test_scenario_without_robots_has_fewer_nodes_and_no_use_for_hardware():
    assert set(node_names(read({"scenario": "envisat_unforced"}))) < set(node_names(read({})))
    with pytest.raises(BringupError, match=r"^scenario:=envisat_unforced has facility\.kind: none, .*\.$"):
        executables(scenario="envisat_unforced", hardware="mock")


def test_overrides_are_split():
    (process,) = bringup.processes(read({"overrides": " seed=3; laboratory.gravity_m_s2=[0, 0, -9.8] "}))
    assert process.parameters["overrides"] == ["seed=3", "laboratory.gravity_m_s2=[0, 0, -9.8]"]
    assert "overrides" not in bringup.processes(read({}))[0].parameters


@pytest.mark.parametrize(("vendor", "compensates"), [("kuka_fri", True), ("franka", True), ("external", False)])
def test_scenario_knows_whether_the_arm_compensates_gravity(vendor, compensates):
    override = "servicer.gravity_compensated_by_arm=true"
    assert (override in read({**REAL, "arm_vendor": vendor}).overrides) is compensates
    assert override not in read({"arm_vendor": vendor}).overrides
    own = read({**REAL, "overrides": "servicer.gravity_compensated_by_arm=false"})
    assert load(own.scenario, own.overrides).servicer.gravity_compensated_by_arm is False


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"hardware": "simulated"}, "hardware:=simulated must be one of sim, mock, real."),
        ({"composed": "true"}, "composed:=true must be a bool."),
        ({"robot": "ur"}, "robot is not an argument of the facility."),
        ({"scenario": " "}, "scenario must not be empty"),
        ({"overrides": "duration_s 20"}, "overrides: 'duration_s 20' must be name=value."),
        ({"arm_options": "robot_type=fr3"}, "arm_options: 'robot_type=fr3' must be name:=value."),
        ({"namespace": "lab one"}, "namespace:=lab one must be words"),
        ({"client_robot_vendor": "fanuc"}, "client_robot_vendor:=fanuc must be one of kuka, ur, external."),
        ({"hardware": "mock", "lockstep": True}, "lockstep:=true needs hardware:=sim"),
        ({**REAL, "use_sim_time": True}, "use_sim_time:=true does not go with hardware:=real"),
        ({"hardware": "real"}, "hardware:=real with client_robot_vendor:=kuka needs client_robot_client_ip:=..."),
        ({**REAL, "arm_ip": ""}, "hardware:=real with arm_vendor:=kuka_fri needs arm_ip:=..."),
        ({**REAL, "servicer_robot_vendor": "ur"}, "servicer_robot_vendor:=ur needs servicer_robot_ip:=..."),
        ({**REAL, "client_robot_ft": "builtin"}, "client_robot_ft:=builtin does not go with client_robot_vendor:=kuka"),
        ({**REAL, "client_robot_ft_ip": ""}, "client_robot_ft:=net_ft needs client_robot_ft_ip:=..."),
        ({**REAL, "client_robot_ft": "topic"}, "client_robot_ft:=topic needs client_robot_ft_topic:=..."),
        ({**REAL, "namespace": "lab"}, "namespace:=lab does not go with client_robot_vendor:=kuka"),
        ({"hardware": "mock", "namespace": "lab"}, "has no entry /lab/client_robot/controller_manager."),
        ({"hardware": "mock", "controllers_file": "/nowhere.yaml"}, "controllers_file:=/nowhere.yaml cannot be read"),
    ],
)
def test_refusal_is_one_sentence(values, sentence):
    with pytest.raises(BringupError) as refused:
        read(values)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_device_that_is_not_chosen_needs_no_address():
    options = read({"hardware": "real", "devices": "arm", "arm_vendor": "franka", "arm_ip": "192.0.2.4"})
    assert options.chosen == ("arm",)


def test_missing_driver_package_is_named(monkeypatch):
    pytest.importorskip("ament_index_python", reason="packages are found through the ament index")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(ROOT))
    with pytest.raises(BringupError, match="the package kuka_rsi_driver is not installed here"):
        bringup.driver(read(REAL), "client_robot")


def test_simulation_needs_no_driver_and_mock_has_one_per_device():
    assert all(bringup.driver(read({}), device) is None for device in DEVICES)
    drivers = [bringup.driver(read({"hardware": "mock"}), device) for device in DEVICES]
    assert [driver.control_node.namespace for driver in drivers] == list(DEVICES)


def test_robots_stand_where_the_scenario_has_them():
    options = read({"overrides": "laboratory.servicer_base.position_m=[5.5, 0, 0]"})
    robot = ElementTree.fromstring(bringup.description(options, "servicer_robot"))
    origin = robot.find("joint[@name='servicer_robot_base_link_joint']/origin")
    assert [float(number) for number in origin.get("xyz").split()] == [5.5, 0.0, 0.0]


def test_description_takes_further_arguments():
    options = read({**REAL, "client_robot_options": "client_port:=59999"})
    text = bringup.description(options, "client_robot")
    assert '"client_port">59999<' in text and '"interface_prefix"></param>' in text


def test_second_robot_has_ports_of_its_own():
    text = bringup.description(read(REAL), "servicer_robot")
    assert '"client_port">59162<' in text


@pytest.mark.parametrize(("kind", "name"), TABLE)
def test_vendor_is_described_and_its_arguments_exist(kind, name):
    vendor = vendors(kind)[name]
    assert vendor.title and (vendor.checked or not vendor.drives)
    known = {argument.name for argument in ARGUMENTS}
    for device in ROBOTS if kind == "robots" else ["arm"]:
        assert {f"{device}_{needed}" for needed in vendor.required} <= known
        assert vendor.xacro == {} or vendor.xacro.keys() | vendor.ports.keys() <= declared_in_xacro(kind)


def declared_in_xacro(kind: str) -> set[str]:
    name = "industrial_robot" if kind == "robots" else "arm"
    root = ElementTree.parse(ROOT / "urdf" / f"{name}.ros2_control.xacro").getroot()
    return {tag.get("name") for tag in root.iter("{http://www.ros.org/wiki/xacro}arg")}


def test_misspelt_key_of_a_vendor_is_refused(tmp_path, monkeypatch):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "vendors.yaml").write_text("robots: {abc: {title: Abc, adress: [ip]}}")
    monkeypatch.setattr("hil_relative_dynamics.bringup.vendors.share", lambda: tmp_path)
    with pytest.raises(BringupError, match=r"robots\.abc\.adress is not known; allowed are"):
        vendors.__wrapped__("robots")


def test_mock_is_like_a_vendor_without_specialities():
    options = read({"hardware": "mock"})
    assert {device.vendor.title for device in options.devices.values()} == {"mirrored commands"}
    assert Vendor(title="").control_node == ("controller_manager", "ros2_control_node")


def test_view_shows_the_topics_that_the_namespace_moves():
    view = yaml.safe_load((ROOT / "rviz" / "facility.rviz").read_text())["Visualization Manager"]
    assert sorted(topics(view)) == sorted(f"/{topic}" for topic in RVIZ_TOPICS)


def test_view_names_frames_that_exist():
    view = yaml.safe_load((ROOT / "rviz" / "facility.rviz").read_text())["Visualization Manager"]
    links = set()
    for device in DEVICES:
        robot = ElementTree.fromstring(bringup.description(read({}), device))
        links |= {link.get("name") for link in robot.findall("link")}
    (frames,) = [display["Frames"] for display in view["Displays"] if display["Name"] == "Frames"]
    robots = next(display for display in view["Displays"] if display["Name"] == "Robots")
    shown = {name for model in robots["Displays"] for name in model["Links"]}
    assert shown | set(frames) - {"All Enabled"} <= links


def test_handbook_names_arguments_that_exist():
    text = (ROOT / "docs" / "hardware.md").read_text()
    known = {argument.name for argument in ARGUMENTS}
    known |= {name.replace(device, "<device>") for name in known for device in DEVICES}
    known |= {name.replace(robot, "<robot>") for name in known for robot in ROBOTS}
    of_descriptions = {"client_port", "ur_type", "kinematics_hash"}
    used = set(re.findall(r"([<>\w]+):=", text)) - of_descriptions
    assert used <= known and len(used) > 15
    assert of_descriptions <= declared_in_xacro("robots")


def test_every_argument_is_described():
    assert all(argument.description for argument in ARGUMENTS)
    assert len({argument.name for argument in ARGUMENTS}) == len(ARGUMENTS)
