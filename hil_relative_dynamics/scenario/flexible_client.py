"""A client with flexible appendages on one robot: what one YAML file says."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.appendage import Appendage
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.plant import OFF, SensorDevice
from hil_relative_dynamics.scenario.quantities import ZERO, InertiaTensor, Matrix3, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import ListOf, Part, Place, Section, entries, entry
from hil_relative_dynamics.scenario.safety import Limit
from hil_relative_dynamics.scenario.values import Choice, Time

Variant = Literal["simulated", "physical", "both"]
NominalKind = Literal["fixed", "unforced"]
MILLISECOND = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Hub(Part):
    """The rigid part of the client. The world is a co-moving inertial frame; the hub's frame starts at its origin."""

    mass: float = entry("mass_kg", Number("kg", "positive"), "mass without appendages")
    com: Vector3 = entry("com_m", vector("m"), "centre of mass, in body axes from the body origin", ZERO)
    inertia_about_com: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "inertia about the CoM, body axes")
    linear_velocity: Vector3 = entry("linear_velocity_m_s", vector("m/s"), "start velocity of the origin", ZERO)
    angular_velocity: Vector3 = entry("angular_velocity_deg_s", vector("deg/s"), "start angular velocity", ZERO)

    @property
    def inertia(self) -> pin.Inertia:
        return pin.Inertia(self.mass, np.array(self.com), np.array(self.inertia_about_com))

    @property
    def twist(self) -> pin.Motion:
        return pin.Motion(np.array(self.linear_velocity), np.array(self.angular_velocity))


@dataclass(frozen=True, kw_only=True)
class Robot(Part):
    """The robot that flies the hub, as its flange moves: the same lag along and about every axis."""

    delay_ns: int = entry("delay_ms", Time("ms"), "transport delay from command to motion; 0: none", 0)
    bandwidth: float = entry(
        "bandwidth_Hz", Limit("Hz", "positive"), "where it passes on 71 % (-3 dB) of a motion; off: no lag", OFF
    )


def _limit(key: str, unit: str, description: str) -> float | None:
    return entry(key, Number(unit, "positive"), description, None)


@dataclass(frozen=True, kw_only=True)
class FlexibleCriteria(Part):
    """Limits the simulated client must keep to pass; what is left out is not judged."""

    linear: float | None = _limit("linear_momentum_error_N_s", "N s", "largest change of linear momentum")
    angular: float | None = _limit("angular_momentum_error_N_m_s", "N m s", "largest change of angular momentum")
    energy: float | None = _limit("energy_error_J", "J", "largest change of energy that damping does not explain")
    position: float | None = _limit("relative_position_error_m", "m", "largest distance of g_n g_c from g_t")
    orientation: float | None = _limit("relative_orientation_error_rad", "rad", "largest angle of g_n g_c from g_t")


@dataclass(frozen=True, kw_only=True)
class FlexibleClient(Mission):
    """A hub with appendages is let go, and a robot flies its hub.

    With `simulated` appendages the flexible dynamics tell the robot how the hub moves. With `physical` ones real
    appendages hang on the robot's flange, the F/T sensor feels them, and the dynamics are those of the rigid hub.
    """

    step_ns: int = entry(
        "step_ms", Time("ms", positive=True), "step of the dynamics and cycle of the robot", 4 * MILLISECOND
    )
    variant: Variant = entry(
        "variant", Choice(get_args(Variant)), "appendages in the simulation, on the robot, or one run of each", "both"
    )
    hub: Hub = entry("hub", Section(Hub), "the rigid part")
    appendages: tuple[Appendage, ...] = entry(
        "appendages", ListOf(Section(Appendage)), "flexible parts; their motion starts with the tip deflections", ()
    )
    physical_appendages: tuple[Appendage, ...] = entry(
        "physical_appendages",
        ListOf(Section(Appendage)),
        "what hangs on the robot's flange in truth; left out: the same as in the simulation",
        (),
    )
    nominal: NominalKind = entry(
        "nominal",
        Choice(get_args(NominalKind)),
        "what the robot's motion is relative to: the world, or the client's motion if it were rigid and unforced",
        "fixed",
    )
    robot: Robot = entry("robot", Section(Robot), "the robot", Robot())
    force_torque: SensorDevice = entry(
        "force_torque", Section(SensorDevice), "the sensor between flange and appendages", SensorDevice().ideal()
    )
    criteria: FlexibleCriteria = entry(
        "criteria", Section(FlexibleCriteria), "limits a run must keep to pass", FlexibleCriteria()
    )

    def resolved(self, at: Place) -> FlexibleClient:
        if self.duration_ns % self.step_ns:
            step = Time("ms").write(self.step_ns)
            raise self.error("duration_s", at, f"must be a whole multiple of step_ms ({step} ms)")
        if not self.appendages:
            raise self.error("appendages", at, "must be a list with at least one appendage")
        if self.nominal != "fixed" and self.variant != "simulated":
            # on ground physical appendages feel the flown motion only, not that of the nominal
            raise self.error("nominal", at, "must be fixed unless variant is simulated")
        return self

    @property
    def on_flange(self) -> tuple[Appendage, ...]:
        """The physical appendages."""
        return self.physical_appendages or self.appendages

    @property
    def limits(self) -> dict[str, float]:
        limits = {key: getattr(self.criteria, item.name) for key, item in entries(self.criteria).items()}
        return {key: limit for key, limit in limits.items() if limit is not None}
