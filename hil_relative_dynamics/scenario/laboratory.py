"""The room in which the mock-ups move: where things stand, and how its devices are read and commanded."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import RPY
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Kind, Part, Place, Section, entry
from hil_relative_dynamics.scenario.values import Flag

LONGEST_STOP = 2.0  # [s]


@dataclass(frozen=True)
class Sign(Kind[int]):
    """1 or -1."""

    allowed = "must be 1 or -1"

    def read(self, value: object, at: Place) -> int:
        if isinstance(value, bool) or value not in (1, -1):
            raise at.error(value, self.allowed)
        return int(value)  # type: ignore[call-overload]


@dataclass(frozen=True, kw_only=True)
class Placement(Part):
    """Where something stands. Laboratory: origin on the floor, x to the servicer robot, z up."""

    position: Vector3 = entry("position_m", vector("m"), "position in the laboratory", ZERO)
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), f"attitude in the laboratory: {RPY}", ZERO)

    @property
    def pose(self) -> pin.SE3:
        return pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.position))


@dataclass(frozen=True, kw_only=True)
class ServicerBase(Placement):
    """By default 4.9 m from the client robot, facing it."""

    position: Vector3 = entry("position_m", vector("m"), "position in the laboratory", (4.9, 0.0, 0.0))
    rpy: Vector3 = entry(
        "orientation_rpy_deg", vector("deg"), f"attitude in the laboratory: {RPY}", (0.0, 0.0, pi)
    )


@dataclass(frozen=True, kw_only=True)
class GraspPointAtStart(Placement):
    """By default 0.12 m ahead of a flange 1.9 m before the client robot's base and 1.3 m up."""

    position: Vector3 = entry("position_m", vector("m"), "position in the laboratory", (2.02, 0.0, 1.3))


@dataclass(frozen=True, kw_only=True)
class Estimation(Part):
    """What devices do not measure."""

    acceleration_filter: float = entry(
        "acceleration_filter_Hz",
        Number("Hz", "non-negative"),
        "low-pass on the mock-ups' acceleration, which is the difference of measured twists; 0: none",
        10.0,
    )
    joint_acceleration_filter: float = entry(
        "joint_acceleration_filter_Hz",
        Number("Hz", "non-negative"),
        "low-pass on the arm's joint accelerations, differences of measured rates; 0: none",
        0.0,
    )


@dataclass(frozen=True, kw_only=True)
class WrenchSettings(Part):
    """From the client robot's F/T sensor to the wrench on the client."""

    multiplier: int = entry(
        "multiplier", Sign(), "1: the sensor tells what tool and environment exert on it; -1: the reaction", 1
    )
    start_tare: float = entry(
        "start_tare_s",
        Number("s", "non-negative"),
        "at the start nothing touches for so long: the mean reading is the sensor's bias, and contact would"
        " not be seen; 0: no tare",
        0.5,
    )
    filter: float = entry(
        "filter_Hz", Number("Hz", "non-negative"), "low-pass on the wrench; 0: none", 50.0
    )
    gate_force: float = entry(
        "gate_N", Number("N", "non-negative"), "force below which nothing touches (noise, bias)", 3.0
    )
    gate_torque: float = entry(
        "gate_N_m", Number("N m", "non-negative"), "torque at the sensor below which nothing touches", 0.5
    )
    passivity: bool = entry(
        "passivity", Flag(), "take out the energy that delay between command and motion would bring in", False
    )


@dataclass(frozen=True, kw_only=True)
class Commanding(Part):
    """How robots and arm are commanded, and how they stop."""

    stop_time: float = entry(
        "stop_time_s", Number("s", "positive"), "robots ramp to rest in this time when they stop", 0.5
    )
    first_step: float = entry(
        "first_step_deg", Number("deg", "positive"), "how far a joint may be off its first target", radians(1)
    )
    arm_settling_time: float = entry(
        "arm_settling_time_s", Number("s", "positive"), "decay of the arm's motion when not enabled", 0.1
    )

    def resolved(self, at: Place) -> Commanding:
        if self.stop_time > LONGEST_STOP:
            raise self.error("stop_time_s", at, f"must be at most {LONGEST_STOP:g} s")
        return self


@dataclass(frozen=True, kw_only=True)
class Laboratory(Part):
    """The room in which the mock-ups move."""

    gravity: Vector3 = entry("gravity_m_s2", vector("m/s^2"), "gravity in laboratory axes", (0.0, 0.0, -9.81))
    base_attitude_rpy: Vector3 = entry(
        "base_attitude_rpy_deg",
        vector("deg"),
        f"attitude of the servicer mock-up at start, with facility.kind: none; else it follows: {RPY}",
        ZERO,
    )
    grasp_point: GraspPointAtStart = entry(
        "grasp_point",
        Section(GraspPointAtStart),
        "the client's grasp point at start; all else is placed from it",
        GraspPointAtStart(),
    )
    client_base: Placement = entry("client_base", Section(Placement), "foot of the client robot", Placement())
    servicer_base: ServicerBase = entry(
        "servicer_base", Section(ServicerBase), "foot of the servicer robot", ServicerBase()
    )
    estimation: Estimation = entry(
        "estimation", Section(Estimation), "what devices do not measure", Estimation()
    )
    wrench: WrenchSettings = entry(
        "wrench", Section(WrenchSettings), "from raw to contact wrench", WrenchSettings()
    )
    commanding: Commanding = entry(
        "commanding", Section(Commanding), "how devices are commanded and stop", Commanding()
    )

    @property
    def base_rotation(self) -> np.ndarray:
        """Takes base axes to laboratory axes, at start, where there are no robots (facility.kind: none)."""
        return pin.rpy.rpyToMatrix(*self.base_attitude_rpy)

    @property
    def layout(self) -> dict[str, str]:
        """Arguments of urdf/layout.xacro."""
        bases = {"client_base": self.client_base, "servicer_base": self.servicer_base}
        arguments = {f"{name}_xyz": base.position for name, base in bases.items()}
        arguments |= {f"{name}_rpy": base.rpy for name, base in bases.items()}
        return {name: " ".join(map(repr, values)) for name, values in arguments.items()}

    def pose_nominal(self, pose_grasp_point_in_nominal: pin.SE3) -> pin.SE3:
        """Pose of the nominal frame in the laboratory: the constant calibration transform.

        Args:
            pose_grasp_point_in_nominal: at the start, g_c(0) times the grasp point's pose in the client.
        """
        return self.grasp_point.pose * pose_grasp_point_in_nominal.inverse()
