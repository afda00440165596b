"""The gripper of the arm: two jaws and a palm that meet the launch adapter ring, and a latch."""
from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.contact import PointContacts, Ring
from hil_relative_dynamics.scenario.contact import Contact

PALM = np.array([[0.01, 0.01, -0.01, -0.01], [0.03, -0.03, 0.03, -0.03]])
"""Where the palm meets the ring, x and y in the gripper's frame [m]: on the ring however it lies between the jaws."""
MARGIN = 0.01
"""Farther than this from touching, nothing is computed [m]: ten steps of 1 ms at 1 m/s."""
ONE_JAW = "only one jaw bears on the ring: the arm has to give way until both do"
ASKEW = "the jaws bear on the ring, but are too far apart to latch: the ring lies askew between them"
_NO_WRENCH = pin.Force.Zero()


class GripperReading(NamedTuple):
    """What the gripper tells."""

    opening: float  # between the jaws [m]
    latched: bool


class GripperState(NamedTuple):
    """The gripper at an instant, and what it does from then on."""

    opening: float  # between the jaws [m]
    jaw_forces: tuple[float, float]  # that resist closing [N]
    bristles: np.ndarray  # 3 x n, where friction holds the points, in the frame of the grasp point
    anchor: pin.SE3 | None  # to where the latched grasp pulls the gripper, in the frame of the grasp point
    pose: pin.SE3  # of the gripper in the frame of the grasp point
    wrench: pin.Force  # on the gripper from now on
    driven: float  # work of the jaws' drive from now to the next step [J]
    stored: float  # elastic energy that has been put in and can be given back [J]
    notice: str = ""  # why the jaws, told to close, are not latched

    @property
    def latched(self) -> bool:
        return self.anchor is not None


class Grasp:
    r"""A spring and damper in six dimensions: \( f = k p - c v,\ \tau = k_r \theta - c_r \omega \).

    p and \(\theta\) are position and rotation vector of the anchor, seen from the gripper: the exact gradient of
    \( (k |p|^2 + k_r |\theta|^2) / 2 \). Sampled: means over the step to come, as in PointContacts.
    """

    def __init__(self, settings: Contact) -> None:
        self._linear = settings.grasp_stiffness, settings.grasp_damping
        self._angular = settings.grasp_stiffness_angular, settings.grasp_damping_angular

    def step(self, anchor: pin.SE3, pose: pin.SE3, twist: pin.Motion, dt: float) -> tuple[pin.Force, float]:
        """Wrench on the gripper and energy at the start of the step."""
        (k, c), (k_r, c_r) = self._linear, self._angular
        offset = pose.actInv(anchor)
        position, rotation = offset.translation, pin.log3(offset.rotation)
        force = k * position - (c + 0.5 * k * dt) * twist.linear
        torque = k_r * rotation - (c_r + 0.5 * k_r * dt) * twist.angular
        return pin.Force(force, torque), 0.5 * (k * position.dot(position) + k_r * rotation.dot(rotation))

    def anchor(self, wrench: pin.Force, pose: pin.SE3, twist: pin.Motion, dt: float) -> pin.SE3:
        """The anchor with which this very wrench acts: so the latch makes no jump."""
        (k, c), (k_r, c_r) = self._linear, self._angular
        position = (wrench.linear + (c + 0.5 * k * dt) * twist.linear) / k
        rotation = (wrench.angular + (c_r + 0.5 * k_r * dt) * twist.angular) / k_r
        return pose * pin.SE3(pin.exp3(rotation), position)


