"""Recordings of real runs: every message, bit for bit, whoever records and however the run ends."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rclpy.serialization import deserialize_message

from hil_relative_dynamics.bag.reader import Bag, find_bag
from hil_relative_dynamics.commands.execution import Execution
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.ros.bring_up import joint_names
from hil_relative_dynamics.ros.message_definitions import definition, type_name
from hil_relative_dynamics.ros.recorder_node import Progress
from hil_relative_dynamics.ros.replay import Replay
from hil_relative_dynamics.ros.signal_wires import SignalWires
from hil_relative_dynamics.scenario import load

TWO_RATES = ["duration_s=0.4", "rates_ms.dynamics=4", "external_wrenches.0.start_s=0.1"]


def silent(_: int) -> None:
    pass


def recorded_run(folder: Path, mode: str, overrides: list[str] = TWO_RATES, topics: str = "all") -> Bag:
    scenario = load("envisat_pulses", overrides)
    execution = Execution(scenario, assemble(scenario), folder, mode, topics)
    execution.run(silent)
    assert execution.facts["recording"]["lost"] == {} and not execution.facts["recording"]["error"]
    return Bag(find_bag(folder))


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Bag:
    return recorded_run(tmp_path_factory.mktemp("offline"), "offline")


@pytest.fixture(scope="module")
def lockstep(tmp_path_factory: pytest.TempPathFactory) -> Bag:
    return recorded_run(tmp_path_factory.mktemp("lockstep"), "lockstep")


@pytest.fixture(scope="module")
def truth():
    scenario = load("envisat_pulses", TWO_RATES)
    return run(assemble(scenario), scenario.duration_ns)


@pytest.mark.parametrize("mode", ["offline", "lockstep"])
def test_every_value_of_every_signal_is_in_it(mode, truth, request):
    bag = request.getfixturevalue(mode)
    replay = Replay(bag, load("envisat_pulses", TWO_RATES))
    assert set(replay.recording.signals) == set(truth.signals) and not replay.thinned and not replay.refused
    for name in truth.signals:
        assert bag.counts()[f"/{name}"] == len(truth[name])
        assert replay.recording.stamps(name).tolist() == truth.stamps(name).tolist()
        assert replay.recording[name].tobytes() == truth[name].tobytes(), name
    assert np.any(truth[signals.CLIENT_WRENCH])


def test_replaying_it_through_the_mapping_gives_the_recorded_states(lockstep):
    """(23): nominal times measured is absolute, from the recorded messages alone and to the last bit."""
    scenario = load("envisat_pulses", TWO_RATES)
    table = assemble(scenario)
    wires = SignalWires(table, joint_names(scenario))
    stage = table["relative_mapping"]
    read = {name: wires.make(name).read for name in (*stage.inputs, *stage.outputs)}
    heard: dict[str, dict] = {name: {} for name in read}
    for message in lockstep.messages([f"/{name}" for name in read]):
        name = message.topic.lstrip("/")
        stamp, value = read[name](message.data)
        heard[name][stamp] = value
    assert len(heard[stage.outputs[0]]) == 100
    for stamp in heard[stage.outputs[0]]:
        inputs = [track[max(time for time in track if time <= stamp)] for track in map(heard.get, stage.inputs)]
        for name, value in zip(stage.outputs, stage.act(stamp, *inputs)):
            assert value.array.tobytes() == heard[name][stamp].array.tobytes()


def test_rosbags_reads_every_message_as_rclpy_does(lockstep):
    highlevel = pytest.importorskip("rosbags.highlevel")
    scenario = load("envisat_pulses", TWO_RATES)
    wires = SignalWires(assemble(scenario), joint_names(scenario))
    with highlevel.AnyReader([lockstep.path.parent]) as reader:
        seen = set()
        for connection, _, raw in reader.messages():
            name = connection.topic.lstrip("/")
            if name not in signals.KINDS or name in seen:
                continue
            seen.add(name)
            theirs = reader.deserialize(raw, connection.msgtype)
            ours = deserialize_message(raw, wires.make(name).message_type)
            assert same(theirs, ours), name
        assert len(seen) == 18


def same(theirs, ours) -> bool:
    if hasattr(ours, "get_fields_and_field_types"):
        return all(same(getattr(theirs, name), getattr(ours, name)) for name in ours.get_fields_and_field_types())
    if isinstance(ours, (str, bytes, int, float)):
        return theirs == (ours[0] if isinstance(ours, bytes) else ours)
    return len(theirs) == len(ours) and all(map(same, theirs, ours))


def test_what_the_run_is_stands_in_it(lockstep):
    assert lockstep.facts["scenario"] == "envisat_pulses" and lockstep.facts["mode"] == "lockstep"
    assert len(lockstep.facts["configuration_hash"]) == 64 and "version numpy" in lockstep.facts
    assert b"duration_s: 0.4" in lockstep.attachments["scenario.yaml"]
    assert "/clock" in lockstep.types  # heard, not a signal


def test_a_list_of_topics(tmp_path):
    bag = recorded_run(tmp_path, "lockstep", ["duration_s=0.05"], "nominal, /client/wrench")
    assert bag.counts() == {"/nominal": 50, "/client/wrench": 50}


def test_a_run_that_does_not_begin_leaves_nothing(tmp_path):
    scenario = load("envisat_pulses", ["duration_s=0.05"])
    execution = Execution(scenario, assemble(scenario), tmp_path, "offline", "all")
    execution.recorder.track = lambda signal: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        execution.run(silent)
    assert not list(tmp_path.iterdir())


def test_definitions_of_odd_types():
    from shape_msgs.msg import SolidPrimitive
    from std_msgs.msg import Empty, Float64MultiArray

    assert type_name(Empty) == "std_msgs/msg/Empty" and definition(Empty) == "\n"
    assert "float64[<=3] dimensions" in definition(SolidPrimitive)
    assert definition(Float64MultiArray).count("MSG: std_msgs/MultiArrayDimension") == 1


def test_progress_is_that_of_the_slowest_topic():
    progress = Progress({"fast": 1, "slow": 4}, tick=1)
    assert progress.reached("fast", 0) is None and progress.reached("slow", 0) == 0
    told = [progress.reached("fast", stamp) for stamp in range(1, 40)]
    assert set(told) == {None}  # the other one is silent
    assert progress.missing("slow", 4) == 0 and progress.missing("slow", 12) == 2
    told = [progress.reached("slow", stamp) for stamp in range(4, 40, 4)]
    assert told.index(27) == 5  # 24 + 4 - 1: all up to there has come


def process(module: str, *parameters: str, **options) -> subprocess.Popen:
    call = f"import sys; from {module} import main; sys.exit(main())"
    words = [word for parameter in parameters for word in ("-p", parameter)]
    return subprocess.Popen([sys.executable, "-c", call, "--ros-args", *words], **options)


def test_a_recorder_in_another_process_loses_nothing_in_lockstep(tmp_path):
    common = "scenario:=envisat_pulses", "overrides:=['duration_s=0.5']", "lockstep:=true"
    folder = tmp_path / "recording"
    recorder = process("hil_relative_dynamics.nodes.recorder", *common, f"record_to:={folder}")
    try:
        facility = process("hil_relative_dynamics.nodes.facility", *common, "await_recorder:=true")
        assert facility.wait(60) == 0
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait(30) == 0
    finally:
        recorder.kill()
    bag = Bag(find_bag(folder))
    assert bag.complete and bag.lost == {}
    names = assemble(load("envisat_pulses")).producers
    assert {name: bag.counts()[f"/{name}"] for name in names} == dict.fromkeys(names, 500)


def test_a_folder_that_exists_is_refused(tmp_path):
    recorder = process("hil_relative_dynamics.nodes.recorder", f"record_to:={tmp_path}", stderr=subprocess.PIPE)
    _, told = recorder.communicate(timeout=30)
    assert recorder.returncode == 2 and b"exists already: a recording needs a folder of its own" in told


def test_killed_in_mid_run_it_leaves_a_readable_recording_and_a_report_that_says_so(tmp_path):
    hil = [sys.executable, "-m", "hil_relative_dynamics.cli"]
    words = ["run", "envisat_pulses", "--mode", "lockstep", "--set", "rates_ms.dynamics=4", "--out", str(tmp_path)]
    facility = subprocess.Popen([*hil, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60.0
        while not (found := list(tmp_path.glob("*/recording/*.mcap"))) or found[0].stat().st_size < 400_000:
            assert time.monotonic() < end and facility.poll() is None
            time.sleep(0.02)
    finally:
        facility.kill()
        facility.wait()
    (folder,) = tmp_path.iterdir()
    assert not (folder / "summary.json").exists() and not Bag(found[0]).complete
    done = subprocess.run([*hil, "report", str(folder)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "broke off and was mended" in done.stderr and "its process ended before the run did" in done.stdout
    told = json.loads((folder / "summary.json").read_text())
    assert told["passed"] is False and told["simulated_s"] > 0.1 and told["mode"] == "lockstep"
    page = (folder / "report.html").read_text()
    assert "its process ended before the run did" in page and "not passed" in page
    assert Bag(found[0]).complete and (folder / "relative_position.png").exists()
    if "ROS_DISTRO" in os.environ:
        subprocess.run(["ros2", "bag", "info", str(folder / "recording")], check=True, timeout=60)
