"""Turn rates from a gyro."""
from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from hil_relative_dynamics.scenario.sensors import GyroSettings
from hil_relative_dynamics.sensors.sampled import Measurement, Sampled, SensorState
from hil_relative_dynamics.spatial import MotionSample

#: remembers its bias [rad/s]; tells a rate [rad/s]
GyroState = SensorState[np.ndarray, np.ndarray]


class Gyro(Sampled[np.ndarray, np.ndarray]):
    r"""Angular velocity of the servicer's base, in its axes [rad/s] (Farrenkopf's model).

    In continuous time \( \omega_{measured} = \omega + b + \eta_v,\; \dot b = \eta_u \), with white noise of
    the densities \( \sigma_v \) (angle random walk) and \( \sigma_u \) (rate random walk). A measurement holds
    the errors' mean over the time dt since the one before:

    \( b_{k+1} = b_k + \sigma_u \sqrt{dt}\, N_u \),
    \( \omega_{measured} = \omega + (b_k + b_{k+1})/2 + \sqrt{\sigma_v^2/dt + \sigma_u^2 dt/12}\, N_v \)

    so the Allan variance is \( \sigma_v^2/\tau + \sigma_u^2 \tau/3 \) at every \( \tau \), at any rate of
    sampling. The true rate is the one at the stamp, not its mean. The bias moves on when measurements drop out.

    Its driver publishes sensor_msgs/Imu: header.stamp the acquisition, header.frame_id the base,
    angular_velocity_covariance `covariance`; the other two covariances start with -1 (not measured).
    """

    def __init__(self, settings: GyroSettings, seed: int, tick: int, name: str = "gyro") -> None:
        super().__init__(settings, seed, tick, name)
        self._angle_walk, self._rate_walk = settings.angle_random_walk, settings.rate_random_walk
        self._bias = np.array(settings.bias)

    @property
    def covariance(self) -> np.ndarray:
        """Of a measurement's white part, 3x3 [rad^2/s^2]."""
        return self._deviation(1e-9 * self.period) ** 2 * np.eye(3)

    def _deviation(self, dt: float) -> float:
        return sqrt(self._angle_walk**2 / dt + self._rate_walk**2 * dt / 12.0)

    def initial_state(self) -> GyroState:
        return SensorState(self._bias)

    def step(
        self, state: GyroState, servicer: MotionSample, stamp: int
    ) -> tuple[GyroState, Measurement[np.ndarray] | None]:
        """`servicer`: true motion of the base in the inertial frame, now."""
        return self._sample(state, stamp, partial(self._measure, servicer))

    def _measure(
        self, servicer: MotionSample, bias: np.ndarray, noise: np.random.Generator, dt: float
    ) -> tuple[np.ndarray, np.ndarray]:
        walk, white = noise.standard_normal((2, 3))
        after = bias + self._rate_walk * sqrt(dt) * walk
        return after, servicer.twist.angular + 0.5 * (bias + after) + self._deviation(dt) * white
