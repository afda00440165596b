"""A rendezvous flown by multirotors: what is flown, in which orbit, and how near the chaser may come."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.multirotor_platform import (
    MILLISECOND,
    SECOND,
    Hall,
    MultirotorControl,
    MultirotorSensors,
    MultirotorVehicle,
    at_least_zero,
    positive,
)
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entries, entry
from hil_relative_dynamics.scenario.sensors import Scaled
from hil_relative_dynamics.scenario.values import Choice, Time, Whole

LARGEST_TILT = math.radians(10.0)
"""Roll and pitch of the platforms: published."""


@dataclass(frozen=True, kw_only=True)
class SeparationSettings(Part):
    """How near the chaser may come: distances are between the centres of the vehicles."""

    margin: float = at_least_zero("margin", "", "D_min is the tip-to-tip size times one more than this", 0.5)
    thrust_increase: float = positive(
        "downwash_thrust_increase", "", "H_min: where the lower vehicle needs less than this more thrust", 0.15
    )
    delay_ns: int = entry("reaction_s", Time("s"), "until a vehicle that is told to stop begins to", SECOND // 2)
    deceleration: float = positive("deceleration_m_s2", "m/s^2", "with which it then brakes", 0.3)
    accuracy: float = at_least_zero(
        "accuracy_m", "m", "how far vehicles may be off: the rule acts this much before D_min", 0.16
    )


@dataclass(frozen=True, kw_only=True)
class OrbitSettings(Part):
    """The target's orbit, and the scale at which the hall shows it."""

    semi_major_axis: float = entry(
        "semi_major_axis_km", Scaled("km", "positive", 1e3), "of the target's orbit around the Earth", 6.7e6
    )
    eccentricity: float = at_least_zero("eccentricity", "", "of the target's orbit", 0.0)
    length: float = positive("length_scale", "", "metres in orbit that a metre in the hall stands for", 1.0)
    time: float = positive("time_scale", "", "seconds in orbit that pass in a second in the hall", 1.0)

    def resolved(self, at: Place) -> OrbitSettings:
        if not self.eccentricity < 1.0:
            raise self.error("eccentricity", at, "must be at least 0 and below 1 (an ellipse)")
        return self


@dataclass(frozen=True, kw_only=True)
class CircleSettings(Part):
    """Circles around the origin of the reference, nose to the centre."""

    radius: float = positive("radius_m", "m", "of the circle", 1.8)
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
    stop: float = at_least_zero("stop_m", "m", "horizontal distance at which the chaser comes to rest", 0.74)
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
