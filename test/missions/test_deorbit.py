"""`mission: deorbit` from file to figures, and what it refuses."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hil_relative_dynamics.missions.outcome import Outcome, run_mission
from hil_relative_dynamics.scenario import ScenarioError, load_mission, to_yaml

SHIPPED = [f"deorbit_{name}" for name in ("boost", "contact_modulated", "contact_step", "friction", "frictionless")]


def flown(name: str, *overrides: str) -> Outcome:
    return run_mission(load_mission(name, overrides))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_load_and_write_themselves(name: str, tmp_path: Path) -> None:
    scenario = load_mission(name)
    again = tmp_path / "again.yaml"
    again.write_text(to_yaml(scenario))
    assert load_mission(again) == scenario


def test_thrust_begins_and_ends(tmp_path: Path) -> None:
    outcome = flown("deorbit_contact_step")
    assert outcome.measured["steady_contact_force_N"] == pytest.approx(1318.5, abs=0.1)  # with the robot's 10 N
    assert 0.0 < outcome.measured["largest_gap_m"] < 0.86e-3
    assert "part at" in outcome.events[0] and "meet again" in outcome.events[0]
    assert set(outcome.recording.signals) == {"thrust", "gap", "gap_rate", "contact_force"}
    assert [path.name for path in outcome.draw(tmp_path)] == ["line.png"] and (tmp_path / "line.png").stat().st_size


def test_modulated_thrust_parts_the_bodies_only_at_the_last_step() -> None:
    outcome = flown("deorbit_contact_modulated")
    force, times = outcome.recording["contact_force"], outcome.recording.times("contact_force")
    assert force[(times > 0.01) & (times < 1.8)].min() > 50.0
    assert outcome.measured["separations"] == 4.0 and outcome.measured["largest_drop"] == 0.75


def test_friction_at_the_start(tmp_path: Path) -> None:
    outcome = flown("deorbit_friction", "duration_s=16")
    assert outcome.measured["lateral_force_level_N"] == pytest.approx(61.8, abs=0.1)
    assert outcome.measured["lateral_force_start_N"] == pytest.approx(68.8, abs=0.1)
    assert outcome.measured["contact_torque_x_N_m"] < 5.0
    assert outcome.measured["energy_error_J"] < 1e-2
    assert "robot_force_y_N" not in outcome.measured
    assert [path.name for path in outcome.draw(tmp_path)] == ["forces.png", "attitude.png"]


def test_frictionless_swings_back(tmp_path: Path) -> None:
    outcome = flown("deorbit_frictionless", "duration_s=10")
    deviation = outcome.recording["deviation"]
    assert deviation[0] == pytest.approx([0.35, 0.35])
    assert deviation[:, 1].min() < -0.2  # z has swung through
    assert "friction_suffices_each_foot_s" not in outcome.measured
    assert [path.name for path in outcome.draw(tmp_path)][-1] == "sliding.png"


def test_boost_drops_one_thruster_at_a_time(tmp_path: Path) -> None:
    outcome = flown("deorbit_boost", "duration_s=15")
    thrust = outcome.recording["thrust"]
    assert np.diff(thrust).min() == -375.0
    assert outcome.measured["structure_separations"] == 0.0
    assert outcome.measured["attitude_error_rad"] < 0.1
    assert [path.name for path in outcome.draw(tmp_path)][-1] == "thrust.png"


def test_same_scenario_same_numbers() -> None:
    one, two = (flown("deorbit_boost", "duration_s=3") for _ in range(2))
    assert one.measured == pytest.approx(two.measured, nan_ok=True, rel=0.0, abs=0.0)


def test_progress_is_told() -> None:
    told: list[float] = []
    run_mission(load_mission("deorbit_friction", ["duration_s=6"]), told.append)
    assert told == sorted(told) and told[0] == 0.0 and told[-1] <= 1.0 and len(told) > 1


@pytest.mark.parametrize(
    "name, override, sentence",
    [
        ("friction", "contact.stiffness_N_m=-1e4", "contact.stiffness_N_m = -10000.0 must be a positive number [N/m]"),
        ("friction", "contact.count=2", "contact.count = 2 must be at least 3"),
        ("friction", "contact.count=-6", "contact.count = -6 must be a whole number"),
        ("friction", "contact.friction=glue", "contact.friction = 'glue' must be none or held or coulomb"),
        ("friction", "step_ms=100", "step_ms = 100.0 must be at most 27"),
        ("boost", "boost.cycle_s=0.015", "boost.cycle_s = 0.015 must be a whole multiple"),
        ("boost", "boost.positions_m=[]", "boost.positions_m = [] must have at least one"),
        ("boost", "boost.positions_m=[[1, 1]]", "must lie on all sides"),
        ("contact_step", "stiffness_N_m=-1", "stiffness_N_m = -1 must be a positive number [N/m]"),
        ("contact_step", "thrust=[]", "thrust = [] must have at least one step"),
        ("contact_step", "thrust.1.start_s=0", "thrust.1.start_s = 0.0 must be later than the step before (0.05 s)"),
        ("contact_step", "thrust.0.force_N=-5", "thrust.0.force_N = -5 must be a non-negative number [N]"),
    ],
)
def test_bad_input_gets_a_sentence(name: str, override: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_mission(f"deorbit_{name}", [f"{'line' if name == 'contact_step' else 'bodies'}.{override}"])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_neither_line_nor_bodies_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing.yaml"
    path.write_text("mission: deorbit\ndescription: nothing\nduration_s: 1\n")
    with pytest.raises(ScenarioError, match="must be given if line is not"):
        load_mission(path)
