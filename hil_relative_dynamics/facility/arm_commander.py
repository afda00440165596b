"""The last word on the torques of the arm: limits, and what it does when it is not enabled."""
from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.safety_state import SafetyState
from hil_relative_dynamics.scenario.laboratory import Commanding
from hil_relative_dynamics.spatial import JointReading, MotionSample

BLEND_TIME = 0.005
"""From torque to hold and back [s]."""
_ROOT = 1


class ArmCommanderState(NamedTuple):
    """What the commander carries from cycle to cycle.

    Attributes:
        share: of the commanded torque in the effort, the rest is the hold; None before the first cycle.
        torque: the last one that was passed on, within limits [N m].
        effort: the last one given [N m].
        sentence: why it holds, or which torque it limited; empty while all is well.
        refused: it was told a torque that is no number, and holds until `reset`.
        limited: cycles in which a torque was above its limit.
    """

    share: float | None
    torque: np.ndarray
    effort: np.ndarray
    sentence: str = ""
    refused: bool = False
    limited: int = 0


class ArmCommander:
    r"""Passes torques on while enabled, each held to its joint's limit; else the arm is calmed down.

    The hold is  \( g(q) - M(q) \dot q / T \):  by itself the arm comes to rest with time constant T in every
    joint alike, and gives way when it is pushed. It never holds a position: in contact, two robots that both
    do would build up force between them. Between torque and hold the effort changes over some milliseconds.

    Args:
        servicer: base and arm (the arm on the ground is the same).
        pose_nominal_in_laboratory: constant calibration transform.
        gravity: in the laboratory [m/s^2].
        commanding: settling time T of the scenario.
        arm_compensates_gravity: the arm's own controller adds g(q) already: only calm it down.
        dt: cycle of the arm [s].
    """

    def __init__(
        self,
        servicer: FreeFlyer,
        pose_nominal_in_laboratory: pin.SE3,
        gravity: np.ndarray,
        commanding: Commanding,
        arm_compensates_gravity: bool = False,
        dt: float = 1e-3,
    ) -> None:
        self._model = pin.buildReducedModel(servicer.model, [_ROOT], pin.neutral(servicer.model))
        self._data = self._model.createData()
        weight = np.zeros(3) if arm_compensates_gravity else pose_nominal_in_laboratory.rotation.T @ gravity
        self._gravity = pin.Motion(weight, np.zeros(3))  # in the nominal frame
        self._rest, self._decay = np.zeros(self._model.nv), -1.0 / commanding.arm_settling_time
        self._upper = self._model.effortLimit.copy()
        self._lower = -self._upper
        self._blend = dt / BLEND_TIME

    def initial_state(self) -> ArmCommanderState:
        return ArmCommanderState(None, self._rest, self._rest)

    def reset(self, state: ArmCommanderState) -> ArmCommanderState:
        """Follow torques again, after one that was no number."""
        return state._replace(refused=False, sentence="")

    def step(
        self,
        state: ArmCommanderState,
        torque: np.ndarray,
        safety: SafetyState,
        reading: JointReading,
        servicer: MotionSample,
    ) -> tuple[ArmCommanderState, np.ndarray]:
        """The effort for the next cycle [N m]; `servicer` is the measured motion of the arm's base."""
        if not safety.enabled:
            return self._held(state, safety.sentence, state.refused, reading, servicer)
        if state.refused:
            return self._held(state, state.sentence, True, reading, servicer)
        if not isfinite(torque.dot(torque)):
            return self._held(state, "the arm is told a torque that is not finite.", True, reading, servicer)
        passed = np.minimum(np.maximum(torque, self._lower), self._upper)
        limited, sentence = state.limited, ""
        if (passed != torque).any():
            limited, sentence = limited + 1, self._beyond(torque)
        share = 1.0 if state.share is None else min(1.0, state.share + self._blend)
        effort = passed
        if share < 1.0:
            effort = share * passed + (1.0 - share) * self._hold(state, reading, servicer)
        return ArmCommanderState(share, passed, effort, sentence, False, limited), effort

    def _held(
        self,
        state: ArmCommanderState,
        sentence: str,
        refused: bool,
        reading: JointReading,
        servicer: MotionSample,
    ) -> tuple[ArmCommanderState, np.ndarray]:
        share = max(0.0, (state.share or 0.0) - self._blend)
        effort = self._hold(state, reading, servicer)
        if share > 0.0:
            effort = share * state.torque + (1.0 - share) * effort
        return ArmCommanderState(share, state.torque, effort, sentence, refused, state.limited), effort

    def _hold(self, state: ArmCommanderState, reading: JointReading, servicer: MotionSample) -> np.ndarray:
        """g(q) - M(q) dq / T in one pass of inverse dynamics; the last effort where nothing is known."""
        self._model.gravity = servicer.pose.actInv(self._gravity)
        joints = reading.array
        hold = pin.rnea(self._model, self._data, joints[0], self._rest, self._decay * joints[1])
        if not isfinite(hold.dot(hold)):
            return state.effort
        return np.minimum(np.maximum(hold, self._lower), self._upper)

    def _beyond(self, torque: np.ndarray) -> str:
        joint = int((abs(torque) / self._upper).argmax())
        asked = f"joint {joint + 1} of the arm is told {torque[joint]:.1f} N m"
        return f"{asked}, allowed {self._lower[joint]:.0f} to {self._upper[joint]:.0f}."
