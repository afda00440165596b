from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.berthing.guidance import Glideslope, glideslope_legs, transfer_legs
from hil_relative_dynamics.berthing.latch import Latch
from hil_relative_dynamics.berthing.path import Path
from hil_relative_dynamics.scenario.rendezvous_orbit import Guidance

FIRST = pin.exp6(pin.Motion(np.array([0.1, 0.2, 0.3, 0.1, 0, 0.2])))
LAST = pin.SE3(np.eye(3), np.array([1.0, -2.0, 0.5]))


@pytest.mark.parametrize("speed", [0.0, 0.05])
def test_a_path_is_smooth_and_ends_at_rest(speed):
    way = pin.log6(FIRST.actInv(LAST))
    path = Path(FIRST, LAST, 10.0, 20.0, way * (speed / np.linalg.norm(way.linear)))
    start, end, h = path.at(10.0), path.at(30.0), 1e-5
    assert_allclose(start.pose.homogeneous, FIRST.homogeneous, atol=1e-14)
    assert_allclose(end.pose.homogeneous, LAST.homogeneous, atol=1e-12)
    assert np.linalg.norm(start.twist.linear) == pytest.approx(speed, abs=1e-15)
    assert_allclose(end.twist.vector, 0.0, atol=1e-15)
    assert_allclose(path.at(99.0).acceleration.vector, 0.0, atol=1e-15)
    before, now, after = (path.at(18.0 + s * h) for s in (-1, 0, 1))
    assert_allclose(pin.log6(before.pose.actInv(after.pose)).vector / (2 * h), now.twist.vector, atol=1e-9)
    assert_allclose((after.twist - before.twist).vector / (2 * h), now.acceleration.vector, atol=1e-9)


def test_the_glideslope_has_its_speeds_at_its_ends():
    for ends in ((20.0, 3.5, 0.08, 0.01), (3.5, 20.0, 0.03, 0.04), (9.0, 4.0, 0.02, 0.02)):
        slope, h = Glideslope(*ends), 1e-3
        end = slope.duration
        speeds = abs(slope.at(h) - slope.at(0.0)) / h, abs(slope.at(end) - slope.at(end - h)) / h
        assert_allclose(speeds, ends[2:], rtol=1e-4)
        assert slope.at(0.0) == ends[0] and slope.at(end) == pytest.approx(ends[1])


def test_legs_follow_each_other():
    settings = Guidance(hold_distance=20.0, transfer=900.0, corrections=2, fast=0.08, slow=0.01)
    assert [leg.start for leg in transfer_legs(settings, 0.0)] == [0.0, 300.0, 600.0]
    assert {leg.arrival for leg in transfer_legs(settings, 0.0)} == {900.0}
    legs = glideslope_legs(settings, 900.0, Glideslope(20.0, 3.5, 0.08, 0.01))
    assert legs[0].start == 900.0 and all(a.arrival == pytest.approx(b.start) for a, b in pairwise(legs))
    assert legs[-1].distance == pytest.approx(3.5)


def test_the_latch_pulls_along_the_gradient_of_its_energy():
    stiffness = np.array([1e4, 2e4, 3e4, 500.0, 600.0, 700.0])
    latch, h = Latch(FIRST, stiffness, np.zeros(6)), 1e-6
    pose = FIRST * pin.exp6(pin.Motion(np.array([0.01, -0.02, 0.03, 0.2, -0.1, 0.3])))
    wrench, _ = latch.pull(pose, pin.Motion.Zero())
    for axis, unit in enumerate(np.eye(6)):
        energies = [latch.pull(pose * pin.exp6(pin.Motion(s * h * unit)), pin.Motion.Zero())[1] for s in (-1, 1)]
        assert wrench.vector[axis] == pytest.approx(-(energies[1] - energies[0]) / (2 * h), rel=1e-5, abs=1e-4)
