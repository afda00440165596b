"""`hil validate flexible`: what it prints holds, and would not if the physics were wrong."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.evidence import validate_flexible
from hil_relative_dynamics.evidence.validate_flexible_exact import (
    antisymmetric_frequency,
    loaded,
    loop_through_robot,
    symmetric_frequency,
)
from hil_relative_dynamics.evidence.validate_flexible_laws import frequency_checks, law_checks
from hil_relative_dynamics.evidence.validate_flexible_motion import loop_checks, matching_checks
from hil_relative_dynamics.evidence.validate_flexible_tables import (
    TABLE_II,
    TABLE_III,
    of_beams,
    of_row,
    theory_of,
    with_fitting_stiffness,
)
from hil_relative_dynamics.evidence.validation import GROUPS

BEAM = Beam(0.64, 0.83, 0.46)


def test_the_group_is_known():
    assert GROUPS["flexible"] == validate_flexible.__name__


def test_on_a_heavy_hub_exact_vibrations_are_nearly_the_cantilevers():
    """The first mode's effective mass, 0.6131 of the beam, over twice the hub's: first order in their ratio."""
    clamped, hub = BEAM.modes(1).frequencies[0], 2000.0
    expected = clamped * (1.0 + 0.5 * 2 * 0.613076 * BEAM.mass / hub)
    assert_allclose(symmetric_frequency(BEAM, 2, hub, expected), expected, rtol=1e-6)
    assert expected / clamped - 1.0 > 1e-4


def test_without_a_hub_two_beams_are_one_free_beam():
    """Of twice the length: free-free root 4.7300 for swaying, 7.8532 for turning (textbook)."""
    double = BEAM.mass * 2 * (2 * BEAM.length) ** 3
    for root, found in (
        (4.730040745, lambda near: symmetric_frequency(BEAM, 2, 1e-9, near)),
        (7.853204624, lambda near: antisymmetric_frequency(BEAM, 2, 1e-12, 0.0, near)),
    ):
        free = root**2 * np.sqrt(BEAM.stiffness / double)
        assert_allclose(found(free), free, rtol=1e-7)


@pytest.mark.parametrize("check", [*frequency_checks(), *law_checks()], ids=lambda check: check.id)
def test_the_laws_hold(check):
    assert check.ok


def test_matching_holds_for_a_tumbling_envisat():
    position, orientation, matters = matching_checks(duration=4.0)
    assert position.ok
    assert orientation.ok
    assert matters.value > 1e-4


def test_the_loop_through_the_robot_is_the_closed_one():
    found = list(loop_checks(duration=6.0))
    assert len(found) == 6
    assert all(check.ok for check in found), [(check.id, check.value) for check in found]


def test_without_lag_the_loop_is_the_free_body():
    scenario = loaded("flexible_symmetric", "robot.bandwidth_Hz=1e6", "robot.delay_ms=0", "step_ms=1e-6")
    frequency, damping = loop_through_robot(scenario)
    assert_allclose(frequency, theory_of(scenario)[1], rtol=1e-3)
    assert_allclose(damping, 7.2e-3 * 0.82179 / 0.81366, rtol=0.01)


def test_tables_are_complete():
    """All columns that are printed, each with a reason where it is not reproduced."""
    rows = [*of_beams(), *of_row("Table II", *TABLE_II[1], "duration_s=5", "step_ms=8"), *with_fitting_stiffness()]
    by_id = {row.id: row for row in rows}
    columns = [f"{column}.{what}" for column in ("theory", "measured", "simulated") for what in ("size", "frequency")]
    assert {f"II.50.{column}" for column in columns} <= set(by_id)
    assert {"cantilever", "beam.inertia", "beat.stiffness", "beat.coupled", "difference.mm"} <= set(by_id)
    assert all(row.ok for row in rows)
    assert by_id["II.50.simulated.size"].verdict == "reproduced"
    assert by_id["II.50.fitting"].verdict == "reproduced"
    assert by_id["cantilever"].verdict == "within uncertainty"
    assert [row[1] for row in TABLE_II] == [25, 50, 100]
    assert [row[1] for row in TABLE_III] == [50, 100, 250]


def test_turning_hubs_are_compared_in_degrees():
    rows = list(of_row("Table III", *TABLE_III[2], "duration_s=4", "step_ms=8"))
    assert {row.unit for row in rows} == {"deg", "Hz", "%"}
    frequency = next(row for row in rows if row.id == "III.250.simulated.frequency")
    assert frequency.verdict == "reproduced"
