"""The devices' descriptions, with what was chosen for their hardware."""
from __future__ import annotations

from hil_relative_dynamics.bringup.devices import names, resolved
from hil_relative_dynamics.bringup.options import Device, Options
from hil_relative_dynamics.bringup.process import Process
from hil_relative_dynamics.facility.description import description as expand
from hil_relative_dynamics.scenario import load


def description(options: Options, device: str) -> str:
    """URDF of a device; robots stand where the scenario's laboratory has them."""
    layout = load(options.scenario, list(options.overrides)).laboratory.layout
    return expand(device, {**layout, **arguments(options, options.devices[device])})


def arguments(options: Options, device: Device) -> dict[str, str]:
    """Arguments of the device's xacro file, less where the robots stand."""
    chosen = {"hardware": options.hardware}
    if options.hardware == "real":
        chosen["vendor"] = device.vendor_name
        chosen |= {key: resolved(str(text), names(options, device)) for key, text in device.vendor.xacro.items()}
        chosen |= {key: str(port + 10 * device.number) for key, port in device.vendor.ports.items()}
        if device.ft:
            chosen |= {"ft_driver": device.ft, "ft_ip": device.given["ft_ip"]}
    return {**chosen, **device.more}


def publisher(options: Options, device: str) -> Process | None:
    """robot_state_publisher of a device; None where another launch file describes it."""
    if not options.devices[device].vendor.drives:
        return None
    return Process(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace="/".join(filter(None, (options.namespace, device))),
        parameters={
            "robot_description": description(options, device),
            "frame_prefix": options.tf_prefix,
            "use_sim_time": options.use_sim_time,
        },
    )
