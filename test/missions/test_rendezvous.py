"""Short voyages: everything happens, only sooner."""
import math

import numpy as np
import pytest

from hil_relative_dynamics.berthing.measures import measured
from hil_relative_dynamics.evidence.validate_rendezvous import flown
from hil_relative_dynamics.missions.rendezvous import recording, run
from hil_relative_dynamics.scenario import ScenarioError, load_mission, to_yaml

SOONER = "contact.timeline={base_s: 10, arm_s: 8, reach_s: 8, close_s: 8, carry_s: 20}"
BERTHING = (
    "berthing",
    SOONER,
    "start.position_m=[0, -4.4, -0.497]",
    "guidance.hold_distance_m=4.43",
    "guidance.hold_speed_m_s=0.05",
    "guidance.handover_speed_m_s=0.04",
    "duration_s=82",
)
UNBERTHING = ("unberthing", SOONER, "contact.control.retreat_speed_m_s=0.2", "duration_s=75")
APPROACH = ("rendezvous_elliptic", "guidance.transfer_s=600", "start.position_m=[20, -120, 5]")


@pytest.fixture(scope="module")
def berthing():
    return flown(*BERTHING)


@pytest.fixture(scope="module")
def unberthing():
    return flown(*UNBERTHING)


def words(voyage):
    return [event.split(": ")[1].split(" begins")[0].split(" at")[0] for event in voyage.events]


def test_berthing_goes_through_its_phases(berthing):
    order = ["hand-over to the contact phase", "approach", "reach", "capture", "grasp triggered", "docking", "docked"]
    assert words(berthing) == order
    numbers = measured(berthing)
    assert numbers["port_misalignment_m"] < 1e-3 and numbers["port_speed_m_s"] < 0.005
    assert numbers["grip_force_N"] == pytest.approx(numbers["grip_force_by_gears_N"], rel=0.1)


def test_unberthing_goes_through_its_phases(unberthing):
    order = ["grasp", "grasp triggered", "withdraw", "release", "retreat", "hand-over to the orbital phase"]
    assert words(unberthing) == order
    assert measured(unberthing)["release_speed_m_s"] < 1e-3
    assert unberthing.tracks[0].times[-1] == pytest.approx(75.0)


@pytest.mark.parametrize("name", ["berthing", "unberthing"])
def test_nothing_jumps_and_nothing_is_created(name, request):
    numbers = measured(request.getfixturevalue(name))
    for key in ("position_jump_m", "velocity_jump_m_s", "attitude_jump_rad", "rate_jump_rad_s"):
        assert numbers[f"handover_{key}"] < 1e-12
    assert numbers["contact_energy_gain_J"] < 1e-9 < 1e-4 * numbers["contact_energy_lost_J"]
    assert numbers["momentum_residual_N_s"] < 1e-7
    assert numbers["neglected_drift_m"] > 1e-4  # and it is said


def test_the_hand_over_is_where_the_orbital_phase_was(berthing):
    """First row of the contact phase against the last of the orbital one, in target axes."""
    log, track = berthing.contact.log, berthing.tracks[0]
    assert np.linalg.norm(log.position[0]) == pytest.approx(np.linalg.norm(track.relative[-1][:3]), abs=1e-12)
    assert log.velocity[0] == pytest.approx(track.velocity[-1], abs=1e-12)
    assert log.times[0] == pytest.approx(track.times[-1], abs=1e-9)


def test_a_finer_step_tells_the_same(berthing):
    """Until the grasp, whose instant is a tick of the control."""
    finer = flown(*BERTHING, "contact.step_ms=2", "duration_s=52")
    count = len(finer.contact.log.times)
    coarse, fine = np.array(berthing.contact.log.position[:count]), np.array(finer.contact.log.position)
    assert np.abs(coarse - fine).max() < 1e-6


def test_an_approach_meets_the_hand_over_with_noise():
    voyage = flown(*APPROACH)
    numbers = measured(voyage)
    assert numbers["last_distance_m"] == pytest.approx(3.603, abs=1e-3)
    assert numbers["glideslope_error_m"] < 0.5 and numbers["facing_error_deg"] < 0.1
    again, other = flown.__wrapped__(*APPROACH), flown(*APPROACH, "seed=7")
    assert np.array_equal(again.tracks[0].relative, voyage.tracks[0].relative)
    assert measured(other)["impulses_m_s"] != numbers["impulses_m_s"]


def test_too_short_a_time_is_said_and_not_passed():
    voyage = flown(*APPROACH, "duration_s=300")
    assert "no hand-over" in voyage.events[-1]
    assert math.isnan(measured(voyage)["handover_position_jump_m"])


def test_a_run_leaves_signals_and_figures(tmp_path, berthing):
    signals = recording(berthing)
    assert {"relative", "impulse", "contact_velocity", "contact_fingers"} <= set(signals.signals)
    outcome = run(load_mission(APPROACH[0], [*APPROACH[1:], "duration_s=50"]), lambda share: None)
    assert [path.name for path in outcome.draw(tmp_path)] == ["orbit.png"]
    assert (tmp_path / "orbit.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "change, key, allowed",
    [
        ("orbit.eccentricity=1.0", "orbit.eccentricity", "below 1"),
        ("orbit.eccentricity=-0.1", "orbit.eccentricity", "non-negative"),
        ("start.position_m=[0, -1, 0]", "start.position_m", "farther from the target"),
        ("guidance.hold_distance_m=2", "guidance.hold_distance_m", "more than handover_distance_m"),
        ("contact.station_m=[5, 0, 0]", "contact.station_m", "nearer to the target"),
        ("contact.fingers.teeth_motor=0", "contact.fingers.teeth_motor", "1 or more"),
        ("contact.fingers.contact_angle_deg=20", "contact.fingers.contact_angle_deg", "above open_angle_deg"),
        ("contact.fingers.stiffness_N_m=-5", "contact.fingers.stiffness_N_m", "positive"),
        ("contact.control_ms=3", "contact.control_ms", "multiple of step_ms"),
        ("servicer.end_effector=hand", "servicer.end_effector", "must be a link"),
        ("servicer.joints_deg=[0]", "servicer.joints_deg", "7 numbers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(change, key, allowed):
    with pytest.raises(ScenarioError) as refused:
        load_mission("berthing", [change])
    assert key in str(refused.value) and allowed in str(refused.value)


@pytest.mark.parametrize("model, seconds", [("yamanaka_ankersen", 3497.122), ("clohessy_wiltshire", 3231.984)])
def test_singular_transfer_times_are_refused_in_one_sentence(model, seconds):
    changes = [f"guidance.transfer_s={seconds}", f"guidance.model={model}", "duration_s=9000"]
    with pytest.raises(ScenarioError, match="singular transfer") as refused:
        run(load_mission("rendezvous_elliptic", changes), lambda share: None)
    sentence = str(refused.value)
    assert "guidance.transfer_s = 3" in sentence and "at most" in sentence and "at least" in sentence
    run(load_mission("rendezvous_elliptic", ["guidance.transfer_s=3400", "duration_s=10"]), lambda share: None)


def test_a_resolved_scenario_loads_back(tmp_path):
    scenario = load_mission("unberthing")
    path = tmp_path / "again.yaml"
    path.write_text(to_yaml(scenario))
    assert load_mission(path) == scenario
