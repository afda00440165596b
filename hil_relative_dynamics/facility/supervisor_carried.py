"""What the robots carry: within the room, not too fast, where it should be and can be told to be."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from math import dist, hypot
from typing import NamedTuple

import numpy as np

from hil_relative_dynamics.facility.limits import JointBounds
from hil_relative_dynamics.facility.robot_model import RobotModel, Unreachable
from hil_relative_dynamics.facility.supervisor_cause import Cause, angle, number
from hil_relative_dynamics.facility.supervisor_joints import position_fault
from hil_relative_dynamics.facility.supervisor_tick import Carried, Tick
from hil_relative_dynamics.scenario.safety import Safety
from hil_relative_dynamics.spatial import orientation_error

Side = Callable[[Tick], Carried]
"""Which carried frame: `lambda tick: tick.client` or the servicer's."""
Position = Sequence[float]


class Workspace:
    """A carried frame is within the box, and not too far from where it was when the robots were armed."""

    start = None
    while_stopped = True

    def __init__(self, side: Side, safety: Safety) -> None:
        self._side, self._distance = side, safety.distance_from_start
        self._box = list(zip("xyz", safety.workspace_lower, safety.workspace_upper))

    def check(self, memory: Position | None, tick: Tick) -> tuple[Position, Sequence[Cause]]:
        carried = self._side(tick)
        position: Position = carried.pose_measured.translation.tolist()
        origin = memory if memory is not None and tick.running else position
        causes = []
        for at, (axis, low, high) in zip(position, self._box):
            if not low <= at <= high:
                allowed = f"allowed {low:.6g} to {number(high, 'm')}"
                causes.append(self._cause(f"{axis} of {carried.name} in the laboratory", at, allowed, tick))
        distance = dist(position, origin)
        if not distance <= self._distance:
            limit = f"limit {number(self._distance, 'm')}"
            causes.append(self._cause(f"distance of {carried.name} from its start", distance, limit, tick))
        return origin, causes

    @staticmethod
    def _cause(what: str, value: float, limit: str, tick: Tick) -> Cause:
        return Cause(f"workspace {what}", f"{what} is", number(value, "m"), limit, tick.stamp, tick.stamp)


class Speed:
    """A carried frame moves and turns slowly enough."""

    start = None
    while_stopped = True

    def __init__(self, side: Side, safety: Safety) -> None:
        self._side, self._speed, self._rate = side, safety.speed, safety.turn_rate

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        carried, stamp = self._side(tick), tick.stamp
        name, causes = carried.name, []
        speed, rate = _sizes(carried.twist_measured.vector)
        if not speed <= self._speed:
            value, limit = number(speed, "m/s"), f"limit {number(self._speed, 'm/s')}"
            causes.append(Cause(f"speed {name}", f"{name} moves at", value, limit, stamp, stamp))
        if not rate <= self._rate:
            value, limit = angle(rate, "deg/s"), f"limit {angle(self._rate, 'deg/s')}"
            causes.append(Cause(f"turn rate {name}", f"{name} turns at", value, limit, stamp, stamp))
        return None, causes


class Tracking:
    """A carried frame is where it is commanded to be, up to the limit and what a robot may lag behind."""

    start = None
    while_stopped = False

    def __init__(self, side: Side, safety: Safety) -> None:
        self._side, self._lag = side, 1e-9 * safety.tracking_lag_ns
        self._position, self._angle = safety.tracking_position, safety.tracking_angle

    def check(self, memory: None, tick: Tick) -> tuple[None, Sequence[Cause]]:
        carried = self._side(tick)
        measured, commanded, name = carried.pose_measured, carried.pose_commanded, carried.name
        speed, rate = _sizes(carried.twist_commanded.vector)
        causes = []
        away = dist(measured.translation.tolist(), commanded.translation.tolist())
        if not away <= self._position + self._lag * speed:
            limit = f"limit {number(self._position, 'm')}, lag allowed for {number(self._lag * speed, 'm')}"
            causes.append(self._cause(f"position of {name}", number(away, "m"), limit, tick))
        turned = orientation_error(measured, commanded)
        if not turned <= self._angle + self._lag * rate:
            limit = f"limit {angle(self._angle)}, lag allowed for {angle(self._lag * rate)}"
            causes.append(self._cause(f"attitude of {name}", angle(turned), limit, tick))
        return None, causes

    @staticmethod
    def _cause(subject: str, value: str, limit: str, tick: Tick) -> Cause:
        what = f"measured {subject} differs from the commanded one by"
        return Cause(f"tracking {subject}", what, value, limit, tick.stamp, tick.previous)


#: a wrist this far out, of the farthest there is, is at the edge of the workspace
EDGE = 0.97


class Target(NamedTuple):
    """Joint angles that were about to be commanded."""

    stamp: int
    joints: np.ndarray


class Reach:
    """A robot can reach what it is about to be told, and get there at the speed of its joints."""

    start = None
    while_stopped = False

    def __init__(self, robot: RobotModel, side: Side, stamp_name: str, limits: JointBounds) -> None:
        self._robot, self._side, self._stamp_name, self._limits = robot, side, stamp_name, limits

    def check(self, memory: Target | None, tick: Tick) -> tuple[Target | None, Sequence[Cause]]:
        pose, near = self._side(tick).pose_commanded_next, getattr(tick.observation, self._robot.name)
        try:
            joints = self._robot.inverse(pose, near.position)
        except Unreachable as error:
            return None, (self._cause("cannot reach", str(error), tick),)
        target = Target(getattr(tick.stamps, self._stamp_name), joints)
        fault = position_fault(self._limits, joints)
        if fault is not None:
            name, value, allowed = fault
            return target, (self._cause("cannot reach", f"{name} would be at {value}, {allowed}", tick),)
        fault = self._speed_fault(memory, target)
        if fault is not None:
            name, value, limit = fault
            reason = f"{name} would have to turn at {value}, {limit}{self._edge(joints)}"
            return target, (self._cause("cannot follow to", reason, tick),)
        return target, ()

    def _edge(self, joints: np.ndarray) -> str:
        """Joints run away where the arm is nearly straight: then it is the workspace that ends."""
        stretched = self._robot.solver.stretched(joints[2])
        if stretched < EDGE:
            return ""
        return f", at the limit of its workspace: stretched to {100.0 * stretched:.1f} % of its reach"

    def _cause(self, verb: str, reason: str, tick: Tick) -> Cause:
        x, y, z = self._side(tick).pose_commanded_next.translation.tolist()
        what, place = f"{self._robot.name} {verb}", f"x {x:.3f}, y {y:.3f}, z {z:.3f} m"
        return Cause(f"reach {self._robot.name}", what, place, reason, tick.stamp, tick.stamp)

    def _speed_fault(self, before: Target | None, target: Target) -> tuple[str, str, str] | None:
        """Name, speed and limit of the joint that would have to be the fastest beyond its limit, if any."""
        if before is None or target.stamp <= before.stamp:
            return None
        speed = np.abs(target.joints - before.joints) / (1e-9 * (target.stamp - before.stamp))
        worst = int((speed / self._limits.speed).argmax())
        if speed[worst] <= self._limits.speed[worst]:
            return None
        limit = f"limit {angle(self._limits.speed[worst], 'deg/s')}"
        return self._limits.names[worst], angle(speed[worst], "deg/s"), limit


def _sizes(vector: np.ndarray) -> tuple[float, float]:
    """Lengths of the linear and the angular part."""
    x, y, z, roll, pitch, yaw = vector.tolist()
    return hypot(x, y, z), hypot(roll, pitch, yaw)
