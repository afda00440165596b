"""One tick as the conditions see it."""
from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import pinocchio as pin

from hil_relative_dynamics.facility.supervisor_cause import Cause
from hil_relative_dynamics.facility.supervisor_observation import Observation, Stamps
from hil_relative_dynamics.spatial import MotionPoints, MotionSample


class CarriedFrames(NamedTuple):
    """From the motions that blocks exchange to what the robots carry.

    Attributes:
        pose_nominal_in_laboratory: the calibration.
        pose_grasp_point_in_client: what the client robot carries, in the client's body frame.
        pose_arm_mount_in_servicer: what the servicer robot carries, in the servicer's base frame.
    """

    pose_nominal_in_laboratory: pin.SE3
    pose_grasp_point_in_client: pin.SE3
    pose_arm_mount_in_servicer: pin.SE3


class Carried(NamedTuple):
    """A carried frame: poses in the laboratory, twists in its own axes."""

    name: str
    pose_measured: pin.SE3
    twist_measured: pin.Motion
    pose_commanded: pin.SE3
    twist_commanded: pin.Motion
    pose_commanded_next: pin.SE3


class Tick:
    """An observation at `stamp`; `previous` is the last valid tick before it, None if there was none.

    The carried frames are computed when first asked for: only from complete and finite data.
    """

    def __init__(
        self, frames: CarriedFrames, observation: Observation, stamp: int, previous: int | None, running: bool
    ) -> None:
        self._frames = frames
        self.observation: Any = observation  # its signals are there once they have been checked
        self.stamp, self.previous, self.running = stamp, previous, running

    @cached_property
    def stamps(self) -> Stamps:
        return self.observation.stamps or Stamps.all_at(self.stamp)

    @cached_property
    def client(self) -> Carried:
        seen = self.observation
        pose = self._frames.pose_grasp_point_in_client
        return self._carried("grasp_point", seen.client_measured, seen.client_commanded, pose)

    @cached_property
    def servicer(self) -> Carried:
        seen = self.observation
        pose = self._frames.pose_arm_mount_in_servicer
        return self._carried("arm_mount", seen.servicer_measured, seen.servicer_commanded, pose)

    def _carried(self, name: str, measured: MotionSample, commanded: MotionPoints, pose: pin.SE3) -> Carried:
        nominal, start = self._frames.pose_nominal_in_laboratory, commanded.start
        return Carried(
            name,
            nominal * measured.pose * pose,
            pose.actInv(measured.twist),
            nominal * start.pose * pose,
            pose.actInv(start.twist),
            nominal * commanded.end.pose * pose,
        )


class Condition(Protocol):
    """One thing that must hold.

    Attributes:
        start: what it remembers before its first tick.
        while_stopped: still means something once the robots no longer follow what they are told.
    """

    start: Any
    while_stopped: bool

    def check(self, memory: Any, tick: Tick) -> tuple[Any, Sequence[Cause]]:
        """What it remembers from now on, and what does not hold."""
