"""The two industrial robots: where their mock-ups are, how fast, and which joint angles take them there."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.description import DEFAULT_LAYOUT, description
from hil_relative_dynamics.facility.inverse_kinematics import Lengths, SphericalWrist, Unreachable
from hil_relative_dynamics.scenario import Scenario
from hil_relative_dynamics.scenario.reader import Part, Place

__all__ = [
    "RobotModel",
    "Unreachable",
    "client_robot",
    "pose_arm_mount",
    "servicer_robot",
    "start_posture_client",
    "start_posture_servicer",
]

ACCELERATION_PER_SPEED = 4.0
"""Acceleration limit over speed limit [1/s]: full speed within 0.25 s. Estimated: URDF has no such limit."""


class RobotModel:
    """A robot that carries a mock-up through its F/T sensor.

    Poses (in the laboratory) and body twists are those of the carried frame: grasp point or arm mount.
    Answers go through memory of its own: give each thread its own model.

    Args:
        name: prefix of its frames and joints.
        urdf: its description; base fixed in the laboratory, mock-up included.
        carried: name of the carried frame, without prefix.
    """

    def __init__(self, name: str, urdf: str, carried: str) -> None:
        self.name = name
        self.model: pin.Model = pin.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self.joint_names = list(self.model.names)[1:]
        self.lower, self.upper = self.model.lowerPositionLimit.copy(), self.model.upperPositionLimit.copy()
        self.velocity_limits = self.model.velocityLimit.copy()
        self.acceleration_limits = ACCELERATION_PER_SPEED * self.velocity_limits
        self.carried_name = f"{name}_{carried}"
        self.carried, self.sensor = self._frame(carried), self._frame("ft_sensor")
        pose_carried_in_joint = self.model.frames[self.carried].placement
        pose_sensor_in_joint = self.model.frames[self.sensor].placement
        self.pose_sensor_in_carried = pose_carried_in_joint.actInv(pose_sensor_in_joint)
        self.pose_carried_in_sensor = self.pose_sensor_in_carried.inverse()
        self.load = self._load()
        self._pose_carried_in_joint = pose_carried_in_joint.copy()
        self._pose_laboratory_in_base = self.model.frames[self._frame("base_link")].placement.inverse()
        flange = self.model.frames[self._frame("flange")].placement
        self._pose_flange_in_carried = pose_carried_in_joint.actInv(flange)
        self.solver = SphericalWrist(name, self._lengths(), self.lower, self.upper)
        self._check_solver()

    def pose(self, q: np.ndarray) -> pin.SE3:
        """Of the carried frame in the laboratory."""
        pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[6] * self._pose_carried_in_joint

    def twist(self, q: np.ndarray, dq: np.ndarray) -> pin.Motion:
        """Body twist of the carried frame."""
        return self.pose_and_twist(q, dq)[1]

    def pose_and_twist(self, q: np.ndarray, dq: np.ndarray) -> tuple[pin.SE3, pin.Motion]:
        """Both at the cost of one."""
        pin.forwardKinematics(self.model, self.data, q, dq)
        carried = self._pose_carried_in_joint
        return self.data.oMi[6] * carried, carried.actInv(self.data.v[6])

    def inverse(self, pose: pin.SE3, near: np.ndarray) -> np.ndarray:
        """Joint angles that continue `near` and put the carried frame there, or Unreachable."""
        return self.solver.near(self._flange_in_base(pose), near)

    def solutions(self, pose: pin.SE3) -> list[np.ndarray]:
        """All joint angles within the limits, at least one, or Unreachable."""
        return self.solver.all(self._flange_in_base(pose))

    def solve_anywhere(self, pose: pin.SE3) -> np.ndarray:
        """Of all joint angles the ones that keep furthest from the limits, or Unreachable."""
        return max(self.solutions(pose), key=lambda q: np.sort(self.margins(q)).round(9).tolist())

    def margins(self, q: np.ndarray) -> np.ndarray:
        """How far each joint is from its limits over half its range: 1 in the middle, 0 at a limit."""
        return np.minimum(q - self.lower, self.upper - q) / (0.5 * (self.upper - self.lower))

    def _flange_in_base(self, pose: pin.SE3) -> pin.SE3:
        return self._pose_laboratory_in_base * pose * self._pose_flange_in_carried

    def _frame(self, name: str) -> int:
        full = f"{self.name}_{name}"
        if not self.model.existFrame(full, pin.FrameType.BODY):
            raise ValueError(f"the description of {self.name} has no link {full}")
        return int(self.model.getFrameId(full, pin.FrameType.BODY))

    def _load(self) -> pin.Inertia:
        """Inertia of all that hangs on the F/T sensor's tool face, in its frame."""
        frames = self.model.frames
        below, load = {self.sensor}, pin.Inertia.Zero()  # parents come before their children
        pose_joint_in_sensor = frames[self.sensor].placement.inverse()
        for index, frame in enumerate(frames):
            if frame.parentFrame in below:
                below.add(index)
                load += (pose_joint_in_sensor * frame.placement).act(frame.inertia)
        return load

    def _lengths(self) -> Lengths:
        """Read off the posture with all joints at zero, in which link frames are parallel to the base."""
        if self.model.nq != 6:
            raise ValueError(f"the description of {self.name} must have 6 joints, not {self.model.nq}")
        pin.forwardKinematics(self.model, self.data, np.zeros(6))
        base = self._pose_laboratory_in_base
        shoulder, elbow, wrist = (base.act(self.data.oMi[joint].translation) for joint in (2, 3, 5))
        flange = base.act(self.data.oMi[6] * self.model.frames[self._frame("flange")].placement).translation
        return Lengths(
            d1=float(shoulder[2]),
            a1=float(shoulder[0]),
            a2=float(elbow[0] - shoulder[0]),
            a3=float(wrist[2] - elbow[2]),
            d4=float(wrist[0] - elbow[0]),
            d6=float(flange[0] - wrist[0]),
        )

    def _check_solver(self) -> None:
        """Refuse a robot of another kind, whose joints the closed form would get wrong."""
        for part in (0.3, 0.45, 0.6):
            q = self.lower + part * (self.upper - self.lower)
            if not any(np.allclose(q, other, atol=1e-6) for other in self.solutions(self.pose(q))):
                raise ValueError(f"the description of {self.name} must have the six axes of a KR 120")


