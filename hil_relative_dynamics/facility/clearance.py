r"""How far robots, arm and mock-ups are from each other.

Exact distances between convex primitives cost about 0.2 us each, and there are hundreds of pairs. Yet no
point of a link moves further than \( \sum_j r_j |\Delta q_j| \), where \( r_j \) is its largest possible
distance from joint j: a pair that was far apart cannot have come close since. So all pairs are measured once,
later only those that may have come closer than the limit; and when these get many, all are measured anew.

The answer depends on the configuration alone, never on what was asked before: every pair below the limit is
among those measured.
"""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.description import DEFAULT_LAYOUT, description

ROUND_OFF = 1e-4
"""More than the tolerance of a measured distance [m]."""
MANY = 32
"""So many pairs to be measured at once are worth a new start."""

CLIENT, SERVICER, ARM = "client_robot_", "servicer_robot_", "arm_"
CLIENT_MOCKUP, SERVICER_MOCKUP = "client_robot_client_mockup", "servicer_robot_servicer_mockup"
GRIPPER = "arm_gripper_body"
GRASP_POINT, GRIPPER_TIP = "client_robot_grasp_point", "arm_gripper"
FIXED_TO_MOCKUP = ("link_5", "link_6", "ft_sensor_case")
"""Links that always are close to the mock-up they carry."""
ARM_ROOT = ("arm_link_0", "arm_link_1")
"""Links that always are close to the mock-up they stand on."""


class Proximity(NamedTuple):
    """Two links and the distance between them [m]; negative where they overlap."""

    first: str
    second: str
    distance: float


