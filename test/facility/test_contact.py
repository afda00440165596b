"""Points on the ring: geometry, restitution, friction that holds, and energy that is only stored or lost."""
from __future__ import annotations

from math import log1p, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hil_relative_dynamics.facility.contact import PointContacts, Ring

RING = Ring(radius=1.312, width=0.03, thickness=0.04)
K = 1e5
small = st.floats(-0.003, 0.003)


def one_point(damping: float = 0.0, damping_depth: float = 0.0, friction: float = 0.0) -> PointContacts:
    return PointContacts(RING, np.array([K]), np.array([damping]), damping_depth, friction)


def column(*point: float) -> np.ndarray:
    return np.array([point]).T


class Ball:
    """A mass that feels the contact at one point, in free motion between samples; `load` pushes it."""

    def __init__(self, contacts: PointContacts, mass: float, position: tuple, velocity: tuple) -> None:
        self.contacts, self.mass = contacts, mass
        self.position, self.velocity, self.anchor = column(*position), column(*velocity), np.zeros((3, 1))
        self.force = np.zeros((3, 1))

    def step(self, dt: float, load: tuple = (0.0, 0.0, 0.0)) -> None:
        press = self.contacts.step(self.anchor, self.position, self.position + dt * self.velocity, dt)
        self.force = np.zeros((3, 1))
        if press is not None:
            self.anchor, self.force = press.anchors, press.forces
        acceleration = (self.force + column(*load)) / self.mass
        self.position = self.position + dt * self.velocity + 0.5 * dt * dt * acceleration
        self.velocity = self.velocity + dt * acceleration

    def bounce(self, dt: float) -> tuple[float, float, float]:
        """On the front face: speed afterwards, largest force and how long it touched."""
        peak = touched = 0.0
        while self.position[0, 0] < 0.016:
            self.step(dt)
            peak, touched = max(peak, self.force[0, 0]), touched + dt * (self.force[0, 0] > 0.0)
        return self.velocity[0, 0], peak, touched


def ball_before_the_front(contacts: PointContacts, mass: float, speed: float) -> Ball:
    return Ball(contacts, mass, (0.01503, 0.0, 0.0), (-speed, 0.0, 0.0))


@pytest.mark.parametrize(
    ("point", "depth", "normal"),
    [
        ((0.014, 0.0, 0.0), 0.001, (1, 0, 0)),
        ((-0.014, 0.0, 0.0), 0.001, (-1, 0, 0)),
        ((0.0, 0.0, 0.0185), 0.0015, (0, 0, 1)),
        ((0.0, 0.0, -0.0185), 0.0015, (0, 0, -1)),
        ((0.1, 0.0, 0.0), -0.085, (1, 0, 0)),
        ((0.0, 1.331, -1.312), 0.001, (0, 1, 0)),  # a quarter of the ring farther on
    ],
)
def test_depth_below_the_nearest_face(point, depth, normal):
    assert_allclose(RING.depth(column(*point)), [depth], atol=1e-12)
    assert_allclose(RING.normal(column(*point))[:, 0], normal, atol=1e-12)


@given(st.floats(-0.02, 0.02), st.floats(-0.3, 0.3), st.floats(-0.07, 0.03))
def test_the_normal_is_the_slope_of_the_depth(x, y, z):
    point = column(x, y, z)
    normal, step = RING.normal(point), 1e-7
    ahead, behind = (RING.depth(point + sign * step * normal)[0] for sign in (1, -1))
    at = RING.depth(point)[0]
    assert_allclose(np.linalg.norm(normal), 1.0)
    # where two faces or both sides are equally near, at least one side has the slope
    assert min(abs(ahead - at + step), abs(at - behind + step)) < 1e-11


@pytest.mark.parametrize("mass", [0.5, 2.0, 5.0, 1200.0])
def test_undamped_bounce_is_that_of_a_spring(mass):
    speed, dt = 0.02, 1e-3
    back, peak, touched = ball_before_the_front(one_point(), mass, speed).bounce(dt)
    assert peak == pytest.approx(speed * sqrt(K * mass), rel=0.08 if mass < 2 else 0.02)  # 5 kg: 14.1 N
    assert touched == pytest.approx(pi * sqrt(mass / K), abs=2 * dt)
    assert back == pytest.approx(speed, rel=0.03 if mass < 2 else 5e-3)


@pytest.mark.parametrize("speed", [0.005, 0.02, 0.05])
@pytest.mark.parametrize(("dt", "tolerance"), [(1e-3, 0.02), (1e-4, 5e-4)])
def test_restitution_is_that_of_hunt_and_crossley(speed, dt, tolerance):
    """F = k d (1 + a dd/dt): v dv/dd = -(k/m) d (1 + a v), which integrates to a relation free of k and m."""
    a = 30.0  # damping over stiffness and depth [s/m]
    back, _, _ = ball_before_the_front(one_point(a * K, 1.0), 5.0, speed).bounce(dt)
    lost_in = a * speed - log1p(a * speed)
    assert -a * back - log1p(-a * back) == pytest.approx(lost_in, rel=10 * tolerance)
    low, high = 0.0, min(speed, 1.0 / a)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if -a * middle - log1p(-a * middle) < lost_in else (low, middle)
    assert back == pytest.approx(low, rel=tolerance)


