"""The contact phase of a rendezvous, stepped and noted."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.pair import NEAR_BAR, BerthingPair, PairState
from hil_relative_dynamics.berthing.sequence import Berthing, Phase, Unberthing
from hil_relative_dynamics.scenario.rendezvous_contact import Contact

PHASES = list(Phase)
_PORTS_NEAR = 0.005  # [m]


@dataclass
class ContactLog:
    """One row per control period; times count from the start of the mission."""

    times: list[float] = field(default_factory=list)
    phases: list[int] = field(default_factory=list)
    position: list[np.ndarray] = field(default_factory=list)  # of the servicer's CoM in target axes [m]
    velocity: list[np.ndarray] = field(default_factory=list)  # the same, of the motion seen from the target [m/s]
    fingers: list[float] = field(default_factory=list)  # what both press with [N]
    port: list[float] = field(default_factory=list)  # what the ports press with [N]
    gain: list[float] = field(default_factory=list)  # work of contact and what it stores [J]
    residual: list[float] = field(default_factory=list)  # of momentum [N s, N m s]
    joints: list[np.ndarray] = field(default_factory=list)
    target_velocity: list[np.ndarray] = field(default_factory=list)  # of the target's CoM, inertial axes [m/s]


class ContactPhase:
    """Runs a sequence from a state on."""

    def __init__(self, pair: BerthingPair, settings: Contact, sequence: Berthing | Unberthing) -> None:
        self.pair, self._settings, self.sequence, self.log = pair, settings, sequence, ContactLog()
        self._model, self._data = pair.servicer.model, pair.servicer.model.createData()

    def run(
        self, state: PairState, start: int, end: int, leave_at: float, progress: Callable[[int], None]
    ) -> tuple[int, PairState]:
        """(stamp [ns], state) at `end`, or where a retreating servicer's CoM is farther than `leave_at` [m]."""
        period, stamp = self._settings.control_ns, start
        before = self.pair.momentum(state).vector - state.vector[self.pair.layout.impulse]
        initial = self._energy(state)
        while stamp < end:
            state, commands = self.sequence.command(stamp, state)
            self._note(stamp, state, before, initial)
            if self.sequence.phase is Phase.RETREAT and np.linalg.norm(self.log.position[-1]) > leave_at:
                break
            steps = period // self._settings.step_ns if self._delicate(state) else 1
            for _ in range(steps):
                state = self.pair.step(state, commands, 1e-9 * period / steps)
            stamp += period
            progress(stamp)
        return stamp, state

    def com(self, state: PairState) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity of the servicer's CoM, inertial axes."""
        layout, q = self.pair.layout, pin.neutral(self._model)
        q[7:] = state.vector[layout.joints]
        pin.centerOfMass(self._model, self._data, q, state.vector[layout.velocity])
        rotation = state.base.rotation
        return state.base.act(self._data.com[0]), rotation @ self._data.vcom[0]

    def _delicate(self, state: PairState) -> bool:
        """A light gripper is at the bar, or ports are about to meet."""
        if state.held is not None:
            port = (state.target.actInv(state.base) * self.pair.port_base).translation
            return state.latch is None and bool(port[0] - self.pair.port_target.translation[0] < _PORTS_NEAR)
        tool = state.base * self.pair.servicer.end_effector_in_base(state.vector[self.pair.layout.joints])
        off = (state.target * self.pair.fixture).actInv(tool).translation
        return bool(abs(off).max() < NEAR_BAR)

    def _energy(self, state: PairState) -> float:
        return self.pair.meet(state.base, state.target, state.vector, state).stored

    def _note(self, stamp: int, state: PairState, before: np.ndarray, initial: float) -> None:
        log, layout, vector = self.log, self.pair.layout, state.vector
        meeting = self.pair.meet(state.base, state.target, vector, state)
        position, velocity = self.com(state)
        twist = pin.Motion(vector[layout.twist_target])
        rotation = state.target.rotation
        where = rotation.T @ (position - state.target.translation)
        seen = rotation.T @ velocity - twist.linear - np.cross(twist.angular, where)
        log.times.append(1e-9 * stamp)
        log.phases.append(PHASES.index(self.sequence.phase))
        log.position.append(where)
        log.velocity.append(seen)
        pressing = meeting.bar.pressing if meeting.bar is not None else 0.0
        log.fingers.append(pressing if state.held is None else state.held.pressing)
        pressed = meeting.port is not None and meeting.port.press is not None
        log.port.append(float(meeting.port.press.pressures.sum()) if pressed else 0.0)  # type: ignore[union-attr]
        log.gain.append(float(vector[layout.work]) + meeting.stored - initial)
        log.residual.append(float(np.abs(self.pair.momentum(state).vector - vector[layout.impulse] - before).max()))
        log.joints.append(vector[layout.joints].copy())
        log.target_velocity.append(rotation @ twist.linear)
