"""A run folder to look at, made once."""
import pytest

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.evidence.run_folder import write_summary
from hil_relative_dynamics.scenario import load


def make_run(folder, name, seconds, *overrides):
    folder.mkdir()
    scenario = load(name, [f"duration_s={seconds}", *overrides])
    recording = run(assemble(scenario), scenario.duration_ns)
    write_summary(folder, scenario, [], {"onboard": "synchronise", "safety": ""})
    recording.thinned(10_000_000).save(folder / "signals.npz")
    return folder


@pytest.fixture(scope="session")
def capture(tmp_path_factory):
    """The first two seconds of a capture: robots, phases, everything."""
    return make_run(tmp_path_factory.mktemp("runs") / "capture", "envisat_capture", 2)


@pytest.fixture(scope="session")
def unforced(tmp_path_factory):
    """No robots, no on-board software."""
    return make_run(tmp_path_factory.mktemp("runs") / "unforced", "envisat_unforced", 0.5)
