import numpy as np
from numpy.testing import assert_allclose

from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.lvlh import RelativeMotion
from hil_relative_dynamics.orbit.reference import ChaserReference, TargetFrame
from hil_relative_dynamics.spatial import orientation_error

ORBIT = Orbit(7.5e6, 0.1, 0.7)
SECOND = 1_000_000_000


def test_the_frame_turns_as_its_twist_says():
    frame, h = TargetFrame(ORBIT), 1e-3
    before, now, after = (frame.sample(700.0 + offset) for offset in (-h, 0.0, h))
    turned = orientation_error(before.pose, after.pose)
    assert_allclose(turned / (2 * h), now.twist.angular[2], rtol=1e-9)
    assert_allclose((after.twist.angular - before.twist.angular)[2] / (2 * h), now.acceleration.angular[2], rtol=1e-6)
    assert_allclose(frame.sample(0.0).pose.homogeneous, np.eye(4), atol=1e-15)
    assert_allclose(frame.step(None, 3 * SECOND, SECOND)[1][1].array, frame.sample(3.5).array, atol=1e-15)


def test_set_points_are_the_free_flight():
    start = [20.0, -100.0, 3.0, 0.01, 0.02, -0.01]
    reference = ChaserReference(ORBIT, start)
    state = reference.initial_state()
    for second in range(60):
        state, points = reference.step(state, second * SECOND, SECOND)
    exact = RelativeMotion(ORBIT).propagate(0.0, start, 60.0)
    assert_allclose(state, exact, atol=1e-9)
    assert_allclose(points.end.pose.translation, exact[:3], atol=1e-9)
    assert_allclose(points.end.twist.linear, exact[3:], atol=1e-12)
    mean = (points.end.twist.linear - points.start.twist.linear) / 1.0
    assert_allclose(points[1].acceleration.linear, mean, rtol=1e-5)
