"""Laboratory and orbit show the same thing: what the gripper does at the ring."""
import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scene.places import Laboratory, Orbit
from hil_relative_dynamics.scene.satellites import client
from hil_relative_dynamics.scene.shapes import CONE, RING, triangles
from hil_relative_dynamics.scene.snapshot import Snapshot, snapshot


@pytest.fixture(scope="module")
def world():
    return World(load("envisat_unforced"))


@pytest.fixture(scope="module")
def anywhere():
    generator = np.random.default_rng(7)
    nominal, client, servicer = (pin.SE3.Random() for _ in range(3))
    return Snapshot(0.0, nominal, client, servicer, generator.uniform(-1.0, 1.0, 7))


def gripper_at_grasp_point(places):
    return places["grasp_point"].actInv(places["gripper"])


def test_without_robots_both_views_agree_whatever_the_motion(world, anywhere):
    laboratory, orbit = Laboratory(world), Orbit(world)
    seen = gripper_at_grasp_point(laboratory.place(anywhere)), gripper_at_grasp_point(orbit.place(anywhere))
    assert seen[0].isApprox(seen[1], 1e-12)
    assert not laboratory.with_robots and laboratory.workspace is None
    assert all(name.startswith("arm_") or name.endswith("mockup") for name in laboratory.bodies)


def test_with_robots_both_views_agree_on_what_was_measured():
    """The robots' joints and the mapping to orbit are two ways to the same relative pose."""
    scenario = load("envisat_unforced_facility")
    world, recording = World(scenario), run(assemble(scenario), 40_000_000)
    row = {name: len(recording[name]) - 1 for name in recording.signals}
    row[signals.ARM_JOINTS] -= int(recording.stamps(signals.ARM_JOINTS)[-1] // 1_000_000) % 4  # the same tick
    seen = snapshot(0.036, {name: recording[name][row[name]] for name in recording.signals})
    laboratory = Laboratory(world)
    places = laboratory.place(seen)
    expected = gripper_at_grasp_point(Orbit(world).place(seen))
    assert gripper_at_grasp_point(places).isApprox(expected, 1e-9)
    assert laboratory.with_robots and np.all(laboratory.workspace[0] < laboratory.workspace[1])
    start = scenario.laboratory.grasp_point.position
    np.testing.assert_allclose(places["grasp_point"].translation, start, atol=1e-3)


def test_riding_changes_nothing_between_the_bodies(world, anywhere):
    orbit = Orbit(world)
    still, riding = orbit.place(anywhere), orbit.place(anywhere, riding=True)
    assert still.keys() == riding.keys() >= orbit.bodies.keys()
    np.testing.assert_allclose(riding["nominal"].homogeneous, np.eye(4), atol=1e-12)
    for name in still:
        from_client = (places["client"].actInv(places[name]).homogeneous for places in (still, riding))
        np.testing.assert_allclose(*from_client, atol=1e-12)


def test_the_ring_goes_through_the_grasp_point(world):
    scenario = world.scenario
    ring = next(shape for shape in client(scenario) if shape.kind == RING)
    vertices, _ = triangles(ring)
    grasp_point = scenario.client.grasp_point.pose_in_client.translation
    across = np.hypot(0.5 * scenario.contact.ring_width, 0.5 * scenario.contact.ring_thickness)
    assert np.linalg.norm(vertices - grasp_point, axis=1).min() <= across + 1e-9
    assert np.ptp(vertices[:, 2]) == pytest.approx(scenario.contact.ring_diameter + scenario.contact.ring_thickness)


def test_an_eighth_of_the_mass_is_drawn_half_as_large_but_for_the_ring():
    large, small = (client(load("envisat_unforced", [f"client.mass_kg={mass}"])) for mass in (7828, 978.5))
    for big, little in zip(large, small):
        sizes = np.array([np.ptp(triangles(shape)[0], axis=0).max() for shape in (big, little)])
        if big.kind != CONE:  # one of them joins body and ring
            assert sizes[1] / sizes[0] == pytest.approx(1.0 if big.kind == RING else 0.5, rel=1e-6)


def test_what_is_off_is_what_the_simulation_says(anywhere):
    off = pin.SE3(pin.exp3(np.array([0.0, 0.03, 0.0])), np.array([0.004, 0.0, 0.0]))
    simulated = anywhere.client, anywhere.servicer
    seen = Snapshot(0.0, anywhere.nominal, anywhere.client * off, anywhere.servicer, anywhere.arm, simulated=simulated)
    assert seen.relative_error == pytest.approx((0.004, 0.03), rel=1e-9)


def test_the_relative_rate_is_the_same_in_any_frame(anywhere):
    twists = pin.Motion.Random(), pin.Motion.Random()
    moved = pin.SE3.Random()
    one = Snapshot(0.0, anywhere.nominal, anywhere.client, anywhere.servicer, anywhere.arm, twists=twists)
    other = Snapshot(0.0, anywhere.nominal, moved * anywhere.client, moved * anywhere.servicer, anywhere.arm,
                     twists=twists)
    inertial = anywhere.client.rotation @ twists[0].angular - anywhere.servicer.rotation @ twists[1].angular
    assert one.relative_rate == pytest.approx(float(np.linalg.norm(inertial)), rel=1e-12)
    assert other.relative_rate == pytest.approx(one.relative_rate, rel=1e-12)