def test_a_slow_bounce_of_hunt_and_crossley_loses_two_thirds_of_the_speed_times_damping():
    speed, a = 0.002, 20.0
    back, _, _ = ball_before_the_front(one_point(a * K, 1.0), 5.0, speed).bounce(1e-4)
    assert 1.0 - back / speed == pytest.approx(2.0 / 3.0 * a * speed, rel=0.05)


def test_damping_that_is_complete_from_the_start_is_that_of_kelvin_and_voigt():
    """Deep inside, a damped spring: d'' + c/m d' + k/m d = 0, until the force would pull."""
    mass, damping, speed = 5.0, 200.0, 0.02
    back, _, _ = ball_before_the_front(one_point(damping), mass, speed).bounce(1e-4)
    decay, natural = damping / (2 * mass), sqrt(K / mass)
    time = np.linspace(0.0, 0.05, 200_001)
    wave = sqrt(natural**2 - decay**2)
    depth = speed / wave * np.exp(-decay * time) * np.sin(wave * time)
    rate = speed * np.exp(-decay * time) * (np.cos(wave * time) - decay / wave * np.sin(wave * time))
    leaves = np.argmax(K * depth + damping * rate < 0.0)
    assert back == pytest.approx(-rate[leaves], rel=2e-3)


@given(small, small)
def test_a_spring_gives_back_exactly_what_it_took_wherever_a_step_begins_and_ends(before, after):
    start, end = column(0.015 - before, 0.0, 0.0), column(0.015 - after, 0.0, 0.0)
    press = one_point().step(np.zeros((3, 1)), start, end, 1e-3)
    stored = [0.5 * K * max(depth, 0.0) ** 2 for depth in (before, after)]
    work = 0.0 if press is None else press.forces[0, 0] * (before - after)
    assert work == pytest.approx(stored[0] - stored[1], abs=1e-12)


@given(st.lists(small, min_size=9, max_size=9), st.floats(0.0, 500.0), st.floats(0.0, 1.0))
def test_never_pulls_and_rubs_within_the_cone(numbers, damping, friction):
    start, way, anchor = (column(*numbers[i : i + 3]) for i in (0, 3, 6))
    start[0] += 0.0145
    press = one_point(damping, 1e-4, friction).step(start + anchor, start, start + way, 1e-3)
    if press is None:
        return
    normal = RING.normal(start + 0.5 * way)
    pressure = (press.forces * normal).sum()
    rub = np.linalg.norm(press.forces - pressure * normal)
    assert pressure >= 0.0
    assert rub <= friction * pressure + 1e-9


@given(small, small, st.floats(0.0, 0.004), st.floats(0.0, 500.0), st.floats(0.1, 1.0), st.floats(0.0, 2 * pi))
def test_sliding_only_loses_energy(y, z, depth, damping, friction, direction):
    """One step, straight on: the work of the contact is at most what the bristle gives up."""
    contacts, dt = one_point(damping, 1e-4, friction), 1e-3
    start = column(0.015 - depth, y, z)
    way = 2e-4 * column(0.0, np.cos(direction), np.sin(direction))
    first = contacts.step(start + column(0.0, z, y), start, start + way, dt)
    if first is None:
        return
    second = contacts.step(first.anchors, start + way, start + 2 * way, dt)
    work = (first.forces * way).sum()
    assert work <= first.energy - second.energy + 1e-9


def test_friction_holds_without_creeping_and_slides_at_its_limit():
    friction, depth, mass, dt = 0.3, 5e-4, 2.0, 1e-3
    pressing = (-K * depth, 0.0, 0.0)  # 50 N
    ball = Ball(one_point(200.0, 1e-4, friction), mass, (0.015 - depth, 0.0, 0.0), (0.0, 0.0, 0.0))
    for pull in np.linspace(0.0, 10.0, 500):
        ball.step(dt, (pressing[0], pull, 0.0))
    at_rest = ball.position.copy()
    for _ in range(5000):
        ball.step(dt, (pressing[0], 10.0, 0.0))
    assert_allclose(ball.position[1], 10.0 / K, rtol=0.02)  # the bristle's stretch
    assert_allclose(ball.position, at_rest, atol=2e-6)
    for _ in range(50):
        ball.step(dt, (pressing[0], 25.0, 0.0))
    before = ball.velocity[1, 0]
    for _ in range(100):
        ball.step(dt, (pressing[0], 25.0, 0.0))
    assert (ball.velocity[1, 0] - before) / 0.1 == pytest.approx((25.0 - friction * 50.0) / mass, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.6), st.sampled_from([0.0, 20.0, 200.0]))
def test_closed_cycles_on_a_face_give_no_energy(seed, friction, damping):
    """A point led around the same loop again and again, in and out of the ring."""
    random = np.random.default_rng(seed)
    phase = 2 * pi * np.arange(500) / 500
    waves = random.normal(0.0, 0.001, (3, 4))
    loop = waves @ np.array([np.sin(phase), np.cos(phase), np.sin(2 * phase), np.cos(2 * phase)])
    loop += column(random.uniform(0.013, 0.016), 0.0, 0.0)
    contacts, anchor, work = one_point(damping, 1e-4, friction), np.zeros((3, 1)), 0.0
    for k in range(1, 1000):
        start, end = loop[:, [k % 500]], loop[:, [(k + 1) % 500]]
        press = contacts.step(anchor, start, end, 1e-3)
        if press is not None:
            anchor = press.anchors
            work += (press.forces * (end - start)).sum() * (k >= 500)
    assert work <= 1e-12
