"""A hub with appendages: its mass matrix and velocity terms, and what it conserves."""
import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.appendage import Appendage
from hil_relative_dynamics.bodies.beam import Beam
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.evidence.validate_flexible_laws import dalembert_residual, skewed_body

NONE, AXIS = np.zeros(6), np.array([0.0, 1.0, 0.0])
HUB = pin.Inertia(9.0, np.array([0.05, -0.1, 0.02]), np.diag([1.0, 1.4, 1.7]))


@pytest.fixture(scope="module")
def body():
    return skewed_body()


@pytest.fixture(params=range(5))
def state(request, body):
    """twist, q, dq, wrench"""
    random = np.random.default_rng(request.param)
    twist, wrench = random.normal(size=6), random.normal(size=6)
    return twist, 0.1 * random.normal(size=body.modes), random.normal(size=body.modes), wrench


def beam_at(position, yaw=0.0, stiffness=0.46, modes=2, damping=0.0):
    pose = pin.SE3(pin.utils.rotate("z", yaw), np.array(position))
    return Appendage(Beam(0.64, 0.83, stiffness), pose, AXIS, modes, damping)


def test_every_piece_of_the_body_obeys_newton(body, state):
    """d'Alembert at points along the beams, which knows no modal integral."""
    twist, q, dq, wrench = state
    rates = body.acceleration(twist, q, dq, wrench)
    scale = np.linalg.norm(body.mass_matrix(q) @ np.concatenate(rates))
    assert dalembert_residual(body, twist, *rates, q, dq, wrench) < 1e-12 * scale
    other = (rates[0], 1.001 * rates[1])
    assert dalembert_residual(body, twist, *other, q, dq, wrench) > 1e-6 * scale


def test_the_parts_of_the_law_agree(body, state):
    """(1) with the mass matrix (2) and the quadratic velocity vector (7), written out."""
    twist, q, dq, wrench = state
    acceleration, ddq = body.acceleration(twist, q, dq, wrench)
    right = body.quadratic_velocity(twist, q, dq)
    right[:6] += wrench
    right[6:] += body.elastic_force(q, dq)
    expected = np.linalg.solve(body.mass_matrix(q), right)
    assert_allclose(np.concatenate([acceleration, ddq]), expected, rtol=1e-10, atol=1e-8)
    driven, needed = body.driven(twist, acceleration, q, dq)
    assert_allclose(driven, ddq, rtol=1e-10, atol=1e-8)
    assert_allclose(needed, wrench, atol=1e-9)


def test_velocity_terms_are_lagranges(body, state):
    """The modal rows are dT/dq, by a central difference."""
    twist, q, dq, _ = state
    elastic = FlexibleBody(body.hub, body.appendages)
    elastic.stiffness = np.zeros(body.modes)  # kinetic energy alone
    step = 1e-6
    for k, expected in enumerate(body.quadratic_velocity(twist, q, dq)[6:]):
        moved = step * np.eye(body.modes)[k]
        slope = (elastic.energy(twist, q + moved, dq) - elastic.energy(twist, q - moved, dq)) / (2 * step)
        assert_allclose(slope, expected, rtol=1e-6, atol=1e-7)


def test_the_mass_matrix_is_symmetric_and_positive(body, state):
    matrix = body.mass_matrix(state[1])
    assert_allclose(matrix, matrix.T, atol=1e-14)
    assert np.linalg.eigvalsh(matrix)[0] > 0.0


def test_power_goes_into_energy_and_damping(body, state):
    """dE/dt = F V - b dq^2, without integrating anything."""
    twist, q, dq, wrench = state
    rates, step = body.acceleration(twist, q, dq, wrench), 1e-5

    def energy(time):
        return body.energy(twist + time * rates[0], q + time * dq + 0.5 * time**2 * rates[1], dq + time * rates[1])

    change = (energy(step) - energy(-step)) / (2 * step)
    expected = wrench @ twist - body.dissipation(dq)
    assert_allclose(change, expected, rtol=1e-6, atol=1e-5 * np.abs(rates[1]).max())
    assert body.dissipation(dq) > 0.0


def test_undeformed_it_weighs_as_its_parts_do(body):
    panel = body.appendages[0]
    beam = panel.beam
    across = np.cross(panel.bending_axis, [1.0, 0.0, 0.0])
    second = beam.mass / 12 * (
        beam.length**2 * np.outer([1.0, 0, 0], [1.0, 0, 0])
        + beam.width**2 * np.outer(panel.bending_axis, panel.bending_axis)
    )
    plate = pin.Inertia(beam.mass, np.array([0.5 * beam.length, 0, 0]), np.trace(second) * np.eye(3) - second)
    alone = FlexibleBody(HUB, [panel])
    assert_allclose(alone.rigid.matrix(), HUB.matrix() + panel.pose.act(plate).matrix(), atol=1e-13)
    assert_allclose(alone.inertia_matrix(np.zeros(3)), alone.rigid.matrix(), atol=1e-13)
    assert abs(across @ panel.bending_axis) < 1e-15


