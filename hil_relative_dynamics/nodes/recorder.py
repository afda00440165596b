"""Records topics as a rosbag2 MCAP, with the scenario, versions and seed inside, until Ctrl-C or SIGTERM.

in:  every topic, or those of the parameter `topics`
out: recorder/recorded in lockstep, for which the plant waits (its parameter await_recorder)
Parameters: record_to, topics; scenario, overrides, lockstep, hardware, onboard as of every node.
"""
from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import EXTERNAL, left_out
from hil_relative_dynamics.ros import parameters
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.recorder import RosBag
from hil_relative_dynamics.ros.recorder_node import RecorderNode, declare
from hil_relative_dynamics.ros.signal_wires import SignalWires


def main() -> int:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    stopped: list[Any] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.append(True))
    try:
        return _record(*_options(), stopped)
    except (ValueError, ImportError, OSError) as error:
        print(f"recorder: {error}", file=sys.stderr)
        return 2
    finally:
        rclpy.try_shutdown()


def _record(options: parameters.Options, folder: Path, topics: list[str], stopped: list[Any]) -> int:
    simulated = options.hardware == "sim"
    table = assemble(options.scenario, simulated=simulated)
    table = left_out(table) if options.onboard == EXTERNAL else table
    mode = "lockstep" if options.lockstep else "realtime" if simulated else "hardware"
    bag = RosBag(folder, options.scenario, mode, topics or None, wall_clock=not simulated)
    try:
        wires = SignalWires(table, joint_names(options.scenario)) if options.lockstep else None
        node = RecorderNode(bag, table, wires)
        node.get_logger().info(f"recording to {folder}")
        node.record_until(stopped)
    finally:
        bag.close()
    return _told(bag)


def _told(bag: RosBag) -> int:
    """What became of the recording, on the terminal."""
    writer = bag.writer
    print(f"recorder: {writer.file.message_count} messages on {len(writer.file.channels)} topics in {writer.folder}")
    for topic, count in writer.lost.items():
        print(f"recorder: {count} messages of {topic} were lost", file=sys.stderr)
    if writer.error:
        print(f"recorder: {writer.error}", file=sys.stderr)
    return 1 if writer.error else 0


def _options() -> tuple[parameters.Options, Path, list[str]]:
    reader = Node("recorder")
    try:
        return (parameters.declare(reader), *declare(reader))
    finally:
        reader.destroy_node()
