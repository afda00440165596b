"""Both robots of a scenario, what they carry and where they stand."""
from __future__ import annotations

from functools import cached_property

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.facility.clearance import Clearance
from hil_relative_dynamics.facility.homing import MARGIN, ROBOTS, Homing
from hil_relative_dynamics.facility.robot_commander import RobotCommander
from hil_relative_dynamics.facility.robot_model import (
    RobotModel,
    client_robot,
    pose_arm_mount,
    servicer_robot,
    start_posture_client,
    start_posture_servicer,
)
from hil_relative_dynamics.scenario import Scenario
from hil_relative_dynamics.scenario.reader import Place
from hil_relative_dynamics.spatial import MotionSample


class Robots:
    """Both robots of a scenario and what they carry. Models are made anew for each user: they are not shared."""

    def __init__(self, world: World) -> None:
        self.world, self._layout = world, world.scenario.laboratory.layout
        self.pose_mount_in_base = pose_arm_mount(world.servicer)
        self.pose_grasp_point_in_client = world.scenario.client.grasp_point.pose_in_client

    def client(self) -> RobotModel:
        return client_robot(self._layout)

    def servicer(self) -> RobotModel:
        return servicer_robot(self._layout)

    @cached_property
    def client_posture(self) -> np.ndarray:
        """Joints at the start: angles, velocities, accelerations."""
        robot = self.client()
        posture = start_posture_client(robot, self.world.scenario)
        return self._moving(robot, posture, self.world.client_start, self.pose_grasp_point_in_client)

    @cached_property
    def servicer_posture(self) -> np.ndarray:
        robot = self.servicer()
        posture = start_posture_servicer(robot, self.world.scenario, self.pose_mount_in_base)
        return self._moving(robot, posture, self.world.servicer_start, self.pose_mount_in_base)

    def _moving(
        self, robot: RobotModel, posture: np.ndarray, start: MotionSample, pose_carried_in_body: pin.SE3
    ) -> np.ndarray:
        """Joint velocities that give the carried frame the twist it starts with."""
        columns = [robot.twist(posture, axis).vector for axis in np.eye(len(posture))]
        twist = pose_carried_in_body.actInv(start.twist).vector
        return np.array([posture, np.linalg.solve(np.column_stack(columns), twist), np.zeros_like(posture)])

    @property
    def layout(self) -> dict[str, str]:
        return self._layout

    @property
    def postures(self) -> dict[str, np.ndarray]:
        """Joint angles at the start of the run."""
        return {"client_robot": self.client_posture[0], "servicer_robot": self.servicer_posture[0]}

    def commander(self, name: str) -> RobotCommander:
        client, world = name == "client_robot", self.world
        return RobotCommander(
            self.client() if client else self.servicer(),
            world.pose_nominal_in_laboratory,
            self.pose_grasp_point_in_client if client else self.pose_mount_in_base,
            world.scenario.laboratory.commanding,
        )

    def homing(self) -> Homing:
        safety, clearance = self.world.scenario.safety, None
        if safety.clearance > 0.0:
            region = safety.grasp_region if safety.grasp_allowed else None
            clearance = Clearance(safety.clearance + MARGIN, region, self._layout)
        return Homing({name: self.commander(name) for name in ROBOTS}, self.postures, clearance)


def start_of(robot: RobotModel, scenario: Scenario) -> np.ndarray:
    """Where a robot stands before it is homed; ScenarioError where it cannot."""
    device = getattr(scenario.facility, robot.name)
    posture = np.array(device.start)
    if not ((posture >= robot.lower) & (posture <= robot.upper)).all():
        limits = ", ".join(f"{low:.0f} to {high:.0f}" for low, high in np.degrees([robot.lower, robot.upper]).T)
        at = Place(str(scenario.file), scenario.file.parent, key=f"facility.{robot.name}")
        raise device.error("start_deg", at, f"must be within {limits} deg")
    return posture
