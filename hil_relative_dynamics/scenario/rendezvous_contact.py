"""The contact part of a rendezvous: two spacecraft, gripper, ports and the sequence of berthing or unberthing."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.quantities import ZERO, InertiaTensor, Matrix3, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entry
from hil_relative_dynamics.scenario.values import Time, Whole


def _positive(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "positive"), description, default)


def _amount(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "non-negative"), description, default)


@dataclass(frozen=True, kw_only=True)
class BerthingTarget(Part):
    """The rigid target; its body origin is its CoM, its x axis points to the servicer."""

    mass: float = entry("mass_kg", Number("kg", "positive"), "mass")
    inertia_about_com: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "inertia about the CoM, body axes")
    rpy: Vector3 = entry("attitude_rpy_deg", vector("deg"), f"in LVLH axes at the start: {RPY}", ZERO)
    port: Vector3 = entry("port_m", vector("m"), "centre of the docking port, whose plane looks along x")
    fixture: Vector3 = entry("fixture_m", vector("m"), "middle of the bar to grasp")
    fixture_rpy: Vector3 = entry(
        "fixture_rpy_deg", vector("deg"), f"of the gripper when it holds the bar (x across, y along it): {RPY}", ZERO
    )

    @property
    def inertia(self) -> pin.Inertia:
        return pin.Inertia(self.mass, np.zeros(3), np.array(self.inertia_about_com))

    @property
    def pose_fixture(self) -> pin.SE3:
        return pin.SE3(pin.rpy.rpyToMatrix(*self.fixture_rpy), np.array(self.fixture))


@dataclass(frozen=True, kw_only=True)
class GearedFingers(Part):
    """Two fingers driven by three gears, paper 002, eqs. (5) to (10)."""

    teeth_motor: int = entry("teeth_motor", Whole(), "Z_1 of the motor gear", 15)
    teeth_clamp: int = entry("teeth_clamp", Whole(), "Z_2 = Z_3 of the clamp gears", 30)
    lever: float = _positive("lever_m", "m", "r from gear axis to pad", 0.05)
    open_angle: float = _positive("open_angle_deg", "deg", "gamma of the lever when open", radians(25.0))
    contact_angle: float = _positive("contact_angle_deg", "deg", "gamma when the pads meet the bar", radians(50.0))
    inertia: float = _positive("inertia_kg_m2", "kg m^2", "of the drive with its gearhead, at a clamp gear", 0.05)
    drag: float = _amount("drag_N_m_s_rad", "N m s/rad", "viscous, at a clamp gear", 15.0)
    bar: float = _positive("bar_thickness_m", "m", "between the pads", 0.04)
    bar_length: float = _positive("bar_length_m", "m", "along the bar, of what can be held", 0.12)
    pad_width: float = _positive("pad_width_m", "m", "b: distance of the two spheres of a pad, along the bar", 0.0766)
    pad_radius: float = _positive("pad_radius_m", "m", "of the spheres", 0.01)
    stiffness: float = _positive("stiffness_N_m", "N/m", "of each sphere on the bar", 5e3)
    damping: float = _amount("damping_s_m", "s/m", "Hunt and Crossley's factor a in N = k d (1 + a dd/dt)", 1.0)
    friction: float = _positive("friction", "", "mu_d of pad and bar", 0.3)
    acceleration: float = _positive("acceleration_m_s2", "m/s^2", "a_t in (9): largest of the end-effector", 0.01)
    safety: float = _positive("safety", "", "c_s in (9)", 2.0)

    def resolved(self, at: Place) -> GearedFingers:
        for key, teeth in (("teeth_motor", self.teeth_motor), ("teeth_clamp", self.teeth_clamp)):
            if teeth < 1:
                raise self.error(key, at, "must be a whole number of teeth, 1 or more")
        if not self.open_angle < self.contact_angle < radians(90.0):
            raise self.error("contact_angle_deg", at, "must be above open_angle_deg and below 90 deg")
        return self

    @property
    def clearance(self) -> float:
        """Between an open pad and the bar [m]."""
        return self.lever * (cos(self.open_angle) - cos(self.contact_angle))


@dataclass(frozen=True, kw_only=True)
class Trigger(Part):
    """When the gripper may close, paper 002, Fig. 3."""

    position: float = _positive("position_m", "m", "largest position error", 2e-3)
    orientation: float = _positive("orientation_rad", "rad", "largest orientation error", 1e-3)
    reach: float = _positive("contact_distance_m", "m", "within which the contact signal is given", 0.01)
    delay_ns: int = entry("contact_delay_s", Time("s"), "of the contact signal", 200_000_000)
    sample_ns: int = entry(
        "contact_sample_s", Time("s", positive=True), "at which it is sampled, and held", 100_000_000
    )


@dataclass(frozen=True, kw_only=True)
class Port(Part):
    """Three spheres of the servicer on the plane of the target's port, and the latch."""

    position: Vector3 = entry("position_m", vector("m"), "centre of the servicer's port in the base, looking along x")
    radius: float = _positive("radius_m", "m", "of the circle of spheres", 0.3)
    sphere: float = _positive("sphere_radius_m", "m", "of the spheres", 0.02)
    stiffness: float = _positive("stiffness_N_m", "N/m", "of each sphere on the plane", 2e4)
    damping: float = _amount("damping_s_m", "s/m", "Hunt and Crossley's factor", 50.0)
    friction: float = _amount("friction", "", "of the spheres on the plane", 0.2)
    latch_stiffness: float = _positive("latch_stiffness_N_m", "N/m", "of the closed latch", 5e4)
    latch_stiffness_angular: float = _positive("latch_stiffness_N_m_rad", "N m/rad", "of the closed latch", 2e4)
    latch_damping: float = _positive("latch_damping_ratio", "", "of the closed latch, of critical", 0.5)
    latch_speed: float = _positive("latch_speed_m_s", "m/s", "below which it closes, once a sphere touches", 1e-3)
    latch_reach: float = _positive("latch_reach_m", "m", "within which all spheres have to be for it to close", 1e-3)


