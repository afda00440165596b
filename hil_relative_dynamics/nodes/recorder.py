"""Records topics as a rosbag2 MCAP, with the scenario, versions and seed inside, until Ctrl-C or SIGTERM.

in:  every topic, or those of the parameter `topics`
out: recorder/recorded in lockstep, for which the plant waits (its parameter await_recorder)
Parameters: record_to, topics; scenario, overrides, lockstep, hardware, onboard as of every node.
"""
from __future__ import annotations

import signal
import sys
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import EXTERNAL, left_out
from hil_relative_dynamics.ros import parameters
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.recorder import RosBag
from hil_relative_dynamics.ros.recorder_node import RecorderNode
from hil_relative_dynamics.ros.signal_wires import SignalWires

#: how long what is still under way may take after a stop was asked for [s]
LAST = 0.5


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
        executor = EventsExecutor()
        executor.add_node(node)
        while not stopped and not bag.writer.error:
            executor.spin_once(timeout_sec=0.1)
        end = monotonic() + LAST
        while monotonic() < end:
            executor.spin_once(timeout_sec=0.05)
        node.destroy_node()
        executor.shutdown()
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
        folder = reader.declare_parameter(
            "record_to",
            "",
            ParameterDescriptor(
                type=ParameterType.PARAMETER_STRING,
                description="folder of the recording, which must not exist; empty: recording-<time> in the current one",
            ),
        ).value
        topics = reader.declare_parameter(
            "topics",
            [""],
            ParameterDescriptor(
                type=ParameterType.PARAMETER_STRING_ARRAY, description="which topics to record; empty: all"
            ),
        ).value
        path = Path(folder or f"recording-{datetime.now():%Y%m%d-%H%M%S}").absolute()
        if path.exists():
            raise ValueError(f"record_to = '{path}' exists already: a recording needs a folder of its own")
        return parameters.declare(reader), path, [topic for topic in topics if topic]
    finally:
        reader.destroy_node()
