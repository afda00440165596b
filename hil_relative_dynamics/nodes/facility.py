"""The composed facility: every node of the scenario in this one process.

With hardware real or mock no plant is among them, and an operator starts the run: services ~/home, ~/start, ~/stop.
With hardware real the safety supervisor and the command guard are processes of their own.

Parameters: scenario, overrides, lockstep, hardware, onboard (`ros2 param describe`).
"""
from __future__ import annotations

import signal
import sys
from typing import Any

import rclpy
from rclpy.node import Node

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import EXTERNAL, left_out
from hil_relative_dynamics.ros import parameters
from hil_relative_dynamics.ros.container import Container, RunFailed
from hil_relative_dynamics.ros.hardware import HardwareContainer


def main() -> int:
    """Runs the scenario once; Ctrl-C and SIGTERM ramp the robots to rest first."""
    try:
        container = _container(_options())
    except RunFailed as error:
        print(f"facility: {error}", file=sys.stderr)
        return 1
    except (ValueError, RuntimeError) as error:
        print(f"facility: {error}", file=sys.stderr)
        return 2
    try:
        container.run()
    except RunFailed as error:
        print(f"facility: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        container.close()
    return 0


def _options() -> parameters.Options:
    """Read through a node that is gone before the others come: one of them has its name."""
    rclpy.init()
    reader = Node("facility")
    try:
        return parameters.declare(reader)
    finally:
        reader.destroy_node()
        rclpy.try_shutdown()


def _container(options: parameters.Options) -> Container:
    """The facility with its simulated plant, or on the topics of real devices."""
    if options.hardware == "sim":
        signal.signal(signal.SIGTERM, _interrupt)
        table = assemble(options.scenario)
        return Container(
            options.scenario,
            options.lockstep,
            table=left_out(table) if options.onboard == EXTERNAL else table,
            await_recorder=options.await_recorder,
        )
    if options.lockstep:
        raise ValueError(f"lockstep needs hardware sim: with {options.hardware} time does not wait")
    container = HardwareContainer(options.scenario, options.hardware, options.onboard == EXTERNAL)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, container.interrupt)
    return container


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
