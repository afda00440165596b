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
from hil_relative_dynamics.evidence.measure_capture import measure_capture
from hil_relative_dynamics.evidence.run_folder import Verdict, judge
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.criteria import OF_CAPTURE

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


# ---- judged by the scenario's criteria ----


def judged(world: World, recording: Recording) -> dict[str, Verdict]:
    """With the limits of the capture of Envisat."""
    largest = dict.fromkeys(world.scenario.limits, 0.0) | measure_capture(CaptureStory(world, recording))
    return {verdict.criterion: verdict for verdict in judge(world.scenario, largest)}


def without(recording: Recording, signal: str) -> Recording:
    names = [name for name in recording.signals if name != signal]
    return Recording({name: recording.stamps(name) for name in names}, {name: recording[name] for name in names})


def test_a_clean_capture_keeps_every_criterion(world: World, recording: Recording, story: CaptureStory) -> None:
    verdicts = judged(world, recording)
    assert set(OF_CAPTURE) <= set(verdicts) and all(verdict.ok for verdict in verdicts.values())
    assert verdicts["grasp_by_s"].value == story.latched
    assert verdicts["relative_rate_deg_s"].value == pytest.approx(np.degrees(story.largest_rate()))
    assert -1e-3 < verdicts["contact_energy_J"].value <= 1e-3


def scaled(columns: slice, factor: float) -> Callable[[np.ndarray], None]:
    def scale(rows: np.ndarray) -> None:
        rows[:, columns] *= factor

    return scale


def moved(rows: np.ndarray) -> None:
    rows[-100:, 0] += 0.6


def turning(rows: np.ndarray) -> None:
    rows[:, 11] += np.radians(0.25)


@pytest.mark.parametrize(
    ("criterion", "signal", "change", "since"),
    [
        ("contact_force_N", signals.CLIENT_WRENCH, scaled(slice(0, 6), 100.0), 0.0),
        ("contact_energy_J", signals.CLIENT_WRENCH, scaled(slice(0, 6), -1.0), 0.0),  # pulls where it should push
        ("robot_displacement_m", signals.CLIENT_MEASURED, moved, 0.0),
        ("relative_rate_deg_s", signals.SERVICER_ABSOLUTE, turning, 15.5),
        ("synchronised_by_s", signals.ONBOARD_STATUS, scaled(slice(1, 2), 1e6), 0.5),
    ],
)
def test_what_is_worse_than_a_criterion_fails(
    world: World,
    recording: Recording,
    criterion: str,
    signal: str,
    change: Callable[[np.ndarray], None],
    since: float,
) -> None:
    verdicts = judged(world, spoilt(recording, signal, change, since))
    assert not verdicts[criterion].ok and verdicts["grasp_by_s"].ok


def test_a_capture_that_never_grasped_fails(world: World, recording: Recording) -> None:
    verdicts = judged(world, until(recording, 10.0))
    assert {name for name, verdict in verdicts.items() if not verdict.ok} == {"grasp_by_s", "relative_rate_deg_s"}
    assert np.isnan(verdicts["grasp_by_s"].value)


def test_software_that_does_not_tell_is_judged_by_what_it_did(world: World, recording: Recording) -> None:
    silent = without(recording, signals.ONBOARD_STATUS)
    verdicts = judged(world, silent)
    assert all(verdict.ok for verdict in verdicts.values())

    def aside(rows: np.ndarray) -> None:
        rows[:, 2] += 0.02

    assert not judged(world, spoilt(silent, signals.SERVICER_ABSOLUTE, aside))["synchronised_by_s"].ok
