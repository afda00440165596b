"""Modes and modal integrals of a cantilever against quadrature and the textbook."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies.beam import Beam

BEAM = Beam(length=0.64, mass=0.83, stiffness=0.46)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def integral(values):
    """Over the mass of the beam, of a function given at the nodes."""
    return values @ (0.5 * BEAM.mass * WEIGHTS)


@pytest.fixture(scope="module")
def modes():
    return BEAM.modes(6)


@pytest.fixture(scope="module")
def shapes(modes):
    return modes.shape(0.5 * BEAM.length * (NODES + 1.0))


def test_the_roots_are_those_of_the_textbook(modes):
    assert_allclose(modes.roots[:5], [1.87510407, 4.69409113, 7.85475744, 10.99554073, 14.13716839], atol=1e-8)


def test_the_beam_of_the_paper_rings_at_0_81_hertz():
    assert_allclose(BEAM.modes(1).frequencies / (2 * np.pi), 0.81366, atol=1e-5)


def test_shapes_are_clamped_at_the_root_and_one_at_the_tip(modes):
    near = 1e-6 * BEAM.length
    at_root, beside, at_tip = modes.shape(np.array([0.0, near, BEAM.length])).T
    assert_allclose(at_root, 0.0, atol=1e-13)
    assert_allclose(beside / near, 0.0, atol=1e-3)  # no slope
    assert_allclose(at_tip, 1.0, atol=1e-9)


def test_shapes_solve_the_beam_equation(modes):
    """phi'''' = (root / L)^4 phi, by a central difference."""
    s, h = np.linspace(0.2, 0.44, 7), 4e-3
    weights = [-1.0, 12.0, -39.0, 56.0, -39.0, 12.0, -1.0]
    fourth = sum(w * modes.shape(s + k * h) for k, w in zip(range(-3, 4), weights)) / (6.0 * h**4)
    expected = (modes.roots[:, None] / BEAM.length) ** 4 * modes.shape(s)
    for row in range(3):
        assert_allclose(fourth[row], expected[row], rtol=0, atol=1e-4 * np.abs(expected[row]).max())


def test_integrals_are_those_of_the_shapes(modes, shapes):
    s = 0.5 * BEAM.length * (NODES + 1.0)
    assert_allclose(integral(shapes), modes.first, atol=1e-12)
    assert_allclose(integral(s * shapes), modes.lever, atol=1e-12)


def test_modes_are_orthogonal(modes, shapes):
    products = np.array([[integral(a * b) for a in shapes] for b in shapes])
    assert_allclose(products, np.diag(modes.mass), atol=1e-11)


def test_all_modes_together_carry_the_whole_beam():
    """Effective masses add up to the mass of the beam, slowly."""
    shares = [np.sum(m.first**2 / m.mass) / BEAM.mass for m in (BEAM.modes(1), BEAM.modes(2), BEAM.modes(20))]
    assert_allclose(shares[0], 0.6131, atol=1e-4)  # textbook
    assert_allclose(shares[1], 0.6131 + 0.1883, atol=1e-4)
    assert 0.97 < shares[2] < 1.0


def test_a_heavier_longer_softer_beam_is_slower():
    def first(**changed):
        return Beam(**({"length": 1.0, "mass": 1.0, "stiffness": 1.0} | changed)).modes(1).frequencies[0]

    assert first(mass=4.0) == pytest.approx(first() / 2)
    assert first(stiffness=4.0) == pytest.approx(first() * 2)
    assert first(length=2.0) == pytest.approx(first() / np.sqrt(8.0))
