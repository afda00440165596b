"""What a person can choose when starting the facility: names, defaults and choices, said once."""
from __future__ import annotations

from dataclasses import dataclass

from hil_relative_dynamics.bringup.vendors import vendors
from hil_relative_dynamics.engine.external import CHOICES, REFERENCE

ROBOTS = ("client_robot", "servicer_robot")
DEVICES = (*ROBOTS, "arm")
ALL = "all"
AUTO = "auto"
FT_DRIVERS = ("net_ft", "builtin", "topic")
RECORDERS = OWN_RECORDER, ROSBAG2 = "hil", "rosbag2"
CONTROLLERS = ("none", "trajectory", "stream")


@dataclass(frozen=True)
class Argument:
    """One argument. A boolean default makes it a switch."""

    name: str
    default: str | bool
    description: str
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> type:
        return type(self.default)


def _device_arguments(device: str) -> tuple[Argument, ...]:
    title = device.replace("_", " ")
    known = vendors("robots" if device in ROBOTS else "arms")
    real = "with hardware:=real: "
    common = (
        Argument(f"{device}_vendor", next(iter(known)), f"{real}who drives the {title}", tuple(known)),
        Argument(f"{device}_ip", "", f"{real}address of the {title}'s controller"),
        Argument(f"{device}_client_ip", "", f"{real}this computer's address on the {title}'s network"),
        Argument(f"{device}_options", "", f"more arguments of urdf/{device}.urdf.xacro: 'name:=value name:=value'"),
    )
    if device not in ROBOTS:
        return common
    return (
        *common,
        Argument(
            f"{device}_ft",
            AUTO,
            f"{real}who reads the {title}'s force/torque sensor; auto: what its vendor comes with",
            (AUTO, *FT_DRIVERS),
        ),
        Argument(f"{device}_ft_ip", "", f"{real}address of the {title}'s sensor, for net_ft"),
        Argument(f"{device}_ft_topic", "", f"{real}WrenchStamped topic of the {title}'s sensor, for topic"),
    )


ARGUMENTS = (
    Argument("scenario", "envisat_unforced_facility", "name of a shipped scenario or path of a YAML file"),
    Argument("overrides", "", "changed values of the scenario: 'key=value; key=value'"),
    Argument(
        "hardware",
        "sim",
        "who is at the other end of the device topics: our plant, mirrored commands, or robots",
        ("sim", "mock", "real"),
    ),
    Argument(
        "composed",
        True,
        "all nodes in one process (with robots: all but safety supervisor and command guard); false only with"
        " hardware:=sim",
    ),
    Argument("lockstep", False, "nodes wait for each other instead of running by the clock; with hardware:=sim"),
    Argument(
        "onboard",
        REFERENCE,
        "who is the on-board software: the scenario's, or a node of your own on its topics (docs/your_controller.md)",
        CHOICES,
    ),
    Argument("launch_rviz", False, "start RViz with rviz/facility.rviz"),
    Argument("record", False, "record all topics as a rosbag2 MCAP"),
    Argument(
        "recorder",
        RECORDERS[0],
        "who records: our node, which puts the scenario and versions inside and loses nothing in lockstep, or"
        " rosbag2's own, where it is installed",
        RECORDERS,
    ),
    Argument("record_to", "", "folder of the recording, a new one; empty: named by the time, in the current folder"),
    Argument("namespace", "", "namespace of everything that is started"),
    Argument("tf_prefix", "", "put before every frame on /tf"),
    Argument("use_sim_time", False, "take time from /clock; never with hardware:=real"),
    Argument("controllers_file", "", "parameters of the ros2_control controllers; empty: config/controllers.yaml"),
    Argument(
        "initial_controllers",
        "none",
        "controllers that are active from the start: none of those that move, the trajectory controllers"
        " (homing), or the forward controllers (the commanders' stream)",
        CONTROLLERS,
    ),
    Argument(
        "activate_drivers",
        False,
        "with hardware:=real: configure and activate the KUKA drivers' robot_manager, which releases brakes;"
        " otherwise do it by hand with 'ros2 lifecycle set'",
    ),
    Argument("devices", ALL, "which devices to describe and drive", (ALL, *DEVICES)),
    *(argument for device in DEVICES for argument in _device_arguments(device)),
)
