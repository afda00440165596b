"""On-board software whose sensors fall silent, or that is told to hold, gives up with a sentence."""
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.scenario import load

TIMELINE = "onboard.capture.timeline"


def phase_after(*overrides):
    scenario = load("envisat_capture", ["facility.kind=none", *overrides])
    table = assemble(scenario)
    recording = run(table, scenario.duration_ns, Recorder(table, scenario.duration_ns, [signals.SERVICER_THRUST]))
    (software,) = (stage.act for stage in table if stage.name == "onboard_software")
    return software.phase, recording[signals.SERVICER_THRUST]


def test_a_camera_that_is_lost():
    phase, _ = phase_after("duration_s=2", "sensors.relative_pose.lost_from_s=0.6", f"{TIMELINE}.sensor_timeout_s=0.8")
    assert phase == "abort: the relative pose was lost: the last one is 0.8 s old, allowed 0.8 s."


@pytest.mark.parametrize(
    ("sensor", "name"), [("star_tracker", "the star tracker"), ("relative_pose", "the relative pose")]
)
def test_a_sensor_that_never_speaks(sensor, name):
    phase, thrust = phase_after(
        "duration_s=1", f"sensors.{sensor}.lost_from_s=0", f"{TIMELINE}.synchronise_timeout_s=0.8"
    )
    assert phase == f"abort: no measurement of {name} by 0.8 s."
    assert not thrust.any()


def test_a_star_tracker_that_is_lost_later_is_bridged_by_the_gyro():
    phase, _ = phase_after("duration_s=2", "sensors.star_tracker.lost_from_s=0.6", f"{TIMELINE}.sensor_timeout_s=0.8")
    assert phase == "synchronise"


def test_an_operator_asks_to_hold():
    scenario = load("envisat_capture", ["facility.kind=none", "duration_s=0.8"])
    table = assemble(scenario)
    (software,) = (stage.act for stage in table if stage.name == "onboard_software")
    assert software.requests["hold"]() == "keeps station from the next step on"
    run(table, scenario.duration_ns, Recorder(table, scenario.duration_ns, [signals.SERVICER_THRUST]))
    assert software.phase == "abort: the operator asked to hold."
    with pytest.raises(ValueError, match="there is nothing to hold: abort"):
        software.requests["hold"]()
