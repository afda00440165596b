"""Contact along a line: closed form, separation and re-contact."""
from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from hil_relative_dynamics.deorbit.line import Line, Oscillation, step_response
from hil_relative_dynamics.deorbit.line_motion import LineMotion
from hil_relative_dynamics.evidence.deorbit_reference import line_by_integration

THRUST = 1500.0
RATIOS = (0.0, 0.05, 0.4, 1.0, 2.5)


def stiff(ratio: float, pull: float = 0.0) -> Line:
    return Line.with_damping_ratio(1200.0, 8200.0, 1e8, ratio, pull)


def test_published_force_and_energy() -> None:
    assert stiff(0.1).steady_force(THRUST) == pytest.approx(1308.51, abs=0.01)
    assert stiff(0.1).stored_energy(THRUST) == pytest.approx(8.561e-3, abs=1e-6)


def test_step_response_is_the_paper_s() -> None:
    contact, times = stiff(0.2), np.linspace(0.0, 0.2, 500)
    gap = LineMotion(contact, [(0.0, THRUST)], 0.2).sampled(times)[:, 1]
    assert_allclose(gap, step_response(contact, THRUST, times), atol=1e-12 * abs(contact.steady_gap(THRUST)))


@pytest.mark.parametrize("ratio", RATIOS)
def test_oscillation_for_any_damping(ratio: float) -> None:
    contact = stiff(ratio)
    gap, rate = Oscillation(contact, THRUST, 1e-5, -3e-3).at(np.array([0.02]))

    def law(_: float, state: np.ndarray) -> list[float]:
        force = -contact.stiffness * state[0] - contact.damping * state[1]
        return [state[1], force / contact.reduced_mass - THRUST / contact.chaser]

    found = solve_ivp(law, (0.0, 0.02), [1e-5, -3e-3], method="DOP853", rtol=1e-12, atol=1e-18).y[:, -1]
    assert_allclose([gap[0], rate[0]], found, rtol=1e-9)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("thrust", [0.0, 375.0])
def test_separation_and_contact_again_as_integrated(ratio: float, thrust: float) -> None:
    contact, times = stiff(ratio), np.linspace(0.0, 0.15, 700)
    motion = LineMotion(contact, [(0.0, thrust)], 0.15, settled=THRUST)
    start = contact.steady_gap(THRUST)
    reference = line_by_integration((1200.0, 8200.0), (1e8, contact.damping), thrust, start, times)
    assert_allclose(motion.sampled(times)[:, 1], reference, atol=1e-9 * abs(start))


@pytest.mark.parametrize("before", (4, 3, 2))
@pytest.mark.parametrize("after", (3, 2, 1))
@pytest.mark.parametrize("ratio", (0.0, 0.05))
def test_a_drop_by_more_than_half_parts_the_bodies(before: int, after: int, ratio: float) -> None:
    motion = LineMotion(stiff(ratio), [(0.0, 375.0 * after)], 0.2, settled=375.0 * before)
    assert bool(motion.separations) == (2 * after < before)
    assert (motion.largest_gap > 0.0) == (2 * after < before)


def test_energy_is_never_created() -> None:
    contact, times = stiff(0.05), np.linspace(0.0, 0.4, 20_000)
    motion = LineMotion(contact, [(0.0, 375.0)], 0.4, settled=THRUST)
    _, gap, rate, force = motion.sampled(times).T
    stored = np.where(force > 0.0, 0.5 * contact.stiffness * gap**2, 0.0)
    work = -contact.reduced_mass / contact.chaser * 375.0 * (gap - gap[0])  # of the thrust, on the relative motion
    energy = 0.5 * contact.reduced_mass * rate**2 + stored - work
    assert len(motion.separations) == 4
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert energy[-1] < 0.5 * energy[0]


def test_undamped_bounces_keep_their_energy() -> None:
    motion = LineMotion(stiff(0.0), [(0.0, 375.0)], 1.0, settled=THRUST)
    heights = [motion.largest_gap_in(phase) for phase in motion.separations[:-1]]
    assert len(heights) > 20
    assert_allclose(heights, heights[0], rtol=1e-9)


def test_the_robot_brings_the_bodies_together_over_energy_by_force() -> None:
    contact = stiff(0.0, pull=10.0)
    motion = LineMotion(contact, [(0.0, 0.0)], 1.0, settled=THRUST)
    released = 0.5 * contact.stiffness * contact.steady_gap(THRUST) ** 2 + 10.0 * contact.steady_gap(THRUST)
    assert motion.largest_gap == pytest.approx(released / 10.0, rel=1e-9)
    assert motion.phases[-1].start > 0.8  # met again


def test_without_robot_they_drift_apart_for_good() -> None:
    motion = LineMotion(stiff(0.05), [(0.0, 0.0)], 5.0, settled=THRUST)
    assert len(motion.separations) == 1 and motion.separations[0].end == 5.0


def test_the_profile_starts_when_it_says() -> None:
    motion = LineMotion(stiff(0.05), [(0.1, THRUST)], 0.2)
    times = np.array([0.0, 0.05, 0.0999, 0.15])
    rows = motion.sampled(times)
    assert_allclose(rows[:3], 0.0)
    assert rows[3, 0] == THRUST and rows[3, 3] > 0.0


def test_lowest_force_is_that_of_a_dense_search() -> None:
    motion = LineMotion(stiff(0.05), [(0.0, 1125.0)], 0.3, settled=THRUST)
    dense = motion.sampled(np.linspace(0.0, 0.3, 200_000))[:, 3].min()
    assert motion.lowest_force == pytest.approx(dense, rel=1e-6)
