"""Who drives a device: controller manager, controllers and what the vendor adds."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil_relative_dynamics.bringup.arguments import ROBOTS
from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.bringup.options import Device, Options
from hil_relative_dynamics.bringup.process import Process

SHARE = re.compile(r"\$\(find-pkg-share ([\w-]+)\)")
TRAJECTORY = "joint_trajectory_controller"
STREAM = {"client_robot": "forward_position_controller", "servicer_robot": "forward_position_controller"}
STREAM["arm"] = "forward_effort_controller"
#: how long a spawner waits for its controller manager [s]
PATIENCE = "60"


@dataclass(frozen=True)
class Include:
    """A launch file of the vendor."""

    path: Path
    arguments: Mapping[str, str]
    namespace: str


@dataclass(frozen=True)
class Driver:
    """What drives one device.

    Attributes:
        spawners: load the controllers; each waits for the controller manager and ends.
        manager: lifecycle node that brings hardware and controllers up once the spawners have ended well.
    """

    device: str
    control_node: Process
    spawners: tuple[Process, ...]
    manager: Process | None
    includes: tuple[Include, ...]


def driver(options: Options, device: str) -> Driver | None:
    """What drives a device; None in simulation, and where another launch file does."""
    chosen = options.devices[device]
    if options.hardware == "sim" or not chosen.vendor.drives:
        return None
    return Driver(
        device,
        _control_node(options, chosen),
        _spawners(options, chosen),
        _manager(options, chosen),
        tuple(_include(options, chosen, entry) for entry in chosen.vendor.includes),
    )


def names(options: Options, device: Device) -> dict[str, str]:
    """What texts of the vendors' table may name."""
    streams = options.initial_controllers == "stream"
    return {
        "device": device.name,
        **device.given,
        "trajectory_or_stream": STREAM[device.name] if streams else TRAJECTORY,
        "stream": STREAM[device.name],
        "kuka_arm_mode": "4" if streams else "1",  # torque or position, kuka_drivers_core/control_mode.hpp
    }


def resolved(text: str, known: Mapping[str, str]) -> str:
    """A text of the table with its names and package folders filled in."""
    return SHARE.sub(lambda match: str(_share(match[1])), text.format_map(known))


def _resolved_values(values: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    def value(entry: Any) -> Any:
        if isinstance(entry, list):
            return [value(item) for item in entry]
        if not isinstance(entry, str):
            return entry
        filled = resolved(entry, known)
        return int(filled) if filled != entry and filled.isdecimal() else filled

    return {key: value(entry) for key, entry in values.items()}


def _share(package: str) -> Path:
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError as error:
        raise BringupError(f"the package {package} is not installed here; this driver needs it.") from error


def _namespace(options: Options, device: Device) -> str:
    return "/".join(filter(None, (options.namespace, device.name)))


def _control_node(options: Options, device: Device) -> Process:
    vendor = device.vendor
    known = names(options, device)
    package, executable = vendor.control_node
    parameters = {"use_sim_time": options.use_sim_time, **_resolved_values(vendor.parameters, known)}
    if vendor.rate:
        parameters["update_rate"] = vendor.rate
    files = (*(resolved(name, known) for name in vendor.parameter_files), str(options.controllers_file))
    return Process(
        package=package,
        executable=executable,
        namespace=_namespace(options, device),
        parameter_files=files,
        parameters=parameters,
        essential=options.hardware == "mock",
    )


def _spawners(options: Options, device: Device) -> tuple[Process, ...]:
    """Broadcasters active, of the moving controllers at most one. A vendor's manager wants all inactive."""
    moving = (TRAJECTORY, STREAM[device.name])
    managed = bool(device.vendor.manager)
    active = {"none": (), "trajectory": moving[:1], "stream": moving[1:]}[options.initial_controllers]
    spawners = [_spawner(options, device, ("joint_state_broadcaster",), active=not managed)]
    if device.name in ROBOTS and device.ft != "topic":
        spawners.append(_spawner(options, device, ("ft_broadcaster",), arguments=_sensor_arguments(device)))
    waiting = moving if managed else tuple(name for name in moving if name not in active)
    if active and not managed:
        spawners.append(_spawner(options, device, active))
    spawners.append(_spawner(options, device, waiting, active=False))
    known = names(options, device)
    for name, file in device.vendor.controllers.items():
        spawners.append(_spawner(options, device, (name,), file=resolved(file, known), active=False))
    return tuple(spawners)


def _spawner(
    options: Options,
    device: Device,
    controllers: tuple[str, ...],
    file: str = "",
    active: bool = True,
    arguments: tuple[str, ...] = (),
) -> Process:
    return Process(
        package="controller_manager",
        executable="spawner",
        namespace=_namespace(options, device),
        arguments=(
            *controllers,
            *("--controller-manager", "controller_manager"),
            *("--controller-manager-timeout", PATIENCE),
            *("--param-file", file or str(options.controllers_file)),
            *(() if active else ("--inactive",)),
            *arguments,
        ),
    )


def _sensor_arguments(device: Device) -> tuple[str, ...]:
    """The robot's own sensor has another name, and may tell the reaction."""
    if device.ft != "builtin":
        return ()
    sign = float(device.vendor.ft_sign)
    settings = {"sensor_name": f"{device.name}_tcp_fts_sensor"}
    settings |= {f"multiplier.{kind}.{axis}": f"{sign}" for kind in ("force", "torque") for axis in "xyz"}
    return ("--controller-ros-args", " ".join(["--ros-args", *(f"-p {key}:={settings[key]}" for key in settings)]))


def _manager(options: Options, device: Device) -> Process | None:
    entry = device.vendor.manager
    if not entry:
        return None
    return Process(
        package=entry["package"],
        executable=entry["executable"],
        name=entry["name"],
        namespace=_namespace(options, device),
        parameters=_resolved_values(entry["parameters"], names(options, device)),
    )


def _include(options: Options, device: Device, entry: Mapping[str, Any]) -> Include:
    arguments = _resolved_values(entry.get("arguments", {}), names(options, device))
    path = _share(entry["package"]) / entry["file"]
    return Include(path, {key: str(value) for key, value in arguments.items()}, _namespace(options, device))
