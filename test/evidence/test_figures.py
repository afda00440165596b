"""Figures are drawn of every run that has the signals, also of runs that look unlike the usual."""
from __future__ import annotations

from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run as run_offline
from hil_relative_dynamics.evidence.conclude import conclude
from hil_relative_dynamics.evidence.figure_style import relative
from hil_relative_dynamics.evidence.figures import draw, drawn
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.evidence.traces import lateness
from hil_relative_dynamics.scenario import load

DIVERGES = [
    "onboard={kind: scripted, stiffness_N_m_rad: 1e9, damping_N_m_s_rad: 1e9}",
    "servicer.joint_rates_deg_s=[1,1,1,1,1,1,1]",
]
MOTION = {"relative_position", "relative_orientation", "relative_velocity", "workspace"}
ALWAYS = MOTION | {"overview", "wrench", "exactness"}
ONLY_OF_A_CAPTURE = {"capture", "star_tracker", "energy"}


def concluded(folder: Path, name: str, overrides: list[str]) -> Run:
    scenario = load(name, overrides)
    recording = run_offline(assemble(scenario), scenario.duration_ns)
    with np.errstate(all="ignore"):
        return conclude(folder, scenario, recording, {"mode": "offline"})


@pytest.mark.parametrize(
    ("name", "overrides", "expected"),
    [
        ("envisat_unforced", ["duration_s=0.001"], ALWAYS),
        ("envisat_unforced", ["duration_s=0.1", "rates_ms.dynamics=4", *DIVERGES], ALWAYS),
        ("envisat_capture", ["duration_s=0.5"], ALWAYS | ONLY_OF_A_CAPTURE),
    ],
    ids=["one tick", "diverged, two rates", "capture"],
)
def test_what_can_be_drawn_is(name: str, overrides: list[str], expected: set[str], tmp_path: Path) -> None:
    run = concluded(tmp_path, name, overrides)
    assert {drawing.name for drawing in draw(run)} == expected
    assert next(iter(drawn(tmp_path))) == "overview.png"  # ours in order, not by the alphabet
    for file in tmp_path.glob("*.png"):
        image = matplotlib.image.imread(file)
        assert min(image.shape[:2]) > 500 and image[..., :3].std() > 0.05, file  # not an empty page
        assert file.stat().st_size < 700_000


def test_relative_pose_is_that_of_the_servicer_in_the_client() -> None:
    half = np.sqrt(0.5)  # the client is turned by 90 degrees about z: its x axis is the world's y axis
    client = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, half, half]])
    servicer = np.array([[1.0, 2.0, 0.0, 0.0, 0.0, half, half]])
    position, rotation = relative(client, servicer)
    np.testing.assert_allclose(position, [[2.0, 0.0, 0.0]], atol=1e-15)
    assert rotation.magnitude()[0] < 1e-15


def test_lateness_counts_ticks_that_were_made_up_for() -> None:
    """Ticks at 0, 1, 2 ms; the one at 3 ms is 2.5 ms late, and with it those at 4 and 5 ms are made up for."""
    stamps, wall = 1e-3 * np.array([0, 1, 2, 5, 6]), 1e-3 * np.array([0, 1, 2.1, 5.5, 6.0])
    np.testing.assert_allclose(1e3 * lateness(stamps, wall, 1e-3), [0.0, 0.1, 2.5, 0.0], atol=1e-12)
