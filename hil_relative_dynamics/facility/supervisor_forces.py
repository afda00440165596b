"""Forces and torques within their limits, also while a stop ramps the robots to rest; no unforeseen touch."""
from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.clearance import Clearance
from hil_relative_dynamics.facility.supervisor_cause import Cause, Severity, number
from hil_relative_dynamics.facility.supervisor_tick import Tick
from hil_relative_dynamics.scenario.safety import Safety


class Contact:
    """The contact on the client is gentle, its torque taken about the grasp point."""

    start = None
    while_stopped = True

    def __init__(self, pose_grasp_point_in_client: pin.SE3, safety: Safety) -> None:
        self._pose = pose_grasp_point_in_client
        self._limits = WrenchLimits("contact", safety.contact_force, safety.contact_torque, safety)

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        return None, self._limits.beyond(self._pose.actInv(tick.observation.client_wrench), tick)


class Sensors:
    """No F/T sensor is loaded beyond what it stands, weight of the mock-up included."""

    start = None
    while_stopped = True

    def __init__(self, safety: Safety) -> None:
        force, torque = safety.sensor_force, safety.sensor_torque
        self._client = WrenchLimits("client_robot's F/T sensor", force, torque, safety)
        self._servicer = WrenchLimits("servicer_robot's F/T sensor", force, torque, safety)

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        seen = tick.observation
        client = self._client.beyond(seen.client_sensor, tick)
        return None, (*client, *self._servicer.beyond(seen.servicer_sensor, tick))


class WrenchLimits:
    """Limits of force and torque, and the factor beyond which a stop escalates."""

    def __init__(self, name: str, force: float, torque: float, safety: Safety) -> None:
        self._name, self._factor = name, safety.escalation_factor
        self._force, self._torque = force, torque

    def beyond(self, wrench: pin.Force, tick: Tick) -> Sequence[Cause]:
        x, y, z, roll, pitch, yaw = wrench.vector.tolist()
        force, torque = hypot(x, y, z), hypot(roll, pitch, yaw)
        if force <= self._force and torque <= self._torque:
            return ()
        forces = self._causes("force", force, self._force, "N", tick)
        return forces + self._causes("torque", torque, self._torque, "N m", tick)

    def _causes(self, kind: str, value: float, limit: float, unit: str, tick: Tick) -> list[Cause]:
        steps = (
            (f"{self._name} {kind}", limit, Severity.FORCE),
            (f"{self._name} {kind}, escalated", self._factor * limit, Severity.HARD),
        )
        return [
            Cause(
                key,
                f"{kind} of {self._name} is",
                number(value, unit),
                f"limit {number(allowed, unit)}",
                tick.stamp,
                tick.stamp,
                severity,
            )
            for key, allowed, severity in steps
            if not value <= allowed
        ]


class KeepsClear:
    """Robots, arm and mock-ups keep their distance; gripper and ring may touch where a grasp is allowed."""

    start = None
    while_stopped = True

    def __init__(self, clearance: Clearance) -> None:
        self._clearance = clearance

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        seen = tick.observation
        readings = seen.client_robot.position, seen.servicer_robot.position, seen.arm.position
        close = self._clearance.closest_beyond_limit(np.concatenate(readings))
        if close is None:
            return None, ()
        first, second, distance = close
        limit = f"limit {number(self._clearance.limit, 'm')}"
        if distance > 0.0:
            what, value = f"clearance between {first} and {second} is", number(distance, "m")
            return None, (Cause("clearance", what, value, limit, tick.stamp, tick.stamp),)
        what, value = f"{first} and {second} overlap by", number(-distance, "m")
        return None, (Cause("touch", what, value, limit, tick.stamp, tick.previous, Severity.FORCE),)
