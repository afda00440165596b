"""What a facility tells to whoever wants to look at it, at no more cost than a look is worth.

    run/scenario   std_msgs/String, latched: the scenario that is running
    run/monitor    std_msgs/Float64MultiArray, 30 times a second: the newest tick of the signals that can be seen
    markers        visualization_msgs/MarkerArray, 10 times a second: the orbit, for RViz

Listening to the signals themselves, at up to 1 kHz each, would cost the loop a tenth of its time. The numbers are taken
from what the recorder has of them, all of one tick.
"""
from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String

from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.ros import qos
from hil_relative_dynamics.ros.markers import OrbitMarkers
from hil_relative_dynamics.scenario import Scenario, load, to_yaml
from hil_relative_dynamics.scene.snapshot import JOINTS, NEEDED, WELCOME, snapshot

#: the name of the scenario, in the first line, then its YAML
SCENARIO = "run/scenario"
MONITOR = "run/monitor"
PERIOD, MARKER_PERIOD = 1.0 / 30.0, 0.1  # [s]
TIME = "time"


class Monitor:
    """Publishes while the run goes on; nothing but the scenario while nobody listens."""

    def __init__(self, node: Node, scenario: Scenario, recorder: Recorder) -> None:
        self._recorder = recorder
        self._names = [name for name in (*NEEDED, *JOINTS, *WELCOME) if recorder.track(name) is not None]
        self._stamp = -1
        self._scenario = node.create_publisher(String, SCENARIO, qos.LATCHED)
        self._scenario.publish(String(data=f"# {scenario.name}\n{to_yaml(scenario)}"))
        self._publisher = node.create_publisher(Float64MultiArray, MONITOR, qos.SENSOR)
        self._markers = OrbitMarkers(node, World(scenario))
        if set(NEEDED) <= set(self._names):
            node.create_timer(PERIOD, self._look)
            node.create_timer(MARKER_PERIOD, self._mark)

    def _look(self) -> None:
        if not self._publisher.get_subscription_count():
            return
        stamp, rows = self._recorder.newest(self._names)
        if stamp > self._stamp:
            self._stamp = stamp
            self._publisher.publish(written(1e-9 * stamp, rows))

    def _mark(self) -> None:
        if not self._markers.wanted:
            return
        stamp, rows = self._recorder.newest(self._names)
        if stamp >= 0:
            self._markers.publish(snapshot(1e-9 * stamp, rows))


def written(time: float, rows: Mapping[str, np.ndarray]) -> Float64MultiArray:
    """The numbers of signals at a time [s] of the run, one after the other under their names."""
    message = Float64MultiArray()
    values = {TIME: np.array([time]), **rows}
    message.layout.dim = [
        MultiArrayDimension(label=name, size=value.size, stride=value.shape[-1]) for name, value in values.items()
    ]
    message.data = np.concatenate([value.ravel() for value in values.values()]).tolist()
    return message


def read(message: Float64MultiArray) -> tuple[float, dict[str, np.ndarray]]:
    """Time [s] and the numbers of each signal, as recordings have them."""
    numbers, rows, start = np.array(message.data), {}, 0
    for part in message.layout.dim:
        value = numbers[start : start + part.size]
        rows[part.label] = value if part.stride == part.size else value.reshape(-1, part.stride)
        start += part.size
    return float(rows.pop(TIME)[0]), rows


def read_scenario(text: str) -> Scenario:
    """The scenario that was told; raises ScenarioError."""
    name = text.partition("\n")[0].lstrip("# ").strip() or "facility"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{Path(name).name}.yaml"
        path.write_text(text, encoding="utf-8")
        return load(path)
