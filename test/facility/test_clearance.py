"""Clearance: which pairs are watched, and that the cheap bound never hides one that is close."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hil_relative_dynamics.facility.clearance import (
    CLIENT_MOCKUP,
    GRIPPER,
    Clearance,
    Proximity,
    is_watched,
    memoryless_data,
)
from hil_relative_dynamics.facility.description import description

pytest.importorskip("coal")

LIMIT = 0.05
URDF = description("facility")
MODEL = pin.buildModelFromXML(URDF)
WORKING = np.radians([0.0, -78.742264, 106.826190, 0.0, -28.083926, 0.0])
READY = np.radians([45.1, 90.6, -89.4, -91.7, 90.6, -90.6, 46.6])
START = np.concatenate([WORKING, WORKING, READY])

configurations = st.builds(
    lambda parts: MODEL.lowerPositionLimit
    + np.array(parts) * (MODEL.upperPositionLimit - MODEL.lowerPositionLimit),
    st.lists(st.floats(0.0, 1.0), min_size=MODEL.nq, max_size=MODEL.nq),
)


class BruteForce:
    """All pairs by coal, each time anew, from a geometry of its own."""

    def __init__(self) -> None:
        self.geometry = pin.buildGeomFromUrdfString(MODEL, URDF, pin.GeometryType.COLLISION)
        names = [MODEL.frames[item.parentFrame].name for item in self.geometry.geometryObjects]
        self.pairs = []
        for first in range(len(names)):
            for second in range(first + 1, len(names)):
                if is_watched(names[first], names[second]):
                    self.geometry.addCollisionPair(pin.CollisionPair(first, second))
                    self.pairs.append((names[first], names[second]))
        self.data, self.geometry_data = MODEL.createData(), memoryless_data(self.geometry)

    def closest(self, configuration: np.ndarray) -> Proximity:
        pin.computeDistances(MODEL, self.data, self.geometry, self.geometry_data, configuration)
        distances = [result.min_distance for result in self.geometry_data.distanceResults]
        index = int(np.argmin(distances))
        return Proximity(*self.pairs[index], distances[index])


BRUTE_FORCE = BruteForce()
SHARED = Clearance(LIMIT)  # with all it remembers from one example to the next


def assert_agrees(clearance: Clearance, configuration: np.ndarray) -> None:
    expected, found = BRUTE_FORCE.closest(configuration), clearance.closest_beyond_limit(configuration)
    if expected.distance < clearance.limit:
        assert found == expected
    else:
        assert found is None


@settings(max_examples=150, deadline=None)
@given(configurations)
def test_agrees_with_brute_force_anywhere(configuration):
    assert_agrees(SHARED, configuration)


@settings(max_examples=40, deadline=None)
@given(configurations, configurations, st.floats(1e-4, 0.05), st.sampled_from([0.02, 0.05, 0.2, 0.5]))
def test_agrees_with_brute_force_on_the_way_from_one_to_the_other(start, end, step, limit):
    """Small steps, as from tick to tick: here the bound decides."""
    clearance = Clearance(limit)
    for part in np.arange(0.0, 25 * step, step):
        assert_agrees(clearance, start + part * (end - start))


def test_agrees_with_brute_force_while_the_arm_reaches_out_and_the_robots_close_in():
    clearance, hits = Clearance(LIMIT), 0
    closer = np.zeros(19)
    closer[[1, 2, 4]] = closer[[7, 8, 10]] = np.radians([14.0, -24.0, 10.0])
    for part in np.linspace(0.0, 1.0, 600):
        configuration = START + part * closer
        assert_agrees(clearance, configuration)
        hits += clearance.closest_beyond_limit(configuration) is not None
    assert 50 < hits < 550


@settings(max_examples=50, deadline=None)
@given(configurations, configurations, st.floats(0.0, 0.3))
def test_no_pair_comes_closer_than_the_bound(first, second, part):
    second = first + part * (second - first)
    bound = SHARED._approach @ np.abs(second - first)
    change = np.abs(SHARED.distances(second) - SHARED.distances(first))
    assert (change <= bound + 1e-5).all()


def test_the_answer_does_not_depend_on_what_was_asked_before():
    rng = np.random.default_rng(3)
    span = MODEL.upperPositionLimit - MODEL.lowerPositionLimit
    many = [MODEL.lowerPositionLimit + rng.random(19) * span for _ in range(60)]
    in_order = [SHARED.closest_beyond_limit(configuration) for configuration in many]
    backwards = [SHARED.closest_beyond_limit(configuration) for configuration in reversed(many)]
    assert in_order == backwards[::-1]
    assert in_order == [Clearance(LIMIT).closest_beyond_limit(configuration) for configuration in many]


def test_far_apart_almost_nothing_is_measured():
    """A rehearsal's pace: 0.2 rad/s in every joint at 250 Hz, for 4 s."""
    clearance = Clearance(LIMIT)
    for tick in range(1000):
        assert clearance.closest_beyond_limit(START + 0.1 * np.sin(0.008 * tick)) is None
    assert clearance.measured < 0.05 * 1000 * len(clearance.pairs)


