"""The servicer's sensors as the on-board software sees them: when they measure, how late, and how wrong.

Sources. Common data sheets: star trackers 3 arcsec across the boresight and 20 about it, 5 to 10 Hz, 100 to
200 ms late, lost above 1 to 2 deg/s (5 here, because the servicer of the capture turns at 2.5); gyros after
Farrenkopf with 0.002 deg/sqrt(h) and 1e-9 rad/s^1.5; pose from camera or lidar 0.2 % of the range across the
line of sight, 0.7 % along it and 1 deg, 2 to 10 Hz, 200 to 400 ms late, 5 mm and 0.5 deg below 3 m. These are
taken as standard deviations of each axis. The wrist's F/T sensor is of the ATI Omega class, as those of the
laboratory. All else is an engineering estimate.
"""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.plant import OFF, SensorDevice
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Numbers, OneOrPerJoint, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entry
from hil_relative_dynamics.scenario.safety import Limit
from hil_relative_dynamics.scenario.values import Flag, Time

MILLISECOND, SECOND = 1_000_000, 1_000_000_000
ARCSECOND = math.radians(1.0) / 3600.0
DEGREE_PER_HOUR = math.radians(1.0) / 3600.0  # [rad/s]
DEGREE_PER_ROOT_HOUR = math.radians(1.0) / 60.0  # [rad/sqrt s]


@dataclass(frozen=True)
class Scaled(Number):
    """A number whose unit is `si` SI units; inside, it is in those."""

    si: float = 1.0

    def read(self, value: object, at: Place) -> float:
        return super().read(value, at) * self.si

    def write(self, value: float) -> float:
        """The shortest decimal that reads as this very value."""
        close = value / self.si
        shorter = [float(f"{close:.{digits}g}") for digits in range(1, 18)]
        beside = [math.nextafter(close, side) for side in (-math.inf, math.inf)]
        return next((number for number in (*shorter, *beside) if number * self.si == value), close)

    @property
    def _in_degrees(self) -> bool:
        return False


@dataclass(frozen=True)
class Probability(Number):
    """From 0 to 1."""

    allowed = "must be a number from 0 to 1"

    def _sign_fits(self, number: float) -> bool:
        return 0.0 <= number <= 1.0


def _noise(key: str, kind: Number, description: str, default: float) -> float:
    return entry(key, kind, f"standard deviation {description}; 0: none", default)


def _period(milliseconds: int) -> int:
    description = "time between measurements, a whole multiple of rates_ms.dynamics; 0: one in every step"
    return entry("period_ms", Time("ms"), description, milliseconds * MILLISECOND)


def _latency(milliseconds: int) -> int:
    description = "a measurement is given in the first step that is not earlier than this after it was taken"
    return entry("latency_ms", Time("ms"), description, milliseconds * MILLISECOND)


@dataclass(frozen=True, kw_only=True)
class Sampling(Part):
    """When a sensor measures, when that is known, and how often it is lost."""

    period_ns: int = _period(0)
    latency_ns: int = _latency(0)
    dropout: float = entry("dropout", Probability(), "probability that a measurement is lost", 0.0)
    lost_from_ns: int | None = entry(
        "lost_from_s", Time("s"), "a fault: what is measured from this time on never arrives", None
    )

    def _without(self, **errors: Any) -> Any:
        """These settings with one measurement at once in every step, and other values for its errors."""
        return replace(self, period_ns=0, latency_ns=0, dropout=0.0, **errors)


