"""A chaser pushes a heavy target out of orbit through surface contact: along a line, or with both bodies in space."""

# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.quantities import ZERO, InertiaTensor, Matrix3, Number, Numbers, Vector3, vector
from hil_relative_dynamics.scenario.reader import ListOf, Part, Place, Section, entries, entry
from hil_relative_dynamics.scenario.values import Choice, Time, Whole

Friction = Literal["none", "held", "coulomb"]
Modulation = Literal["none", "simple", "staggered"]
MILLISECOND = 10**6


def _positive(key: str, unit: str, description: str, *default: float) -> float:
    return entry(key, Number(unit, "positive"), description, *default)


def _amount(key: str, unit: str, description: str, *default: float) -> float:
    return entry(key, Number(unit, "non-negative"), description, *default)


@dataclass(frozen=True, kw_only=True)
class ThrustStep(Part):
    """A thrust from a time on, until the next."""

    start_ns: int = entry("start_s", Time("s"), "from when on")
    force: float = _amount("force_N", "N", "thrust along x")


@dataclass(frozen=True, kw_only=True)
class Line(Part):
    """Both bodies as masses on a line, solved in closed form."""

    chaser: float = _positive("chaser_mass_kg", "kg", "mass of the chaser")
    target: float = _positive("target_mass_kg", "kg", "mass of the target")
    stiffness: float = _positive("stiffness_N_m", "N/m", "of the whole contact")
    damping_ratio: float = _amount("damping_ratio", "", "of the contact, 1 is critical")
    pull: float = _amount("robot_pull_N", "N", "with which a robot arm draws the bodies together", 0.0)
    thrust: tuple[ThrustStep, ...] = entry("thrust", ListOf(Section(ThrustStep)), "steps of the thrust, in order")

    def resolved(self, at: Place) -> Line:
        if not self.thrust:
            raise self.error("thrust", at, "must have at least one step")
        for index, (earlier, later) in enumerate(zip(self.thrust, self.thrust[1:]), start=1):
            if later.start_ns <= earlier.start_ns:
                allowed = f"must be later than the step before ({1e-9 * earlier.start_ns:g} s)"
                raise later.error("start_s", at / "thrust" / index, allowed)
        return self


@dataclass(frozen=True, kw_only=True)
class DeorbitBody(Part):
    """A rigid body, placed in the contact frame: x along the thrust, origin where the bodies touch."""

    mass: float = _positive("mass_kg", "kg", "mass")
    com: Vector3 = entry("com_m", vector("m"), "centre of mass in the contact frame")
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"of the body's axes: {RPY}", ZERO)
    inertia_about_com: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "about the CoM, in the body's own axes")

    @property
    def inertia(self) -> pin.Inertia:
        """In the contact frame."""
        rotation = pin.rpy.rpyToMatrix(*self.rpy)
        tensor = rotation @ np.array(self.inertia_about_com) @ rotation.T
        return pin.Inertia(self.mass, np.array(self.com), 0.5 * (tensor + tensor.T))


@dataclass(frozen=True, kw_only=True)
class Feet(Part):
    """The chaser's feet on the target's face: spring-dampers that can only press, evenly on a circle."""

    count: int = entry("count", Whole(), "number of feet, at least three", 6)
    radius: float = _positive("radius_m", "m", "of the circle on which they stand", 0.8)
    first_angle: float = entry("first_angle_deg", Number("deg"), "of the first foot, from y towards z", 0.0)
    stiffness: float = _positive("stiffness_N_m", "N/m", "of each foot")
    damping: float = _amount("damping_N_s_m", "N s/m", "of each foot")
    friction: Friction = entry(
        "friction",
        Choice(get_args(Friction)),
        "none: feet slide freely; held: whatever it takes to prevent lateral movement; coulomb: up to the cone",
    )
    coefficient: float = _amount(
        "friction_coefficient", "", "Coulomb's; with friction: held only to tell how long it would have sufficed", 0.5
    )

    def resolved(self, at: Place) -> Feet:
        if self.count < 3:
            raise self.error("count", at, "must be at least 3: fewer cannot balance torques about two axes")
        return self


@dataclass(frozen=True, kw_only=True)
class HoldingRobot(Part):
    """The robot arm between the bodies: lateral damping at the grasp point and a torque against rolling."""

    damping: tuple[float, ...] = entry(
        "damping_N_s_m", Numbers(Number("N s/m", "non-negative"), 2), "of the lateral motion, in y and z"
    )
    grasp_point: Vector3 = entry("grasp_point_m", vector("m"), "in the contact frame")
    roll_stiffness: float = _amount("roll_stiffness_N_m_rad", "N m/rad", "about x")
    roll_damping: float = _amount("roll_damping_N_m_s_rad", "N m s/rad", "about x")


