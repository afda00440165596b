"""What a recorded capture showed: read off a short capture in orbit, and off recordings that were spoilt."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder, Recording
from hil_relative_dynamics.evidence.capture import RECORDED, CaptureStory, Limits
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import load

QUICK = [
    "facility.kind=none",
    "sensors.ideal=true",
    "servicer.position_m=[4.81, 0.01, 0.56]",
    "servicer.orientation_rpy_deg=[0.3, 0.3, 180.3]",
    "onboard.capture.timeline={approach_from_s: 4, approach_s: 12}",
    "duration_s=24",
]


@pytest.fixture(scope="module")
def world() -> World:
    return World(load("envisat_capture", QUICK))


@pytest.fixture(scope="module")
def recording(world: World) -> Recording:
    table = assemble(world.scenario)
    return run(table, world.scenario.duration_ns, Recorder(table, world.scenario.duration_ns, RECORDED))


@pytest.fixture(scope="module")
def story(world: World, recording: Recording) -> CaptureStory:
    return CaptureStory(world, recording)


def spoilt(recording: Recording, signal: str, change: Callable[[np.ndarray], object], since: float = 0.0) -> Recording:
    """A copy in which one signal was changed in place from some time on."""
    values = {name: recording[name].copy() for name in recording.signals}
    change(values[signal][np.searchsorted(recording.times(signal), since) :])
    return Recording({name: recording.stamps(name) for name in recording.signals}, values)


def until(recording: Recording, time: float) -> Recording:
    rows = {name: int(np.searchsorted(recording.times(name), time)) for name in recording.signals}
    return Recording(
        {name: recording.stamps(name)[: rows[name]] for name in rows},
        {name: recording[name][: rows[name]] for name in rows},
    )


def test_phases_come_in_order_and_on_time(story: CaptureStory) -> None:
    assert [entered.phase for entered in story.phases] == [
        Phase.SYNCHRONISE,
        Phase.APPROACH,
        Phase.GRASP,
        Phase.HOLD,
    ]
    assert story.began(Phase.APPROACH) == pytest.approx(4.0, abs=0.6)
    assert story.began(Phase.GRASP) == pytest.approx(story.began(Phase.APPROACH) + 12.0, abs=0.01)
    assert story.began(Phase.GRASP) < story.latched <= story.began(Phase.HOLD) < story.latched + 0.01
    assert np.isnan(story.began(Phase.ABORT)) and np.isnan(story.stopped)


def test_a_clean_capture_has_no_complaints(story: CaptureStory) -> None:
    assert story.complaints() == []
    assert 0.0 < story.largest_contact < 50.0 and 0.0 < story.largest_rate() < np.radians(0.2)
    assert story.inhibited >= story.latched


def test_what_is_worse_than_its_limit_is_said(story: CaptureStory) -> None:
    strict = Limits(synchronised_by=-1.0, rate=0.0, contact=0.0, displacement=0.0)
    complaints = story.complaints(strict)
    assert [sentence.split()[0] for sentence in complaints] == ["synchronised", "relative", "contact", "robots"]


def test_synchronised_is_when_errors_became_small_for_good(world: World, recording: Recording) -> None:
    def off(rows: np.ndarray) -> None:
        rows[:1, 1] = 0.5

    assert CaptureStory(world, spoilt(recording, signals.ONBOARD_STATUS, off, 3.0)).synchronised == pytest.approx(
        3.0 + 1e-9 * float(np.diff(recording.stamps(signals.ONBOARD_STATUS)[:2])[0])
    )


def test_the_true_station_error_is_not_what_the_software_believes(world: World, recording: Recording) -> None:
    def shift(rows: np.ndarray) -> None:
        rows[:, 2] += 0.3

    moved = CaptureStory(world, spoilt(recording, signals.SERVICER_ABSOLUTE, shift))
    assert moved.true_station_error()[0] == pytest.approx(0.3, abs=0.01)


def test_relative_velocity_decays_after_the_latch(story: CaptureStory) -> None:
    before, after = story.speeds()
    assert 0.0 < after < 0.2 * before


def test_momentum_is_conserved_but_for_thrust(story: CaptureStory) -> None:
    before = story.momentum.times < story.latched
    assert story.momentum.linear[before].max() < 1e-7 and story.momentum.angular[before].max() < 1e-7
    assert story.momentum.linear.max() < 1e-5 and story.momentum.angular.max() < 1e-5


def test_a_jump_of_momentum_is_found_with_its_size(world: World, recording: Recording) -> None:
    def jump(rows: np.ndarray) -> None:
        rows[:, :, 7:10] += [1e-4, 0.0, 0.0]

    story = CaptureStory(world, spoilt(recording, signals.CLIENT_SIMULATED, jump, 10.0))
    late = story.momentum.times >= 10.0
    assert story.momentum.linear[late][0] * story.momentum_scales[0] == pytest.approx(7828 * 1e-4, rel=1e-3)
    assert story.momentum.linear[~late].max() < 1e-7


def test_thrust_that_was_not_recorded_is_missed(world: World, recording: Recording) -> None:
    idle = CaptureStory(world, spoilt(recording, signals.SERVICER_THRUST, lambda rows: rows.fill(0.0)))
    assert idle.momentum.linear[-1] > 0.1


def test_the_contact_s_power_is_the_same_in_orbit_and_laboratory(story: CaptureStory) -> None:
    energy = story.energy
    assert np.abs(energy.in_orbit).max() > 1e-3
    np.testing.assert_allclose(energy.in_orbit, energy.in_laboratory, atol=1e-9)
    assert not energy.in_orbit[energy.times < story.began(Phase.GRASP)].any()
    free = energy.client[energy.times < story.began(Phase.GRASP)]
    assert np.ptp(free) < 1e-9 * free[0]


def test_thrusters_that_fall_silent_before_the_latch_are_complained_of(world: World, recording: Recording) -> None:
    early = CaptureStory(world, spoilt(recording, signals.SERVICER_THRUST, lambda rows: rows.fill(0.0), 10.0))
    assert early.inhibited == pytest.approx(10.0, abs=0.01)
    assert any(sentence.startswith("thrusters silent from 10.0") for sentence in early.complaints())


def test_an_unfinished_capture_passes_nothing(world: World, recording: Recording) -> None:
    story = CaptureStory(world, until(recording, 10.0))
    assert np.isnan([story.latched, story.inhibited, story.largest_rate(), *story.speeds()]).all()
    complaints = story.complaints()
    assert "the grasp was never triggered" in complaints and "the gripper never latched" in complaints


def test_a_scenario_without_capture_is_refused(recording: Recording) -> None:
    with pytest.raises(ValueError, match=r"onboard\.kind must be 'capture'"):
        CaptureStory(World(load("envisat_pulses", [])), recording)