@dataclass(frozen=True, kw_only=True)
class StarTrackerSettings(Sampling):
    """Attitude of the servicer's base among the stars; the tracker's z axis is its boresight."""

    period_ns: int = _period(100)
    latency_ns: int = _latency(160)
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"attitude in the base: {RPY}", ZERO)
    noise_across: float = _noise(
        "noise_across_arcsec",
        Scaled("arcsec", "non-negative", ARCSECOND),
        "of the attitude about each axis across the boresight",
        3.0 * ARCSECOND,
    )
    noise_about: float = _noise(
        "noise_about_arcsec",
        Scaled("arcsec", "non-negative", ARCSECOND),
        "of the attitude about the boresight",
        20.0 * ARCSECOND,
    )
    bias: Vector3 = entry(
        "bias_arcsec",
        Numbers(Scaled("arcsec", si=ARCSECOND), 3),
        "constant small rotation in tracker axes: what calibration leaves of its misalignment",
        ZERO,
    )
    slew_limit: float = entry(
        "slew_limit_deg_s",
        Limit("deg/s", "positive"),
        "it is lost while the base turns faster; off: never",
        math.radians(5.0),
    )
    recovery_ns: int = entry(
        "recovery_s", Time("s"), "time without any faster turn until it has found its stars again", 2 * SECOND
    )

    def ideal(self) -> StarTrackerSettings:
        return self._without(noise_across=0.0, noise_about=0.0, bias=ZERO, slew_limit=OFF, recovery_ns=0)

    @property
    def rotation_in_base(self) -> np.ndarray:
        return pin.rpy.rpyToMatrix(*self.rpy)


@dataclass(frozen=True, kw_only=True)
class GyroSettings(Sampling):
    """Turn rate of the servicer's base in its axes, with the noise of Farrenkopf's model."""

    angle_random_walk: float = entry(
        "angle_random_walk_deg_sqrt_h",
        Scaled("deg/sqrt h", "non-negative", DEGREE_PER_ROOT_HOUR),
        "white noise of the rate, by what it adds up to in an angle; 0: none",
        0.002 * DEGREE_PER_ROOT_HOUR,
    )
    rate_random_walk: float = entry(
        "rate_random_walk_rad_s_sqrt_s",
        Number("rad/s/sqrt s", "non-negative"),
        "white noise of the bias' rate of change, by what it adds up to in the bias; 0: none",
        1e-9,
    )
    bias: Vector3 = entry(
        "bias_deg_h",
        Numbers(Scaled("deg/h", si=DEGREE_PER_HOUR), 3),
        "bias at the start, for the on-board software to find",
        (0.5 * DEGREE_PER_HOUR, -0.3 * DEGREE_PER_HOUR, 0.4 * DEGREE_PER_HOUR),
    )

    def ideal(self) -> GyroSettings:
        return self._without(angle_random_walk=0.0, rate_random_walk=0.0, bias=ZERO)


@dataclass(frozen=True, kw_only=True)
class RelativePoseSettings(Sampling):
    """Pose of the client's grasp point in the servicer's base, from a camera or lidar."""

    period_ns: int = _period(200)
    latency_ns: int = _latency(300)
    position: Vector3 = entry("position_m", vector("m"), "from where it looks, in the base", ZERO)
    lateral_noise: float = _noise(
        "lateral_noise_share", Number(sign="non-negative"), "across the line of sight over the range", 0.002
    )
    range_noise: float = _noise(
        "range_noise_share", Number(sign="non-negative"), "along the line of sight over the range", 0.007
    )
    attitude_noise: float = _noise(
        "attitude_noise_deg", Number("deg", "non-negative"), "of the attitude about each axis", math.radians(1.0)
    )
    close_range: float = entry(
        "close_range_m", Number("m", "non-negative"), "below this range the next two count instead; 0: never", 3.0
    )
    close_position_noise: float = _noise(
        "close_position_noise_m", Number("m", "non-negative"), "of each coordinate at close range", 0.005
    )
    close_attitude_noise: float = _noise(
        "close_attitude_noise_deg",
        Number("deg", "non-negative"),
        "of the attitude about each axis at close range",
        math.radians(0.5),
    )
    position_bias: Vector3 = entry("position_bias_m", vector("m"), "constant error of the position, base axes", ZERO)
    attitude_bias: Vector3 = entry(
        "attitude_bias_deg", vector("deg"), "constant small rotation of the measured attitude, base axes", ZERO
    )

    def ideal(self) -> RelativePoseSettings:
        far = {"lateral_noise": 0.0, "range_noise": 0.0, "attitude_noise": 0.0}
        close = {"close_position_noise": 0.0, "close_attitude_noise": 0.0}
        return self._without(**far, **close, position_bias=ZERO, attitude_bias=ZERO)