def client_robot(layout: Mapping[str, str] = DEFAULT_LAYOUT) -> RobotModel:
    """The robot that carries the client's mock-up by its grasp point; `layout` as for `description`."""
    return RobotModel("client_robot", description("client_robot", layout), "grasp_point")


def servicer_robot(layout: Mapping[str, str] = DEFAULT_LAYOUT) -> RobotModel:
    """The robot that carries the servicer's mock-up by the arm's mount; its load is the plate without arm."""
    return RobotModel("servicer_robot", description("servicer_robot", layout), "arm_mount")


def pose_arm_mount(servicer: FreeFlyer) -> pin.SE3:
    """Of the link that carries the arm's first joint (link_0) in the servicer's base."""
    frames = servicer.model.frames
    first = frames[servicer.model.getFrameId(servicer.joint_names[0], pin.FrameType.JOINT)]
    return frames[first.parentFrame].placement.copy()


def start_posture_client(robot: RobotModel, scenario: Scenario) -> np.ndarray:
    """Joint angles at the start of a scenario; ScenarioError where the robot cannot be there."""
    grasp_point = scenario.laboratory.grasp_point
    return _start_posture(robot, grasp_point.pose, scenario, grasp_point, "laboratory.grasp_point")


def start_posture_servicer(robot: RobotModel, scenario: Scenario, pose_mount_in_base: pin.SE3) -> np.ndarray:
    """The same for the servicer's robot, which follows from the client's and the scenario's relative pose.

    `pose_mount_in_base` is the arm's mount (link_0) on the servicer's base.
    """
    pose_mount_in_grasp_point = scenario.client.grasp_point.pose_in_client.actInv(
        scenario.servicer.pose_in_client * pose_mount_in_base
    )
    pose = scenario.laboratory.grasp_point.pose * pose_mount_in_grasp_point
    return _start_posture(robot, pose, scenario, scenario.servicer, "servicer")


def _start_posture(robot: RobotModel, pose: pin.SE3, scenario: Scenario, part: Part, key: str) -> np.ndarray:
    try:
        return robot.solve_anywhere(pose)
    except Unreachable as reason:
        x, y, z = pose.translation
        place = f"would put {robot.carried_name} at ({x:.3f}, {y:.3f}, {z:.3f}) m in the laboratory"
        at = Place(str(scenario.file), scenario.file.parent, key=key)
        raise part.error("position_m", at, f"{place}, where {reason}") from None
