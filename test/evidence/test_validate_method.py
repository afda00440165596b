"""`hil validate method`: every check holds, and the machinery would say so if one did not."""
import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pinocchio as pin
import pytest

from hil_relative_dynamics.evidence import validation
from hil_relative_dynamics.evidence.validation import Check, ReferenceMissing, UnknownGroup, validate

PARTS = ("client", "servicer", "arm", "mapping", "contact", "impedance", "passivity", "sampled")


@pytest.fixture(scope="module")
def told() -> list[str]:
    return []


@pytest.fixture(scope="module")
def checks(told) -> list[Check]:
    pytest.importorskip("mujoco")
    return validate("method", told.append)


def test_every_check_holds(checks):
    failed = [check for check in checks if not check.ok]
    assert not failed, "\n".join(f"{c.id}: {c.value} is not {c.relation} {c.limit} {c.unit}" for c in failed)


def test_no_check_is_there_twice(checks):
    assert len({check.id for check in checks}) == len(checks)


def test_every_part_of_the_method_is_checked(checks):
    assert {check.id.split(".")[0] for check in checks} == set(PARTS)
    assert len(checks) >= 60


def test_every_row_can_be_read_by_itself(checks):
    for check in checks:
        assert check.source and check.quantity and check.unit
        assert math.isfinite(check.value) and math.isfinite(check.limit) and check.limit > 0.0


def test_errors_are_real_numbers_not_exact_zeros(checks):
    """An error of exactly nothing would mean that something was compared with itself."""
    assert [check.id for check in checks if check.value == 0.0] == []


def test_each_omission_is_shown_to_matter(checks):
    shown = {check.id for check in checks if check.relation == ">="}
    assert shown >= {f"arm.omission.{term}" for term in ("gravity", "ff1", "ff2_ff3", "spatial")}
    assert shown >= {"impedance.erratum", "sampled.omission.ddq", "arm.excursion"}


def test_progress_is_told(checks, told):
    assert len(told) == 6
    assert told[0].startswith("1/6 ") and told[-1].startswith("6/6 ")


# ---- the machinery ----


@pytest.mark.parametrize(
    "relation, value, ok",
    [
        ("<=", 0.5, True),
        ("<=", 1.0, True),
        ("<=", 1.5, False),
        ("<=", math.nan, False),
        ("<=", math.inf, False),
        (">=", 0.5, False),
        (">=", 1.0, True),
        (">=", 1.5, True),
        (">=", math.nan, False),
        (">=", -math.inf, False),
    ],
)
def test_a_check_judges_its_value(relation, value, ok):
    assert Check("id", "(1)", "what", value, 1.0, "m", relation).ok is ok


def test_the_largest_of_numbers_does_not_lose_a_nan():
    pytest.importorskip("mujoco")
    from hil_relative_dynamics.evidence.validate_tools import Worst, largest

    assert largest(1.0, -3.0, 2.0) == 3.0
    assert math.isnan(largest(1.0, math.nan, 2.0)) and math.isnan(largest(math.nan, 1.0))
    worst = Worst()
    worst.position = math.nan
    worst.add(pin.SE3.Identity(), pin.SE3.Identity())
    assert math.isnan(worst.position)


def test_an_unknown_group_is_named_with_the_known_ones():
    with pytest.raises(UnknownGroup, match=r"'magic'.*method"):
        validate("magic")


def test_without_mujoco_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for name in [name for name in sys.modules if name.startswith(f"{validation.__package__}.")]:
        if name != validation.__name__:
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ReferenceMissing, match="pip install mujoco") as caught:
        validate("method")
    assert "\n" not in str(caught.value)


def test_groups_exist_and_are_loaded_only_when_asked_for():
    for module in validation.GROUPS.values():
        assert find_spec(module) is not None
    question = f"import sys, {validation.__name__}; print('mujoco' in sys.modules)"
    command, root = [sys.executable, "-c", question], Path(validation.__file__).parents[2]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert answer.stdout.strip() == "False"
