"""A rendezvous flown by multirotors: what flies, where, how it sees and steers itself, and how near it may come.

Sources. The vehicle is of the F550 class: 2.0 to 2.3 kg, arm 0.27 m, 10-inch propellers, rotors tilted by 20 to 30
deg; thrust coefficient, drag ratio, motor lag and inertia are common values for it. Gains are ArduPilot's defaults
where it has them (PSC_POSXY_P 1, PSC_VELXY_P 2, PSC_VELXY_I 1, ATC_ANG_RLL_P 4.5). All else is an engineering estimate.
"""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.quantities import ZERO, InertiaTensor, Matrix3, Number, Numbers, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entries, entry
from hil_relative_dynamics.scenario.sensors import Scaled
from hil_relative_dynamics.scenario.values import Choice, Flag, Time, Whole

MILLISECOND, SECOND = 1_000_000, 1_000_000_000
LARGEST_TILT = math.radians(10.0)
"""Roll and pitch of the platforms: published."""
INERTIA: Matrix3 = ((0.03, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.055))


def _positive(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "positive"), description, default)


def _at_least_zero(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "non-negative"), description, default)


@dataclass(frozen=True, kw_only=True)
class MultirotorVehicle(Part):
    """A hexarotor with tilted rotors; both platforms are alike."""

    mass: float = _positive("mass_kg", "kg", "of the whole vehicle", 2.1)
    inertia: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "about the centre of mass", INERTIA)
    arm: float = _positive("arm_m", "m", "from the centre of mass to each rotor", 0.27)
    propeller: float = _positive("propeller_diameter_m", "m", "of each propeller", 0.254)
    solidity: float = _positive("propeller_solidity", "", "blade area over disk area", 0.08)
    tilt: float = entry("tilt_deg", Number("deg"), "of each rotor about its arm, sides alternate", math.radians(25.0))
    radial_tilt: float = entry("radial_tilt_deg", Number("deg"), "of each rotor inwards or outwards", 0.0)
    thrust: float = _positive("thrust_coefficient_N_s2", "N s^2/rad^2", "thrust over speed squared", 1.11e-5)
    drag_ratio: float = _positive("drag_ratio_m", "m", "drag torque over thrust of a rotor", 0.016)
    speeds: tuple[float, ...] = entry(
        "rotor_speed_rad_s", Numbers(Number("rad/s", "positive"), 2), "slowest and fastest", (100.0, 1000.0)
    )
    lag_ns: int = entry("motor_lag_ms", Time("ms", positive=True), "time constant of a motor", 30 * MILLISECOND)
    air_drag: float = _at_least_zero("air_drag_N_s_m", "N s/m", "resistance of the air over speed", 0.3)
    thrust_spread: float = _at_least_zero(
        "thrust_spread", "", "standard deviation of each rotor's thrust coefficient, which control does not know", 0.02
    )

    def resolved(self, at: Place) -> MultirotorVehicle:
        if not self.thrust_spread <= 0.2:
            raise self.error("thrust_spread", at, "must be at most 0.2: some rotor would hardly push")
        if not self.speeds[0] < self.speeds[1]:
            raise self.error("rotor_speed_rad_s", at, "must be the slowest speed and then a larger one")
        if self.propeller > self.arm:  # neighbouring rotors are as far apart as their arms are long
            allowed = f"must be at most {self.arm:g} m, or the propellers of neighbouring arms touch"
            raise self.error("propeller_diameter_m", at, allowed)
        return self


@dataclass(frozen=True, kw_only=True)
class MultirotorControl(Part):
    """Position and velocity cascade, attitude and rate cascade."""

    position: float = _positive("position_1_s", "1/s", "velocity over position error", 1.0)
    velocity: float = _positive("velocity_1_s", "1/s", "acceleration over velocity error", 2.0)
    velocity_integral: float = _at_least_zero("velocity_integral_1_s2", "1/s^2", "its integral", 1.0)
    attitude: float = _positive("attitude_1_s", "1/s", "turn rate over attitude error", 4.5)
    rate: float = _positive("rate_1_s", "1/s", "angular acceleration over rate error", 15.0)
    rate_integral: float = _at_least_zero("rate_integral_1_s2", "1/s^2", "its integral", 15.0)
    largest_velocity: float = _positive("largest_velocity_m_s", "m/s", "that a position error asks for", 2.0)
    setpoint_ns: int = entry(
        "setpoint_period_ms", Time("ms", positive=True), "time between set-points, 20 to 50 Hz", 20 * MILLISECOND
    )
    feed_forward: bool = entry(
        "feed_forward", Flag(), "true: velocity and acceleration are sent with the pose; false: the pose alone", True
    )


