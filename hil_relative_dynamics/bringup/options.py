"""The arguments of a start, typed and checked against each other."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from hil_relative_dynamics.bringup.arguments import ALL, ARGUMENTS, AUTO, DEVICES, ROBOTS
from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.bringup.vendors import MOCK, Vendor, vendors
from hil_relative_dynamics.scenario.share import share

NAMESPACE = re.compile(r"(/?[A-Za-z]\w*(/[A-Za-z]\w*)*)?")


@dataclass(frozen=True)
class Device:
    """One robot or the arm, and who drives it."""

    name: str
    vendor_name: str
    vendor: Vendor
    given: Mapping[str, str]
    """What was given for it: ip, client_ip, ft_ip, ft_topic."""
    ft: str
    more: Mapping[str, str]
    """Further arguments of its description."""
    number: int
    """Of the robot among the robots, whose ports must differ."""


@dataclass(frozen=True)
class Options:
    """What was chosen, and it goes together."""

    scenario: str
    overrides: tuple[str, ...]
    hardware: str
    composed: bool
    lockstep: bool
    onboard: str
    record: bool
    recorder: str
    record_to: str
    namespace: str
    tf_prefix: str
    use_sim_time: bool
    controllers_file: Path
    initial_controllers: str
    activate_drivers: bool
    devices: Mapping[str, Device]
    chosen: tuple[str, ...]
    """Names of the devices to describe and drive."""


def read(values: Mapping[str, str | bool]) -> Options:
    """Checks values by argument name; what is not given has its default. Raises BringupError."""
    given = _complete(values)
    text = {name: str(value).strip() for name, value in given.items()}
    devices = {name: _device(name, text) for name in DEVICES}
    controllers = Path(text["controllers_file"] or share() / "config" / "controllers.yaml")
    options = Options(
        scenario=text["scenario"],
        overrides=(*_of_vendors(devices), *_split(text["overrides"], ";", "=", "overrides")),
        hardware=text["hardware"],
        composed=given["composed"] is True,
        lockstep=given["lockstep"] is True,
        onboard=text["onboard"],
        record=given["record"] is True,
        recorder=text["recorder"],
        record_to=text["record_to"],
        namespace=text["namespace"].strip("/"),
        tf_prefix=text["tf_prefix"],
        use_sim_time=given["use_sim_time"] is True,
        controllers_file=controllers.expanduser().absolute(),
        initial_controllers=text["initial_controllers"],
        activate_drivers=given["activate_drivers"] is True,
        devices=devices,
        chosen=DEVICES if text["devices"] == ALL else (text["devices"],),
    )
    _check(options)
    return options


def _complete(values: Mapping[str, str | bool]) -> dict[str, str | bool]:
    given = {argument.name: argument.default for argument in ARGUMENTS}
    for name, value in values.items():
        if name not in given:
            raise BringupError(f"{name} is not an argument of the facility.")
        given[name] = value
    for argument in ARGUMENTS:
        value = given[argument.name]
        if not isinstance(value, argument.kind):
            raise BringupError(f"{argument.name}:={value} must be a {argument.kind.__name__}.")
        if argument.choices and value not in argument.choices:
            raise BringupError(f"{argument.name}:={value} must be one of {', '.join(argument.choices)}.")
    return given


def _split(text: str, separator: str | None, sign: str, name: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(separator) if part.strip())
    for part in parts:
        if sign not in part.strip(sign):
            raise BringupError(f"{name}: '{part}' must be name{sign}value.")
    return parts


def _of_vendors(devices: Mapping[str, Device]) -> tuple[str, ...]:
    """What the scenario has to know of who drives the devices; the user's own overrides come later and win."""
    return ("servicer.gravity_compensated_by_arm=true",) if devices["arm"].vendor.compensates_gravity else ()


def _device(name: str, text: Mapping[str, str]) -> Device:
    """Its arguments; with mock and sim no vendor's driver counts."""
    real = text["hardware"] == "real"
    vendor_name = text[f"{name}_vendor"]
    vendor = vendors("robots" if name in ROBOTS else "arms")[vendor_name] if real else MOCK
    kinds = ("ip", "client_ip", *(("ft_ip", "ft_topic") if name in ROBOTS else ()))
    ft = text.get(f"{name}_ft", "") if real else ""
    if ft == AUTO:
        ft = vendor.ft[0] if vendor.ft else ""
    more = _split(text[f"{name}_options"], None, ":=", f"{name}_options")
    return Device(
        name,
        vendor_name,
        vendor,
        {kind: text[f"{name}_{kind}"] for kind in kinds},
        ft,
        dict(part.split(":=", 1) for part in more),
        ROBOTS.index(name) if name in ROBOTS else 0,
    )


def _check(options: Options) -> None:
    if not options.scenario:
        raise BringupError("scenario must not be empty; 'hil list' shows the shipped ones.")
    if not NAMESPACE.fullmatch(options.namespace):
        raise BringupError(f"namespace:={options.namespace} must be words of letters, digits and _, joined by /.")
    if options.lockstep and options.hardware != "sim":
        raise BringupError(f"lockstep:=true needs hardware:=sim: with {options.hardware} time does not wait.")
    if options.use_sim_time and options.hardware == "real":
        raise BringupError("use_sim_time:=true does not go with hardware:=real: robots run on the wall clock.")
    if options.hardware != "sim":
        for name in options.chosen:
            _check_device(options, options.devices[name])


def _check_device(options: Options, device: Device) -> None:
    name, vendor = device.name, device.vendor
    for kind in vendor.required:
        if not device.given[kind]:
            raise BringupError(f"hardware:=real with {name}_vendor:={device.vendor_name} needs {name}_{kind}:=...")
    if device.ft and device.ft not in vendor.ft:
        allowed = ", ".join(vendor.ft)
        raise BringupError(
            f"{name}_ft:={device.ft} does not go with {name}_vendor:={device.vendor_name}; allowed are {allowed}."
        )
    needed = {"net_ft": "ft_ip", "topic": "ft_topic"}.get(device.ft)
    if needed and not device.given[needed]:
        raise BringupError(f"{name}_ft:={device.ft} needs {name}_{needed}:=...")
    if not vendor.drives:
        return
    if vendor.root_namespace and options.namespace:
        raise BringupError(
            f"namespace:={options.namespace} does not go with {name}_vendor:={device.vendor_name}:"
            " its driver takes the names of its hardware from the namespace."
        )
    _check_controllers(options, name)


def _check_controllers(options: Options, device: str) -> None:
    """A controller manager that finds no parameters under its own name would start without controllers."""
    path = options.controllers_file
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise BringupError(f"controllers_file:={path} cannot be read: {str(error).splitlines()[0]}.") from error
    node = f"{device}/controller_manager"
    full = "/" + "/".join(filter(None, (options.namespace, node)))
    if not isinstance(listed, dict) or not {full, f"/**/{node}", "/**/controller_manager"} & set(listed):
        raise BringupError(f"controllers_file:={path} has no entry {full}.")
