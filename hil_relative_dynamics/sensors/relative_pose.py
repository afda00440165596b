"""Pose of the client from a camera or lidar."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.sensors import RelativePoseSettings
from hil_relative_dynamics.sensors.sampled import Measurement, Sampled, SensorState
from hil_relative_dynamics.spatial import MotionSample


@dataclass(frozen=True, eq=False)
class PoseReading:
    """A pose as messages carry it, and how far it is to be trusted."""

    array: np.ndarray  # position 3, quaternion xyzw 4
    covariance: np.ndarray  # 6x6: position, then rotation about the axes of the frame it is told in

    @property
    def pose(self) -> pin.SE3:
        return pin.XYZQUATToSE3(self.array)


RelativePoseState = SensorState[None, PoseReading]


class RelativePose(Sampled[None, PoseReading]):
    r"""Pose of the client's grasp-point frame in the servicer's base frame.

    \( p_{measured} = p + b_p + n_p \) and \( R_{measured} = \exp(b_R + n_R) R \), in base axes. The noise of
    the position grows with the range, more along the line of sight than across it; below the close range it
    is the same in all directions. That of the attitude is the same about all axes.

    The reading's covariance is what the sensor itself can tell: that of the noise at the measured position.

    Its driver publishes geometry_msgs/PoseWithCovarianceStamped: header.stamp the acquisition,
    header.frame_id the base.
    """

    def __init__(
        self,
        settings: RelativePoseSettings,
        pose_grasp_point_in_client: pin.SE3,
        seed: int,
        tick: int,
        name: str = "relative_pose",
    ) -> None:
        super().__init__(settings, seed, tick, name)
        self._grasp_point, self._camera = pose_grasp_point_in_client.copy(), np.array(settings.position)
        self._position_bias, self._attitude_bias = np.array(settings.position_bias), np.array(settings.attitude_bias)
        self._settings = settings

    def initial_state(self) -> RelativePoseState:
        return SensorState(None)

    def step(
        self, state: RelativePoseState, client: MotionSample, servicer: MotionSample, stamp: int
    ) -> tuple[RelativePoseState, Measurement[PoseReading] | None]:
        """`client`, `servicer`: their true motions in one inertial frame, now."""
        return self._sample(state, stamp, partial(self._measure, client, servicer))

    def deviations(self, position: np.ndarray) -> tuple[np.ndarray, float]:
        """Of a grasp point seen there: square root of the position's covariance (3x3, symmetric), and angle."""
        settings, sight = self._settings, position - self._camera
        distance = float(np.linalg.norm(sight))
        if distance < settings.close_range:
            return settings.close_position_noise * np.eye(3), settings.close_attitude_noise
        along = np.outer(sight, sight) / max(distance, 1e-12)  # times the range
        across = distance * np.eye(3) - along
        return settings.range_noise * along + settings.lateral_noise * across, settings.attitude_noise

    def _measure(
        self, client: MotionSample, servicer: MotionSample, device: None, noise: np.random.Generator, dt: float
    ) -> tuple[None, PoseReading]:
        truth = servicer.pose.actInv(client.pose * self._grasp_point)
        spread, angle = self.deviations(truth.translation)
        shift, turn = noise.standard_normal((2, 3))
        position = truth.translation + self._position_bias + spread @ shift
        error = pin.Quaternion(pin.exp3_quat(self._attitude_bias + angle * turn))
        attitude = error * pin.Quaternion(truth.rotation)
        return None, PoseReading(np.concatenate([position, attitude.coeffs()]), self._covariance(position))

    def _covariance(self, position: np.ndarray) -> np.ndarray:
        spread, angle = self.deviations(position)
        covariance = np.zeros((6, 6))
        covariance[:3, :3], covariance[3:, 3:] = spread @ spread, angle**2 * np.eye(3)
        return covariance