@dataclass(frozen=True, kw_only=True)
class MultirotorSensors(Part):
    """The cameras of the hall and the IMU on board."""

    mocap_ns: int = entry(
        "mocap_period_ms", Time("ms", positive=True), "time between pictures, a whole multiple of step_ms",
        10 * MILLISECOND,
    )
    mocap_position: float = entry(
        "mocap_position_noise_mm", Scaled("mm", "positive", 1e-3), "standard deviation on each axis", 1e-3
    )
    mocap_attitude: float = _positive("mocap_attitude_noise_deg", "deg", "about each axis", math.radians(0.2))
    accelerometer_noise: float = _positive(
        "accelerometer_noise_m_s2_sqrt_Hz", "m/s^2/sqrt(Hz)", "density, the propellers' vibration included", 0.01
    )
    gyro_noise: float = _positive("gyro_noise_deg_s_sqrt_Hz", "deg/s/sqrt(Hz)", "density", math.radians(0.01))
    accelerometer_bias: float = _positive(
        "accelerometer_bias_m_s2", "m/s^2", "standard deviation from run to run", 0.05
    )
    gyro_bias: float = _positive("gyro_bias_deg_s", "deg/s", "standard deviation from run to run", math.radians(0.1))


@dataclass(frozen=True, kw_only=True)
class Hall(Part):
    """The flight volume and its air."""

    size: Vector3 = entry(
        "size_m",
        Numbers(Number("m", "positive"), 3),
        "length, width, height; the origin is in the middle of the floor",
        (20.0, 15.0, 8.0),
    )
    force: float = _at_least_zero("turbulence_force_N", "N", "standard deviation of the air's force on each axis", 0.2)
    torque: float = _at_least_zero("turbulence_torque_N_m", "N m", "and of its torque", 0.02)
    memory_ns: int = entry(
        "turbulence_time_s", Time("s", positive=True), "after which the air has forgotten itself", SECOND
    )


