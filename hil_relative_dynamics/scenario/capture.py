"""The reference on-board software: where it keeps station, when it goes on, and how hard it pulls."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.quantities import ZERO, Number, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Section, entry
from hil_relative_dynamics.scenario.values import Time

SECOND = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Station(Part):
    """Where the servicer's base stays while it turns with the client."""

    position: Vector3 = entry("position_m", vector("m"), "position of the base in the client's body axes")
    rpy: Vector3 = entry("orientation_rpy_deg", vector("deg"), "attitude in the client, as servicer's own", ZERO)

    @property
    def pose(self) -> pin.SE3:
        return pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.position))


@dataclass(frozen=True, kw_only=True)
class ThrusterSet(Part):
    """The servicer's thrusters, as a wrench on its base."""

    force: float = entry("force_N", Number("N", "positive"), "largest force on each axis", 60.0)
    torque: float = entry("torque_N_m", Number("N m", "positive"), "largest torque on each axis", 25.0)
    minimum_on_ns: int = entry("minimum_on_ms", Time("ms"), "shortest pulse; 0: any thrust can be given", 0)


def _after(key: str, description: str, seconds: float) -> int:
    return entry(key, Time("s", positive=True), description, round(seconds * SECOND))


def _within(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "positive"), description, default)


@dataclass(frozen=True, kw_only=True)
class Timeline(Part):
    """When phases begin and when they are given up. Published: approach from 9.1 s, grasp at 32.6 s."""

    approach_from_ns: int = _after("approach_from_s", "not before this, and not before synchronised", 9.1)
    approach_ns: int = _after("approach_s", "duration of the approach", 23.5)
    synchronise_timeout_ns: int = _after("synchronise_timeout_s", "abort if not synchronised by then", 30)
    trigger_timeout_ns: int = _after(
        "trigger_timeout_s", "abort if the grasp is not triggered so long after the approach", 10
    )
    latch_timeout_ns: int = _after(
        "latch_timeout_s", "abort if the gripper has not latched so long after the trigger", 5
    )
    sensor_timeout_ns: int = _after(
        "sensor_timeout_s", "abort if, before the latch, the last relative pose is older than this", 2
    )


@dataclass(frozen=True, kw_only=True)
class Tolerances(Part):
    """What counts as synchronised, on its way, and ready to grasp."""

    base_position: float = _within("base_position_m", "m", "synchronised: position of the base", 0.01)
    base_angle: float = _within("base_angle_deg", "deg", "synchronised: attitude", math.radians(0.5))
    corridor: float = _within("corridor_m", "m", "abort when the gripper is farther off its way", 0.10)
    trigger_position: float = _within("trigger_position_m", "m", "grasp: position of the gripper", 0.010)
    trigger_angle: float = _within("trigger_angle_deg", "deg", "grasp: attitude", math.radians(2.0))
    trigger_speed: float = _within("trigger_speed_m_s", "m/s", "grasp: speed", 0.010)


@dataclass(frozen=True, kw_only=True)
class ControlGains(Part):
    """How fast errors decay, critically damped, and how the arm holds once it has latched."""

    base: float = entry("base_rad_s", Number("rad/s", "positive"), "base relative to the client", 0.6)
    tool: float = entry("tool_rad_s", Number("rad/s", "positive"), "gripper on its way", 8.0)
    posture: float = entry("posture_rad_s", Number("rad/s", "positive"), "arm's posture before the approach", 2.0)
    hold: float = entry(
        "hold_rad_s", Number("rad/s", "positive"), "base relative to the client after the latch, by the arm alone", 0.5
    )


@dataclass(frozen=True, kw_only=True)
class Capture(Part):
    """Synchronise, approach, grasp, hold; or abort."""

    station: Station = entry("station", Section(Station), "where the base stays in the client")
    thrusters: ThrusterSet = entry("thrusters", Section(ThrusterSet), "what the base is moved by", ThrusterSet())
    timeline: Timeline = entry("timeline", Section(Timeline), "phases", Timeline())
    tolerances: Tolerances = entry("tolerances", Section(Tolerances), "entry conditions", Tolerances())
    gains: ControlGains = entry("gains", Section(ControlGains), "control", ControlGains())
