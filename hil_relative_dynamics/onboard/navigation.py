"""What the on-board software knows of the two spacecraft."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.spatial import MotionSample


class Knowledge(NamedTuple):
    """Relative motion and the client's own, as the controller uses them."""

    pose_base: pin.SE3  # of the servicer's base in the client
    twist_relative: pin.Motion  # of the base relative to the client, in the base's axes
    twist_client: pin.Motion  # of the client, in its axes
    acceleration_client: pin.Motion

    @property
    def twist_base(self) -> pin.Motion:
        """Of the base in the inertial frame, in its own axes."""
        return self.twist_relative + self.pose_base.actInv(self.twist_client)


class IdealNavigation:
    """Knows what ideal sensors tell: absolute states of both. The client is taken to be free of forces."""

    def __init__(self, client: RigidBody) -> None:
        self._client = client

    def step(self, client: MotionSample, servicer: MotionSample) -> Knowledge:
        pose_base = client.pose.actInv(servicer.pose)
        twist_client = client.twist
        return Knowledge(
            pose_base,
            servicer.twist - pose_base.actInv(twist_client),
            twist_client,
            self._client.acceleration(twist_client, pin.Force.Zero()),
        )


class Memory(NamedTuple):
    """Estimates at one instant, kept until late measurements of it have come."""

    stamp: int
    rotation_base: np.ndarray  # base axes to inertial ones
    rotation_client: np.ndarray
    way: np.ndarray  # from the base's origin to the grasp point, inertial axes [m]
    turned: np.ndarray = np.zeros(3)  # sum of the corrections of the client's attitude so far, client axes [rad]
    shifted: np.ndarray = np.zeros(3)  # and of those of `way` [m]


class Estimate(NamedTuple):
    """What the filter believes now."""

    now: Memory
    rate_base: np.ndarray  # [rad/s], base axes
    bias: np.ndarray  # of the gyro [rad/s]
    rate_client: np.ndarray  # [rad/s], client axes
    velocity: np.ndarray  # of `way`, inertial axes [m/s]
    past: tuple[Memory, ...] = ()
    seen: int = 1  # relative measurements used so far

    def at(self, stamp: int) -> Memory | None:
        """What was believed of an instant at the time; None if that is too long ago."""
        return next((memory for memory in reversed(self.past) if memory.stamp <= stamp), None)


class Bandwidths(NamedTuple):
    """How fast estimates follow measurements [rad/s]."""

    attitude: float = 0.5
    bias: float = 0.02
    client: float = 0.15  # the client turns by itself: slow is quiet
    position: float = 0.35


