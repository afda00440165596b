"""Deactivates the controllers of real robots when commands, readings or the supervisor go silent.

in:  safety/state, commands of the forward controllers, joint states, run/start
out: /diagnostics; after a trip the arm's effort, and requests to the controller managers
Services: ~/watch, ~/release, ~/reset. Parameters: scenario, overrides.
"""
from __future__ import annotations

import signal
import sys
from typing import Any

import rclpy
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.ros import parameters
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.guard import LOOK, GuardNode
from hil_relative_dynamics.ros.signal_wires import SignalWires


def main() -> int:
    """Watches until Ctrl-C or SIGTERM."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    stopped: list[Any] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.append(True))
    try:
        scenario = _scenario()
        executor = EventsExecutor()
        wires = SignalWires(assemble(scenario, simulated=False), joint_names(scenario))
        guard = GuardNode(scenario, wires, executor)
        while not stopped:
            executor.spin_once(timeout_sec=LOOK)
            guard.look()
        guard.destroy_node()
        executor.shutdown()
    except ValueError as error:
        print(f"command_guard: {error}", file=sys.stderr)
        return 2
    finally:
        rclpy.try_shutdown()
    return 0


def _scenario() -> Any:
    reader = Node("command_guard")
    try:
        return parameters.declare(reader).scenario
    finally:
        reader.destroy_node()
