"""Where everything is: the laboratory with its robots, and the orbit, from one snapshot."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.facility.clearance import CLIENT_MOCKUP, GRASP_POINT, GRIPPER_TIP, SERVICER_MOCKUP
from hil_relative_dynamics.facility.description import description
from hil_relative_dynamics.facility.robot_model import pose_arm_mount
from hil_relative_dynamics.scene.satellites import client
from hil_relative_dynamics.scene.shapes import BOX, Shape, of_description
from hil_relative_dynamics.scene.snapshot import Snapshot

ARM_MOUNT = "servicer_robot_arm_mount"
BASE = "servicer"
#: the orbit is drawn at half size, beside the laboratory [m]
ORBIT_SCALE, ORBIT_PLACE = 0.5, np.array([12.5, 0.0, 2.6])
#: how long a force arrow is drawn [m/N]
ARROW = 0.01
#: how much of a body shows where it only would be
GHOST = 0.22


class Laboratory:
    """Robots, mock-ups and arm, as `urdf/facility.urdf.xacro` has them.

    Without robots (`facility.kind: none`) the mock-ups alone fly where the method puts them.

    Attributes:
        bodies: by name, what moves as one.
    """

    def __init__(self, world: World) -> None:
        scenario = world.scenario
        urdf = description("facility", scenario.laboratory.layout)
        self._model: pin.Model = pin.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self.with_robots = scenario.facility.kind != "none"
        self._grasp_point = scenario.client.grasp_point.pose_in_client
        self._mount = pose_arm_mount(world.servicer)
        # where the nominal frame is, also without robots: the ideal laboratory has a floor, too
        self._nominal = scenario.laboratory.pose_nominal(world.client_start.pose * self._grasp_point)
        geometry = pin.buildGeomFromUrdfString(self._model, urdf, pin.GeometryType.VISUAL)
        self.bodies: dict[str, list[Shape]] = {}
        self._joints: dict[str, int] = {}
        for link, shapes in of_description(self._model, geometry).items():
            if self.with_robots or link.startswith("arm_") or link in (CLIENT_MOCKUP, SERVICER_MOCKUP):
                self.bodies[link] = [shape for _, shape in shapes]
                self._joints[link] = shapes[0][0]
        lower, upper = scenario.safety.workspace_lower, scenario.safety.workspace_upper
        bounded = bool(np.isfinite([*lower, *upper]).all())
        #: opposite corners of the box that the mock-ups must not leave [m]
        self.workspace = np.array([lower, upper]) if bounded and self.with_robots else None

    def place(self, seen: Snapshot) -> dict[str, pin.SE3]:
        """Poses of all bodies, and of grasp_point and gripper, in the laboratory."""
        robots = seen.robots if self.with_robots else None
        joints = (*robots, seen.arm) if robots is not None else (np.zeros(12), seen.arm)
        pin.framesForwardKinematics(self._model, self._data, np.concatenate(joints))
        client_moved = servicer_moved = pin.SE3.Identity()
        if robots is None:
            carried_client = self._nominal * seen.nominal.actInv(seen.client) * self._grasp_point
            carried_servicer = self._nominal * seen.nominal.actInv(seen.servicer) * self._mount
            client_moved = carried_client * self._frame(GRASP_POINT).inverse()
            servicer_moved = carried_servicer * self._frame(ARM_MOUNT).inverse()
        moved = {name: client_moved if name.startswith("client") else servicer_moved for name in self.bodies}
        poses = {name: moved[name] * self._data.oMi[joint] for name, joint in self._joints.items()}
        poses["grasp_point"] = client_moved * self._frame(GRASP_POINT)
        poses["gripper"] = servicer_moved * self._frame(GRIPPER_TIP)
        return poses

    def _frame(self, name: str) -> pin.SE3:
        return self._data.oMf[self._model.getFrameId(name, pin.FrameType.BODY)]


class Orbit:
    """Client, servicer with its arm, and the client where it would be nominally."""

    def __init__(self, world: World) -> None:
        scenario = world.scenario
        self._servicer = world.servicer
        self.pose_grasp_point = scenario.client.grasp_point.pose_in_client
        shapes = client(scenario)
        self.bodies = {"client": shapes, "nominal": [_ghost(shape) for shape in shapes]}
        model, urdf = world.servicer.model, scenario.servicer.urdf.read_text(encoding="utf-8")
        self._joints: dict[str, int] = {}
        for link, found in _visuals(model, urdf, str(scenario.servicer.urdf.parent)).items():
            name = f"servicer_{link}"
            self.bodies[name] = [shape for _, shape in found]
            self._joints[name] = found[0][0]
        self._data = model.createData()
        self._end_effector = model.getFrameId(scenario.servicer.end_effector)
        self._neutral = pin.neutral(model)

    def place(self, seen: Snapshot, riding: bool = False) -> dict[str, pin.SE3]:
        """Poses of all bodies, and of grasp_point, gripper and servicer, in the orbit's frame.

        riding: in the nominal frame instead.
        """
        origin = seen.nominal.inverse() if riding else pin.SE3.Identity()
        base, model = origin * seen.servicer, self._servicer.model
        configuration = self._neutral.copy()
        configuration[-len(seen.arm) :] = seen.arm
        pin.forwardKinematics(model, self._data, configuration)
        poses = {name: base * self._data.oMi[joint] for name, joint in self._joints.items()}
        poses["client"], poses["nominal"] = origin * seen.client, origin * seen.nominal
        poses["grasp_point"] = poses["client"] * self.pose_grasp_point
        poses["gripper"] = base * pin.updateFramePlacement(model, self._data, self._end_effector)
        poses[BASE] = base
        return poses


def _visuals(model: pin.Model, urdf: str, folder: str) -> dict[str, list[tuple[int, Shape]]]:
    """By link; a box for the base where a description's meshes cannot be read."""
    try:
        geometry = pin.buildGeomFromUrdfString(model, urdf, pin.GeometryType.VISUAL, package_dirs=[folder])
        found = of_description(model, geometry)
    except ValueError:
        found = {}
    return found or {"base": [(1, Shape(BOX, (2.0, 1.8, 1.8), pin.SE3.Identity(), (0.8, 0.62, 0.2, 1.0)))]}


def _ghost(shape: Shape) -> Shape:
    return shape.tinted((0.35, 0.55, 0.95, GHOST))
