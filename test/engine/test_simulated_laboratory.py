"""The laboratory with simulated robots in the tick table, by direct calls."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.device_stages import ARM_TIMEOUT
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.evidence.energy import watched, worked_out
from hil_relative_dynamics.facility.robot_model import RobotModel
from hil_relative_dynamics.facility.safety_state import ENABLED
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.spatial import (
    JointReading,
    JointSample,
    MotionPoints,
    MotionSample,
    orientation_error,
    position_error,
)

MILLISECOND = 1_000_000
#: of the drives and their interpolation, after the ramp of a stop [s]
SETTLING = 0.15
AT_REST = 1e-4  # [rad/s]
IDEAL = "facility.imperfections=false"
STILL = ("servicer.motion=free", "servicer.linear_velocity_m_s=[0,0,0]", "servicer.angular_velocity_deg_s=[0,0,0]")
PUSH = "external_wrenches=[{on: client, start_s: 1, duration_s: 0.5, force_N: [-62, 0, 10], point_m: [2.9, 0.2, 0]}]"


def tumble(rate: float) -> str:
    return f"client.angular_velocity_deg_s=[0,{-rate:g},0]"


def facility(*overrides):
    return load("envisat_unforced_facility", list(overrides))


def table_and_run(*overrides):
    scenario = facility(*overrides)
    table = assemble(scenario)
    return table, run(table, scenario.duration_ns)


def without_robots(*overrides):
    """The same scenario with `facility: none`, the servicer's mock-up in the same attitude."""
    return table_and_run("facility.kind=none", "laboratory.base_attitude_rpy_deg=[0,0,180]", *overrides)[1]


