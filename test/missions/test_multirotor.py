"""`hil run` of multirotor scenarios: what is refused, what is recorded, what is flown."""
from __future__ import annotations

import json

import numpy as np
import pytest

from hil_relative_dynamics.cli import main
from hil_relative_dynamics.missions import multirotor
from hil_relative_dynamics.missions.outcome import Outcome, run_mission
from hil_relative_dynamics.multirotor.build import build
from hil_relative_dynamics.scenario import ScenarioError, load_mission, to_yaml

SHIPPED = ("circles", "approach", "too_close", "curved", "inspection")
#: a short way in, so that a test takes a second
SHORT = (
    "transfer.start_m=[1.9, 1.2, 0.4]",
    "transfer.transfer_s=25",
    "settle_s=2",
    "duration_s=16",
)


def flown(name: str, *overrides: str) -> Outcome:
    return run_mission(load_mission(f"multirotor_{name}", overrides))


@pytest.fixture(scope="module")
def approach() -> Outcome:
    return flown("approach", *SHORT)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_can_be_built(name):
    flyers = build(load_mission(f"multirotor_{name}"))
    assert flyers.mixer.rank == 6 and flyers.demand.largest < 0.5


@pytest.mark.parametrize(
    "name, change, key, allowed",
    [
        ("circles", "vehicle.tilt_deg=0", "vehicle.tilt_deg = 0.0", "full rank"),
        ("circles", "vehicle.tilt_deg=1", "vehicle.tilt_deg = 1.0", "condition"),
        ("circles", "circle.radius_m=1.2", "circle.radius_m = 1.2", "keep-out zone"),
        ("approach", "transfer.start_m=[0.5,0.3,0.1]", "transfer.start_m = [0.5, 0.3, 0.1]", "keep-out zone"),
        ("too_close", "transfer.start_m=[1,0.3,0.1]", "transfer.start_m = [1.0, 0.3, 0.1]", "keep-out zone"),
        ("inspection", "drift.start_m=[90,0,0]", "drift.start_m = [90.0, 0.0, 0.0]", "keep-out zone"),
        ("approach", "transfer.transfer_s=2729", "transfer.transfer_s = 2729.0", "singular transfer time"),
        ("approach", "transfer.transfer_s=5457.99", "transfer.transfer_s = 5457.99", "5452.53 and 5463.45 s"),
        ("approach", "transfer.stop_m=10", "transfer.stop_m = 10.0", "must be below 4.21 m"),
        ("approach", "vehicle.mass_kg=9", "vehicle.mass_kg = 9.0", "between 0.0616 and 6.16 kg"),
        ("approach", "vehicle.mass_kg=0", "vehicle.mass_kg = 0", "positive number [kg]"),
        ("approach", "orbit.eccentricity=1", "orbit.eccentricity = 1.0", "below 1"),
        ("approach", "orbit.eccentricity=0.1", "orbit.eccentricity = 0.1", "must be 0 with reference: two_impulse"),
        ("circles", "circle.period_s=2", "circle.period_s = 2.0", "able to follow"),
        ("circles", "circle.turns=0", "circle.turns = 0", "at least 1"),
        ("circles", "hall.size_m=[3,3,3]", "hall.size_m = [3.0, 3.0, 3.0]", "the whole reference"),
        ("circles", "orientation_rpy_deg=[15,0,0]", "orientation_rpy_deg = [15.0, 0.0, 0.0]", "within 10 deg"),
        ("circles", "sensors.mocap_period_ms=7", "sensors.mocap_period_ms = 7.0", "multiple of step_ms = 5"),
        ("circles", "step_ms=10", "step_ms = 10.0", "at most 5 ms"),
        ("circles", "reference=drift", "drift is missing", "must be given with reference: drift"),
        ("circles", "vehicle.propeller_diameter_m=0.4", "vehicle.propeller_diameter_m = 0.4", "at most 0.27 m"),
        ("circles", "vehicle.rotor_speed_rad_s=[900,100]", "vehicle.rotor_speed_rad_s", "then a larger one"),
        ("circles", "vehicle.thrust_spread=0.9", "vehicle.thrust_spread = 0.9", "at most 0.2"),
        ("circles", "duration_s=10", "settle_s = 10.0", "shorter than duration_s"),
    ],
)
def test_what_cannot_be_flown_is_refused_in_one_sentence(name, change, key, allowed):
    with pytest.raises(ScenarioError) as refused:
        build(load_mission(f"multirotor_{name}", [change]))
    sentence = str(refused.value)
    assert key in sentence and allowed in sentence
    assert "\n" not in sentence and sentence.endswith(".")


