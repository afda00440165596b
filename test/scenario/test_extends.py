"""A scenario that says only what differs from another."""
from __future__ import annotations

from pathlib import Path

import pytest

from hil_relative_dynamics.scenario import ScenarioError, load


def test_only_what_is_said_differs(tmp_path: Path) -> None:
    file = tmp_path / "faster.yaml"
    file.write_text("extends: envisat_unforced\nclient: {angular_velocity_deg_s: [0, -2.5, 0]}\n")
    changed, base = load(file), load("envisat_unforced")
    assert changed.client.angular_velocity != base.client.angular_velocity
    assert changed.client.mass == base.client.mass and changed.servicer == base.servicer


def test_a_scenario_beside_it_comes_first(tmp_path: Path) -> None:
    (tmp_path / "envisat_unforced.yaml").write_text("extends: envisat_pulses\nseed: 5\n")
    (tmp_path / "mine.yaml").write_text("extends: envisat_unforced\n")
    assert load(tmp_path / "mine.yaml").seed == 5


@pytest.mark.parametrize("text", ["extends: a\n", "extends: b\n"])
def test_a_circle_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text("extends: b\n")
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(ScenarioError, match="must not lead back"):
        load(tmp_path / "a.yaml")


def test_an_unknown_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: envisat_unforsed\n")
    with pytest.raises(ScenarioError, match="did you mean envisat_unforced"):
        load(tmp_path / "a.yaml")