@dataclass(frozen=True, kw_only=True)
class SeparationSettings(Part):
    """How near the chaser may come: distances are between the centres of the vehicles."""

    margin: float = _at_least_zero("margin", "", "D_min is the tip-to-tip size times one more than this", 0.5)
    thrust_increase: float = _positive(
        "downwash_thrust_increase", "", "H_min: where the lower vehicle needs less than this more thrust", 0.15
    )
    delay_ns: int = entry("reaction_s", Time("s"), "until a vehicle that is told to stop begins to", SECOND // 2)
    deceleration: float = _positive("deceleration_m_s2", "m/s^2", "with which it then brakes", 0.3)
    accuracy: float = _at_least_zero(
        "accuracy_m", "m", "how far vehicles may be off: the rule acts this much before D_min", 0.16
    )


@dataclass(frozen=True, kw_only=True)
class OrbitSettings(Part):
    """The target's orbit, and the scale at which the hall shows it."""

    semi_major_axis: float = entry(
        "semi_major_axis_km", Scaled("km", "positive", 1e3), "of the target's orbit around the Earth", 6.7e6
    )
    eccentricity: float = _at_least_zero("eccentricity", "", "of the target's orbit", 0.0)
    length: float = _positive("length_scale", "", "metres in orbit that a metre in the hall stands for", 1.0)
    time: float = _positive("time_scale", "", "seconds in orbit that pass in a second in the hall", 1.0)

    def resolved(self, at: Place) -> OrbitSettings:
        if not self.eccentricity < 1.0:
            raise self.error("eccentricity", at, "must be at least 0 and below 1 (an ellipse)")
        return self


@dataclass(frozen=True, kw_only=True)
class CircleSettings(Part):
    """Circles around the origin of the reference, nose to the centre."""

    radius: float = _positive("radius_m", "m", "of the circle", 1.8)
    period_ns: int = entry("period_s", Time("s", positive=True), "of one turn", 30 * SECOND)
    turns: int = entry("turns", Whole(), "how many, at least 1", 3)

    def resolved(self, at: Place) -> CircleSettings:
        if self.turns < 1:
            raise self.error("turns", at, "must be at least 1")
        return self


StopMeasure = Literal["tips", "centres"]


@dataclass(frozen=True, kw_only=True)
class TransferSettings(Part):
    """Two impulses to the target, stopped before it."""

    start: Vector3 = entry("start_m", vector("m"), "chaser from target in LVLH axes: radial, along-track, cross-track")
    transfer_ns: int = entry("transfer_s", Time("s", positive=True), "between the impulses, in orbit")
    stop: float = _at_least_zero("stop_m", "m", "horizontal distance at which the chaser comes to rest", 0.74)
    measured: StopMeasure = entry(
        "stop_between",
        Choice(get_args(StopMeasure)),
        "what stop_m is between: the tips of the propellers, or the centres of the vehicles",
        "tips",
    )


@dataclass(frozen=True, kw_only=True)
class DriftSettings(Part):
    """Unpowered motion around the target, nonlinear."""

    start: Vector3 = entry("start_m", vector("m"), "chaser from target in LVLH axes: radial, along-track, cross-track")
    velocity: Vector3 = entry("velocity_m_s", vector("m/s"), "its rate in LVLH axes", ZERO)
    duration_ns: int = entry("drift_s", Time("s", positive=True), "how long, in orbit")


@dataclass(frozen=True, kw_only=True)
class MultirotorCriteria(Part):
    """Limits a run must keep to pass; what is left out is not judged."""

    largest_error: float | None = entry(
        "largest_error_m", Number("m", "positive"), "distance of the chaser from its reference", None
    )
    roll: float | None = entry("roll_deviation_deg", Number("", "positive"), "standard deviation [deg]", None)
    pitch: float | None = entry("pitch_deviation_deg", Number("", "positive"), "standard deviation [deg]", None)
    ruled: float | None = entry(
        "rule_stops", Number("", "non-negative"), "how often the separation rule may stop the chaser", None
    )
    breach: float | None = entry(
        "separation_breach_m", Number("m", "non-negative"), "how far a centre may enter the keep-out zone", None
    )

    @property
    def limits(self) -> dict[str, float]:
        limits = {key: getattr(self, item.name) for key, item in entries(self).items()}
        return {key: limit for key, limit in limits.items() if limit is not None}


ReferenceKind = Literal["circle", "two_impulse", "drift"]


@dataclass(frozen=True, kw_only=True)
class MultirotorMission(Mission):
    """Two platforms: the target hovers, the chaser flies a reference."""

    step_ns: int = entry("step_ms", Time("ms", positive=True), "of vehicles and control, at most 5", 5 * MILLISECOND)
    settle_ns: int = entry("settle_s", Time("s"), "hovering before the reference begins", 10 * SECOND)
    vehicle: MultirotorVehicle = entry("vehicle", Section(MultirotorVehicle), "both platforms", MultirotorVehicle())
    control: MultirotorControl = entry("control", Section(MultirotorControl), "of both", MultirotorControl())
    sensors: MultirotorSensors = entry("sensors", Section(MultirotorSensors), "of both", MultirotorSensors())
    hall: Hall = entry("hall", Section(Hall), "where they fly", Hall())
    target: Vector3 = entry("target_m", vector("m"), "where the target hovers in the hall", (0.0, 0.0, 3.0))
    separation: SeparationSettings = entry(
        "separation", Section(SeparationSettings), "how near they may come", SeparationSettings()
    )
    orbit: OrbitSettings = entry("orbit", Section(OrbitSettings), "what the hall stands for", OrbitSettings())
    rpy: Vector3 = entry(
        "orientation_rpy_deg", vector("deg"), "of the chaser, but for circle; roll and pitch within 10", ZERO
    )
    reference: ReferenceKind = entry(
        "reference",
        Choice(get_args(ReferenceKind)),
        "circle: around the target; two_impulse: to the target by Hill's equations; drift: free motion around it",
    )
    circle: CircleSettings = entry("circle", Section(CircleSettings), "with reference: circle", CircleSettings())
    transfer: TransferSettings | None = entry(
        "transfer", Section(TransferSettings), "with reference: two_impulse", None
    )
    drift: DriftSettings | None = entry("drift", Section(DriftSettings), "with reference: drift", None)
    criteria: MultirotorCriteria = entry(
        "criteria", Section(MultirotorCriteria), "what a run must keep", MultirotorCriteria()
    )

    @property
    def limits(self) -> dict[str, float]:
        return self.criteria.limits

    def resolved(self, at: Place) -> MultirotorMission:
        for kind, part, key in (("two_impulse", self.transfer, "transfer"), ("drift", self.drift, "drift")):
            if self.reference == kind and part is None:
                raise self.error(key, at, f"must be given with reference: {kind}")
        if any(abs(angle) > LARGEST_TILT * (1.0 + 1e-12) for angle in self.rpy[:2]):
            raise self.error("orientation_rpy_deg", at, "must have roll and pitch within 10 deg")
        if self.step_ns > 5 * MILLISECOND:
            raise self.error("step_ms", at, "must be at most 5 ms: the motors and the rate loop need 200 Hz")
        for section, key, value in (
            (self.control, "control.setpoint_period_ms", self.control.setpoint_ns),
            (self.sensors, "sensors.mocap_period_ms", self.sensors.mocap_ns),
            (self, "settle_s", self.settle_ns),
            (self, "duration_s", self.duration_ns),
        ):
            if value % self.step_ns:
                inner, name = (at / key.rpartition(".")[0], key.rpartition(".")[2]) if "." in key else (at, key)
                raise section.error(name, inner, f"must be a whole multiple of step_ms = {1e-6 * self.step_ns:g}")
        if self.settle_ns >= self.duration_ns:
            raise self.error("settle_s", at, "must be shorter than duration_s")
        if self.reference == "two_impulse" and self.orbit.eccentricity:
            allowed = "must be 0 with reference: two_impulse, which takes Hill's equations of a circular orbit"
            raise self.orbit.error("eccentricity", at / "orbit", allowed)
        return self