@pytest.mark.parametrize(
    "first, second, watched",
    [
        ("client_robot_link_3", "servicer_robot_link_3", True),
        ("client_robot_base_link", "servicer_robot_base_link", True),
        ("client_robot_client_mockup", "arm_gripper_body", True),
        ("client_robot_link_2", "arm_link_0", True),
        ("servicer_robot_link_3", "arm_link_5", True),
        ("servicer_robot_servicer_mockup", "arm_gripper_body", True),
        ("servicer_robot_servicer_mockup", "arm_link_1", False),  # stands on it
        ("client_robot_link_4", "client_robot_client_mockup", True),
        ("client_robot_link_6", "client_robot_client_mockup", False),  # carries it
        ("client_robot_ft_sensor_case", "client_robot_client_mockup", False),
        ("client_robot_client_mockup", "client_robot_client_mockup", False),
        ("servicer_robot_link_2", "servicer_robot_servicer_mockup", True),
        ("client_robot_link_2", "client_robot_link_4", False),  # the robot's own joint limits see to that
        ("arm_link_2", "arm_link_5", False),
    ],
)
def test_watched_pairs(first, second, watched):
    assert is_watched(first, second) is is_watched(second, first) is watched


def grasping(offset: np.ndarray) -> np.ndarray:
    """The arm's gripper at the grasp point, up to an offset in the laboratory."""
    data = MODEL.createData()
    tip, goal = (MODEL.getFrameId(name) for name in ("arm_gripper", "client_robot_grasp_point"))
    configuration = START.copy()
    for _ in range(200):
        pin.framesForwardKinematics(MODEL, data, configuration)
        target = data.oMf[goal] * pin.SE3(pin.utils.rotate("y", -np.pi / 2), np.zeros(3))
        target.translation += offset
        error = pin.log6(data.oMf[tip].actInv(target)).vector
        jacobian = pin.computeFrameJacobian(MODEL, data, configuration, tip, pin.LOCAL)[:, 12:]
        configuration[12:] += np.linalg.lstsq(jacobian, np.clip(error, -0.1, 0.1), rcond=1e-3)[0]
    assert np.linalg.norm(error) < 1e-6
    return configuration


def test_a_grasp_is_a_collision_unless_it_is_allowed():
    configuration = grasping(np.zeros(3))
    close = Clearance(LIMIT).closest_beyond_limit(configuration)
    assert close is not None and {close.first, close.second} == {CLIENT_MOCKUP, GRIPPER}
    assert Clearance(LIMIT, grasp_region=0.20).closest_beyond_limit(configuration) is None


def test_a_grasp_is_allowed_only_near_the_grasp_point():
    """0.12 m along the ring: too far with a region of 0.1 m."""
    configuration = grasping(np.array([0.0, 0.12, 0.0]))
    assert Clearance(LIMIT, grasp_region=0.10).closest_beyond_limit(configuration) is not None
    assert Clearance(LIMIT, grasp_region=0.14).closest_beyond_limit(configuration) is None


def test_an_allowed_grasp_allows_nothing_else():
    """With a limit of 0.2 m other links are too close, too: the link behind the gripper is 0.1 m from the ring."""
    configuration, clearance = grasping(np.zeros(3)), Clearance(0.2, grasp_region=9.0)
    found = zip(clearance.distances(configuration), clearance.pairs)
    pairs = [(distance, {clearance.links[one], clearance.links[other]}) for distance, (one, other) in found]
    distance, links = min((pair for pair in pairs if pair[1] != {CLIENT_MOCKUP, GRIPPER}), key=lambda it: it[0])
    close = clearance.closest_beyond_limit(configuration)
    assert close is not None and {close.first, close.second} == links and close.distance == distance
    behind = min(distance for distance, links in pairs if links == {CLIENT_MOCKUP, "arm_link_7"})
    assert 0.08 < behind < 0.12


def test_robots_where_the_layout_puts_them():
    near = Clearance(LIMIT, layout={"servicer_base_xyz": "4.4 0 0"})
    assert near.closest_beyond_limit(START) is not None
    assert Clearance(LIMIT).closest_beyond_limit(START) is None


def test_distances_are_those_of_the_primitives():
    distances = dict(zip(SHARED.pairs, SHARED.distances(START)))
    bases = [index for index, link in enumerate(SHARED.links) if link.endswith("base_link")]
    first, second = bases[0], bases[2]  # boxes 0.85 m long, 4.9 m apart, their middles 0.05 m behind the axes
    assert_allclose(distances[first, second], 4.9 + 0.1 - 0.85, atol=1e-6)
