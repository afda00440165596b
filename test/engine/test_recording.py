"""Recordings on disk and thinned."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hil_relative_dynamics.engine.recording import Recording


@pytest.fixture
def recording() -> Recording:
    stamps = {"arm/joints": np.arange(50) * 1_000_000, "nominal": np.arange(13) * 4_000_000}
    numbers = np.random.default_rng(0)
    values = {"arm/joints": numbers.normal(size=(50, 3, 7)), "nominal": numbers.normal(size=(13, 3, 19))}
    return Recording(stamps, values)


def test_a_saved_recording_loads_back_to_the_last_bit(recording: Recording, tmp_path: Path) -> None:
    recording.save(tmp_path / "signals.npz")
    loaded = Recording.load(tmp_path / "signals.npz")
    assert sorted(loaded.signals) == sorted(recording.signals)
    for name in recording.signals:
        np.testing.assert_array_equal(loaded[name], recording[name])
        np.testing.assert_array_equal(loaded.stamps(name), recording.stamps(name))
        assert loaded.stamps(name).dtype == np.int64


def test_thinned_keeps_at_most_one_value_in_every_period(recording: Recording) -> None:
    thin = recording.thinned(10_000_000)
    assert list(thin.stamps("arm/joints")) == [0, 10_000_000, 20_000_000, 30_000_000, 40_000_000]
    np.testing.assert_array_equal(thin["arm/joints"], recording["arm/joints"][::10])
    assert np.diff(thin.stamps("nominal")).min() == 12_000_000  # 10 ms is no multiple of 4 ms
    np.testing.assert_array_equal(thin["nominal"], recording["nominal"][::3])


def test_thinned_to_less_than_its_own_period_is_the_same(recording: Recording) -> None:
    thin = recording.thinned(1)
    assert all(len(thin[name]) == len(recording[name]) for name in recording.signals)


def test_thinned_of_a_single_value() -> None:
    single = Recording({"nominal": np.array([0])}, {"nominal": np.zeros((1, 3, 19))})
    assert len(single.thinned(10)["nominal"]) == 1
