"""From a scenario to its table: initial conditions, runs to the last bit, and nominals that do not fit."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.measure import matching_error
from hil_relative_dynamics.matching.nominal import SampledNominal
from hil_relative_dynamics.scenario import Scenario, ScenarioError, load
from hil_relative_dynamics.spatial import MotionSample, orientation_error, position_error

#: nothing zero that could hide a frame taken for another
START = [
    "client.com_m=[0.3,-0.2,0.1]",
    "client.position_m=[1,-2,3]",
    "client.orientation_rpy_deg=[20,-30,40]",
    "client.linear_velocity_m_s=[0.01,0.02,-0.03]",
    "client.angular_velocity_deg_s=[1,-2.5,0.5]",
    "servicer.orientation_rpy_deg=[10,5,180]",
    "servicer.joint_rates_deg_s=[1,-2,3,-4,5,-6,7]",
]


def recorded(name: str, *overrides: str) -> tuple[Scenario, Recording]:
    scenario = load(name, overrides)
    return scenario, run(assemble(scenario), scenario.duration_ns)


def write_motion(folder: Path, last: float = 1.0) -> Path:
    """A nominal that is neither at rest nor at the client; its rows lie on the grid of the dynamics."""
    times = np.linspace(0.0, last, 101)
    rows = ["t,x,y,z,qx,qy,qz,qw"]
    for time in times:
        quaternion = pin.Quaternion(pin.exp3(np.array([0.1, 0.2, -0.3]) * np.sin(time) + 0.4)).coeffs()
        position = [0.5 + 0.02 * time, np.cos(time), 0.3 * time**2]
        rows.append(",".join(f"{number:.17g}" for number in [time, *position, *quaternion]))
    path = folder / "motion.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def nominal_override(kind: str, folder: Path) -> str:
    if kind == "file":
        return f"nominal={{kind: file, file: {write_motion(folder)}}}"
    return f"nominal.kind={kind}"


@pytest.mark.parametrize("base_row", ["momentum", "acceleration"])
@pytest.mark.parametrize("kind", ["unforced", "fixed", "file"])
def test_initial_conditions_agree_with_5_6_and_15(kind: str, base_row: str, tmp_path: Path) -> None:
    row = f"servicer.base_row={base_row}"
    overrides = [*START, nominal_override(kind, tmp_path), row, "duration_s=0.002"]
    scenario, recording = recorded("envisat_unforced", *overrides)
    nominal = MotionSample(recording[signals.NOMINAL][0, 0])
    starts = {
        "client": (scenario.client.pose, scenario.client.twist),
        "servicer": (scenario.pose_servicer, scenario.twist_servicer),
    }
    for body, (pose, twist) in starts.items():
        orbit = MotionSample(recording[f"{body}/simulated"][0, 0])
        laboratory = MotionSample(recording[f"{body}/commanded"][0, 0])
        measured = MotionSample(recording[f"{body}/measured"][0])
        # the scenario's own start, in orbit
        assert position_error(orbit.pose, pose) < 1e-14 and orientation_error(orbit.pose, pose) < 1e-14
        np.testing.assert_allclose(orbit.twist.vector, twist.vector, atol=1e-13)
        # g = g_n g_rel (5),  V_rel + Ad(g_rel^-1) V_n = V  (6), (15)
        reached = nominal.pose * laboratory.pose
        assert position_error(reached, pose) < 1e-13 and orientation_error(reached, pose) < 1e-14
        matched = laboratory.twist + laboratory.pose.actInv(nominal.twist)
        np.testing.assert_allclose(matched.vector, twist.vector, atol=1e-13)
        # and the robots stand where they will be told to be
        assert position_error(measured.pose, laboratory.pose) < 1e-14
        np.testing.assert_allclose(measured.twist.vector, laboratory.twist.vector, atol=1e-14)


def test_an_unforced_nominal_starts_with_the_client_and_holds_its_robot_still() -> None:
    _, recording = recorded("envisat_unforced", *START, "duration_s=0.2")
    client = recording[signals.CLIENT_MEASURED]
    np.testing.assert_allclose(client[:, :3], 0.0, atol=1e-14)
    np.testing.assert_allclose(client[:, 7:13], 0.0, atol=1e-14)


def test_a_fixed_nominal_is_the_absolute_formulation() -> None:
    scenario, recording = recorded("envisat_unforced", *START, "nominal.kind=fixed", "duration_s=0.2")
    twist = MotionSample(recording[signals.CLIENT_MEASURED][0]).twist
    np.testing.assert_allclose(twist.vector, scenario.client.twist.vector, atol=1e-14)


def test_co_rotating_start_is_at_rest_relative_to_the_client() -> None:
    scenario = load("envisat_unforced", START)
    # V_b(0) = Ad(g_bt) V_t(0): one rigid motion has one spatial velocity
    spatial_client = scenario.client.pose.act(scenario.client.twist)
    spatial_servicer = scenario.pose_servicer.act(scenario.twist_servicer)
    np.testing.assert_allclose(spatial_servicer.vector, spatial_client.vector, atol=1e-13)


def test_free_start_takes_the_velocities_as_given() -> None:
    velocities = ["servicer.linear_velocity_m_s=[1,2,3]", "servicer.angular_velocity_deg_s=[4,5,6]"]
    _, recording = recorded("envisat_unforced", "servicer.motion=free", *velocities, "duration_s=0.001")
    twist = MotionSample(recording[signals.SERVICER_SIMULATED][0, 0]).twist
    np.testing.assert_allclose(twist.vector, [1, 2, 3, *np.radians([4, 5, 6])], atol=1e-13)


def test_calibration_puts_the_mock_up_at_its_attitude_in_the_laboratory() -> None:
    world = World(load("envisat_unforced", [*START, "laboratory.base_attitude_rpy_deg=[10,20,30]"]))
    relative = world.nominal_start.pose.actInv(world.scenario.pose_servicer)
    attitude = (world.pose_nominal_in_laboratory * relative).rotation
    np.testing.assert_allclose(attitude, pin.rpy.rpyToMatrix(*np.radians([10, 20, 30])), atol=1e-14)


@pytest.mark.parametrize("kind", ["fixed", "file"])
def test_relative_and_absolute_motion_match_under_any_nominal(kind: str, tmp_path: Path) -> None:
    events = ["external_wrenches.1", "onboard.thrust.1", "onboard.arm_moves.0"]
    early = [f"{event}.start_s=0.1" for event in events]
    nominal = nominal_override(kind, tmp_path)
    _, recording = recorded("envisat_pulses", *START, *early, nominal, "duration_s=0.6")
    for body in ("client", "servicer"):
        _, errors = matching_error(recording, f"{body}/simulated", f"{body}/commanded")
        assert errors[:, 0].max() < 1e-9 and errors[:, 1].max() < 1e-9


@pytest.mark.parametrize("rates", ["{arm: 1, dynamics: 1}", "{arm: 1, dynamics: 4}"])
def test_two_runs_are_equal_to_the_last_bit(rates: str) -> None:
    overrides = [f"rates_ms={rates}", "duration_s=0.4", "external_wrenches.1.start_s=0.1"]
    _, first = recorded("envisat_pulses", *overrides)
    _, second = recorded("envisat_pulses", *overrides)
    assert first.signals == second.signals
    for name in first.signals:
        assert first[name].tobytes() == second[name].tobytes(), name


def test_devices_have_their_own_cycles() -> None:
    _, recording = recorded("envisat_pulses", "rates_ms={arm: 1, dynamics: 4}", "duration_s=0.02")
    periods = {name: int(np.diff(recording.stamps(name))[0]) for name in recording.signals}
    fast = {name for name, period in periods.items() if period == 1_000_000}
    slow = {name for name, period in periods.items() if period == 4_000_000}
    assert {signals.ARM_JOINTS, signals.ARM_TORQUE, signals.CLIENT_WRENCH} <= fast
    assert {signals.NOMINAL, signals.CLIENT_COMMANDED, signals.SERVICER_SIMULATED} <= slow
    assert fast | slow == set(recording.signals)


def test_an_arm_that_carries_its_own_weight_moves_alike() -> None:
    carried = "servicer.gravity_compensated_by_arm=true"
    _, without = recorded("envisat_pulses", "duration_s=0.5", "onboard.arm_moves.0.start_s=0")
    _, with_own = recorded("envisat_pulses", "duration_s=0.5", "onboard.arm_moves.0.start_s=0", carried)
    joints = signals.ARM_JOINTS
    np.testing.assert_allclose(with_own[joints][:, 0], without[joints][:, 0], atol=1e-5)
    weight = without[signals.ARM_TORQUE][0] - with_own[signals.ARM_TORQUE][0]
    assert np.abs(weight).max() > 10.0  # [N m]: it is the arm's weight that is left out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "its first line must read t,x,y,z,qx,qy,qz,qw"),
        ("t,x,y\n0,1,2\n", "its first line must read t,x,y,z,qx,qy,qz,qw, not t,x,y"),
        ("t,x,y,z,qx,qy,qz,qw\n", "at least four rows"),
        ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n0.5,0,0\n", "number of columns changed"),
        ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,zero,1\n", "could not convert"),
        ("t,x,y,z,qx,qy,qz,qw\n" + "0,0,0,0,0,0,0,1\n" * 5, "increasing times"),
        ("t,x,y,z,qx,qy,qz,qw\n" + "".join(f"{t},0,0,0,0,0,0,2\n" for t in range(5)), "unit length"),
        ("t,x,y,z,qx,qy,qz,qw\n" + "".join(f"{t},nan,0,0,0,0,0,1\n" for t in range(5)), "finite numbers"),
    ],
)
def test_a_file_that_is_no_motion(
    text: str, reason: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "motion.csv"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        World(load("envisat_unforced", [f"nominal={{kind: file, file: {path}}}"]))
    sentence = str(caught.value)
    assert sentence.startswith(f"{path} cannot be the nominal motion: ") and reason in sentence
    assert "\n" not in sentence and not recwarn.list


@pytest.mark.parametrize("duration", [1.0, 60])
def test_a_motion_file_must_cover_the_run_and_its_last_step(duration: float, tmp_path: Path) -> None:
    path = write_motion(tmp_path, last=1.0)
    overrides = [f"nominal={{kind: file, file: {path}}}", f"duration_s={duration}"]
    needed = rf"must cover the run, 0 to {duration + 0.001:g} s, and covers 0 to 1 s"
    with pytest.raises(ScenarioError, match=needed):
        assemble(load("envisat_unforced", overrides))
    shorter = load("envisat_unforced", [*overrides, "duration_s=0.999"])
    assert isinstance(World(shorter).nominal, SampledNominal)
