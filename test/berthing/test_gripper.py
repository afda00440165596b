from math import radians

import pytest

from hil_relative_dynamics.berthing.gripper import GearedGripper
from hil_relative_dynamics.evidence.validate_rendezvous_contact import gripper
from hil_relative_dynamics.scenario.rendezvous_contact import GearedFingers

ANGLE = radians(50.0)


def test_published_gears_and_balances():
    assert all(row.ok for row in gripper())


def test_pads_meet_the_bar_at_the_contact_angle_and_clear_it_when_open():
    settings = GearedFingers()
    drive = GearedGripper(settings)
    assert drive.half_gap(settings.contact_angle) == pytest.approx(0.5 * settings.bar)
    assert drive.half_gap(settings.open_angle) == pytest.approx(0.5 * settings.bar + settings.clearance)


def test_closing_speed_is_the_rate_of_the_gap():
    drive, h, rate = GearedGripper(GearedFingers()), 1e-6, 0.3
    closing = (drive.half_gap(ANGLE - h * rate) - drive.half_gap(ANGLE + h * rate)) / (2 * h)
    assert drive.clamp_speed(rate * drive.ratio, ANGLE) == pytest.approx(closing, rel=1e-8)


def test_at_rest_the_clamps_press_as_the_gears_say():
    drive = GearedGripper(GearedFingers())
    each = drive.clamp_force(1.0, ANGLE)
    assert drive.acceleration(ANGLE, 0.0, 1.0, 2.0 * each) == pytest.approx(0.0, abs=1e-12)
    assert drive.acceleration(ANGLE, 0.0, 1.0, 1.9 * each) > 0.0
