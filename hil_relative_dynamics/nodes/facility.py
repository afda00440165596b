"""The composed facility: every node of the scenario in this one process.

Parameters: scenario, overrides, lockstep, hardware (`ros2 param describe`).
"""
from __future__ import annotations

import signal
import sys
from typing import Any

import rclpy
from rclpy.node import Node

from hil_relative_dynamics.ros import parameters
from hil_relative_dynamics.ros.container import Container, RunFailed


def main() -> int:
    """Runs the scenario once; Ctrl-C and SIGTERM ramp the robots to rest first."""
    signal.signal(signal.SIGTERM, _interrupt)
    rclpy.init()
    reader = Node("facility")
    try:
        options = parameters.declare(reader)
        container = Container(options.scenario, options.lockstep)
    except (ValueError, RuntimeError) as error:
        print(f"facility: {error}", file=sys.stderr)
        return 2
    finally:
        reader.destroy_node()
        rclpy.try_shutdown()
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


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
