"""What every node of the facility can be told, declared once with descriptions and ranges."""
from __future__ import annotations

from dataclasses import dataclass

from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.node import Node

from hil_relative_dynamics.engine.external import CHOICES, REFERENCE
from hil_relative_dynamics.scenario import Scenario, load

HARDWARE = ("sim", "mock", "real")


class BadParameter(ValueError):
    """A parameter that does not fit; the message says which, its value and what is allowed."""


@dataclass(frozen=True)
class Options:
    """The parameters of one node, checked."""

    scenario: Scenario
    lockstep: bool
    hardware: str
    stamp_with_ros_time: bool = False
    onboard: str = REFERENCE
    await_recorder: bool = False


def declare(node: Node) -> Options:
    """Declares and reads the parameters. Raises BadParameter or ScenarioError."""
    text = ParameterType.PARAMETER_STRING
    name = node.declare_parameter(
        "scenario",
        "envisat_unforced",
        ParameterDescriptor(type=text, description="name of a shipped scenario or path of a YAML file"),
    ).value
    overrides = node.declare_parameter(
        "overrides",
        [""],
        ParameterDescriptor(
            type=ParameterType.PARAMETER_STRING_ARRAY, description="key=value texts, as after hil run --set"
        ),
    ).value
    lockstep = node.declare_parameter(
        "lockstep",
        False,
        ParameterDescriptor(
            type=ParameterType.PARAMETER_BOOL, description="wait for each other instead of running by the clock"
        ),
    ).value
    hardware = node.declare_parameter(
        "hardware",
        "sim",
        ParameterDescriptor(
            type=text,
            description="who is at the other end of the device topics",
            additional_constraints=f"one of {', '.join(HARDWARE)}",
        ),
    ).value
    onboard = node.declare_parameter(
        "onboard",
        REFERENCE,
        ParameterDescriptor(
            type=text,
            description="who is the on-board software: the scenario's, or a node of your own on its topics",
            additional_constraints=f"one of {', '.join(CHOICES)}",
        ),
    ).value
    stamp_with_ros_time = node.get_name() == "facility_sim" and _stands_in(node)
    if hardware not in HARDWARE:
        raise BadParameter(f"hardware = '{hardware}' must be one of {', '.join(HARDWARE)}")
    if onboard not in CHOICES:
        raise BadParameter(f"onboard = '{onboard}' must be one of {', '.join(CHOICES)}")
    scenario = load(name, [override for override in overrides if override])
    return Options(scenario, lockstep, hardware, stamp_with_ros_time, onboard, _await_recorder(node))


def _await_recorder(node: Node) -> bool:
    """Of the plant alone, which drives time."""
    if node.get_name() not in ("facility", "facility_sim"):
        return False
    description = "in lockstep time waits for a recorder in a process of its own, so that it loses nothing"
    return bool(
        node.declare_parameter(
            "await_recorder",
            False,
            ParameterDescriptor(type=ParameterType.PARAMETER_BOOL, description=description),
        ).value
    )


def _stands_in(node: Node) -> bool:
    description = "stand in for real devices: stamps are ROS time, time waits for nobody, robots as after power-up"
    return bool(
        node.declare_parameter(
            "stamp_with_ros_time",
            False,
            ParameterDescriptor(type=ParameterType.PARAMETER_BOOL, description=description),
        ).value
    )