def test_the_command_refuses_without_a_traceback_and_leaves_nothing(tmp_path, capsys):
    assert main(["run", "multirotor_circles", "--set", "vehicle.tilt_deg=0", "--out", str(tmp_path)]) == 2
    assert "vehicle.tilt_deg = 0.0 must tilt the rotors" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_approach_stops_where_it_should(approach):
    measured = approach.measured
    assert measured["rule_stops"] == 0 and measured["separation_breach_m"] == 0
    assert measured["largest_error_m"] < 0.16
    assert max(measured["roll_deviation_deg"], measured["pitch_deviation_deg"]) < 1.0
    assert len(approach.events) == 1 and "told to stand" in approach.events[0]
    reference = approach.recording["chaser/reference"][-1] - (0.0, 0.0, 3.0)
    assert np.hypot(*reference[:2]) == pytest.approx(0.74 + 0.794, abs=0.12)  # the target is believed within 0.1 m


def test_one_between_centres_is_stopped_by_the_rule():
    outcome = flown("too_close", *SHORT)
    assert outcome.measured["rule_stops"] == 1 and outcome.measured["separation_breach_m"] == 0
    assert "separation rule stopped the chaser" in outcome.events[-1]
    gap = outcome.recording["chaser/position"] - outcome.recording["target/position"]
    assert np.hypot(gap[:, 0], gap[:, 1]).min() >= outcome.measured["D_min_m"]


def test_without_the_rule_s_distance_it_would_have_come_nearer():
    """The rule is what stops it: with no margin the same approach goes on."""
    outcome = flown("too_close", *SHORT, "separation.margin=0", "separation.accuracy_m=0", "transfer.stop_m=0.9")
    assert outcome.measured["rule_stops"] == 0
    assert outcome.measured["smallest_tip_clearance_m"] < 0.25


def test_a_run_follows_from_its_seed_alone():
    once, again, other = (flown("approach", "settle_s=1", "duration_s=3", f"seed={seed}") for seed in (0, 0, 1))
    for signal in once.recording.signals:
        np.testing.assert_array_equal(again.recording[signal], once.recording[signal])
    assert not np.array_equal(other.recording["chaser/position"], once.recording["chaser/position"])


def test_smaller_steps_fly_the_same_where_nothing_is_random():
    calm = (
        "hall.turbulence_force_N=0",
        "hall.turbulence_torque_N_m=0",
        "vehicle.thrust_spread=0",
        "sensors.mocap_position_noise_mm=1e-6",
        "sensors.mocap_attitude_noise_deg=1e-6",
        "sensors.accelerometer_noise_m_s2_sqrt_Hz=1e-9",
        "sensors.gyro_noise_deg_s_sqrt_Hz=1e-9",
        "sensors.accelerometer_bias_m_s2=1e-9",
        "sensors.gyro_bias_deg_s=1e-9",
        "settle_s=0.5",
        "duration_s=5",
    )
    coarse, fine = (flown("circles", *calm, f"step_ms={step}") for step in (5, 2.5))
    ways = [outcome.recording["chaser/position"] for outcome in (coarse, fine)]
    assert np.abs(ways[0] - ways[1]).max() < 2e-3  # control acts twice as often; the motion is the same to millimetres


def test_a_scenario_is_written_and_read_back():
    scenario = load_mission("multirotor_approach")
    assert "stop_between: tips" in to_yaml(scenario)


def test_the_command_leaves_numbers_signals_and_figures(tmp_path):
    arguments = ["--set", "circle.turns=1", "--set", "settle_s=1", "--set", "duration_s=3"]
    assert main(["run", "multirotor_circles", *arguments, "--out", str(tmp_path)]) == 0
    folder = next(tmp_path.iterdir())
    names = {path.name for path in folder.iterdir()}
    assert {"flight.png", "error.png", "signals.npz", "summary.json", "scenario.yaml"} <= names
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["passed"] and summary["largest"]["mixer_rank"] == 6
    assert load_mission(folder / "scenario.yaml").duration_ns == 3 * 10**9


def test_the_runner_says_what_happened_only_when_it_did():
    outcome = multirotor.run(load_mission("multirotor_circles", ["settle_s=1", "duration_s=2"]), lambda share: None)
    assert outcome.events == []
