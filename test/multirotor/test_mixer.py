"""The mixer: rank, limits, and that what does not fit is given up in the right order."""
from __future__ import annotations

from itertools import pairwise
from math import radians, sqrt

import numpy as np
import pytest

from hil_relative_dynamics.multirotor.mixer import WORST_CONDITION, Mixer

LIFT = 20.6


def mixer(alpha: float = 25.0, beta: float = 0.0) -> Mixer:
    return Mixer(0.27, radians(alpha), radians(beta), 1.11e-5, 0.016, 100.0, 1000.0)


@pytest.mark.parametrize("alpha, beta, rank", [(25, 0, 6), (20, 10, 6), (-30, 0, 6), (0, 0, 4), (90, 0, 5)])
def test_rotors_tilted_about_their_arms_give_every_wrench(alpha, beta, rank):
    assert mixer(alpha, beta).rank == rank


def test_rotors_tilted_outwards_alone_do_so_by_their_drag_only():
    """Full rank on paper, of no use in flight: force and torque of each arm stay nearly in one plane."""
    assert mixer(0.0, 20.0).rank == 6
    assert mixer(0.0, 20.0).condition > WORST_CONDITION > mixer(5.0).condition


def test_condition_does_not_depend_on_units_of_length_or_thrust():
    """The same vehicle measured in centimetres and with a stronger propeller."""
    there = Mixer(27.0, radians(25.0), 0.0, 5e-3, 1.6, 100.0, 1000.0)
    assert there.condition == pytest.approx(mixer().condition, rel=1e-12)


def test_more_tilt_makes_a_better_conditioned_mixer_and_more_horizontal_force():
    tilts = [mixer(alpha) for alpha in (5, 15, 25, 35)]
    assert all(a.condition > b.condition for a, b in pairwise(tilts))
    forces = [each.horizontal_force(LIFT) for each in tilts]
    assert forces == sorted(forces)


def test_lift_in_hover_is_shared_evenly():
    """Closed form: six rotors leaning by 25 deg carry the weight with the cosine of it."""
    speeds = mixer().speeds(np.array([0.0, 0.0, LIFT, 0.0, 0.0, 0.0]))
    expected = sqrt(LIFT / (6 * 1.11e-5 * np.cos(radians(25.0))))
    np.testing.assert_allclose(speeds, expected, rtol=1e-12)


def test_horizontal_force_is_just_reached_at_a_rotor_s_limit():
    rotors = mixer()
    most = rotors.horizontal_force(LIFT)
    reached = []
    for angle in np.radians(np.arange(0, 360, 5)):
        for share in (0.999, 1.3):
            wanted = np.array([share * most * np.cos(angle), share * most * np.sin(angle), LIFT, 0.0, 0.0, 0.0])
            error = np.abs(rotors.wrench(rotors.speeds(wanted)) - wanted).max()
            if share < 1.0:
                assert error < 1e-9
            reached.append(error < 1e-9)
    assert not all(reached)  # beyond it, some direction is cut


def test_what_does_not_fit_is_horizontal_force_first():
    rotors = mixer()
    wanted = np.array([50.0, 0.0, LIFT, 0.1, -0.1, 0.05])
    given = rotors.wrench(rotors.speeds(wanted))
    np.testing.assert_allclose(given[2:], wanted[2:], atol=1e-9)
    assert 0.0 < given[0] < 10.0 and abs(given[1]) < 1e-9


@pytest.mark.parametrize("wrench", [(0, 0, 1e4, 0, 0, 0), (0, 0, -50, 0, 0, 0), (9, 9, 9, 99, 99, 99), (0,) * 6])
def test_speeds_stay_within_their_limits(wrench):
    speeds = mixer().speeds(np.array(wrench, dtype=float))
    assert np.all(speeds >= 100.0 - 1e-9) and np.all(speeds <= 1000.0 + 1e-9)
