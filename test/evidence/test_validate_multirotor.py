"""`hil validate multirotor`: its rows from the same functions, with fewer and shorter flights."""
from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from hil_relative_dynamics.evidence import validate_multirotor_blocks as blocks
from hil_relative_dynamics.evidence import validate_multirotor_errata as errata
from hil_relative_dynamics.evidence import validate_multirotor_flight as flights
from hil_relative_dynamics.evidence import validate_multirotor_vehicle as vehicle
from hil_relative_dynamics.evidence.validation import GROUPS, Check, Comparison
from hil_relative_dynamics.multirotor.flight import fly

Rows = dict[str, Check | Comparison]


@pytest.fixture(scope="module")
def rows() -> Rows:
    found = [*vehicle.mixers(), *errata.rows(), *blocks.references(), *blocks.distances(), *blocks.scales()]
    part = "settle_s=2", "duration_s=17"  # half a circle
    found += flights.circles([fly(flights.scenario(flights.CIRCLES, *part))], turns=1)
    near = "transfer.start_m=[1.9, 1.2, 0.4]", "transfer.transfer_s=25", "settle_s=2", "duration_s=16"
    found += flights.approach([fly(flights.scenario(flights.APPROACH, *near))])
    return {f"{type(row).__name__}.{row.id}": row for row in found}


def test_every_row_holds_or_says_why_not(rows: Rows) -> None:
    failed = [name for name, row in rows.items() if not row.ok]
    assert not failed


def test_the_published_numbers_are_all_there(rows: Rows) -> None:
    published = {name: row.paper for name, row in rows.items() if isinstance(row, Comparison)}
    assert published["Comparison.circles.roll"] == published["Comparison.circles.pitch"] == 1.0
    assert published["Comparison.circles.accuracy"] == 0.2
    assert published["Comparison.approach.error"] == 0.16
    assert published["Comparison.approach.stop"] == 0.74
    assert published["Comparison.listed.start"] == 5.1024
    assert published["Comparison.listed.radius"] == 6700.0


def test_what_is_not_reproduced_is_the_circular_orbit_alone(rows: Rows) -> None:
    missed = [row for row in rows.values() if isinstance(row, Comparison) and row.verdict == "not reproduced"]
    assert [row.id for row in missed] == ["listed.circular"]


def test_every_erratum_has_its_number(rows: Rows) -> None:
    for source in ("(4)", "(9)", "(10)", "(17)"):
        check = rows[f"Check.printed.{source}"]
        assert isinstance(check, Check) and check.relation == ">=" and check.ok
    assert rows["Check.listed.velocities"].ok and rows["Check.separation.reading"].ok


def test_a_filter_s_errors_are_of_the_size_it_says() -> None:
    (check,) = blocks.navigation(range(6))
    assert check.ok, check.note


def test_poses_alone_lag_as_the_transfer_function_says() -> None:
    (check,) = flights.lag("circle.period_s=15", "settle_s=0.5", "duration_s=17")
    assert check.ok, check.note


def test_the_group_is_known() -> None:
    assert GROUPS["multirotor"].endswith("validate_multirotor")
