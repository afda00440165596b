"""The F/T sensor in the arm's wrist."""
from __future__ import annotations

from functools import partial

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility import ft_sensor
from hil_relative_dynamics.scenario.sensors import ForceTorqueSettings
from hil_relative_dynamics.sensors.sampled import Measurement, Sampled, SensorState

#: remembers filter and bias, once it has felt a load
ForceTorqueState = SensorState[ft_sensor.SensorState | None, pin.Force]


class ForceTorque(Sampled[ft_sensor.SensorState | None, pin.Force]):
    """The laboratory's model of such a sensor, in orbit: it tells the wrench on it in its frame.

    It starts settled under the first wrench. What it carries itself (gripper, its inertia) is up to whoever
    tells it the wrench.

    Its driver publishes geometry_msgs/WrenchStamped: header.stamp the acquisition, header.frame_id the sensor.
    """

    def __init__(self, settings: ForceTorqueSettings, seed: int, tick: int, name: str = "force_torque") -> None:
        super().__init__(settings, seed, tick, name)
        self._device = ft_sensor.ForceTorqueSensor(settings, name, seed, self.period)

    def initial_state(self) -> ForceTorqueState:
        return SensorState(None)

    def step(
        self, state: ForceTorqueState, wrench: pin.Force, stamp: int
    ) -> tuple[ForceTorqueState, Measurement[pin.Force] | None]:
        """`wrench`: true, on the sensor, at its origin and in its axes, now."""
        return self._sample(state, stamp, partial(self._measure, wrench))

    def _measure(
        self, wrench: pin.Force, device: ft_sensor.SensorState | None, noise: np.random.Generator, dt: float
    ) -> tuple[ft_sensor.SensorState, pin.Force]:
        after = self._device.initial_state(wrench) if device is None else self._device.step(device, wrench)
        return after, self._device.read(after._replace(noise=noise))
