"""A client with flexible appendages: runs, figures, measures, refusals."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.evidence.flexible_ringing import HubMotion, free_response, ringing
from hil_relative_dynamics.facility.flexible_rig import FlangeRobot, physical_body, simulated_body
from hil_relative_dynamics.missions.outcome import run_mission
from hil_relative_dynamics.scenario import ScenarioError, available, load_mission, to_yaml

SHORT = ("duration_s=4", "step_ms=8")
IDEAL = ("robot={}", "force_torque.noise_N=0", "force_torque.noise_N_m=0", "force_torque.bandwidth_Hz=off")


@pytest.fixture(scope="module")
def both():
    return run_mission(load_mission("flexible_symmetric", SHORT))


def test_it_keeps_its_criteria(both):
    scenario = load_mission("flexible_symmetric")
    assert scenario.limits
    for key, limit in scenario.limits.items():
        assert both.measured[key] <= limit


def test_the_hub_swings_as_much_as_momentum_tells(both):
    """Peak to peak 4 a q / (M + 2 m) without damping; Table II prints 2.3 mm."""
    momentum = 4e3 * 0.3914959 * 0.83 * 0.0913 / (50 + 2 * 0.83)
    assert_allclose(both.measured["simulated_hub_peak_to_peak_mm"], momentum, rtol=0.015)


def test_figures_are_drawn(both, tmp_path):
    drawn = both.draw(tmp_path)
    assert [path.name for path in drawn] == ["hub.png", "appendages.png"]
    assert all(path.stat().st_size > 20_000 for path in drawn)


def test_a_perfect_robot_makes_physical_and_simulated_appendages_alike():
    """Held wrenches and interpolation remain: they vanish with the step."""
    differences = []
    for step in (8, 4):
        scenario = load_mission("flexible_symmetric", ("duration_s=2", f"step_ms={step}", *IDEAL))
        differences.append(run_mission(scenario).measured["physical_from_simulated_mm"])
    assert_allclose(differences[1] / differences[0], 0.5, atol=0.05)
    assert differences[1] < 0.15  # of 20 mm


def test_lag_feeds_the_beams():
    """On a light hub the robot's lag gives them more than they lose: the robot could not fly it."""
    quiet = ("duration_s=6", "step_ms=8", "variant=physical", *IDEAL[1:])
    light, heavy = (
        run_mission(load_mission(f"flexible_symmetric{name}", quiet)).measured["physical_damping_ratio"]
        for name in ("_25", "_100")
    )
    assert light < 0.0 < heavy


def test_unequal_beams_beat():
    """The hub's motion has both coupled vibrations in it, and only these."""
    scenario = load_mission("flexible_beat", ("duration_s=24", "step_ms=8"))
    low, high = simulated_body(scenario).frequencies()[0][:2] / (2 * np.pi)
    assert_allclose(run_mission(scenario).measured["simulated_beat_Hz"], high - low, rtol=1e-3)


def test_unequal_beams_on_the_robot_are_heard_twice():
    scenario = load_mission("flexible_unequal")
    frequencies = physical_body(scenario).frequencies()[0] / (2 * np.pi)
    motion = HubMotion.of(simulated_body(scenario), deflections_of(scenario.appendages))
    heard = motion.heard(physical_body(scenario), deflections_of(scenario.on_flange))
    assert len(heard) == 2
    assert_allclose(np.array(heard) / (2 * np.pi), frequencies[:2])
    assert frequencies[1] - frequencies[0] > 0.028


def test_ringing_is_found_in_a_drift():
    times = np.linspace(0.0, 8.0, 900)
    signal = 3.0 - 0.4 * times + 0.02 * np.exp(-0.05 * times) * np.cos(5.2 * times + 0.3)
    (found,) = ringing(times, signal, [5.0])
    assert_allclose(2 * np.pi * found.frequency, np.hypot(5.2, 0.05), rtol=1e-9)
    assert_allclose([found.damping, found.amplitude], [0.05 / np.hypot(5.2, 0.05), 0.02], rtol=1e-7)


def test_free_response_is_the_bent_shape_at_the_start():
    """The vibrations together, at the start, leave the hub where its rigid motion starts and the centre of mass is."""
    scenario = load_mission("flexible_symmetric")
    body, deflections = simulated_body(scenario), deflections_of(scenario.appendages)
    _, amplitudes = free_response(body, deflections)
    shift = amplitudes[2].sum() * 51.66 + body.coupling[2] @ deflections  # first moment of hub and beams about the CoM
    assert_allclose(shift, 0.0, atol=1e-12)


def test_the_flange_follows_with_its_lag():
    scenario = load_mission("flexible_symmetric")
    robot = FlangeRobot(scenario, pin.Motion.Zero())
    goal = pin.SE3(pin.exp3(np.array([0.0, 0.02, 0.0])), np.array([0.0, 0.0, 0.01]))
    for k in range(500):
        robot.step(goal, k * scenario.step_ns)
        if k == 7:
            assert np.linalg.norm(robot.motion().pose.translation) < 1e-9  # 32 ms of transport
    assert_allclose(robot.motion().pose.homogeneous, goal.homogeneous, atol=1e-9)


@pytest.mark.parametrize("name", [name for name, _ in available() if name.startswith("flexible_")])
def test_every_shipped_scenario_runs_and_reads_back(name, tmp_path):
    scenario = load_mission(name, ("duration_s=0.4",))
    outcome = run_mission(scenario)
    assert all(np.all(np.isfinite(outcome.recording[signal])) for signal in outcome.recording.signals)
    file = tmp_path / "again.yaml"
    file.write_text(to_yaml(scenario))
    assert load_mission(file) == scenario


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("appendages.0.modes=0", "appendages.0.modes = 0 must be a whole number from 1 to 20"),
        ("appendages.0.stiffness_N_m2=-1", "must be a positive number [N m^2]"),
        ("appendages.1.mass_kg=0", "must be a positive number [kg]"),
        ("appendages.1.length_m=.nan", "must be a positive number [m]"),
        ("appendages.0.damping_ratio=1", "must be a number from 0 to below 1"),
        ("appendages.0.bending_axis=[1,0,0]", "must be at right angles to the beam"),
        ("appendages.0.bending_axis=[0,0,0]", "must be at right angles to the beam"),
        ("appendages=[]", "must be a list with at least one appendage"),
        ("nominal=unforced", "must be fixed unless variant is simulated"),
        ("duration_s=0.003", "must be a whole multiple of step_ms (4.0 ms)"),
        ("step_ms=50", "must be at most 31 for the fastest mode (5.14 Hz)"),
        ("robot.bandwidth_Hz=0", "must be"),
    ],
)
def test_bad_input_gets_one_sentence(override, said):
    with pytest.raises(ScenarioError) as caught:
        run_mission(load_mission("flexible_symmetric", (override,)))
    sentence = str(caught.value)
    assert said in sentence
    assert "\n" not in sentence
    assert override.split("=")[0] in sentence
