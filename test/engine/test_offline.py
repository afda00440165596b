"""The offline engine on toy tables: who sees which value, what is recorded, what an interruption leaves."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.engine.table import Stage, TickTable


@pytest.fixture(autouse=True)
def toy_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fast", "slow", "state"):
        monkeypatch.setitem(signals.KINDS, name, np.ndarray)


class Seen:
    """A block that notes what it was given and gives a running number times its scale."""

    def __init__(self, scale: float = 1.0, stop_at: int | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._scale, self._stop_at = scale, stop_at

    def __call__(self, stamp: int, *inputs: Any) -> tuple[np.ndarray]:
        if stamp == self._stop_at:
            raise KeyboardInterrupt
        self.calls.append((stamp, *(None if value is None else float(value[0]) for value in inputs)))
        return (np.array([self._scale * stamp]),)


def test_a_slower_input_is_the_newest_at_or_before_the_stamp() -> None:
    fast, slow = Seen(), Seen(scale=10.0)
    table = TickTable(
        [Stage("fast", (), ("fast",), 2, fast), Stage("slow", ("fast",), ("slow",), 3, slow)]
    )
    run(table, 13)
    assert [stamp for stamp, in fast.calls] == [0, 2, 4, 6, 8, 10, 12]
    assert slow.calls == [(0, 0.0), (3, 2.0), (6, 6.0), (9, 8.0), (12, 12.0)]


def test_a_faster_block_holds_the_slower_ones_value() -> None:
    fast, slow = Seen(), Seen()
    table = TickTable([Stage("fast", ("slow",), ("fast",), 1, fast), Stage("slow", (), ("slow",), 4, slow)])
    run(table, 6)
    assert fast.calls == [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (4, 4.0), (5, 4.0)]


def test_what_closes_the_loop_sees_the_tick_before_and_nothing_at_first() -> None:
    plant, controller = Seen(), Seen(scale=10.0)
    table = TickTable(
        [
            Stage("controller", ("state",), ("fast",), 1, controller),
            Stage("plant", ("fast",), ("state",), 1, plant, closes_loop=True),
        ]
    )
    run(table, 3)
    assert plant.calls == [(0, None), (1, 0.0), (2, 10.0)]
    assert controller.calls == [(0, 0.0), (1, 1.0), (2, 2.0)]


def two_rates(stop: Seen | None = None) -> TickTable:
    return TickTable(
        [Stage("fast", (), ("fast",), 1, Seen()), Stage("slow", ("fast",), ("slow",), 4, stop or Seen())]
    )


def test_recorded_arrays_and_integer_stamps() -> None:
    recording = run(two_rates(), 10)
    assert recording.signals == ["fast", "slow"]
    assert recording.stamps("fast").dtype == recording.stamps("slow").dtype == np.int64
    assert list(recording.stamps("slow")) == [0, 4, 8]
    np.testing.assert_array_equal(recording["fast"], np.arange(10.0).reshape(10, 1))
    np.testing.assert_array_equal(recording["slow"], [[0.0], [4.0], [8.0]])
    np.testing.assert_array_equal(recording.times("slow"), [0.0, 4e-9, 8e-9])


def test_only_the_chosen_signals_are_recorded() -> None:
    table = two_rates()
    recorder = Recorder(table, 10, ["slow"])
    recording = run(table, 10, recorder)
    assert recording.signals == ["slow"] and "fast" not in recording and recorder.track("fast") is None


def test_an_interrupted_run_keeps_its_whole_ticks() -> None:
    table = two_rates(Seen(stop_at=8))
    recorder = Recorder(table, 100)
    with pytest.raises(KeyboardInterrupt):
        run(table, 100, recorder)
    assert recorder.until == 8  # the fast block had run at 8 already, the slow one had not
    recording = recorder.recording()
    assert list(recording.stamps("fast")) == list(range(8)) and len(recording["fast"]) == 8
    assert list(recording.stamps("slow")) == [0, 4] and len(recording["slow"]) == 2


def test_interrupted_before_anything_was_known() -> None:
    table = two_rates(Seen(stop_at=0))
    recorder = Recorder(table, 100)
    with pytest.raises(KeyboardInterrupt):
        run(table, 100, recorder)
    assert recorder.until == 0 and recorder.recording().signals == []


def test_progress_rises_to_the_end() -> None:
    told: list[int] = []
    run(two_rates(), 1000, progress=told.append)
    assert told == sorted(told) and told[0] == 0 and told[-1] == 1000 and 100 < len(told) < 300