def thinned(recording, signal, like):
    """A signal at the rate at which another run has it, if that is slower."""
    return recording[signal][:: max(1, len(recording[signal]) // len(like[signal]))]


def largest_difference(first, second, signal, rows=slice(None)):
    a, b = thinned(first, signal, second), thinned(second, signal, first)
    if a.ndim == 3 and a.shape[-1] == 19:  # motion over a step: its start
        a, b = a[:, 0], b[:, 0]
    return np.abs(a[..., rows] - b[..., rows]).max()


# ---- where it starts ----


def test_start_postures_put_the_mock_ups_where_the_scenario_has_them():
    world = World(facility())
    robots = Robots(world)
    grasp_point = robots.client().pose(robots.client_posture[0])
    mount = robots.servicer().pose(robots.servicer_posture[0])
    assert position_error(grasp_point, world.scenario.laboratory.grasp_point.pose) < 1e-12
    wanted = robots.pose_grasp_point_in_client.actInv(
        world.scenario.servicer.pose_in_client * robots.pose_mount_in_base
    )
    assert position_error(grasp_point.actInv(mount), wanted) < 1e-12
    assert orientation_error(grasp_point.actInv(mount), wanted) < 1e-12


def test_beside_its_own_nominal_everything_starts_at_rest():
    robots = Robots(World(facility()))
    assert_allclose(robots.client_posture[1:], 0.0, atol=1e-12)
    assert_allclose(robots.servicer_posture[1:], 0.0, atol=1e-12)


@pytest.mark.parametrize("rate", [1.0, 2.5, 8.0])
def test_beside_a_fixed_nominal_the_robots_start_with_the_bodies_velocities(rate):
    """The absolute formulation: V_c(0) = V_t(0)."""
    world = World(facility("nominal.kind=fixed", tumble(rate)))
    robots = Robots(world)

    def twist_of_body(robot: RobotModel, posture: np.ndarray, pose_carried_in_body: pin.SE3) -> pin.Motion:
        return pose_carried_in_body.act(robot.twist(posture[0], posture[1]))

    client = twist_of_body(robots.client(), robots.client_posture, robots.pose_grasp_point_in_client)
    servicer = twist_of_body(robots.servicer(), robots.servicer_posture, robots.pose_mount_in_base)
    assert_allclose(client.vector, [0, 0, 0, 0, -np.radians(rate), 0], atol=1e-12)
    assert_allclose(servicer.vector, world.scenario.twist_servicer.vector, atol=1e-12)
    assert np.linalg.norm(servicer.linear) == pytest.approx(4.8 * np.radians(rate))


@pytest.mark.parametrize("nominal", ["unforced", "fixed"])
def test_the_first_measurement_is_the_start(nominal):
    overrides = "duration_s=0.004", IDEAL, f"nominal.kind={nominal}"
    world = World(facility(*overrides))
    _, recording = table_and_run(*overrides)
    for signal, start in (("client/measured", world.client_start), ("servicer/measured", world.servicer_start)):
        measured = MotionSample(recording[signal][0])
        assert position_error(measured.pose, start.pose) < 1e-12
        assert orientation_error(measured.pose, start.pose) < 1e-12
        assert_allclose(measured.twist.vector, start.twist.vector, atol=1e-12)


def test_robots_without_lag_go_on_moving_without_a_bump():
    _, recording = table_and_run("duration_s=0.4", IDEAL, "nominal.kind=fixed", tumble(2.5))
    for body in ("client", "servicer"):
        measured, commanded = recording[f"{body}/measured"], recording[f"{body}/commanded"][:, 0]
        assert_allclose(measured[:, :7], commanded[:, :7], atol=1e-9)
        assert np.abs(measured[:, 13:]).max() < 0.02  # 4.8 m (2.5 deg/s)^2 is 0.009 m/s^2


# ---- against no robots at all ----


@pytest.fixture(scope="module")
def ideal():
    return table_and_run("duration_s=2", IDEAL)[1]


@pytest.fixture(scope="module")
def none():
    return without_robots("duration_s=2")


def test_without_errors_the_client_is_that_of_a_facility_without_robots(ideal, none):
    """Nothing acts on it: what is left is the round-off of two robots' kinematics."""
    assert largest_difference(ideal, none, "client/simulated") == 0.0
    assert largest_difference(ideal, none, "client/measured", slice(0, 7)) < 1e-12
    assert largest_difference(ideal, none, "client/absolute", slice(0, 13)) < 1e-10


def test_without_errors_servicer_and_arm_are_nearly_those_of_a_facility_without_robots(ideal, none):
    """Expected: differences in proportion to the arm's cycle, because here nobody knows accelerations.

    They are differences of measured rates, half a cycle late, and that changes the feed-forward by 1e-4 N m.
    """
    assert 0.0 < largest_difference(ideal, none, "servicer/simulated", slice(0, 7)) < 2e-8
    assert largest_difference(ideal, none, "servicer/measured", slice(0, 7)) < 2e-8
    assert np.abs(ideal["arm/joints"][:, 0] - none["arm/joints"][:, 0]).max() < 1e-5
    assert np.abs(ideal["arm/torque"] - none["arm/torque"])[100:].max() < 5e-4


def test_that_difference_shrinks_with_the_arm_s_cycle(ideal, none):
    slow = "duration_s=2", "rates_ms.arm=4"
    coarse = table_and_run(IDEAL, *slow)[1], without_robots(*slow)
    fine = ideal, none
    errors = [np.abs(a["arm/joints"][:, 0] - b["arm/joints"][:, 0]).max() for a, b in (coarse, fine)]
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_a_push_on_the_client_comes_through_the_sensor_as_it_is():
    """Through weight, inertia and kinematics of the mock-up, without filter and gate.

    Not compared is the servicer: a sensor cannot tell a push from outside from the gripper's contact
    (Assumption 3), so the servicer gets the reaction.
    """
    open_chain = "laboratory.wrench.filter_Hz=0", "laboratory.wrench.gate_N=0", "laboratory.wrench.gate_N_m=0"
    _, sim = table_and_run("duration_s=2", IDEAL, PUSH, *open_chain, "laboratory.wrench.start_tare_s=0")
    perfect = without_robots("duration_s=2", PUSH)
    impulse, wanted = 0.004 * sim["client/wrench"].sum(axis=0), 0.001 * perfect["client/wrench"].sum(axis=0)
    assert_allclose(impulse, wanted, atol=1e-3)
    moved = np.abs(perfect["client/commanded"][-1, 0, :3]).max()
    assert moved > 2e-3
    assert largest_difference(sim, perfect, "client/simulated", slice(0, 3)) < 1e-3 * moved


# ---- determinism ----


@pytest.fixture(scope="module")
def seeded():
    return [table_and_run("duration_s=1", f"seed={seed}")[1] for seed in (3, 3, 4)]


def test_the_same_seed_gives_the_same_bits(seeded):
    first, again, _ = seeded
    for name in first.signals:
        assert first[name].tobytes() == again[name].tobytes(), name


def test_another_seed_changes_the_noise_and_nothing_behind_the_gate(seeded):
    first, _, other = seeded
    assert not np.array_equal(first["client_robot/ft_broadcaster/wrench"], other["client_robot/ft_broadcaster/wrench"])
    for name in ("client/wrench", "client_robot/joint_states", "servicer/simulated", "arm/command"):
        assert first[name].tobytes() == other[name].tobytes(), name


# ---- a stop ----


@pytest.fixture(scope="module")
def stopped():
    """The absolute formulation, the servicer standing still: the grasp point leaves the client robot's reach."""
    return table_and_run("duration_s=4.4", "nominal.kind=fixed", tumble(8.0), *STILL)


def stop_tick(recording) -> int:
    return int(np.flatnonzero(recording["safety/state"][:, 0] == 0.0)[0])


def test_the_absolute_formulation_leaves_the_client_robot_s_workspace(stopped):
    table, recording = stopped
    sentence = table["safety_supervisor"].act._state.output.sentence
    assert sentence.startswith("client_robot cannot follow to x 1.")
    assert f"since {0.004 * stop_tick(recording):.3f} s" in sentence and "physically valid until" in sentence
    assert 8.0 * 0.004 * stop_tick(recording) > 20.0  # after so many degrees


def test_a_stop_latches_and_both_robots_come_to_rest(stopped):
    _, recording = stopped
    tick = stop_tick(recording)
    assert not recording["safety/state"][tick:].any()
    rest = tick + round((0.5 + SETTLING) / 0.004)
    for robot in ("client_robot", "servicer_robot"):
        speed = np.abs(recording[f"{robot}/joint_states"][:, 1]).max(axis=1)
        assert speed[rest:].max() < AT_REST
    assert np.abs(recording["client_robot/joint_states"][tick, 1]).max() > 0.1  # it did move


def test_the_ramp_keeps_joint_limits(stopped):
    _, recording = stopped
    robot = Robots(World(facility())).client()
    joints = recording["client_robot/joint_states"]
    assert (joints[:, 0] > robot.lower).all() and (joints[:, 0] < robot.upper).all()
    assert (np.abs(joints[:, 1]) <= robot.velocity_limits).all()


def test_the_arm_is_calmed_and_does_not_fall(stopped):
    _, recording = stopped
    tick = 4 * stop_tick(recording)
    arm = recording["arm/joint_states"][tick:]
    assert np.abs(arm[:, 1]).max() < 0.01 and np.abs(arm[-1, 1]).max() < AT_REST
    assert np.abs(arm[:, 0] - arm[0, 0]).max() < 0.01


def test_reset_never_resumes():
    table, recording = table_and_run("duration_s=1.2", "safety.speed_m_s=3e-4")
    supervisor, commander = table["safety_supervisor"].act, table["client_robot_commander"].act
    assert recording["safety/state"][0] and not recording["safety/state"][-1]
    nothing = [None] * len(table["safety_supervisor"].inputs)
    assert supervisor.reset() == "waiting: home the robots, then arm"
    with pytest.raises(ValueError, match="there is no stop to reset: the supervisor is waiting"):
        supervisor.reset()
    (safety,) = supervisor(10_000 * MILLISECOND, *nothing)
    assert not safety.enabled and safety.sentence.startswith("waiting to be armed")
    assert commander.reset() == "waiting for a new start"
    assert supervisor.arm() == "armed"  # where everything has to hold again: simulated and measured poses have parted


def test_arming_and_resetting_a_running_supervisor_is_refused():
    table, recording = table_and_run("duration_s=0.02")
    supervisor, commander = table["safety_supervisor"].act, table["client_robot_commander"].act
    assert recording["safety/state"].all()
    with pytest.raises(ValueError, match="the supervisor is enabled"):
        supervisor.reset()
    with pytest.raises(ValueError, match="it is enabled"):
        supervisor.arm()
    with pytest.raises(ValueError, match="the commander is following"):
        commander.reset()


# ---- what a device does when nobody tells it anything ----


def test_an_arm_that_is_told_nothing_more_holds_itself_and_gives_way():
    scenario = facility()
    plant = assemble(scenario)["facility_sim"].act
    robots = Robots(World(scenario))
    client, servicer, effort = robots.client_posture[0], robots.servicer_posture[0], np.zeros(7)
    speeds = []
    for stamp in range(0, 800 * MILLISECOND, MILLISECOND):  # the same objects: told once
        *_, arm = plant(stamp, client, servicer, effort)
        speeds.append(np.abs(arm.velocity).max())
    falling = ARM_TIMEOUT // MILLISECOND
    assert speeds[falling] > 0.05  # without torque it falls
    assert max(speeds[falling + 10 :]) < 2.0 * speeds[falling]
    assert speeds[-1] < 0.01 * speeds[falling]


# ---- data too old to act on ----


@pytest.mark.parametrize("late", ["client/commanded", "safety/state", "client_robot/joint_states"])
def test_a_robot_commander_stops_on_old_data(late):
    scenario = facility("duration_s=0.2")
    table = assemble(scenario)
    recording = run(table, scenario.duration_ns)
    stage = table["client_robot_commander"]
    commander, age = stage.act, scenario.safety.data_age_ns + MILLISECOND
    stamp = scenario.duration_ns
    values = {
        "client/commanded": MotionPoints(recording["client/commanded"][-1]),
        "safety/state": ENABLED,
        "client_robot/joint_states": JointReading(recording["client_robot/joint_states"][-1]),
    }
    inputs = [values[name] for name in stage.inputs]
    commander(stamp, *inputs, stamps=[stamp] * 3)
    assert commander.sentence == ""
    commander(stamp, *inputs, stamps=[stamp - age if name == late else stamp for name in stage.inputs])
    assert commander.sentence == f"{late} is 21 ms old, limit 20 ms."


# ---- stability, live ----


def test_stability_is_told_while_the_run_goes_on_and_is_what_the_recording_gives():
    scenario = facility("duration_s=1.3", PUSH)
    recording = run(assemble(scenario), scenario.duration_ns)
    assert np.all(np.diff(recording.stamps(signals.STABILITY)) == 20 * MILLISECOND)
    live, later = watched(recording), worked_out(World(scenario), recording)
    for told, again in zip(live[:-1], later[:-1]):
        assert np.array_equal(told, again[::5])
    assert_allclose(live.brought_in, later.brought_in[::5], rtol=1e-9, atol=1e-15)
    assert np.abs(live.in_laboratory).max() > 1e-3  # the push was felt


def test_the_nominal_of_the_tick_before_is_as_good_as_this_one_s():
    """In real time this tick's may still be under way."""
    scenario = facility("duration_s=0.06", tumble(2.5))
    recording = run(assemble(scenario), scenario.duration_ns)
    inputs = [
        pin.Force(recording[signals.CLIENT_ROBOT_SENSOR][10]),
        MotionSample(recording[signals.CLIENT_MEASURED][10]),
        MotionSample(recording[signals.SERVICER_MEASURED][10]),
        JointSample(recording[signals.ARM_JOINTS][40]),
    ]
    stamp, told = 40 * MILLISECOND, []
    for row in (10, 9):
        stage = assemble(scenario)["wrench_chain"]
        nominal, at = MotionPoints(recording[signals.NOMINAL][row]), row * 4 * MILLISECOND
        stamps = [at if name == signals.NOMINAL else stamp for name in stage.inputs]
        told.append(stage.act(stamp, *inputs, nominal, stamps=stamps)[2])
    assert_allclose(told[0], told[1], rtol=1e-12)
    assert not np.allclose(told[0], stage.act(stamp, *inputs, nominal)[2], rtol=1e-9)  # taken for this tick's: wrong


@pytest.mark.parametrize(("dynamics", "period"), [(1, 20), (4, 20), (3, 18), (25, 25)])
def test_stability_is_told_about_every_twenty_milliseconds(dynamics, period):
    table = assemble(facility(f"rates_ms.dynamics={dynamics}", "duration_s=0.3"))
    assert table.every(signals.STABILITY) == period * MILLISECOND


def test_without_robots_nobody_tells_stability():
    assert signals.STABILITY not in assemble(facility("facility.kind=none")).producers


def test_a_tare_is_a_request_to_the_wrench_chain():
    table, _ = table_and_run("duration_s=1.2")
    assert table["wrench_chain"].act.requests["tare"]() == "the mean of the last second is the new zero"


def test_every_signal_of_the_devices_has_its_rate():
    table = assemble(facility())
    assert table.every(signals.ARM_JOINT_STATES) == MILLISECOND
    assert table.every(signals.CLIENT_ROBOT_JOINTS) == table.every(signals.SERVICER_ROBOT_SENSOR) == 4 * MILLISECOND
    assert len(table.stages) == 15
