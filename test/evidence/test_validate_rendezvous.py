"""`hil validate rendezvous`: its rows, from shorter voyages where that shows as much."""
from copy import deepcopy

import pytest

from hil_relative_dynamics.evidence import validate_rendezvous, validate_rendezvous_contact, validate_rendezvous_orbit
from hil_relative_dynamics.evidence.validate_rendezvous import flown
from hil_relative_dynamics.evidence.validation import GROUPS, Comparison

SOONER = "contact.timeline={base_s: 10, arm_s: 8, reach_s: 8, close_s: 8, carry_s: 20}"
UNBERTHING = ("unberthing", SOONER, "contact.control.retreat_speed_m_s=0.2", "duration_s=75")


@pytest.fixture(scope="module")
def voyage():
    return flown(*UNBERTHING)


def test_the_group_is_known():
    assert GROUPS["rendezvous"] == validate_rendezvous.__name__


def test_relative_motion_in_orbit_holds():
    rows = list(validate_rendezvous_orbit.checks())
    assert [row.id for row in rows if not row.ok] == []
    published = {row.id: row.verdict for row in rows if isinstance(row, Comparison)}
    assert published == {"rendezvous.turn": "reproduced", "rendezvous.tidal": "reproduced"}


def test_hand_over_and_contact_hold(voyage):
    rows = [
        *validate_rendezvous_contact.handover(voyage, "unberthing"),
        *validate_rendezvous_contact.contact(voyage, "unberthing"),
    ]
    assert [row.id for row in rows if not row.ok] == []
    assert len({row.id for row in rows}) == len(rows)


def test_energy_or_momentum_out_of_nothing_would_show(voyage):
    spoilt = deepcopy(voyage.contact.log)
    spoilt.gain[-1] += 1e-6
    spoilt.residual[5] = 1e-3
    kept, voyage.contact.log = voyage.contact.log, spoilt
    try:
        failed = {row.id for row in validate_rendezvous_contact.contact(voyage, "x") if not row.ok}
    finally:
        voyage.contact.log = kept
    assert failed == {"rendezvous.x.energy", "rendezvous.x.momentum"}


def test_a_jump_would_show(voyage):
    voyage.handovers[-1].velocity_jump, kept = 1e-9, voyage.handovers[-1].velocity_jump
    try:
        failed = {row.id for row in validate_rendezvous_contact.handover(voyage, "x") if not row.ok}
    finally:
        voyage.handovers[-1].velocity_jump = kept
    assert failed == {"rendezvous.x.velocity"}


def test_sequences_are_compared_with_the_published_figures(voyage):
    rows = {row.id: row for row in validate_rendezvous_contact.sequences(voyage, voyage)}
    assert rows["rendezvous.unberthing.speed"].paper == 0.04
    assert rows["rendezvous.unberthing.trigger.position"].ok
    assert not rows["rendezvous.berthing.port"].ok  # nothing was berthed here
