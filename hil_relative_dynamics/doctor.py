"""`hil doctor`: what this machine has, what is missing and how to get it."""
from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """One line: `state` is ok, missing (something cannot be done without it) or optional."""

    name: str
    state: str
    found: str
    remedy: str = ""


def examine() -> list[Finding]:
    return [*_base(), *_ros(), *_machine(), *_extras()]


def _base() -> Iterator[Finding]:
    version = sys.version_info
    supported = (3, 10) <= version[:2] <= (3, 14)
    state = "ok" if supported else "missing"
    yield Finding("Python", state, platform.python_version(), "use Python 3.10 to 3.14")
    yield _module("pinocchio", "pin", "missing", "make setup")
    try:
        from hil_relative_dynamics import kernels

        yield Finding("kernels", "ok", f"compiled, in {Path(kernels.__file__).parent}")
    except ImportError as error:
        yield Finding("kernels", "missing", str(error), "make setup")


def _ros() -> Iterator[Finding]:
    spec = importlib.util.find_spec("rclpy")
    if spec is None or spec.origin is None:
        remedy = "make setup (installs the ROS 2 wheels), or source a ROS 2 installation"
        yield Finding("rclpy", "missing", "not found", remedy)
        return
    wheel = _version("ros-rclpy")
    source = f"wheel {wheel}" if wheel else f"ROS 2 {os.environ.get('ROS_DISTRO', 'installation')}"
    yield Finding("rclpy", "ok", f"{source}, {Path(spec.origin).parent}")
    yield Finding("middleware", "ok", os.environ.get("RMW_IMPLEMENTATION") or _middleware())
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") or "LOCALHOST (set by hil)"
    yield Finding("discovery", "ok", f"{reach}, domain {os.environ.get('ROS_DOMAIN_ID', 0)}")
    for module, needed_for in (
        ("launch_ros", "ros2 launch; 'hil run' does without"),
        ("tf2_msgs", "/tf for RViz; the rest does without"),
    ):
        yield _module(module, None, "optional", f"{needed_for}: comes with a ROS 2 installation")


def _middleware() -> str:
    """The one that is installed; asking rclpy would load it."""
    names = ("rmw_fastrtps_cpp", "rmw_cyclonedds_cpp", "rmw_zenoh_cpp")
    prefixes = [sys.prefix, *filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep))]
    folders = [Path(prefix, "lib") for prefix in prefixes]
    found = [name for name in names if any((folder / f"lib{name}.so").exists() for folder in folders)]
    return ", ".join(found) or "default of rclpy"


def _machine() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    few = "optional" if cores < 2 else "ok"
    yield Finding("cores", few, str(cores), "real time wants two: one for the loop, one for the rest")
    allowed, reason = _real_time_scheduling()
    remedy = "add 'rtprio 80' for your user in /etc/security/limits.conf and log in again"
    yield Finding("real-time priority", "ok" if allowed else "optional", reason, remedy)
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    state = "ok" if compiler else "optional"
    yield Finding("C compiler", state, compiler or "not found", "only needed to build")


def _real_time_scheduling() -> tuple[bool, str]:
    """Tried for real, in a child, so that this process keeps its priority."""
    if not hasattr(os, "fork") or not hasattr(os, "sched_setscheduler"):
        return False, "not known on this system"
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError:
            os._exit(1)
        os._exit(0)
    refused = os.waitpid(child, 0)[1] != 0
    return (False, "not permitted (SCHED_FIFO)") if refused else (True, "permitted (SCHED_FIFO)")


def _extras() -> Iterator[Finding]:
    yield _module("matplotlib", "matplotlib", "optional", "figures: pip install matplotlib")
    yield _module("mcap", "mcap", "optional", "recordings: pip install mcap")
    yield _module("viser", "viser", "optional", "hil view: pip install viser")
    yield _module("mujoco", "mujoco", "optional", "hil validate and hil bench: pip install mujoco")


def _module(module: str, package: str | None, state: str, remedy: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        return Finding(module, state, "not found", remedy)
    return Finding(module, "ok", (package and _version(package)) or "found")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
