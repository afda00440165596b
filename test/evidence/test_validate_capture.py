"""`hil validate capture`: its rows from the same runs, fewer and shorter ones where that shows as much."""
from __future__ import annotations

import math
from math import nan

import pytest

from hil_relative_dynamics.evidence import validate_capture
from hil_relative_dynamics.evidence.validate_capture import FAST, PAPER_FORM, SCENARIO, WITHOUT_ERRORS, Run
from hil_relative_dynamics.evidence.validation import GROUPS, Check, validate

#: starts near its station and takes half the time
QUICK = (
    "sensors.ideal=true",
    "servicer.position_m=[4.81, 0.01, 0.56]",
    "servicer.orientation_rpy_deg=[0.3, 0.3, 180.3]",
    "onboard.capture.timeline={approach_from_s: 4, approach_s: 12}",
    "duration_s=20",
)


@pytest.fixture(scope="module")
def captured() -> Run:
    return Run(SCENARIO)


@pytest.fixture(scope="module")
def checks(captured: Run) -> dict[str, Check]:
    story = captured.story
    rows = [*validate_capture.timeline(story), *validate_capture.contact(story), *validate_capture.stability(story)]
    rows += validate_capture.absolute(Run(validate_capture.ABSOLUTE))
    rows += validate_capture.too_fast(Run(SCENARIO, FAST, "duration_s=5"), "robots")
    alone = Run(SCENARIO, FAST, "facility.kind=none", "sensors.ideal=true", "duration_s=31")
    rows += validate_capture.too_fast(alone, "orbit")
    for form, overrides in (("momentum", ()), ("acceleration", (PAPER_FORM,))):
        rows += validate_capture.momentum(Run(SCENARIO, WITHOUT_ERRORS, *QUICK, *overrides), form)
    return {check.id: check for check in rows}


def test_every_check_holds(checks: dict[str, Check]) -> None:
    failed = [check for check in checks.values() if not check.ok]
    assert not failed, "\n".join(f"{c.id}: {c.value} is not {c.relation} {c.limit} {c.unit}; {c.note}" for c in failed)


def test_what_was_published_stands_beside_what_was_reached(checks: dict[str, Check]) -> None:
    for name in ("synchronised", "approach", "grasp", "rate", "absolute"):
        assert checks[f"capture.{name}"].note.startswith("published: ")


def test_limits_are_those_of_the_published_capture(checks: dict[str, Check]) -> None:
    limits = {"synchronised": 9.0, "grasp": 1.0, "rate": 0.2, "contact": 50.0, "absolute": 2.0}
    for name, limit in limits.items():
        assert checks[f"capture.{name}"].limit == limit
    assert checks["capture.displacement.client"].limit == checks["capture.displacement.servicer"].limit == 0.5


def test_the_paper_s_form_conserves_less(checks: dict[str, Check]) -> None:
    for kind in ("linear.free", "angular.free"):
        assert checks[f"capture.acceleration.{kind}"].value > 1e3 * checks[f"capture.momentum.{kind}"].value


def test_what_must_fail_says_why(checks: dict[str, Check]) -> None:
    assert "client_robot cannot" in checks["capture.absolute"].note
    assert "servicer_robot" in checks["capture.fast.robots"].note
    assert checks["capture.fast.orbit"].note.startswith("not synchronised after 30 s")


def test_every_row_can_be_read_by_itself(checks: dict[str, Check]) -> None:
    for check in checks.values():
        assert check.source and check.quantity and check.unit
        assert math.isfinite(check.value)


def test_a_seed_without_a_grasp_is_named(captured: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unlucky:
        def __init__(self, name: str, seed: str, *others: str, until_latched: bool) -> None:
            assert until_latched
            self.story = captured.story
            if seed == "seed=7":
                monkeypatch.setattr(type(self.story), "latched", property(lambda story: nan if story is bad else 33.0))
                bad = self.story

    monkeypatch.setattr(validate_capture, "Run", Unlucky)
    asked: list[int] = []
    row = next(iter(validate_capture.seeds([5, 7, 9], asked.append)))
    assert asked == [5, 7, 9]
    assert not row.ok and row.value == 1.0 and row.note == "missed: 7"


def test_a_run_may_end_when_it_has_shown_enough() -> None:
    cut = Run(SCENARIO, *QUICK[:-1], "facility.kind=sim", "duration_s=40", until_latched=True)
    assert cut.story.latched + 0.4 < cut.story.times[-1] < cut.story.latched + 1.0


def test_the_group_tells_its_progress(captured: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate_capture, "Run", lambda *overrides, **options: captured)
    monkeypatch.setattr(validate_capture, "unforced", lambda: iter(()))
    monkeypatch.setattr(validate_capture, "SEEDS", range(2))
    told: list[str] = []
    rows = validate("capture", told.append)
    assert [text.split()[0] for text in told] == ["1/6", "2/6", "3/6", "4/6", "5/6", "6/6", "6/6"]
    assert len({check.id for check in rows}) == len(rows)
    assert not {check.id: check for check in rows}["capture.absolute"].ok  # a capture is no stop
    assert GROUPS["capture"] == validate_capture.__name__


def test_a_run_that_the_supervisor_stopped_is_no_capture() -> None:
    flown = Run(SCENARIO, "duration_s=0.5", "safety.speed_m_s=1e-6")
    assert flown.stopped < 0.1 and flown.sentence
    failed = [check.id for check in validate_capture.timeline(flown.story) if not check.ok]
    assert {"capture.grasp", "capture.rate", "capture.latch"} <= set(failed)
