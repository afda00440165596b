"""Wrenches that a scenario prescribes by the clock."""
from __future__ import annotations

from collections.abc import Sequence

import pinocchio as pin

from hil_relative_dynamics.scenario.events import ExternalWrench


class ExternalWrenches:
    """What acts on the client and on the end-effector at an instant."""

    def __init__(self, wrenches: Sequence[ExternalWrench]) -> None:
        self._wrenches = [(wrench, wrench.on, wrench.wrench) for wrench in wrenches]

    def at(self, stamp: int, pose_end_effector_in_client: pin.SE3) -> tuple[pin.Force, pin.Force]:
        """(on the client, on the end-effector); contact acts on both, opposite, at one point (Assumption 3).

        The first is in the axes of the client, the second in those of the end-effector.
        """
        on_client, on_end_effector = pin.Force.Zero(), pin.Force.Zero()
        for interval, target, wrench in self._wrenches:
            if not interval.active(stamp):
                continue
            if target == "client":
                on_client += wrench
            elif target == "end_effector":
                on_end_effector += wrench
            else:
                on_client += pose_end_effector_in_client.act(wrench)
                on_end_effector -= wrench
        return on_client, on_end_effector

    def any_at(self, stamp: int) -> bool:
        return any(interval.active(stamp) for interval, _, _ in self._wrenches)
