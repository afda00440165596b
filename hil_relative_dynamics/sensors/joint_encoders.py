"""Joints of the arm."""
from __future__ import annotations

from functools import partial

import numpy as np

from hil_relative_dynamics.facility.encoder import Encoder
from hil_relative_dynamics.scenario.sensors import JointEncodersSettings
from hil_relative_dynamics.sensors.sampled import Measurement, Sampled, SensorState
from hil_relative_dynamics.spatial import JointReading, JointSample

JointEncodersState = SensorState[None, JointReading]


class JointEncoders(Sampled[None, JointReading]):
    """Angles with bias and white noise, rounded to steps; rates, from the drives, with white noise.

    Its driver publishes sensor_msgs/JointState: header.stamp the acquisition; position, velocity, effort.
    """

    def __init__(self, settings: JointEncodersSettings, seed: int, tick: int, name: str = "joint_encoders") -> None:
        super().__init__(settings, seed, tick, name)
        self._encoder, self._bias = Encoder(settings.resolution), np.array(settings.bias)
        self._deviation, self._rate_deviation = settings.noise, settings.rate_noise

    def initial_state(self) -> JointEncodersState:
        return SensorState(None)

    def step(
        self, state: JointEncodersState, joints: JointSample, stamp: int, effort: np.ndarray | float = 0.0
    ) -> tuple[JointEncodersState, Measurement[JointReading] | None]:
        """`joints`: true, now. The effort is handed on as it is."""
        return self._sample(state, stamp, partial(self._measure, joints, effort))

    def _measure(
        self,
        joints: JointSample,
        effort: np.ndarray | float,
        device: None,
        noise: np.random.Generator,
        dt: float,
    ) -> tuple[None, JointReading]:
        angle, rate = noise.standard_normal((2, len(joints.position)))
        position = joints.position + self._bias + self._deviation * angle
        return None, self._encoder.read(position, joints.velocity + self._rate_deviation * rate, effort)
