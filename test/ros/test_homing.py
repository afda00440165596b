"""Simulated robots that stand elsewhere come to their start before time begins, over the stock controllers' topics."""
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.facility.homing import TOLERANCE
from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.ros.container import Container, RunFailed
from hil_relative_dynamics.ros.trajectory import read_trajectory, write_trajectory
from hil_relative_dynamics.ros.wire import BadMessage
from hil_relative_dynamics.scenario import load

STANDS = [
    "facility.client_robot.start_deg=[2,-79,106,0,-28,1]",
    "facility.servicer_robot.start_deg=[-2,-80,107,0,-28,0]",
]
NAMES = ["a", "b"]


@pytest.fixture
def container():
    made = []

    def make(*arguments, **options):
        made.append(Container(*arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_after_homing_lockstep_and_offline_agree_to_the_last_bit(container):
    scenario = load("envisat_unforced_facility", ["duration_s=0.5", *STANDS])
    lockstep = container(scenario, lockstep=True)
    lockstep.run()
    offline = run(assemble(scenario), scenario.duration_ns)
    recording = lockstep.recorder.recording()
    assert set(recording.signals) == set(offline.signals)
    for name in offline.signals:
        assert recording[name].tobytes() == offline[name].tobytes(), name
    assert lockstep.time.origin > 0


def test_in_real_time_homing_takes_its_time_and_the_run_starts_at_the_start(container):
    limits = ["safety.data_age_ms=off", "safety.stamp_gap_ms=off"]  # a busy machine is not what is tested
    scenario = load("envisat_unforced_facility", ["duration_s=0.5", *STANDS, *limits])
    composed = container(scenario, lockstep=False)
    composed.run()
    recording = composed.recorder.recording()
    for robot, posture in Robots(World(scenario)).postures.items():
        np.testing.assert_allclose(recording[f"{robot}/joint_states"][0, 0], posture, atol=TOLERANCE)
    assert composed.time.origin > 2_000_000_000
    assert recording["safety/state"].all()


def test_a_way_that_is_not_clear_is_refused_before_anything_moves(container):
    scenario = load("envisat_unforced_facility", ["facility.client_robot.start_deg=[0,-60,60,0,0,0]"])
    composed = container(scenario, lockstep=True)
    with pytest.raises(RunFailed, match="client_robot cannot be homed: on its straight way"):
        composed.run()
    assert composed.plant.stage.act.elapsed == 0


def test_a_robot_that_does_not_arrive_ends_the_bring_up_with_a_sentence(container, monkeypatch):
    scenario = load("envisat_unforced_facility", STANDS)
    composed = container(scenario, lockstep=True)
    monkeypatch.setattr("hil_relative_dynamics.ros.homing.SILENCE", 1.0)
    monkeypatch.setattr(composed.plant.stage.act, "follow", lambda *_: None)
    with pytest.raises(RunFailed, match=r"client_robot did not arrive: .* joint \d of client_robot is .* deg off"):
        composed.run()


def test_one_process_per_node_waits_for_the_homing():
    overrides = ["duration_s=1", "rates_ms.arm=10", "rates_ms.dynamics=20", *STANDS]
    overrides += ["safety.data_age_ms=off", "safety.stamp_gap_ms=off"]
    blocks = [(stage.name, stage.moves_hardware) for stage in assemble(load("envisat_unforced_facility", overrides))]
    processes = {name: _start(name, moves, overrides) for name, moves in blocks}
    try:
        assert processes["facility_sim"].wait(timeout=120) == 0
    finally:
        for process in processes.values():
            process.send_signal(signal.SIGINT)
    for name, process in processes.items():
        assert process.wait(timeout=10) == 0, name


def _start(name, moves_hardware, overrides):
    call = f"run_stage('{name}', {moves_hardware})"
    code = f"import sys; from hil_relative_dynamics.ros.standalone import run_stage; sys.exit({call})"
    listed = "[" + ",".join(f"'{override}'" for override in overrides) + "]"
    arguments = ["--ros-args", "-p", "scenario:=envisat_unforced_facility", "-p", f"overrides:={listed}"]
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=os.environ.copy())


def test_trajectories_cross_the_wire_bit_for_bit_in_any_order_of_joints():
    rng = np.random.default_rng(0)
    trajectory = JointTrajectory((5, 1_500_000_007), *rng.standard_normal((3, 2, 2)))
    read = read_trajectory(write_trajectory(trajectory, NAMES), NAMES[::-1])
    assert read.times == trajectory.times
    for name in ("positions", "velocities", "accelerations"):
        assert getattr(read, name)[:, ::-1].tobytes() == getattr(trajectory, name).tobytes()


@pytest.mark.parametrize(
    "change, why",
    [
        ({"joint_names": ["a", "c"]}, "joints a, c instead of a, b"),
        ({"points": []}, "points without positions"),
        ({"points": [JointTrajectoryPoint(positions=[1.0])]}, "positions of another number than 2"),
        ({"points": [JointTrajectoryPoint(positions=[1.0, float("nan")])]}, "rows of numbers"),
    ],
)
def test_a_trajectory_that_does_not_fit_is_refused(change, why):
    message = write_trajectory(JointTrajectory((1,), np.zeros((1, 2))), NAMES)
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(BadMessage, match=why):
        read_trajectory(message, NAMES)
