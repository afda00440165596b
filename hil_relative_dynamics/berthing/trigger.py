"""When the gripper may close, paper 002, Fig. 3."""
from __future__ import annotations

from typing import NamedTuple

from hil_relative_dynamics.scenario.rendezvous_contact import Trigger


class TriggerState(NamedTuple):
    """Counters that saturate at 1 and stay, the contact signal on its way, and what was last sampled of it."""

    position: int = 0
    orientation: int = 0
    underway: tuple[tuple[int, bool], ...] = ()
    held: bool = False

    @property
    def pick_place(self) -> int:
        """The smaller of both counters."""
        return min(self.position, self.orientation)

    @property
    def closed(self) -> bool:
        return self.pick_place > 0.5


class GraspTrigger:
    """Contact signal, delayed, sampled and held; while it is there, each error counts once it is small enough.

    As in the paper, the two errors need not be small at the same time.
    """

    def __init__(self, settings: Trigger) -> None:
        self._settings = settings

    def step(self, state: TriggerState, stamp: int, position_error: float, orientation_error: float) -> TriggerState:
        """The state at `stamp` [ns]."""
        settings, underway, held = self._settings, state.underway, state.held
        underway = (*underway, (stamp, position_error < settings.reach))
        if stamp % settings.sample_ns == 0:
            arrived = [signal for given, signal in underway if given <= stamp - settings.delay_ns]
            held = arrived[-1] if arrived else held
            underway = underway[len(arrived) :]
        position, orientation = state.position, state.orientation
        if held and position_error < settings.position:
            position = min(position + 1, 1)
        if held and orientation_error < settings.orientation:
            orientation = min(orientation + 1, 1)
        return TriggerState(position, orientation, underway, held)

    def torque(self, state: TriggerState, closing_torque: float) -> float:
        """M_t once triggered, zero before."""
        return closing_torque if state.closed else 0.0
