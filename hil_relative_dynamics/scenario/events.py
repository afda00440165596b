"""What happens at given times: thrust, arm moves and wrenches from outside."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.quantities import ZERO, Number, Numbers, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Choice, Time

Target = Literal["client", "end_effector", "contact"]


@dataclass(frozen=True, kw_only=True)
class Interval(Part):
    """From its start up to, but not including, its end."""

    start_ns: int = entry("start_s", Time("s"), "when it starts")
    duration_ns: int = entry("duration_s", Time("s", positive=True), "how long it lasts")

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.duration_ns

    def active(self, time_ns: int) -> bool:
        return self.start_ns <= time_ns < self.end_ns


@dataclass(frozen=True, kw_only=True)
class Thrust(Interval):
    """A constant wrench of the thrusters on the servicer's base."""

    force: Vector3 = entry("force_N", vector("N"), "force at the base's origin, in base axes", ZERO)
    torque: Vector3 = entry("torque_N_m", vector("N m"), "torque, in base axes", ZERO)

    @property
    def wrench(self) -> pin.Force:
        """At the base's origin, in base axes."""
        return pin.Force(np.array(self.force), np.array(self.torque))


@dataclass(frozen=True, kw_only=True)
class ArmMove(Interval):
    """A smooth move of all joints to new angles."""

    joints: tuple[float, ...] = entry("joints_deg", Numbers(Number("deg")), "joint angles at the end")


@dataclass(frozen=True, kw_only=True)
class ExternalWrench(Interval):
    """A constant wrench from outside, in the axes of what it acts on."""

    on: Target = entry(
        "on",
        Choice(get_args(Target)),
        "client (in its body axes), end_effector (in its axes), or contact: on the client at the"
        " end-effector's origin and in the end-effector's axes, with the opposite reaction on the arm",
    )
    force: Vector3 = entry("force_N", vector("N"), "force", ZERO)
    torque: Vector3 = entry("torque_N_m", vector("N m"), "torque", ZERO)
    point: Vector3 | None = entry(
        "point_m",
        vector("m"),
        "with on: client, where the force acts, in body axes; left out: at the body origin",
        None,
    )

    def resolved(self, at: Place) -> ExternalWrench:
        if self.point is not None and self.on != "client":
            raise self.error("point_m", at, f"must be left out with on: {self.on}")
        return self

    @property
    def wrench(self) -> pin.Force:
        """At the origin of the client (on: client) or of the end-effector (else), in its axes."""
        force, torque = np.array(self.force), np.array(self.torque)
        return pin.Force(force, torque + np.cross(self.point or ZERO, force))
