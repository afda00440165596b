"""The two spacecraft at the start of a scenario."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.appendage import Appendage
from hil_relative_dynamics.scenario.quantities import (
    ZERO,
    InertiaTensor,
    Matrix3,
    Number,
    Numbers,
    Vector3,
    vector,
)
from hil_relative_dynamics.scenario.reader import ListOf, Part, Place, Section, entry, nearest
from hil_relative_dynamics.scenario.urdf import outline
from hil_relative_dynamics.scenario.values import Choice, FileName, Flag, Text

StartMotion = Literal["co_rotating", "free"]
BaseRow = Literal["momentum", "acceleration"]

RPY = "roll, pitch and yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)"


def _pose(position: Vector3, rpy: Vector3) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(position))


@dataclass(frozen=True, kw_only=True)
class GraspPoint(Part):
    """Where the servicer is to take hold of the client."""

    position: Vector3 = entry("position_m", vector("m"), "position in the client's body axes")
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"attitude in the client: {RPY}", ZERO)

    @property
    def pose_in_client(self) -> pin.SE3:
        return _pose(self.position, self.rpy)


@dataclass(frozen=True, kw_only=True)
class Client(Part):
    """The client, rigid or with flexible appendages. The world is a co-moving inertial frame."""

    mass: float = entry("mass_kg", Number("kg", "positive"), "mass")
    com: Vector3 = entry("com_m", vector("m"), "centre of mass, in body axes from the body origin", ZERO)
    inertia_about_com: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "inertia about the CoM, body axes")
    position: Vector3 = entry("position_m", vector("m"), "start position of the origin in the world", ZERO)
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"start attitude in the world: {RPY}", ZERO)
    linear_velocity: Vector3 = entry(
        "linear_velocity_m_s", vector("m/s"), "start velocity of the body origin, in body axes", ZERO
    )
    angular_velocity: Vector3 = entry(
        "angular_velocity_deg_s", vector("deg/s"), "start angular velocity, in body axes", ZERO
    )
    grasp_point: GraspPoint = entry("grasp_point", Section(GraspPoint), "where the servicer is to take hold")
    appendages: tuple[Appendage, ...] = entry(
        "appendages",
        ListOf(Section(Appendage)),
        "parts of the client that bend: mass and inertia above include them, undeformed; none: it is rigid",
        (),
    )

    def resolved(self, at: Place) -> Client:
        if not sum(part.mass for part in self.appendages) < self.mass:
            raise self.error("appendages", at, f"must weigh less than the whole client ({self.mass:g} kg)")
        return self

    @property
    def inertia(self) -> pin.Inertia:
        return pin.Inertia(self.mass, np.array(self.com), np.array(self.inertia_about_com))

    @property
    def pose(self) -> pin.SE3:
        return _pose(self.position, self.rpy)

    @property
    def twist(self) -> pin.Motion:
        return pin.Motion(np.array(self.linear_velocity), np.array(self.angular_velocity))


@dataclass(frozen=True, kw_only=True)
class Servicer(Part):
    """The servicer: a free base with an arm, described by a URDF."""

    urdf: Path = entry("urdf", FileName("urdf"), "description of base and arm; its root link is the base")
    end_effector: str = entry("end_effector", Text(), "link that acts on the client")
    position: Vector3 = entry("position_m", vector("m"), "start position of the base in client axes")
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"start attitude in the client: {RPY}", ZERO)
    motion: StartMotion = entry(
        "motion",
        Choice(get_args(StartMotion)),
        "start motion: co_rotating (at rest relative to the client's body) or free (velocities given)",
        "co_rotating",
    )
    linear_velocity: Vector3 | None = entry(
        "linear_velocity_m_s", vector("m/s"), "only with motion: free; in base axes", None
    )
    angular_velocity: Vector3 | None = entry(
        "angular_velocity_deg_s", vector("deg/s"), "only with motion: free; in base axes", None
    )
    joints: tuple[float, ...] = entry("joints_deg", Numbers(Number("deg")), "start angles of the joints")
    joint_rates: tuple[float, ...] = entry(
        "joint_rates_deg_s", Numbers(Number("deg/s")), "start rates of the joints; left out: at rest", ()
    )
    base_row: BaseRow = entry(
        "base_row",
        Choice(get_args(BaseRow)),
        "base integrated in momentum form, or from the acceleration of the paper's eq. (18)",
        "momentum",
    )
    gravity_compensated_by_arm: bool = entry(
        "gravity_compensated_by_arm", Flag(), "the arm's own controller carries its weight on ground", False
    )

    def resolved(self, at: Place) -> Servicer:
        self._check_velocities(at)
        robot = outline(self.urdf, at / "urdf")
        if self.end_effector not in robot.links:
            hint = nearest(self.end_effector, robot.links)
            raise self.error("end_effector", at, f"must be a link of {self.urdf.name}{hint}")
        rates = self.joint_rates or (0.0,) * len(self.joints)
        for key, values in {"joints_deg": self.joints, "joint_rates_deg_s": rates}.items():
            if len(values) != len(robot.joints):
                count = f"{len(robot.joints)} numbers, one per moving joint of {self.urdf.name}"
                raise self.error(key, at, f"must be a list of {count}")
        return replace(self, joint_rates=rates)

    def _check_velocities(self, at: Place) -> None:
        given = {"linear_velocity_m_s": self.linear_velocity, "angular_velocity_deg_s": self.angular_velocity}
        for key, velocity in given.items():
            if self.motion == "free" and velocity is None:
                raise self.error(key, at, "must be a list of 3 numbers with motion: free")
            if self.motion == "co_rotating" and velocity is not None:
                raise self.error(key, at, "must be left out with motion: co_rotating, or motion be free")

    @property
    def pose_in_client(self) -> pin.SE3:
        return _pose(self.position, self.rpy)
