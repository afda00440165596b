"""The platforms of a multirotor scenario: what flies, how it steers and sees itself, and the hall around it.

Sources. The vehicle is of the F550 class: 2.0 to 2.3 kg, arm 0.27 m, 10-inch propellers, rotors tilted by 20 to 30
deg; thrust coefficient, drag ratio, motor lag and inertia are common values for it. Gains are ArduPilot's defaults
where it has them (PSC_POSXY_P 1, PSC_VELXY_P 2, PSC_VELXY_I 1, ATC_ANG_RLL_P 4.5). All else is an engineering estimate.
"""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass

from hil_relative_dynamics.scenario.quantities import InertiaTensor, Matrix3, Number, Numbers, Vector3
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.sensors import Scaled
from hil_relative_dynamics.scenario.values import Flag, Time

MILLISECOND, SECOND = 1_000_000, 1_000_000_000
INERTIA: Matrix3 = ((0.03, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.055))


def positive(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "positive"), description, default)


def at_least_zero(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "non-negative"), description, default)


@dataclass(frozen=True, kw_only=True)
class MultirotorVehicle(Part):
    """A hexarotor with tilted rotors; both platforms are alike."""

    mass: float = positive("mass_kg", "kg", "of the whole vehicle", 2.1)
    inertia: Matrix3 = entry("inertia_kg_m2", InertiaTensor(), "about the centre of mass", INERTIA)
    arm: float = positive("arm_m", "m", "from the centre of mass to each rotor", 0.27)
    propeller: float = positive("propeller_diameter_m", "m", "of each propeller", 0.254)
    solidity: float = positive("propeller_solidity", "", "blade area over disk area", 0.08)
    tilt: float = entry("tilt_deg", Number("deg"), "of each rotor about its arm, sides alternate", math.radians(25.0))
    radial_tilt: float = entry("radial_tilt_deg", Number("deg"), "of each rotor inwards or outwards", 0.0)
    thrust: float = positive("thrust_coefficient_N_s2", "N s^2/rad^2", "thrust over speed squared", 1.11e-5)
    drag_ratio: float = positive("drag_ratio_m", "m", "drag torque over thrust of a rotor", 0.016)
    speeds: tuple[float, ...] = entry(
        "rotor_speed_rad_s", Numbers(Number("rad/s", "positive"), 2), "slowest and fastest", (100.0, 1000.0)
    )
    lag_ns: int = entry("motor_lag_ms", Time("ms", positive=True), "time constant of a motor", 30 * MILLISECOND)
    air_drag: float = at_least_zero("air_drag_N_s_m", "N s/m", "resistance of the air over speed", 0.3)
    thrust_spread: float = at_least_zero(
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

    position: float = positive("position_1_s", "1/s", "velocity over position error", 1.0)
    velocity: float = positive("velocity_1_s", "1/s", "acceleration over velocity error", 2.0)
    velocity_integral: float = at_least_zero("velocity_integral_1_s2", "1/s^2", "its integral", 1.0)
    attitude: float = positive("attitude_1_s", "1/s", "turn rate over attitude error", 4.5)
    rate: float = positive("rate_1_s", "1/s", "angular acceleration over rate error", 15.0)
    rate_integral: float = at_least_zero("rate_integral_1_s2", "1/s^2", "its integral", 15.0)
    largest_velocity: float = positive("largest_velocity_m_s", "m/s", "that a position error asks for", 2.0)
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
    mocap_attitude: float = positive("mocap_attitude_noise_deg", "deg", "about each axis", math.radians(0.2))
    accelerometer_noise: float = positive(
        "accelerometer_noise_m_s2_sqrt_Hz", "m/s^2/sqrt(Hz)", "density, the propellers' vibration included", 0.01
    )
    gyro_noise: float = positive("gyro_noise_deg_s_sqrt_Hz", "deg/s/sqrt(Hz)", "density", math.radians(0.01))
    accelerometer_bias: float = positive(
        "accelerometer_bias_m_s2", "m/s^2", "standard deviation from run to run", 0.05
    )
    gyro_bias: float = positive("gyro_bias_deg_s", "deg/s", "standard deviation from run to run", math.radians(0.1))


@dataclass(frozen=True, kw_only=True)
class Hall(Part):
    """The flight volume and its air."""

    size: Vector3 = entry(
        "size_m",
        Numbers(Number("m", "positive"), 3),
        "length, width, height; the origin is in the middle of the floor",
        (20.0, 15.0, 8.0),
    )
    force: float = at_least_zero("turbulence_force_N", "N", "standard deviation of the air's force on each axis", 0.2)
    torque: float = at_least_zero("turbulence_torque_N_m", "N m", "and of its torque", 0.02)
    memory_ns: int = entry(
        "turbulence_time_s", Time("s", positive=True), "after which the air has forgotten itself", SECOND
    )