@dataclass(frozen=True, kw_only=True)
class JointEncodersSettings(Sampling):
    """Angles and rates of the arm's joints."""

    resolution: float = entry(
        "resolution_deg", Number("deg", "non-negative"), "step of the angles; 0: none", math.radians(3e-4)
    )
    noise: float = _noise("noise_deg", Number("deg", "non-negative"), "of the angles before they are rounded", 0.0)
    rate_noise: float = _noise(
        "rate_noise_deg_s", Number("deg/s", "non-negative"), "of the rates", math.radians(0.01)
    )
    bias: float | tuple[float, ...] = entry(
        "bias_deg", OneOrPerJoint(Number("deg")), "constant error of the angles: of their zero positions", 0.0
    )

    def ideal(self) -> JointEncodersSettings:
        return self._without(resolution=0.0, noise=0.0, rate_noise=0.0, bias=0.0)

    def check_joints(self, count: int, at: Place) -> None:
        """Refuse a list whose length is not the number of the servicer's joints."""
        if isinstance(self.bias, tuple) and len(self.bias) != count:
            allowed = f"must be a list of {count} numbers, one per joint of the servicer"
            raise self.error("bias_deg", at, allowed)


@dataclass(frozen=True, kw_only=True)
class ForceTorqueSettings(SensorDevice, Sampling):
    """The F/T sensor in the arm's wrist, which tells the wrench on the end-effector; tared before use."""

    force_bias: Vector3 = entry("bias_N", vector("N"), "constant offset of the forces", ZERO)
    torque_bias: Vector3 = entry("bias_N_m", vector("N m"), "constant offset of the torques", ZERO)

    def ideal(self) -> ForceTorqueSettings:
        return self._without(**vars(super().ideal()))


@dataclass(frozen=True, kw_only=True)
class Sensors(Part):
    """What the on-board software knows of the world."""

    ideal: bool = entry(
        "ideal", Flag(), "true: all sensors tell the truth at once in every step, whatever is said below", True
    )
    star_tracker: StarTrackerSettings = entry(
        "star_tracker", Section(StarTrackerSettings), "attitude of the base", StarTrackerSettings()
    )
    gyro: GyroSettings = entry("gyro", Section(GyroSettings), "turn rate of the base", GyroSettings())
    relative_pose: RelativePoseSettings = entry(
        "relative_pose", Section(RelativePoseSettings), "camera or lidar", RelativePoseSettings()
    )
    joint_encoders: JointEncodersSettings = entry(
        "joint_encoders", Section(JointEncodersSettings), "joints of the arm", JointEncodersSettings()
    )
    force_torque: ForceTorqueSettings = entry(
        "force_torque", Section(ForceTorqueSettings), "wrist of the arm", ForceTorqueSettings()
    )

    @property
    def devices(self) -> Sensors:
        """These sensors as they are to be: without errors if `ideal`."""
        if not self.ideal:
            return self
        return replace(self, **{name: getattr(self, name).ideal() for name in SENSORS})

    def check(self, joints: int, step_ns: int, at: Place) -> None:
        """Refuse what does not fit the servicer's joints or, unless ideal, the step of the dynamics."""
        self.joint_encoders.check_joints(joints, at / "joint_encoders")
        for name in SENSORS:
            sensor: Sampling = getattr(self.devices, name)
            if sensor.period_ns % step_ns:
                step = Time("ms").write(step_ns)
                allowed = f"must be 0 or a whole multiple of rates_ms.dynamics ({step} ms)"
                raise sensor.error("period_ms", at / name, allowed)


SENSORS = ("star_tracker", "gyro", "relative_pose", "joint_encoders", "force_torque")
"""Their names, which also tell their random sequences apart."""
