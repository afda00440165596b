"""config/vendors.yaml: what there is to know of each vendor's ROS 2 driver."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

import yaml

from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.scenario.share import share


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """One entry of the table.

    Texts may hold the names that `devices.names` gives, such as {device} or {ip}, and $(find-pkg-share package).

    Attributes:
        drives: False where another launch file drives the device: nothing is started or described here.
        rate: of its cycle [Hz]; 0: as the controllers file has it.
        required: arguments without which it cannot start, less the device's name: ip, client_ip.
        ports: xacro arguments that are port numbers; those of the second robot are ten higher.
        xacro: arguments of the device's description.
        ft: who can read its force/torque sensor, the usual one first.
        ft_sign: -1 where the robot's own sensor reports the reaction; the broadcaster turns it round.
        compensates_gravity: the arm does: servicer.gravity_compensated_by_arm becomes true.
        root_namespace: the driver takes the name of its hardware from the namespace, so no other may surround it.
        control_node: package and executable of the controller manager.
        parameter_files, parameters: of the controller manager, around the controllers file.
        controllers: further ones that its manager insists on, with their parameter file.
        manager: lifecycle node that brings hardware and controllers up: package, executable, parameters.
        includes: launch files of the vendor: package, file, arguments.
    """

    title: str
    checked: str = ""
    drives: bool = True
    rate: int = 0
    required: tuple[str, ...] = ()
    ports: Mapping[str, int] = field(default_factory=dict)
    xacro: Mapping[str, str] = field(default_factory=dict)
    ft: tuple[str, ...] = ()
    ft_sign: int = 1
    compensates_gravity: bool = False
    root_namespace: bool = False
    control_node: tuple[str, str] = ("controller_manager", "ros2_control_node")
    parameter_files: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    controllers: Mapping[str, str] = field(default_factory=dict)
    manager: Mapping[str, Any] = field(default_factory=dict)
    includes: tuple[Mapping[str, Any], ...] = ()


#: hardware:=mock, for every device
MOCK = Vendor(title="mirrored commands")


@lru_cache(maxsize=2)
def vendors(kind: str) -> dict[str, Vendor]:
    """The vendors of `robots` or `arms`, by name, the usual one first."""
    path = share() / "config" / "vendors.yaml"
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: _vendor(f"{path}: {kind}.{name}", entry) for name, entry in table[kind].items()}


def _vendor(place: str, entry: Mapping[str, Any]) -> Vendor:
    known = {key.name for key in fields(Vendor)}
    for key in entry:
        if key not in known:
            raise BringupError(f"{place}.{key} is not known; allowed are {', '.join(sorted(known))}.")
    read: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Vendor(**read)
