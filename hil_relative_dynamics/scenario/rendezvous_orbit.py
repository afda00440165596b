"""The orbital part of a rendezvous: where both fly, and how the chaser is guided."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Choice, Whole

TransferModel = Literal["yamanaka_ankersen", "clohessy_wiltshire"]
_HIGHEST_KM = 1e9


@dataclass(frozen=True, kw_only=True)
class TargetOrbit(Part):
    """The target's orbit about a point mass. How its plane lies in space does not matter to relative motion."""

    semi_major_axis: float = entry("semi_major_axis_km", Number("km", "positive"), "half the long axis")
    eccentricity: float = entry("eccentricity", Number("", "non-negative"), "of the ellipse, below 1", 0.0)
    anomaly: float = entry("true_anomaly_deg", Number("deg"), "from the pericentre, at the start", 0.0)
    mu: float = entry(
        "gravitational_parameter_km3_s2", Number("km^3/s^2", "positive"), "of the attractor", 398600.4418
    )

    def resolved(self, at: Place) -> TargetOrbit:
        if not self.eccentricity < 1.0:
            raise self.error("eccentricity", at, "must be at least 0 and below 1: the target's orbit is an ellipse")
        if self.semi_major_axis > _HIGHEST_KM:
            raise self.error("semi_major_axis_km", at, f"must be at most {_HIGHEST_KM:g} km")
        return self


@dataclass(frozen=True, kw_only=True)
class ChaserStart(Part):
    """The chaser's centre of mass in the target's LVLH axes: x radial, y along-track, z cross-track."""

    position: Vector3 = entry("position_m", vector("m"), "relative to the target's CoM")
    velocity: Vector3 = entry("velocity_m_s", vector("m/s"), "in the turning LVLH axes", ZERO)
    attitude_error: Vector3 = entry(
        "attitude_error_rpy_deg", vector("deg"), f"of the base from where it faces the target: {RPY}", ZERO
    )
    rate: Vector3 = entry("rate_deg_s", vector("deg/s"), "angular velocity relative to the target, base axes", ZERO)


@dataclass(frozen=True, kw_only=True)
class Guidance(Part):
    """A transfer to a hold point by two impulses with corrections, then pulses down (or up) a straight glide-slope."""

    model: TransferModel = entry(
        "model", Choice(get_args(TransferModel)), "transition matrix by which impulses are computed",
        "yamanaka_ankersen",
    )
    hold_distance: float = entry(
        "hold_distance_m", Number("m", "positive"), "from the target's CoM, where transfer and glide-slope meet"
    )
    transfer: float = entry("transfer_s", Number("s", "non-negative"), "to the hold point; 0: none, it starts there")
    corrections: int = entry("corrections", Whole(), "impulses underway, equally spaced", 2)
    pulse_period: float = entry("pulse_period_s", Number("s", "positive"), "between pulses on the glide-slope", 20.0)
    fast: float = entry("hold_speed_m_s", Number("m/s", "positive"), "on the glide-slope at the hold point")
    slow: float = entry("handover_speed_m_s", Number("m/s", "positive"), "at the hand-over to the contact phase")
    position_noise: float = entry(
        "navigation_position_m", Number("m", "non-negative"), "of the estimate, per axis, one sigma", 0.0
    )
    velocity_noise: float = entry(
        "navigation_velocity_m_s", Number("m/s", "non-negative"), "of the estimate, per axis, one sigma", 0.0
    )
    execution_noise: float = entry(
        "execution_error", Number("", "non-negative"), "of each impulse over its size, per axis, one sigma", 0.0
    )
    attitude_bandwidth: float = entry(
        "attitude_bandwidth_rad_s", Number("rad/s", "positive"), "at which the chaser turns to face the target", 0.05
    )
    torque: float = entry("torque_N_m", Number("N m", "positive"), "largest on each axis", 25.0)


@dataclass(frozen=True, kw_only=True)
class RendezvousCriteria(Part):
    """Limits a run must keep to pass; what is left out is not judged."""

    handover_position: float | None = entry(
        "handover_position_jump_m", Number("m", "positive"), "of the relative position at a hand-over", None
    )
    handover_velocity: float | None = entry(
        "handover_velocity_jump_m_s", Number("m/s", "positive"), "of the inertial relative velocity", None
    )
    handover_attitude: float | None = entry(
        "handover_attitude_jump_rad", Number("rad", "positive"), "of the relative attitude", None
    )
    handover_rate: float | None = entry(
        "handover_rate_jump_rad_s", Number("rad/s", "positive"), "of the inertial rates", None
    )
    corridor: float | None = entry(
        "glideslope_error_m", Number("m", "positive"), "farthest off the glide-slope's line", None
    )
    facing: float | None = entry(
        "facing_error_deg", Number("", "positive"), "of the attitude at the hand-over [deg]", None
    )
    contact_energy: float | None = entry(
        "contact_energy_gain_J", Number("J", "positive"), "that contact brought in, most over any stretch of time", None
    )
    momentum: float | None = entry(
        "momentum_residual_N_s", Number("N s", "positive"), "of both bodies, beyond the thrusters' impulse", None
    )
    force: float | None = entry("contact_force_N", Number("N", "positive"), "largest of fingers or port", None)
    docking_speed: float | None = entry(
        "port_speed_m_s", Number("m/s", "positive"), "of the ports when they first touch", None
    )
    misalignment: float | None = entry(
        "port_misalignment_m", Number("m", "positive"), "of the ports across their axis when latched", None
    )
    release_speed: float | None = entry(
        "release_speed_m_s", Number("m/s", "positive"), "of the target relative to the gripper as it lets go", None
    )

