"""A force/torque sensor: what it makes of the load on it."""
from __future__ import annotations

from math import exp, isinf, pi
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.plant import SensorDevice

HOUR = 3600.0


class SensorState(NamedTuple):
    """A sensor after its last sample."""

    load: np.ndarray  # true load
    filtered: np.ndarray
    offset: np.ndarray  # bias
    drift: np.ndarray  # its rate [1/s]
    noise: np.random.Generator  # moves on with every sample


class ForceTorqueSensor:
    """Low pass, noise, bias with drift, saturation and sign, once per sample.

    Takes the load that tool and environment apply on the sensor, in its frame, and tells just that: a free
    tool reads its weight downwards (`multiplier` -1 for sensors that tell the reaction). Between two samples
    the load is taken as changing steadily. The noise is white from sample to sample; the bias drifts at a
    rate that is constant for each run and axis. Both follow from the seed and the sensor's name.
    """

    def __init__(self, device: SensorDevice, name: str, seed: int, period: int) -> None:
        self._dt = 1e-9 * period
        self._new, self._old, self._kept = _low_pass(device.bandwidth, self._dt)
        self._entropy = [seed, *name.encode()]
        self._deviation = _six(device.force_noise, device.torque_noise)
        self._bias = _six(device.force_bias, device.torque_bias)
        self._drift = _six(device.force_drift, device.torque_drift) / HOUR
        self._range = _six(device.force_range, device.torque_range)
        self._multiplier = device.multiplier

    def initial_state(self, load: pin.Force) -> SensorState:
        """Settled under the load at the start; the drift starts at zero."""
        noise = np.random.default_rng(self._entropy)
        drift = self._drift * noise.uniform(-1.0, 1.0, 6)
        return SensorState(load.vector.copy(), load.vector.copy(), self._bias, drift, noise)

    def step(self, state: SensorState, load: pin.Force) -> SensorState:
        """One sample period later, under this load."""
        new = load.vector
        filtered = self._new * new + self._old * state.load + self._kept * state.filtered
        return SensorState(new, filtered, state.offset + self._dt * state.drift, state.drift, state.noise)

    def read(self, state: SensorState) -> pin.Force:
        """The sample; each draws its own noise."""
        value = state.filtered + state.offset + self._deviation * state.noise.standard_normal(6)
        return pin.Force(self._multiplier * np.minimum(np.maximum(value, -self._range), self._range))


def _six(force: float | tuple[float, ...], torque: float | tuple[float, ...]) -> np.ndarray:
    return np.concatenate([np.full(3, force), np.full(3, torque)])


def _low_pass(bandwidth: float, dt: float) -> tuple[float, float, float]:
    """Weights of the new input, the one before and the output before, exact for an input that is a ramp."""
    if isinf(bandwidth):
        return 1.0, 0.0, 0.0
    x = 2.0 * pi * bandwidth * dt
    kept = exp(-x)
    mean = (1.0 - kept) / x
    return 1.0 - mean, mean - kept, kept