def test_a_hub_without_appendages_is_a_rigid_body():
    bare, rigid = FlexibleBody(HUB, []), RigidBody(HUB)
    twist, wrench = np.array([0.3, -0.1, 0.2, 0.5, 0.4, -0.6]), np.array([1.0, 2, 3, 4, 5, 6])
    acceleration, ddq = bare.acceleration(twist, np.zeros(0), np.zeros(0), wrench)
    assert_allclose(acceleration, rigid.acceleration(pin.Motion(twist), pin.Force(wrench)).vector, atol=1e-13)
    assert len(ddq) == 0


def test_a_body_within_a_body_leaves_the_hub(body):
    again = FlexibleBody.within(body.rigid, body.appendages)
    assert_allclose(again.hub.matrix(), body.hub.matrix(), atol=1e-13)


def test_frames_do_not_matter(body, state):
    """Seen from a hub frame that sits elsewhere on the hub, modes accelerate just the same."""
    twist, q, dq, wrench = state
    moved = pin.SE3(pin.rpy.rpyToMatrix(0.7, -0.3, 1.9), np.array([0.3, 0.5, -0.4]))  # old frame in the new one
    other = FlexibleBody(
        moved.act(body.hub),
        [Appendage(a.beam, moved * a.pose, a.bending_axis, a.modes, a.damping) for a in body.appendages],
    )
    acceleration, ddq = body.acceleration(twist, q, dq, wrench)
    seen = other.acceleration(moved.act(pin.Motion(twist)).vector, q, dq, moved.act(pin.Force(wrench)).vector)
    assert_allclose(seen[0], moved.act(pin.Motion(acceleration)).vector, rtol=1e-8, atol=1e-9 * np.abs(ddq).max())
    assert_allclose(seen[1], ddq, rtol=1e-8, atol=1e-9 * np.abs(ddq).max())


def test_equal_beams_bent_alike_do_not_turn_the_hub():
    pair = FlexibleBody(pin.Inertia(50.0, np.zeros(3), np.eye(3)), [beam_at([0.5, 0, 0]), beam_at([-0.5, 0, 0], np.pi)])
    acceleration, _ = pair.acceleration(NONE, np.array([0.1, 0.0, 0.1, 0.0]), np.zeros(4), NONE)
    assert_allclose(acceleration[3:], 0.0, atol=1e-15)
    assert abs(acceleration[2]) > 1e-3
    # bent apart they only turn it: the beam on the far side bends the other way for the same sign of q
    acceleration, _ = pair.acceleration(NONE, np.array([0.1, 0.0, -0.1, 0.0]), np.zeros(4), NONE)
    assert_allclose(acceleration[:3], 0.0, atol=1e-15)
    assert abs(acceleration[4]) > 1e-3


def test_unequal_beams_turn_the_hub_and_beat():
    soft, stiff = beam_at([0.5, 0, 0], stiffness=0.445), beam_at([-0.5, 0, 0], np.pi, stiffness=0.475)
    pair = FlexibleBody(pin.Inertia(1e6, np.zeros(3), 1e6 * np.eye(3)), [soft, stiff])
    acceleration, _ = pair.acceleration(NONE, np.array([0.1, 0.0, 0.1, 0.0]), np.zeros(4), NONE)
    assert abs(acceleration[4]) > 1e-9
    low, high = pair.frequencies()[0][:2] / (2 * np.pi)
    assert_allclose(high - low, 0.5 * 0.03 / 0.46 * 0.81366, rtol=1e-3)  # on a hub that hardly moves


def test_spin_pulls_a_bent_beam_outwards():
    """Centrifugal force on a deflection out of the plane of spin is zero, along the axis of spin; in it, it grows."""
    single = FlexibleBody(HUB, [beam_at([0.5, 0, 0])])
    spin = np.array([0, 0, 0, 0, 1.0, 0])  # about the bending axis: deflects in the plane of spin
    straight, bent = (single.quadratic_velocity(spin, np.array([q, 0.0]), np.zeros(2))[6] for q in (0.0, 0.1))
    assert straight == pytest.approx(0.0, abs=1e-15)
    assert_allclose(bent, 0.1 * single.modal_mass[0], rtol=1e-12)  # m_k w^2 q
    about_z = np.array([0, 0, 0, 0, 0, 1.0])
    assert single.quadratic_velocity(about_z, np.array([0.1, 0.0]), np.zeros(2))[6] == pytest.approx(0.0, abs=1e-15)
