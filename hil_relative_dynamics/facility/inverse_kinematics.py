r"""Closed-form inverse kinematics of six-joint industrial robots with a spherical wrist.

\( R = R_z(-q_1) R_y(q_2 + q_3) R_x(-q_4) R_y(q_5) R_x(-q_6) \): the signs of the controller's A1 .. A6.
Joints 1 to 3 put the wrist centre in its place, 4 to 6 turn the flange. Every pose within reach has up to
eight solutions: the shoulder in front or turned to the back, elbow up or down, wrist straight or flipped; and
each joint that turns further than a full circle adds its own.

Plain floats: small arrays cost more to dispatch than to compute.
"""
from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import atan2, cos, degrees, hypot, isfinite, pi, radians, sin, sqrt

import numpy as np
import pinocchio as pin

TURN = 2.0 * pi
UNDEFINED = 1e-9
"""Closer to a singularity than this [m or rad] an angle means nothing and the joint stays where it is."""
LIMIT_SLACK = 1e-9
"""Round-off allowed at a joint limit [rad]."""
LEAP = radians(20.0)
"""A joint that would turn further than this next to a singularity is refused."""
WRIST_SINGULAR, SHOULDER_SINGULAR = radians(5.0), 0.10
"""What "next to" means: joint 5 from zero [rad], wrist centre from axis 1 [m]."""

Rows = list[list[float]]
Angles = tuple[float, float, float]


class Unreachable(ValueError):
    """A pose that the robot cannot take; the message says why, without a full stop."""


@dataclass(frozen=True)
class Lengths:
    """[m]: d1 floor to A2, a1 A1 to A2, a2 A2 to A3, a3 A3 up to forearm, d4 A3 to wrist, d6 to flange."""

    d1: float
    a1: float
    a2: float
    a3: float
    d4: float
    d6: float


