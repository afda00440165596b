"""Thrust and arm moves by the clock: open-loop thrusters, and a joint controller for smooth moves."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.onboard import Onboard
from hil_relative_dynamics.spatial import JointSample


def minimum_jerk(fraction: float) -> tuple[float, float]:
    """Progress from 0 to 1 and its rate per unit of `fraction`, at rest at both ends."""
    if fraction <= 0.0:
        return 0.0, 0.0
    if fraction >= 1.0:
        return 1.0, 0.0
    progress = fraction**3 * (10.0 - fraction * (15.0 - 6.0 * fraction))
    return progress, 30.0 * fraction**2 * (1.0 - fraction) ** 2


class ScriptedOnboard:
    """tau = K (q_ref - q) + D (dq_ref - dq), and the thrust of the pulses that are on."""

    def __init__(self, script: Onboard, start: np.ndarray) -> None:
        self._thrust = [(pulse, pulse.wrench) for pulse in script.thrust]
        self._stiffness, self._damping = script.gains(len(start))
        targets = [np.asarray(start, dtype=float)] + [np.array(move.joints) for move in script.arm_moves]
        self._moves = list(zip(script.arm_moves, targets, targets[1:]))
        self._start = targets[0]

    def step(self, stamp: int, joints: JointSample) -> tuple[pin.Force, np.ndarray]:
        """(thrust on the base, joint torque)"""
        position, velocity = self._reference(stamp)
        torque = self._stiffness * (position - joints.position) + self._damping * (velocity - joints.velocity)
        thrust = pin.Force.Zero()
        for pulse, wrench in self._thrust:
            if pulse.active(stamp):
                thrust += wrench
        return thrust, torque

    def _reference(self, stamp: int) -> tuple[np.ndarray, np.ndarray]:
        position, velocity = self._start, np.zeros_like(self._start)
        for move, origin, target in self._moves:
            if stamp < move.start_ns:
                break
            progress, rate = minimum_jerk((stamp - move.start_ns) / move.duration_ns)
            position = origin + progress * (target - origin)
            velocity = rate / (1e-9 * move.duration_ns) * (target - origin)
        return position, velocity
