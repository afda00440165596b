"""Attitude from the stars."""
from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.sensors import StarTrackerSettings
from hil_relative_dynamics.sensors.sampled import Measurement, Sampled, SensorState
from hil_relative_dynamics.spatial import MotionSample

#: remembers when the base last turned too fast [ns]; tells a quaternion
StarTrackerState = SensorState[int | None, np.ndarray]


class StarTracker(Sampled[int | None, np.ndarray]):
    r"""Quaternion (x, y, z, w) of the servicer's base in the inertial frame.

    \( R_{measured} = R \exp(R_m (b + n)) \): bias b and white noise n are a small rotation in the axes of the
    tracker, which is mounted with the attitude R_m in the base and looks along its z axis. Both signs of a
    quaternion are the same attitude.

    It is lost while the base turns faster than the slew limit, looked at in every step, and for the recovery
    time after. What was taken before is still given.

    Its driver publishes geometry_msgs/QuaternionStamped: header.stamp the acquisition, header.frame_id the
    inertial frame.
    """

    def __init__(self, settings: StarTrackerSettings, seed: int, tick: int, name: str = "star_tracker") -> None:
        super().__init__(settings, seed, tick, name)
        self._mount, self._bias = settings.rotation_in_base, np.array(settings.bias)
        self._deviation = np.array([settings.noise_across, settings.noise_across, settings.noise_about])
        self._slew_limit, self._recovery = settings.slew_limit, settings.recovery_ns

    def initial_state(self) -> StarTrackerState:
        return SensorState(None)

    def step(
        self, state: StarTrackerState, servicer: MotionSample, stamp: int
    ) -> tuple[StarTrackerState, Measurement[np.ndarray] | None]:
        """`servicer`: true motion of the base in the inertial frame, now."""
        if np.linalg.norm(servicer.twist.angular) > self._slew_limit:
            state = replace(state, device=stamp)
        return self._sample(state, stamp, partial(self._measure, servicer, stamp))

    def _measure(
        self, servicer: MotionSample, stamp: int, fast: int | None, noise: np.random.Generator, dt: float
    ) -> tuple[int | None, np.ndarray | None]:
        if fast is not None and stamp - fast <= self._recovery:
            return fast, None
        error = self._mount @ (self._bias + self._deviation * noise.standard_normal(3))
        attitude = pin.Quaternion(servicer.array[3:7])  # as it is: through a matrix it would lose bits
        return fast, (attitude * pin.Quaternion(pin.exp3_quat(error))).coeffs()