@dataclass(frozen=True, kw_only=True)
class Boost(Part):
    """The thrusters, all along x, and how they are switched off to turn the composite."""

    force: float = _positive("force_N", "N", "of each thruster")
    positions: tuple[tuple[float, ...], ...] = entry(
        "positions_m", ListOf(Numbers(Number("m"), 2)), "y and z of each thruster in the contact frame"
    )
    modulation: Modulation = entry(
        "modulation",
        Choice(get_args(Modulation)),
        "none: always on; simple: all off-pulses start with the cycle; staggered: at most one dropped at a time",
        "none",
    )
    cycle_ns: int = entry("cycle_s", Time("s", positive=True), "of the modulation and of the control", 10**9)
    bandwidth: float = _positive("bandwidth_rad_s", "rad/s", "of the attitude control", 0.1)
    stiffness: float = _positive(
        "structure_stiffness_N_m", "N/m", "of the structure that the thrust profile is checked with, along a line", 1e8
    )
    damping_ratio: float = _amount("structure_damping_ratio", "", "the same", 0.05)

    def resolved(self, at: Place) -> Boost:
        if not self.positions:
            raise self.error("positions_m", at, "must have at least one thruster")
        if self.modulation != "none" and not _surround(self.positions):
            raise self.error("positions_m", at, "must lie on all sides of the axis to be switched off for control")
        return self


def _surround(positions: tuple[tuple[float, ...], ...]) -> bool:
    return all(min(side) < 0.0 < max(side) for side in zip(*positions))


@dataclass(frozen=True, kw_only=True)
class DeorbitBodies(Part):
    """Both bodies in space, integrated."""

    step_ns: int = entry("step_ms", Time("ms", positive=True), "of the integration", 10 * MILLISECOND)
    chaser: DeorbitBody = entry("chaser", Section(DeorbitBody), "pushes; its x axis is that of the thrust")
    target: DeorbitBody = entry("target", Section(DeorbitBody), "is pushed; its CoM beside the x axis turns both")
    contact: Feet = entry("contact", Section(Feet), "between them")
    robot: HoldingRobot | None = entry("robot", Section(HoldingRobot), "between them; left out: none", None)
    boost: Boost = entry("boost", Section(Boost), "thrusters of the chaser")

    def resolved(self, at: Place) -> DeorbitBodies:
        if self.boost.cycle_ns % self.step_ns:
            step = Time("ms").write(self.step_ns)
            raise self.boost.error("cycle_s", at / "boost", f"must be a whole multiple of {at.key}.step_ms ({step} ms)")
        limit = self._longest_step
        if 1e-9 * self.step_ns > limit:
            allowed = f"must be at most {1e3 * limit:.3g} ms for these feet and masses, or the integration is unstable"
            raise self.error("step_ms", at, allowed)
        return self

    @property
    def _longest_step(self) -> float:
        """RK4 is stable to some 2.7 over the fastest rate of the pressed feet; a little less [s]."""
        feet = self.contact
        angles = feet.first_angle + 2.0 * np.pi * np.arange(feet.count) / feet.count
        rows = 3 if feet.friction != "none" else 1
        points = [np.array([0.0, feet.radius * np.cos(angle), feet.radius * np.sin(angle)]) for angle in angles]
        moves = np.vstack([np.hstack([np.eye(3), -pin.skew(point)])[:rows] for point in points])
        mobility = sum(np.linalg.inv(body.inertia.matrix()) for body in (self.chaser, self.target))
        lightest = float(np.linalg.eigvalsh(moves @ mobility @ moves.T)[-1])
        return 2.5 / max(feet.damping * lightest, (feet.stiffness * lightest) ** 0.5)


def _limit(key: str, unit: str, description: str) -> float | None:
    return entry(key, Number(unit, "non-negative"), description, None)


@dataclass(frozen=True, kw_only=True)
class DeorbitCriteria(Part):
    """Limits a run must keep to pass; what is left out is not judged."""

    gap: float | None = _limit("largest_gap_m", "m", "largest distance between the bodies; 0: they never part")
    apart: float | None = _limit("time_apart_s", "s", "how long nothing touched in all")
    lateral: float | None = _limit("lateral_force_start_N", "N", "lateral force in the first 15 s, at its largest")
    deviation: float | None = _limit("end_deviation_m", "m", "of the target's CoM from the thrust axis at the end")
    attitude: float | None = _limit("attitude_error_rad", "rad", "largest angle of the chaser's x axis from its start")
    drop: float | None = _limit("largest_drop", "", "largest share by which the thrust falls at once")
    energy: float | None = _limit("energy_error_J", "J", "largest energy that work and heat do not explain")

    @property
    def limits(self) -> dict[str, float]:
        limits = {key: getattr(self, item.name) for key, item in entries(self).items()}
        return {key: limit for key, limit in limits.items() if limit is not None}


@dataclass(frozen=True, kw_only=True)
class Deorbit(Mission):
    """A push through surface contact: along a `line`, or with `bodies` in space; one of the two is given."""

    line: Line | None = entry("line", Section(Line), "both bodies as masses on a line", None)
    bodies: DeorbitBodies | None = entry("bodies", Section(DeorbitBodies), "both bodies in space", None)
    criteria: DeorbitCriteria = entry(
        "criteria", Section(DeorbitCriteria), "limits a run must keep to pass", DeorbitCriteria()
    )

    def resolved(self, at: Place) -> Deorbit:
        if (self.line is None) == (self.bodies is None):
            raise self.error("bodies", at, "must be given if line is not, and only then")
        return self

    @property
    def limits(self) -> dict[str, float]:
        return self.criteria.limits
