"""Signals of a run from its recording: messages back to what the blocks exchanged, bit for bit."""
from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hil_relative_dynamics.bag.reader import Bag
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.external import recorded
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.ros.wire import BadMessage
from hil_relative_dynamics.scenario import Scenario


class Replay:
    """Reads the signals of a scenario's blocks.

    Attributes:
        recording: in whole ticks from the beginning of the run.
        thinned: names of signals that were published less often than their blocks gave them, as in real time.
        refused: messages by topic that are not what they should be.
    """

    def __init__(self, bag: Bag, scenario: Scenario) -> None:
        self._table = assemble(scenario)
        self.refused: dict[str, int] = {}
        values = self._read(bag, SignalWires(self._table, joint_names(scenario)))
        # before the run only devices speak: the first nominal motion is its beginning
        origin = min(values.get(signals.NOMINAL, {0: None}))
        ends = [max(track) + self._period(track, name) for name, track in values.items()]
        tracks = {
            name: {stamp - origin: row for stamp, row in track.items() if origin <= stamp < min(ends)}
            for name, track in values.items()
        }
        tracks = {name: track for name, track in tracks.items() if track}
        self.recording = Recording(
            {name: np.array(list(track), dtype=np.int64) for name, track in tracks.items()},
            {name: np.array(list(track.values())) for name, track in tracks.items()},
        )
        every = self._table.every
        self.thinned = [name for name, track in tracks.items() if self._period(track, name) > every(name)]

    def _period(self, track: Collection[int], name: str) -> int:
        """How often a signal is in the recording [ns]."""
        if len(track) < 2:
            return self._table.every(name)
        return (max(track) - min(track)) // (len(track) - 1)

    def _read(self, bag: Bag, wires: SignalWires) -> dict[str, dict[int, np.ndarray]]:
        """Values by stamp."""
        names = _names(bag.types, recorded(self._table))
        tracks: dict[str, dict[int, np.ndarray]] = {name: {} for name in names.values()}
        parts = {topic: (wires.make(name).read, signals.to_array(name), tracks[name]) for topic, name in names.items()}
        for topic, _, _, raw in bag.messages(names):
            read, to_array, track = parts[topic]
            try:
                stamp, value = read(raw)
            except BadMessage:
                self.refused[topic] = self.refused.get(topic, 0) + 1
                continue
            track[stamp] = to_array(value)
        return {name: track for name, track in tracks.items() if track}


def _names(topics: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """Signal by topic. A facility may have been in a namespace: the one in which the nominal motion is."""
    nominal = f"/{signals.NOMINAL}"
    namespace = next((topic.removesuffix(nominal) for topic in topics if topic.endswith(nominal)), "")
    return {f"{namespace}/{name}": name for name in wanted if f"{namespace}/{name}" in topics}
