"""`hil validate facility`: the measured relative motion against MuJoCo, and what its error is made of."""
import math

import pytest

from hil_relative_dynamics.evidence.validation import Check, validate


@pytest.fixture(scope="module")
def told() -> list[str]:
    return []


@pytest.fixture(scope="module")
def checks(told) -> dict[str, Check]:
    pytest.importorskip("mujoco")
    return {check.id: check for check in validate("facility", told.append)}


def test_every_check_holds(checks):
    failed = [check for check in checks.values() if not check.ok]
    assert not failed, "\n".join(f"{c.id}: {c.value} is not {c.relation} {c.limit} {c.unit}" for c in failed)


def test_the_published_accuracy_is_the_limit(checks):
    """1 mm as on their hardware; in attitude ten times better than their 0.002 rad."""
    assert checks["facility.relative.position"].limit == 1e-3
    assert checks["facility.relative.orientation"].limit == 2e-4


def test_lag_and_friction_explain_the_whole_error(checks):
    """The lag times the drift's speed of 22 mm/s, and what the arm's friction does: nothing else is in it."""
    measured, simulated = (checks[f"facility.{kind}.position"].value for kind in ("relative", "simulated"))
    assert 0.5e-3 < measured - simulated < 0.8e-3  # 30 ms
    frictionless = checks["facility.frictionless.position"].value
    assert frictionless < 0.1 * simulated


def test_without_errors_hardly_anything_remains(checks):
    assert checks["facility.ideal.position"].value < 1e-3 * checks["facility.relative.position"].value


def test_every_row_can_be_read_by_itself(checks):
    for check in checks.values():
        assert check.source and check.quantity and check.unit
        assert math.isfinite(check.value) and check.value > 0.0 and check.limit > 0.0


def test_progress_is_told(checks, told):
    assert [text.split()[0] for text in told] == [f"{part}/5" for part in range(1, 6)]


def test_a_run_that_the_supervisor_stopped_does_not_pass(monkeypatch):
    pytest.importorskip("mujoco")
    from hil_relative_dynamics.evidence import validate_facility

    monkeypatch.setattr(validate_facility, "DURATION", 0.4)
    flown = validate_facility.Flown("safety.speed_m_s=1e-6")
    assert not flown.enabled
    reference = validate_facility.Reference(validate_facility._scenario())
    rows = {check.id: check for check in validate_facility.as_it_is(flown, reference)}
    assert math.isnan(rows["facility.relative.position"].value)
    assert not rows["facility.relative.position"].ok
