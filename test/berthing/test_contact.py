import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.berthing.contact import SpheresOnPlanes
from hil_relative_dynamics.evidence.validate_rendezvous_contact import bounce, sphere

MASS, STIFFNESS, FRICTION = 2.0, 1e4, 0.3
REST = np.zeros((3, 1))


def plane(damping=0.0, friction=FRICTION, extent=np.inf):
    normal = np.array([[0.0], [0.0], [1.0]])
    return SpheresOnPlanes(normal, np.zeros(1), 0.01, STIFFNESS, damping, friction, np.full(3, extent))


def test_a_sphere_bounces_as_the_closed_form_says():
    assert all(row.ok for row in sphere())
    assert bounce(MASS, STIFFNESS, 5.0, 0.1) < 0.9 * 0.1  # damping takes something


def test_nothing_pulls():
    leaving = np.array([[0.0], [0.0], [50.0]])
    press = plane(damping=1.0).press(np.array([[0.0], [0.0], [0.009]]), leaving, REST)
    assert press is not None
    assert_allclose(press.forces, 0.0, atol=1e-12)
    assert plane().press(np.array([[0.0], [0.0], [0.011]]), REST, REST) is None


def test_beside_the_plane_there_is_no_contact():
    assert plane(extent=0.05).press(np.array([[0.06], [0.0], [0.005]]), REST, REST) is None


@pytest.mark.parametrize("push, sticks", [(0.9, True), (1.1, False)])
def test_friction_holds_up_to_the_cone_and_not_beyond(push, sticks):
    """A sphere pressed on with N and pushed across with `push` times what friction can give."""
    surface, dt, load = plane(damping=2.0), 1e-3, 20.0
    point, velocity, anchors = np.array([[0.0], [0.0], [0.01 - load / STIFFNESS]]), np.zeros((3, 1)), np.zeros((3, 1))
    across = np.array([[push * FRICTION * load], [0.0], [-load]])
    speeds = []
    for _ in range(2000):
        speeds.append(velocity[0, 0])
        press = surface.press(point, velocity, anchors)
        velocity = velocity + dt / MASS * (press.forces + across)
        point = point + dt * velocity
        anchors = surface.settled(point, anchors, surface.press(point, velocity, anchors))
    if sticks:
        assert abs(point[0, 0]) < 1.1 * load / STIFFNESS and abs(velocity[0, 0]) < 1e-3
    else:
        steady = (push - 1.0) * FRICTION * load / MASS
        assert_allclose(speeds[1999] - speeds[999], steady, rtol=0.01)  # in the second second: it slides for good


def test_rubbing_to_and_fro_creates_no_energy():
    surface, dt, amplitudes, rates = plane(damping=1.0), 2e-4, np.array([3e-3, 2e-3, 1e-3]), np.array([7.0, 3.0, 11.0])
    anchors, balance, power, work = np.array([[0.0], [0.0], [0.008]]), [], None, 0.0
    for time in np.arange(0.0, 0.6, dt):
        point = (np.array([0.0, 0.0, 0.008]) + amplitudes * np.sin(rates * time))[:, None]
        velocity = (amplitudes * rates * np.cos(rates * time))[:, None]
        press = surface.press(point, velocity, anchors)
        now = float(np.vdot(press.forces, velocity))
        work += 0.5 * dt * (now if power is None else now + power)
        power = now
        balance.append(work + press.stored)
        anchors = surface.settled(point, anchors, press)
    gain = np.array(balance) - np.minimum.accumulate(balance)
    lost = balance[0] - balance[-1]
    assert gain.max() < 1e-5 * lost and lost > 0.02


def test_a_sphere_that_comes_down_sliding_has_no_bristle_bent_from_before():
    surface, far = plane(), np.array([[0.0], [0.0], [0.02]])
    assert np.isnan(surface.settled(far, REST, surface.press(far, REST, REST))).all()
    down, none = np.array([[0.004], [0.0], [0.009]]), np.full((3, 1), np.nan)
    first = surface.press(down, REST, none)
    assert first.stored == pytest.approx(0.5 * STIFFNESS * 0.001**2)
    assert_allclose(first.forces[:2], 0.0, atol=1e-15)
    anchors = surface.settled(down, none, first)
    assert_allclose(surface.press(down + [[1e-4], [0.0], [0.0]], REST, anchors).forces[0], -1e-4 * STIFFNESS)