class GripperContact:
    """Jaws that close on the ring and latch, and finger tips and palm that bump against it.

    Frames. Gripper: origin between the finger tips, z along the approach direction, x from jaw to jaw. Ring: see
    `contact.Ring`; its frame is that of the grasp point. At the grasp both origins coincide, the gripper's z is the
    grasp point's -x, and its x lies along the grasp point's z.

    Jaws. Each touches with the two inner corners of its tip, the palm with four points. Told to close, the jaws
    move together at a constant speed until one meets the grip force. When that jaw and, with at least half that
    force, the other bear on the ring, and the opening fits the ring's thickness, they latch: from then on a stiff
    spring holds the gripper in all directions, starting with the wrench of that instant. Told to open, they let go
    at once and open at the same speed.

    Energy. What the contact gives to the two bodies never exceeds what they and the jaws' drive have put in:
    `stored` follows the work that was really done, is never more than the springs hold, and a step whose wrench could
    take out more is weakened (hardly ever: the last one of a slow bounce). That holds for bodies not lighter than the
    lightest ones of the settings, but for what other accelerations a than the wrench's own add in one step, at most
    f a dt^2 / 2: that is kept as a debt and paid back first.
    """

    def __init__(self, settings: Contact) -> None:
        self._settings = settings
        self._ring = Ring(0.5 * settings.ring_diameter, settings.ring_width, settings.ring_thickness)
        half_width = 0.5 * settings.jaw_width
        self._points = np.zeros((3, 8))  # both tips of the jaw at +x, both of the one at -x, palm
        self._points[1, :4] = half_width, -half_width, half_width, -half_width
        self._points[:2, 4:], self._points[2, 4:] = PALM, -settings.palm_depth
        share = np.repeat([1 / 2, 1 / 4], 4)
        law = settings.damping_depth, settings.friction
        self._contacts = PointContacts(self._ring, settings.stiffness * share, settings.damping * share, *law)
        self._grasp = Grasp(settings)
        farthest = np.linalg.norm(self._at(settings.jaw_opening), axis=0).max()
        self._reach = float(farthest) + self._ring.half_diagonal + MARGIN

    def initial_state(self) -> GripperState:
        """Open, and nothing touches."""
        bristles, opening = np.zeros_like(self._points), self._settings.jaw_opening
        return GripperState(opening, (0.0, 0.0), bristles, None, pin.SE3.Identity(), _NO_WRENCH, 0.0, 0.0)

    def read(self, state: GripperState) -> GripperReading:
        return GripperReading(state.opening, state.latched)

    def step(
        self, state: GripperState, pose_gripper_in_grasp: pin.SE3, twist_relative: pin.Motion, closing: bool, dt: float
    ) -> tuple[GripperState, pin.Force]:
        """The wrench on the gripper, at its origin and in its axes, that is to be held for `dt` from now on.

        The one on the client is the opposite, at the same point: see `reaction`.

        Args:
            state: from the step before.
            pose_gripper_in_grasp: the gripper in the frame of the grasp point, now.
            twist_relative: of the gripper relative to the ring, in the gripper's axes.
            closing: whether the jaws are told to be closed.
            dt: until the next step [s].
        """
        pose, twist = pose_gripper_in_grasp, twist_relative
        stored = state.stored
        if state.wrench is not _NO_WRENCH:
            stored += state.driven - pin.log6(state.pose.actInv(pose)).dot(state.wrench)
        if state.anchor is not None and closing:
            wrench, energy = self._grasp.step(state.anchor, pose, twist, dt)
            stored = min(stored, energy)
            wrench *= self._affordable(stored, wrench, twist.dot(wrench) * dt, dt)
            return state._replace(pose=pose, wrench=wrench, driven=0.0, stored=stored, notice=""), wrench
        opening = self._next_opening(state, closing, dt)
        if self._ring.distance(pose.translation) > self._reach:
            return self._apart(state, pose, opening, closing, stored), _NO_WRENCH
        return self._touch(state, pose, twist, opening, closing, stored, dt)

    def _next_opening(self, state: GripperState, closing: bool, dt: float) -> float:
        settings, way = self._settings, self._settings.closing_speed * dt
        if not closing:
            return min(state.opening + way, settings.jaw_opening)
        if max(state.jaw_forces) >= settings.grip_force:
            return state.opening
        return max(state.opening - way, 0.0)

    def _apart(
        self, state: GripperState, pose: pin.SE3, opening: float, closing: bool, stored: float
    ) -> GripperState:
        """Nothing touches."""
        shut = closing and opening == 0.0
        if state.wrench is _NO_WRENCH and opening == state.opening and shut == bool(state.notice):
            return state
        notice = ""
        if shut:
            off = self._ring.distance(pose.translation)
            notice = f"the jaws closed on nothing: their tips are {off:.3f} m from the middle of the ring's profile"
        return GripperState(
            opening, (0.0, 0.0), state.bristles, None, pose, _NO_WRENCH, 0.0, min(stored, 0.0), notice
        )

    def _touch(
        self,
        state: GripperState,
        pose: pin.SE3,
        twist: pin.Motion,
        opening: float,
        closing: bool,
        stored: float,
        dt: float,
    ) -> tuple[GripperState, pin.Force]:
        """Near the ring, not latched (yet)."""
        points, pose_next = self._at(state.opening), pose * pin.exp6(twist * dt)
        start = pose.rotation @ points + pose.translation[:, None]
        end = pose_next.rotation @ self._at(opening) + pose_next.translation[:, None]
        press = self._contacts.step(state.bristles, start, end, dt)
        if press is None:
            return self._apart(state, pose, opening, closing, stored), _NO_WRENCH
        forces = pose.rotation.T @ press.forces
        wrench = _total(points, forces)
        along = forces[0].tolist()
        jaw_forces = along[0] + along[1], -along[2] - along[3]
        driven = max(0.5 * (state.opening - opening) * sum(jaw_forces), 0.0)
        stored = min(stored, press.energy)
        share = self._affordable(stored, wrench, twist.dot(wrench) * dt - driven, dt)
        wrench *= share
        anchor, notice = None, ""
        if closing and max(jaw_forces) >= self._settings.grip_force:
            notice = self._obstacle(opening, jaw_forces)
            anchor = None if notice else self._grasp.anchor(wrench, pose, twist, dt)
        bristles, driven = press.anchors, share * driven
        return GripperState(opening, jaw_forces, bristles, anchor, pose, wrench, driven, stored, notice), wrench

    def _obstacle(self, opening: float, jaw_forces: tuple[float, float]) -> str:
        """To a latch, now that a jaw has met the grip force."""
        settings = self._settings
        if min(jaw_forces) < 0.5 * settings.grip_force:
            return ONE_JAW
        thickness = opening + sum(jaw_forces) / settings.stiffness
        return ASKEW if abs(thickness - settings.ring_thickness) > settings.latch_tolerance else ""

    def _affordable(self, stored: float, wrench: pin.Force, work: float, dt: float) -> float:
        """The part s of a wrench with which a step takes no more than what is stored: s work + s^2 more <= stored.

        `work` is what the wrench would do in the step if nothing were accelerated; the wrench itself accelerates the
        bodies and so does, at most, `more`. If motion turned out otherwise before and too much was taken (stored < 0),
        as much as possible is taken back.
        """
        force, torque = wrench.linear, wrench.angular
        mobility = force.dot(force) / self._settings.lightest_mass
        mobility += torque.dot(torque) / self._settings.lightest_inertia
        more = 0.5 * dt * dt * mobility
        if work + more <= stored or more == 0.0:
            return 1.0
        return min(max((sqrt(max(work * work + 4.0 * more * stored, 0.0)) - work) / (2.0 * more), 0.0), 1.0)

    def _at(self, opening: float) -> np.ndarray:
        """The points of jaws and palm in the gripper's frame."""
        points = self._points.copy()
        points[0, :2], points[0, 2:4] = 0.5 * opening, -0.5 * opening
        return points


def _total(points: np.ndarray, forces: np.ndarray) -> pin.Force:
    """Of forces at points (3 x n), at the origin."""
    moments = points @ forces.T
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = moments.tolist()
    return pin.Force(forces.sum(axis=1), np.array([yz - zy, zx - xz, xy - yx]))


def reaction(wrench_on_gripper: pin.Force, pose_gripper: pin.SE3) -> pin.Force:
    """On the client, of the same contact at the same point (Assumption 3).

    It acts at the origin of the frame in which `pose_gripper` is given, and in its axes.
    """
    return -pose_gripper.act(wrench_on_gripper)