@dataclass(frozen=True, kw_only=True)
class BerthingTimeline(Part):
    """How long each motion takes (smooth, at rest at both ends)."""

    base: float = _positive("base_s", "s", "of the base from hand-over to its station, or away from it", 150.0)
    arm: float = _positive("arm_s", "s", "of the gripper to a point short of the bar", 60.0)
    reach: float = _positive("reach_s", "s", "from there onto the bar", 60.0)
    close: float = _positive("close_s", "s", "given to the fingers to close, or to open", 15.0)
    carry: float = _positive("carry_s", "s", "of the target, by the arm, to the port or away from it", 180.0)


@dataclass(frozen=True, kw_only=True)
class BerthingControl(Part):
    """How fast errors decay, critically damped, and what the thrusters can give."""

    base: float = _positive("base_rad_s", "rad/s", "base relative to the target", 0.2)
    tool: float = _positive("tool_rad_s", "rad/s", "gripper relative to the target", 2.0)
    carry: float = _positive("carry_rad_s", "rad/s", "gripper relative to the base when it holds the target", 0.5)
    force: float = _positive("thrust_N", "N", "largest on each axis", 60.0)
    torque: float = _positive("torque_N_m", "N m", "largest on each axis", 25.0)
    preload: float = _positive("preload_m", "m", "how far beyond touching the ports are pulled", 0.002)
    short: float = _positive("standoff_m", "m", "of the gripper from the bar before it reaches for it", 0.10)
    speed: float = _positive("retreat_speed_m_s", "m/s", "at which the servicer leaves after the release", 0.04)


@dataclass(frozen=True, kw_only=True)
class Contact(Part):
    """Everything within the hand-over distance."""

    station: Vector3 = entry("station_m", vector("m"), "of the base in target axes, from which the arm grasps")
    fingers: GearedFingers = entry("fingers", Section(GearedFingers), "gear-driven gripper", GearedFingers())
    trigger: Trigger = entry("trigger", Section(Trigger), "when it may close", Trigger())
    port: Port = entry("port", Section(Port), "docking ports")
    timeline: BerthingTimeline = entry("timeline", Section(BerthingTimeline), "durations", BerthingTimeline())
    control: BerthingControl = entry("control", Section(BerthingControl), "gains and limits", BerthingControl())
    step_ns: int = entry(
        "step_ms", Time("ms", positive=True), "of the integration while the gripper is at the bar", 4_000_000
    )
    control_ns: int = entry(
        "control_ms",
        Time("ms", positive=True),
        "at which torque and thrust are renewed; step of the integration elsewhere",
        20_000_000,
    )

    def resolved(self, at: Place) -> Contact:
        if self.control_ns % self.step_ns:
            raise self.error("control_ms", at, "must be a whole multiple of step_ms")
        return self
