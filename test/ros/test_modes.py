"""One scenario, three ways to run: offline, in lockstep and in real time, with real nodes over DDS."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.ros.container import Container, RunFailed
from hil_relative_dynamics.scenario import load


@pytest.fixture
def container(request):
    made = []

    def make(*arguments, **options):
        made.append(Container(*arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("rates", [(), ("rates_ms.dynamics=4",)], ids=["1 ms", "1 and 4 ms"])
def test_lockstep_and_offline_agree_to_the_last_bit(container, rates):
    # from just before the first push to after the first thrust and arm move
    scenario = load("envisat_pulses", ["duration_s=6.2", "external_wrenches.0.start_s=5", *rates])
    lockstep = container(scenario, lockstep=True)
    lockstep.run()
    offline = run(assemble(scenario), scenario.duration_ns)
    recording = lockstep.recorder.recording()
    assert set(recording.signals) == set(offline.signals)
    for name in offline.signals:
        assert recording[name].tobytes() == offline[name].tobytes(), name
    assert np.any(offline["client/wrench"]) and np.any(offline["servicer/thrust"])


def test_real_time_keeps_the_clock_and_matches(container):
    scenario = load("envisat_pulses", ["duration_s=2", "rates_ms.arm=2", "rates_ms.dynamics=4"])
    composed = container(scenario, lockstep=False)
    begin = time.perf_counter()
    composed.run()
    assert time.perf_counter() - begin > 2.0
    recording = composed.recorder.recording()
    assert len(recording["nominal"]) == 500
    assert recording.stamps("client/commanded")[-1] == 1_996_000_000


def test_a_block_that_fails_ends_the_run_with_a_sentence(container):
    composed = container(load("envisat_unforced", ["duration_s=1"]), lockstep=True)
    runner = next(node.runner for node in composed.nodes if node.get_name() == "client_dynamics")

    def broken(*_):
        raise ZeroDivisionError("no mass left")

    object.__setattr__(runner.stage, "act", broken)
    with pytest.raises(RunFailed, match=r"client_dynamics failed at 0\.000 s: ZeroDivisionError: no mass left"):
        composed.run()


def test_no_answer_ends_the_run_and_names_what_is_missing(container, monkeypatch):
    composed = container(load("envisat_unforced", ["duration_s=1"]), lockstep=True)
    monkeypatch.setattr(type(composed.plant), "GIVE_UP", 200_000_000)
    silent = next(node.runner for node in composed.nodes if node.get_name() == "servicer_dynamics")
    silent.active = False
    with pytest.raises(RunFailed, match="servicer/commanded"):
        composed.run()


def test_a_second_facility_is_refused(container):
    scenario = load("envisat_unforced", ["duration_s=1"])
    container(scenario, lockstep=True)
    with pytest.raises(RunFailed, match="running already"):
        container(scenario, lockstep=True).run()


def test_one_process_per_node_at_100_hertz():
    overrides = "['duration_s=3','rates_ms.arm=10','rates_ms.dynamics=10']"
    blocks = [stage.name for stage in assemble(load("envisat_pulses", ["duration_s=1"]))]
    processes = {name: _start(name, "envisat_pulses", overrides) for name in blocks}
    try:
        assert processes["facility_sim"].wait(timeout=60) == 0
    finally:
        for process in processes.values():
            process.send_signal(signal.SIGINT)
    for name, process in processes.items():
        assert process.wait(timeout=10) == 0, name


def test_a_bad_scenario_ends_a_node_with_a_sentence():
    process = _start("client_dynamics", "no_such_scenario", "['']", stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "no_such_scenario" in errors and "Traceback" not in errors


def _start(name, scenario, overrides, **options):
    code = f"import sys; from hil_relative_dynamics.ros.standalone import run_stage; sys.exit(run_stage('{name}'))"
    arguments = ["--ros-args", "-p", f"scenario:={scenario}", "-p", f"overrides:={overrides}"]
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=os.environ.copy(), text=True, **options)