class Clearance:
    """Watches the distances of `urdf/facility.urdf.xacro` against a limit.

    Pairs: everything of the client's side against everything of the servicer's, the arm against the robot
    that carries it, each mock-up against its own robot. Not watched: the floor, and the arm against itself.

    Args:
        limit: closest that two links may come [m].
        grasp_region: gripper and client mock-up may touch while the gripper's frame is this close to the
            grasp point [m]; None: never.
        layout: where the robots stand, as for `description`.
    """

    def __init__(
        self,
        limit: float,
        grasp_region: float | None = None,
        layout: Mapping[str, str] = DEFAULT_LAYOUT,
    ) -> None:
        urdf = description("facility", layout)
        self.limit, self.grasp_region = limit, grasp_region
        self.model: pin.Model = pin.buildModelFromXML(urdf)
        self.geometry = pin.buildGeomFromUrdfString(self.model, urdf, pin.GeometryType.COLLISION)
        self.links = [self.model.frames[item.parentFrame].name for item in self.geometry.geometryObjects]
        self.pairs = [
            (first, second)
            for first in range(len(self.links))
            for second in range(first + 1, len(self.links))
            if is_watched(self.links[first], self.links[second])
        ]
        for pair in self.pairs:
            self.geometry.addCollisionPair(pin.CollisionPair(*pair))
        self._data, self._geometry_data = self.model.createData(), memoryless_data(self.geometry)
        self._approach = self._approach_per_angle()
        links = [{self.links[first], self.links[second]} for first, second in self.pairs]
        self._grasp_pairs = np.array([pair == {CLIENT_MOCKUP, GRIPPER} for pair in links])
        frames = (self.model.getFrameId(name, pin.FrameType.BODY) for name in (GRASP_POINT, GRIPPER_TIP))
        self._grasp_point, self._gripper = frames
        self._reference: np.ndarray | None = None  # where all distances were measured last
        self._distances = np.empty(len(self.pairs))
        self.measured = 0  # pairs so far: what it costs

    def closest_beyond_limit(self, configuration: np.ndarray) -> Proximity | None:
        """The closest of the pairs that are closer than the limit.

        Args:
            configuration: joints of client robot, servicer robot and arm [rad], finite.
        """
        if self._reference is None:
            self._measure_all(configuration)
        close = self._may_be_close(configuration)
        if close.size > MANY:
            self._measure_all(configuration)
            close = self._may_be_close(configuration)
        if not close.size:
            return None
        model, geometry = self.model, self.geometry
        pin.updateGeometryPlacements(model, self._data, geometry, self._geometry_data, configuration)
        if self.grasp_region is not None and self._in_grasp(self.grasp_region):
            close = close[~self._grasp_pairs[close]]
        found = [(self._distance(index), index) for index in close.tolist()]
        distance, index = min(found, default=(np.inf, -1))
        if not distance < self.limit:
            return None
        first, second = self.pairs[index]
        return Proximity(self.links[first], self.links[second], distance)

    def distances(self, configuration: np.ndarray) -> np.ndarray:
        """Of all pairs [m], measured."""
        pin.computeDistances(self.model, self._data, self.geometry, self._geometry_data, configuration)
        return np.array([result.min_distance for result in self._geometry_data.distanceResults])

    def _measure_all(self, configuration: np.ndarray) -> None:
        self._distances = self.distances(configuration) - ROUND_OFF
        self._reference = configuration.copy()
        self.measured += len(self.pairs)

    def _may_be_close(self, configuration: np.ndarray) -> np.ndarray:
        """Indices of the pairs whose distance may be below the limit."""
        moved = self._approach @ np.abs(configuration - self._reference)
        return np.flatnonzero(~(self._distances - moved >= self.limit))  # NaN may be close, too

    def _distance(self, index: int) -> float:
        self.measured += 1
        return float(pin.computeDistance(self.geometry, self._geometry_data, index).min_distance)

    def _in_grasp(self, region: float) -> bool:
        grasp_point = pin.updateFramePlacement(self.model, self._data, self._grasp_point)
        gripper = pin.updateFramePlacement(self.model, self._data, self._gripper)
        return bool(np.linalg.norm(gripper.translation - grasp_point.translation) < region)

    def _approach_per_angle(self) -> np.ndarray:
        """For every pair and joint, by how much the pair may come closer per angle [m/rad]."""
        reaches = np.array([self._reaches(item) for item in self.geometry.geometryObjects])
        first, second = np.array(self.pairs).T
        below_both = (reaches[first] > 0.0) & (reaches[second] > 0.0)  # turns the two as one
        return np.where(below_both, 0.0, reaches[first] + reaches[second])

    def _reaches(self, item: pin.GeometryObject) -> np.ndarray:
        """Largest distance of any point of a shape from the origin of each joint that moves it."""
        item.geometry.computeLocalAABB()
        reach = np.linalg.norm(item.placement.act(item.geometry.aabb_center)) + item.geometry.aabb_radius
        reaches, joint = np.zeros(self.model.nv), item.parentJoint
        while joint:
            reaches[self.model.joints[joint].idx_v] = reach
            reach += np.linalg.norm(self.model.jointPlacements[joint].translation)
            joint = self.model.parents[joint]
        return reaches


def memoryless_data(geometry: pin.GeometryModel) -> pin.GeometryData:
    """Data whose distances do not start from those found before: that would change their last digits."""
    data = geometry.createData()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # but the default of its successor is overruled
        for request in data.distanceRequests:
            if hasattr(request, "enable_cached_gjk_guess"):
                request.enable_cached_gjk_guess = False
    return data


def is_watched(first: str, second: str) -> bool:
    """Whether the distance of two links matters."""
    if first.startswith(CLIENT) != second.startswith(CLIENT):
        return True
    return any(_is_own_pair(*pair) for pair in ((first, second), (second, first)))


def _is_own_pair(carried: str, robot: str) -> bool:
    """A mock-up or the arm, and the robot that carries it."""
    if carried.startswith(ARM):
        return carried not in ARM_ROOT and robot.startswith(SERVICER)
    if carried not in (CLIENT_MOCKUP, SERVICER_MOCKUP) or robot == carried or robot.startswith(ARM):
        return False
    return not robot.endswith(FIXED_TO_MOCKUP)
