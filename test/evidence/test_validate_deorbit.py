"""`hil validate deorbit`: published numbers beside ours."""
from __future__ import annotations

import pytest

from hil_relative_dynamics.evidence import validate_deorbit, validate_deorbit_line, validate_deorbit_space
from hil_relative_dynamics.evidence.validation import GROUPS, Check, Comparison


@pytest.fixture(scope="module")
def rows() -> dict[str, Check | Comparison]:
    found = [*validate_deorbit_line.checks(), *validate_deorbit_space.statics(), *validate_deorbit_space.held()]
    return {row.id: row for row in found}


def test_every_row_holds_or_says_why(rows: dict[str, Check | Comparison]) -> None:
    failed = [row for row in rows.values() if not row.ok]
    assert not failed, "\n".join(str(row) for row in failed)


@pytest.mark.parametrize(
    "name, paper, ours, verdict",
    [
        ("normal", 1309.0, 1308.5, "reproduced"),
        ("energy", 11.25, 8.561, "not reproduced"),
        ("way", 2.3, 0.856, "not reproduced"),
        ("steps.0.05", 2.0, 2.0, "reproduced"),
        ("I_xx", 226650.0, 226650.0, "reproduced"),
        ("I_yy", 515730.0, 51514.5, "not reproduced"),
        ("I_zz", 269570.0, 269514.5, "within uncertainty"),
        ("lateral", 65.0, 61.8, "within uncertainty"),
        ("tau_x", 5.0, 4.9, "reproduced"),
        ("opens", 38.0, 44.9, "not reproduced"),
        ("grazes", 38.0, 38.4, "reproduced"),
        ("friction", 40.0, 37.5, "reproduced"),
    ],
)
def test_published_number(
    rows: dict[str, Check | Comparison], name: str, paper: float, ours: float, verdict: str
) -> None:
    row = rows[f"deorbit.{name}"]
    assert isinstance(row, Comparison)
    assert (row.paper, row.verdict) == (paper, verdict)
    assert row.ours == pytest.approx(ours, rel=2e-3)


def test_unsafe_steps_are_named(rows: dict[str, Check | Comparison]) -> None:
    assert rows["deorbit.steps.0"].note == rows["deorbit.steps.0.05"].note == "4 to 1, 3 to 1"


def test_the_least_loaded_foot_grazes_near_forty_seconds(rows: dict[str, Check | Comparison]) -> None:
    row = rows["deorbit.graze"]
    assert isinstance(row, Check) and 10.0 < row.value < 20.0


def test_the_group_is_known() -> None:
    assert GROUPS["deorbit"] == validate_deorbit.__name__