class FilteredNavigation:
    """Fixed-gain filters on gyro, star tracker and relative pose, with late measurements compared where they belong.

    A measurement is compared with what was believed at its acquisition, corrected by what has been learnt since, and
    the difference corrects the present: the motion since then is known from the gyro, the client's free tumble, thrust
    and contact. The first relative measurements are averaged (gain 1/n): one alone is as wrong as its noise.

    Args:
        client: turns freely between corrections.
        pose_grasp_point: of the client, in it: what the relative sensor sees.
        mass: of the servicer [kg].
        star_tracker_period, relative_period: between measurements [s].
    """

    #: late measurements older than this are not used [ns]
    REMEMBERED = 1_000_000_000

    def __init__(
        self,
        client: RigidBody,
        pose_grasp_point: pin.SE3,
        mass: float,
        star_tracker_period: float,
        relative_period: float,
        bandwidths: Bandwidths = Bandwidths(),  # noqa: B008 (immutable)
    ) -> None:
        self._client, self._grasp, self._mass, self._bandwidths = client, pose_grasp_point, mass, bandwidths
        self._star_period, self._relative_period = star_tracker_period, relative_period

    def start(
        self,
        stamp: int,
        gyro: np.ndarray,
        star_tracker: tuple[int, np.ndarray],
        relative: tuple[int, pin.SE3],
        rate_client: np.ndarray,
    ) -> Estimate:
        """From first measurements, and the client's rate as known before (from ground observation).

        They are late: when the client was seen the servicer is taken to have been carried along by it, and to have
        moved without forces since.
        """
        (tracked, quaternion), (seen, grasp_in_base) = star_tracker, relative
        rotation_base = _rotation(quaternion) @ pin.exp3(gyro * (1e-9 * (seen - tracked)))
        rotation_client = rotation_base @ grasp_in_base.rotation @ self._grasp.rotation.T
        memory = Memory(seen, rotation_base, rotation_client, rotation_base @ grasp_in_base.translation)
        velocity = np.cross(rotation_client @ rate_client, memory.way)
        estimate = Estimate(memory, gyro, np.zeros(3), rate_client, velocity, (memory,))
        return self._propagated(estimate, stamp, pin.Force.Zero())

    def step(
        self,
        estimate: Estimate,
        stamp: int,
        wrench_base: pin.Force,
        gyro: np.ndarray | None,
        star_tracker: tuple[int, np.ndarray] | None,
        relative: tuple[int, pin.SE3] | None,
    ) -> Estimate:
        """The estimate at `stamp`; measurements are given when they come, each with its acquisition stamp.

        `wrench_base`: thrust and contact on the servicer, at its base.
        """
        if gyro is not None:
            estimate = estimate._replace(rate_base=gyro - estimate.bias)
        estimate = self._propagated(estimate, stamp, wrench_base)
        if star_tracker is not None:
            estimate = self._with_star(estimate, *star_tracker)
        if relative is not None:
            estimate = self._with_relative(estimate, *relative)
        return estimate

    def knowledge(self, estimate: Estimate) -> Knowledge:
        now = estimate.now
        in_base = pin.SE3(
            now.rotation_base.T @ now.rotation_client @ self._grasp.rotation, now.rotation_base.T @ now.way
        )
        pose_base = self._grasp * in_base.inverse()
        rate_client_inertial = now.rotation_client @ estimate.rate_client
        linear = now.rotation_base.T @ (np.cross(rate_client_inertial, now.way) - estimate.velocity)
        angular = estimate.rate_base - now.rotation_base.T @ rate_client_inertial
        twist_client = pin.Motion(np.zeros(3), estimate.rate_client)  # inertial frame that moves with the client
        return Knowledge(
            pose_base,
            pin.Motion(linear, angular),
            twist_client,
            self._client.acceleration(twist_client, pin.Force.Zero()),
        )

    def _propagated(self, estimate: Estimate, stamp: int, wrench_base: pin.Force) -> Estimate:
        now, dt = estimate.now, 1e-9 * (stamp - estimate.now.stamp)
        if dt <= 0.0:
            return estimate
        rate = estimate.rate_client
        turning = self._client.acceleration(pin.Motion(np.zeros(3), rate), pin.Force.Zero()).angular
        lever = self._grasp.translation
        pull = now.rotation_client @ (np.cross(turning, lever) + np.cross(rate, np.cross(rate, lever)))
        acceleration = pull - now.rotation_base @ wrench_base.linear / self._mass
        memory = Memory(
            stamp,
            now.rotation_base @ pin.exp3(estimate.rate_base * dt),
            now.rotation_client @ pin.exp3((rate + 0.5 * dt * turning) * dt),
            now.way + estimate.velocity * dt + acceleration * (0.5 * dt * dt),
            now.turned,
            now.shifted,
        )
        past = tuple(old for old in estimate.past if stamp - old.stamp <= self.REMEMBERED)
        return estimate._replace(
            now=memory,
            rate_client=rate + turning * dt,
            velocity=estimate.velocity + acceleration * dt,
            past=(*past, memory),
        )

    def _with_star(self, estimate: Estimate, stamp: int, quaternion: np.ndarray) -> Estimate:
        then = estimate.at(stamp)
        if then is None:
            return estimate
        off = pin.log3(then.rotation_base.T @ _rotation(quaternion))
        gain = min(1.0, self._bandwidths.attitude * self._star_period)
        now = estimate.now._replace(rotation_base=estimate.now.rotation_base @ pin.exp3(gain * off))
        return estimate._replace(now=now, bias=estimate.bias - self._bandwidths.bias * self._star_period * off)

    def _with_relative(self, estimate: Estimate, stamp: int, pose_grasp_in_base: pin.SE3) -> Estimate:
        then = estimate.at(stamp)
        if then is None:
            return estimate
        gains, now, seen = self._bandwidths, estimate.now, estimate.seen + 1
        measured = then.rotation_base @ pose_grasp_in_base.rotation @ self._grasp.rotation.T
        off = pin.log3(then.rotation_client.T @ measured) - (now.turned - then.turned)
        gap = then.rotation_base @ pose_grasp_in_base.translation - then.way - (now.shifted - then.shifted)
        turn, shift = gains.client * self._relative_period, gains.position * self._relative_period
        turned, shifted = _gain(2.0 * turn, seen) * off, _gain(2.0 * shift, seen) * gap
        return estimate._replace(
            now=now._replace(
                rotation_client=now.rotation_client @ pin.exp3(turned),
                way=now.way + shifted,
                turned=now.turned + turned,
                shifted=now.shifted + shifted,
            ),
            rate_client=estimate.rate_client + gains.client * turn * off,
            velocity=estimate.velocity + gains.position * shift * gap,
            seen=seen,
        )


def _gain(settled: float, count: int) -> float:
    """Of the measurement with this number: an average at first, a fading memory then."""
    return min(1.0, max(settled, 1.0 / count))


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    """Of x, y, z, w."""
    return pin.Quaternion(quaternion).toRotationMatrix()
