"""The overview figure is drawn, also of runs that look unlike the usual."""
from __future__ import annotations

from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.evidence.figures import overview
from hil_relative_dynamics.evidence.measure import measure
from hil_relative_dynamics.scenario import load

DIVERGES = [
    "onboard={kind: scripted, stiffness_N_m_rad: 1e9, damping_N_m_s_rad: 1e9}",
    "servicer.joint_rates_deg_s=[1,1,1,1,1,1,1]",
]


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("envisat_pulses", ["duration_s=0.2", "rates_ms.dynamics=4"]),
        ("envisat_unforced", ["duration_s=0.001"]),
        ("envisat_unforced", ["duration_s=0.1", *DIVERGES]),
    ],
    ids=["two rates", "one tick", "diverged"],
)
def test_overview(name: str, overrides: list[str], tmp_path: Path) -> None:
    scenario = load(name, overrides)
    recording = run(assemble(scenario), scenario.duration_ns)
    path = tmp_path / "overview.png"
    with np.errstate(all="ignore"):
        overview(path, scenario, recording, measure(World(scenario), recording))
    image = matplotlib.image.imread(path)
    assert image.shape[0] > 1000 and image.shape[1] > 1000
    assert image[..., :3].std() > 0.05  # not an empty page
    assert path.stat().st_size < 600_000
