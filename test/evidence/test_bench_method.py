"""`hil bench method`: what it reports, that it compares like with like, and the limit that it keeps."""
import json
import os
import sys

import numpy as np
import pytest

from hil_relative_dynamics.evidence import bench

pytest.importorskip("mujoco")
from hil_relative_dynamics.evidence import bench_method

BLOCKS = {"nominal", "mapping", "client", "servicer", "servicer_acceleration_form", "arm_feedforward"}


@pytest.fixture(scope="module")
def result() -> dict:
    return bench.run("method")


def test_a_tick_costs_at_most_six_mujoco_steps(result):
    assert 0.0 < result["ratio_to_mujoco_rk4"] <= 6.0


def test_the_report_holds_times_of_the_whole_and_of_every_block(result):
    for key in ("tick_us", "tick_acceleration_form_us", "mujoco_rk4_us", "mujoco_rk4_without_contact_us"):
        assert 0.0 < result[key] < 1e5
    assert set(result["blocks_us"]) == BLOCKS
    assert all(0.0 < time < result["tick_acceleration_form_us"] for time in result["blocks_us"].values())


def test_the_report_holds_chains_of_several_lengths(result):
    assert [row["joints"] for row in result["joints"]] == [6, 7, 12, 24]
    for row in result["joints"]:
        assert set(row) == {"joints", "tick_us", "mujoco_rk4_us", "ratio"}
        assert row["ratio"] == pytest.approx(row["tick_us"] / row["mujoco_rk4_us"], rel=0.5)


def test_the_report_names_the_machine_and_is_json(result):
    assert set(result["machine"]) == {"cpu", "cores", "python"}
    assert result["machine"]["cpu"]
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("joints", bench_method.JOINT_COUNTS)
def test_both_sides_run_the_same_chain(joints):
    urdf = bench_method.chain_urdf(joints)
    mujoco_model = bench_method.MujocoStep(urdf).model
    servicer = bench_method.Tick(urdf, momentum_form=True).servicer.servicer
    assert servicer.joint_count == mujoco_model.nv - 6 == joints
    assert mujoco_model.body_mass.sum() == pytest.approx(servicer.mass, rel=1e-12)


def test_nothing_touches_and_no_joint_is_at_its_limit_in_a_batch_of_mujoco():
    step = bench_method.MujocoStep(bench_method._servicer_urdf())
    step.start()
    for _ in range(40):
        step()
        assert step.data.ncon == 0
        assert step.data.nefc == 0
    assert np.all(step.data.qvel != 0.0)


def test_every_batch_starts_from_the_same_state():
    tick = bench_method.Tick(bench_method.chain_urdf(6), momentum_form=True)
    torques = []
    for _ in range(2):
        tick.start()
        torques.append([tick()[2].total for _ in range(3)])
    np.testing.assert_array_equal(torques[0], torques[1])
    assert np.any(torques[0][0] != torques[0][2])


def test_an_unknown_group_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^there is no bench 'speed', only method"):
        bench.run("speed")


def test_without_mujoco_the_bench_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.delitem(sys.modules, bench_method.__name__)
    with pytest.raises(ImportError, match="MuJoCo, which is not installed: pip install mujoco"):
        bench.run("method")


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux binds threads to cores")
def test_the_core_is_given_back():
    before = os.sched_getaffinity(0)
    with pytest.raises(ZeroDivisionError), bench._one_core():
        assert len(os.sched_getaffinity(0)) == 1
        raise ZeroDivisionError
    assert os.sched_getaffinity(0) == before
