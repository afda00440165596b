"""The limits at which the safety supervisor stops the robots.

Every limit has a default and is always watched. To switch one off, write the word `off`; an empty value or
`null` is refused, so that none is lost by a slip. Not switchable: non-finite data, stamps that run backwards
and whatever the nodes report (user stop, second publisher, lost node).
"""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hil_relative_dynamics.scenario.quantities import Number, Numbers, Vector3
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Flag, Time

OFF = "off"
NEVER = 2**63 - 1
"""A time limit that is off [ns]: no age reaches it."""
MILLISECOND = 1_000_000


@dataclass(frozen=True)
class Limit(Number):
    """A number, or `off`: inside, the infinite number that nothing goes beyond."""

    off: float = math.inf

    @property
    def allowed(self) -> str:
        return f"{super().allowed}, or {OFF}"

    def read(self, value: object, at: Place) -> float:
        return self.off if value == OFF else super().read(value, at)

    def write(self, value: float) -> Any:
        return OFF if value == self.off else super().write(value)


@dataclass(frozen=True)
class TimeLimit(Time):
    """A positive time, or `off`."""

    positive: bool = True

    @property
    def allowed(self) -> str:
        return f"{super().allowed}, or {OFF}"

    def read(self, value: object, at: Place) -> int:
        return NEVER if value == OFF else super().read(value, at)

    def write(self, value: int) -> Any:
        return OFF if value == NEVER else super().write(value)


def _limit(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Limit(unit, "positive"), description, default)


def _corner(key: str, off: float, description: str, default: Vector3) -> Vector3:
    return entry(key, Numbers(Limit("m", off=off), 3), description, default)


def _time(key: str, description: str, milliseconds: int) -> int:
    return entry(key, TimeLimit("ms"), description, milliseconds * MILLISECOND)


@dataclass(frozen=True, kw_only=True)
class Safety(Part):
    """Limits of the safety supervisor; beyond any of them it stops the robots."""

    # Joints. Position, speed and torque limits themselves stand in the robots' descriptions (KR 120, LWR4+).
    joint_margin: float = entry(
        "joint_margin_deg",
        Limit("deg", "non-negative", off=-math.inf),
        "distance kept from every joint limit, measured and commanded",
        math.radians(2.0),
    )
    joint_speed_share: float = _limit(
        "joint_speed_share", "", "largest joint speed, measured and commanded, over the rated one", 0.8
    )
    robot_acceleration: float = _limit(
        "robot_acceleration_deg_s2", "deg/s^2", "largest joint acceleration of a robot", math.radians(1500.0)
    )
    arm_acceleration: float = _limit(
        "arm_acceleration_deg_s2", "deg/s^2", "largest joint acceleration of the arm", math.radians(6000.0)
    )
    arm_torque_share: float = _limit(
        "arm_torque_share", "", "largest torque of the arm, measured and commanded, over the rated one", 1.0
    )

    # What the robots carry: the grasp point and the arm's mount.
    workspace_lower: Vector3 = _corner(
        "workspace_lower_m", -math.inf, "lower corner of the box, in the laboratory", (-1.5, -2.5, 0.5)
    )
    workspace_upper: Vector3 = _corner(
        "workspace_upper_m", math.inf, "upper corner of that box", (6.5, 2.5, 3.6)
    )
    distance_from_start: float = _limit(
        "distance_from_start_m", "m", "largest distance of a carried frame from where it was armed", 2.5
    )
    speed: float = _limit("speed_m_s", "m/s", "largest speed of a carried frame", 1.0)
    turn_rate: float = _limit(
        "turn_rate_deg_s", "deg/s", "largest turn rate of a carried frame", math.radians(60.0)
    )
    reachability: bool = entry(
        "reachability", Flag(), "stop before a command that a robot could not reach or follow", True
    )
    tracking_position: float = _limit(
        "tracking_position_m", "m", "largest distance of a carried frame from where it is commanded", 0.10
    )
    tracking_angle: float = _limit(
        "tracking_angle_deg", "deg", "largest angle from the commanded attitude", math.radians(5.0)
    )
    tracking_lag_ns: int = entry(
        "tracking_lag_ms",
        Time("ms"),
        "lag that is no error: the commanded speed over this time is allowed on top",
        50 * MILLISECOND,
    )

    # Clearance and grasp.
    clearance: float = entry(
        "clearance_m",
        Limit("m", "positive", off=-math.inf),
        "smallest distance between the two sides, and of mock-up and arm from their own robot",
        0.05,
    )
    grasp_allowed: bool = entry(
        "grasp_allowed", Flag(), "the gripper may touch the client's mock-up around the grasp point", False
    )
    grasp_region: float = entry(
        "grasp_region_m",
        Number("m", "positive"),
        "with grasp_allowed: how close to the grasp point the gripper must be for that",
        0.20,
    )

    # Forces.
    contact_force: float = _limit(
        "contact_force_N", "N", "largest contact force on the client, weight of the mock-up taken off", 250.0
    )
    contact_torque: float = _limit(
        "contact_torque_N_m", "N m", "largest torque of that contact about the grasp point", 60.0
    )
    sensor_force: float = _limit(
        "sensor_force_N", "N", "largest raw force on an F/T sensor, weight included (ATI Omega class)", 1000.0
    )
    sensor_torque: float = _limit(
        "sensor_torque_N_m", "N m", "largest raw torque on an F/T sensor, weight included", 120.0
    )
    escalation_factor: float = _limit(
        "escalation_factor", "", "a force or torque beyond its limit by this factor escalates a stop", 1.5
    )

    # Data.
    data_age_ns: int = _time("data_age_ms", "largest age of a measurement or command, by its stamp", 20)
    stamp_gap_ns: int = _time("stamp_gap_ms", "longest step from one stamp to the next", 40)
    late_tick_ns: int = _time("late_tick_ms", "largest lateness of a tick by the wall clock", 20)
    lost_node_ns: int = _time("lost_node_ms", "longest silence of a node by the wall clock", 500)

    def resolved(self, at: Place) -> Safety:
        for lower, upper in zip(self.workspace_lower, self.workspace_upper):
            if not lower < upper:
                allowed = f"must be above {at.key}.workspace_lower_m in every axis"
                raise self.error("workspace_upper_m", at, allowed)
        if not self.escalation_factor >= 1.0:
            raise self.error("escalation_factor", at, "must be at least 1")
        return self