class SphericalWrist:
    """Joint angles for poses of the flange (x out of it) in the robot's base frame.

    Args:
        name: of the robot, for the sentences.
        lengths: of its links.
        lower, upper: limits of the six joints [rad].
    """

    def __init__(self, name: str, lengths: Lengths, lower: np.ndarray, upper: np.ndarray) -> None:
        self.name, self.lengths = name, lengths
        self._limits = list(zip(lower.tolist(), upper.tolist()))
        self._forearm, self._bend = hypot(lengths.d4, lengths.a3), atan2(lengths.a3, lengths.d4)
        self.reach = abs(lengths.a2 - self._forearm), lengths.a2 + self._forearm

    def near(self, pose: pin.SE3, near: np.ndarray) -> np.ndarray:
        """The solution that continues `near`; joints 1 and 4 stay where they are at their singularities.

        Raises Unreachable out of reach, beyond a limit, and where a joint would leap beside a singularity.
        """
        n1, n2, n3, *nears = near.tolist()
        rotation, (x, y, z) = self._wrist_centre(pose)
        q1, ahead = self._turned_towards(x, y, n1)
        elbow = self._elbow(ahead - self.lengths.a1, z)
        if abs(self._bend - elbow - n3) < abs(self._bend + elbow - n3):
            elbow = -elbow
        q2, q3 = self._upper_arm(ahead - self.lengths.a1, z, elbow)
        solution = [q1, _closest(q2, n2), _closest(q3, n3)]
        solution += self._wrist(_wrist_rows(rotation, q1, q2 + q3), *nears)
        self._check(solution)
        return np.array(solution)

    def all(self, pose: pin.SE3) -> list[np.ndarray]:
        """Every solution within the limits, full turns included; joint 4 is 0 where it is undefined.

        Raises Unreachable where there is none, for the reason that is nearest to be met.
        """
        turned = [solution for branch in self._branches(pose) for solution in self._within_limits(branch)]
        if not turned:
            self._check(min(self._branches(pose), key=self._excess))
        return [np.array(solution) for solution in turned]

    def stretched(self, elbow: float) -> float:
        """Distance of the wrist from joint 2 over the largest there is, with joint 3 at this angle."""
        upper, forearm = self.lengths.a2, self._forearm
        square = upper * upper + forearm * forearm + 2.0 * upper * forearm * cos(elbow - self._bend)
        return sqrt(square) / self.reach[1]

    def _branches(self, pose: pin.SE3) -> list[list[float]]:
        """The solutions whatever the limits, angles in [-pi, pi]."""
        rotation, (x, y, z) = self._wrist_centre(pose)
        radius, q1 = hypot(x, y), -atan2(y, x)
        found, reason = [], None
        for first, ahead in ((q1, radius), (_closest(q1 + pi, 0.0), -radius)):
            try:
                bent = self._elbow(ahead - self.lengths.a1, z)
            except Unreachable as error:
                reason = reason or error
                continue
            for elbow in (bent, -bent):
                q2, q3 = self._upper_arm(ahead - self.lengths.a1, z, elbow)
                rows = _wrist_rows(rotation, first, q2 + q3)
                for wrist in _wrists(rows, 0.0):
                    found.append([_closest(angle, 0.0) for angle in (first, q2, q3, *wrist)])
        if reason is not None and not found:
            raise reason
        return found

    def _wrist_centre(self, pose: pin.SE3) -> tuple[Rows, Angles]:
        """Rotation, and the wrist's place from the height of the shoulder on axis 1."""
        rotation, (x, y, z) = pose.rotation.tolist(), pose.translation.tolist()
        (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rotation
        if not isfinite(x + y + z + r00 + r01 + r02 + r10 + r11 + r12 + r20 + r21 + r22):
            raise Unreachable(f"{self.name} is told a pose that is not finite")
        d6 = self.lengths.d6
        return rotation, (x - d6 * r00, y - d6 * r10, z - d6 * r20 - self.lengths.d1)

    def _elbow(self, x: float, z: float) -> float:
        """How far the arm is bent from straight for a wrist at (x, z) from joint 2, 0 to pi."""
        upper, forearm = self.lengths.a2, self._forearm
        cosine = (x * x + z * z - upper * upper - forearm * forearm) / (2.0 * upper * forearm)
        if not -1.0 <= cosine <= 1.0:
            low, high = self.reach
            allowed = f"its reach is {low:.3f} to {high:.3f} m"
            raise Unreachable(f"wrist of {self.name} would be {hypot(x, z):.3f} m from joint 2, {allowed}")
        return atan2(sqrt((1.0 - cosine) * (1.0 + cosine)), cosine)

    def _upper_arm(self, x: float, z: float, elbow: float) -> tuple[float, float]:
        lean = atan2(self._forearm * sin(elbow), self.lengths.a2 + self._forearm * cos(elbow))
        return atan2(-z, x) - lean, elbow + self._bend

    def _turned_towards(self, x: float, y: float, near: float) -> tuple[float, float]:
        """Joint 1, and how far ahead of it the wrist then is (behind: negative)."""
        radius = hypot(x, y)
        if radius < UNDEFINED:
            return near, x * cos(near) - y * sin(near)
        q1, turned = _closest(-atan2(y, x), near), _closest(pi - atan2(y, x), near)
        behind = abs(turned - near) < abs(q1 - near)
        q1 = turned if behind else q1
        if radius < SHOULDER_SINGULAR and abs(q1 - near) > LEAP:
            raise self._leap(1, q1 - near, f"the wrist {radius:.4f} m from axis 1, where it is singular")
        return q1, -radius if behind else radius

    def _wrist(self, rows: Rows, n4: float, n5: float, n6: float) -> Angles:
        q4, q5, q6 = min(_wrists(rows, n4), key=lambda it: _far(it, n4, n5, n6))
        q4, q6 = _closest(q4, n4), _closest(q6, n6)
        if abs(q5) < WRIST_SINGULAR:
            for joint, leap in ((4, q4 - n4), (6, q6 - n6)):
                if abs(leap) > LEAP:
                    raise self._leap(joint, leap, f"joint 5 at {degrees(q5):.3f} deg, singular at 0")
        return q4, q5, q6

    def _within_limits(self, branch: list[float]) -> list[list[float]]:
        choices = []
        for angle, (low, high) in zip(branch, self._limits):
            turns = (angle - TURN, angle, angle + TURN)
            choices.append([turn for turn in turns if low - LIMIT_SLACK <= turn <= high + LIMIT_SLACK])
        return [list(choice) for choice in product(*choices)]

    def _excess(self, branch: list[float]) -> float:
        return sum(max(low - angle, angle - high, 0.0) for angle, (low, high) in zip(branch, self._limits))

    def _check(self, solution: list[float]) -> None:
        for index, (angle, (low, high)) in enumerate(zip(solution, self._limits), start=1):
            if not low - LIMIT_SLACK <= angle <= high + LIMIT_SLACK:
                at = f"joint {index} of {self.name} would be at {degrees(angle):.1f} deg"
                raise Unreachable(f"{at}, allowed {degrees(low):.6g} to {degrees(high):.6g}")

    def _leap(self, joint: int, angle: float, place: str) -> Unreachable:
        turn = f"joint {joint} of {self.name} would have to turn {degrees(angle):.1f} deg at once"
        return Unreachable(f"{turn}, {place}")


def _closest(angle: float, near: float) -> float:
    """The angle, whole turns away from this one, that is nearest to `near`."""
    return angle + TURN * round((near - angle) / TURN)


def _far(wrist: Angles, n4: float, n5: float, n6: float) -> float:
    q4, q5, q6 = wrist
    return (_closest(q4, n4) - n4) ** 2 + (q5 - n5) ** 2 + (_closest(q6, n6) - n6) ** 2


def _wrist_rows(rotation: Rows, q1: float, pitch: float) -> Rows:
    """R_x(-q4) R_y(q5) R_x(-q6): what the wrist has to turn after joints 1 to 3."""
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rotation
    c, s, cp, sp = cos(q1), -sin(q1), cos(pitch), sin(pitch)
    ahead = c * r00 + s * r10, c * r01 + s * r11, c * r02 + s * r12
    return [
        [cp * ahead[0] - sp * r20, cp * ahead[1] - sp * r21, cp * ahead[2] - sp * r22],
        [c * r10 - s * r00, c * r11 - s * r01, c * r12 - s * r02],
        [sp * ahead[0] + cp * r20, sp * ahead[1] + cp * r21, sp * ahead[2] + cp * r22],
    ]


def _wrists(rows: Rows, held: float) -> tuple[Angles, Angles]:
    """Joints 4 to 6, straight and flipped; joint 4 is `held` where joint 5 is zero.

    Joints 5 and 6 follow from joint 4, so that the flange is right even where joint 4 is ill-defined.
    """
    w10, w20 = rows[1][0], rows[2][0]
    q4 = atan2(-w10, -w20) if hypot(w10, w20) > UNDEFINED else held
    return _after_joint_4(rows, q4), _after_joint_4(rows, q4 + pi)


def _after_joint_4(rows: Rows, q4: float) -> Angles:
    (w00, _, _), (w10, w11, w12), (w20, w21, w22) = rows
    c, s = cos(q4), sin(q4)
    return q4, atan2(-s * w10 - c * w20, w00), atan2(c * w12 - s * w22, c * w11 - s * w21)
