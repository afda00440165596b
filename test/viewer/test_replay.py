"""A run folder as something to look at, and folders that are none."""
import shutil

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.scenario import ScenarioError
from hil_relative_dynamics.viewer.curves import CURVES, History
from hil_relative_dynamics.viewer.replay import NotARun, Replay


def test_what_is_shown_is_what_was_newest(capture):
    replay, recording = Replay(capture), Recording.load(capture / "signals.npz")
    stamps = recording.stamps(signals.CLIENT_ABSOLUTE)
    for row in (0, 50, len(stamps) - 1):
        time = 1e-9 * (stamps[row] + 5_000_000)  # after this one, before the next
        seen = replay.at(time)
        expected = pin.XYZQUATToSE3(recording[signals.CLIENT_ABSOLUTE][row][:7])
        np.testing.assert_array_equal(seen.client.homogeneous, expected.homogeneous)
    assert replay.at(-1.0).time == -1.0  # before the start it shows the start


def test_phases_come_from_the_status(capture, tmp_path):
    assert Replay(capture).phases == [(0.0, "synchronise")]
    folder = changed(capture, tmp_path, lambda arrays: arrays[signals.ONBOARD_STATUS][100:].__setitem__((..., 0), 4.0))
    replay = Replay(folder)
    assert [name for _, name in replay.phases] == ["synchronise", "abort"]
    start = replay.phases[1][0]
    assert replay.at(start - 1e-3).alert == "" and replay.at(start).alert == "synchronise"  # the summary's last word
    assert replay.at(start).phase == "abort"


def test_a_stop_shows_with_the_sentence_of_the_summary(capture, tmp_path):
    folder = changed(capture, tmp_path, lambda arrays: arrays[signals.SAFETY][100:].__setitem__(..., 0.0))
    (folder / "summary.json").write_text('{"safety": "too fast."}')
    assert Replay(folder).at(1.9).alert == "too fast." and Replay(folder).at(0.1).alert == ""
    (folder / "summary.json").write_text("{ truncated")
    assert Replay(folder).at(1.9).alert == "the robots may not move"


def test_curves_are_those_of_the_run(capture):
    replay, history = Replay(capture), History()
    for time in np.linspace(0.0, replay.duration, 50):
        history.add(replay.at(time))
    error, _, rates = history.until(1.0)
    assert np.isfinite(error[1][error[0] <= 1.0]).all() and np.isnan(error[1][error[0] > 1.0]).all()
    assert np.nanmax(rates[1]) == pytest.approx(2.5, rel=1e-3)  # Envisat tumbles at that
    assert [len(data) for data in (error, rates)] == [len(CURVES[0].lines) + 1, len(CURVES[2].lines) + 1]


def test_a_history_stays_short_and_covers_everything(unforced):
    seen, history = Replay(unforced).at(0.1), History(longest=100)
    for time in np.linspace(0.0, 50.0, 1001):
        object.__setattr__(seen, "time", time)
        history.add(seen)
    times = history.until(50.0)[0][0]
    assert 40 <= len(times) <= 100 and times[0] == 0.0 and times[-1] > 48.0
    assert np.ptp(np.diff(times)[:-1]) < 1.0


def changed(folder, tmp_path, change):
    """A copy of a run whose arrays were changed."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    with np.load(copy / "signals.npz") as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(copy / "signals.npz", **arrays)
    return copy


def test_no_folder(tmp_path):
    with pytest.raises(NotARun, match=r"is not the folder of a run: 'hil run' makes one"):
        Replay(tmp_path / "nowhere")


def test_a_foreign_folder(tmp_path):
    with pytest.raises(NotARun, match=r"has no scenario\.yaml"):
        Replay(tmp_path)


def test_a_scenario_that_does_not_read(capture, tmp_path):
    folder = shutil.copytree(capture, tmp_path / "copy")
    (folder / "scenario.yaml").write_text("client: {mass_kg: -1}\n")
    with pytest.raises(ScenarioError):
        Replay(folder)


def test_a_run_without_signals(capture, tmp_path):
    folder = shutil.copytree(capture, tmp_path / "copy")
    (folder / "signals.npz").unlink()
    with pytest.raises(NotARun, match=r"has no signals\.npz"):
        Replay(folder)


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_signals_that_cannot_be_read(capture, tmp_path, content):
    folder = shutil.copytree(capture, tmp_path / "copy")
    whole = (folder / "signals.npz").read_bytes()
    (folder / "signals.npz").write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(NotARun, match="cannot be read"):
        Replay(folder)


def test_signals_of_something_else(capture, tmp_path):
    with pytest.raises(NotARun, match="has no nominal: there is nothing to show"):
        Replay(changed(capture, tmp_path, lambda arrays: arrays.pop(signals.NOMINAL)))


def test_signals_of_another_size(capture, tmp_path):
    def flatten(arrays):
        arrays[signals.ARM_JOINTS] = arrays[signals.ARM_JOINTS][:, 0, 0]

    with pytest.raises(NotARun, match="not those of a run"):
        Replay(changed(capture, tmp_path, flatten))
