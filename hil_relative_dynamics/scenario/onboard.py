"""The on-board software that stands in for the user's own."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from hil_relative_dynamics.scenario.capture import Capture
from hil_relative_dynamics.scenario.events import ArmMove, Thrust
from hil_relative_dynamics.scenario.quantities import Number, OneOrPerJoint
from hil_relative_dynamics.scenario.reader import ListOf, Part, Place, Section, entries, entry
from hil_relative_dynamics.scenario.values import Choice, Time

OnboardKind = Literal["none", "scripted", "capture"]
PerJoint = float | tuple[float, ...]
STIFFNESS, DAMPING = "stiffness_N_m_rad", "damping_N_m_s_rad"


@dataclass(frozen=True, kw_only=True)
class Onboard(Part):
    """Thrust and arm moves by the clock, and the joint controller that follows the moves."""

    kind: OnboardKind = entry(
        "kind",
        Choice(get_args(OnboardKind)),
        "none: no thrust and no joint torque; scripted: what is listed here by the clock; capture: the reference"
        " software, which synchronises with the client, approaches and grasps it",
        "none",
    )
    capture: Capture | None = entry("capture", Section(Capture), "only with kind: capture", None)
    thrust: tuple[Thrust, ...] = entry(
        "thrust", ListOf(Section(Thrust)), "thruster pulses; overlapping ones add", ()
    )
    arm_moves: tuple[ArmMove, ...] = entry(
        "arm_moves", ListOf(Section(ArmMove)), "moves of the arm, one after the other", ()
    )
    stiffness: PerJoint = entry(
        STIFFNESS, OneOrPerJoint(Number("N m/rad", "non-negative")), "stiffness of the joint controller", 0.0
    )
    damping: PerJoint = entry(
        DAMPING, OneOrPerJoint(Number("N m s/rad", "non-negative")), "damping of the joint controller", 0.0
    )

    def gains(self, joints: int) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness [N m/rad] and damping [N m s/rad] of each joint."""
        return np.full(joints, self.stiffness), np.full(joints, self.damping)

    def resolved(self, at: Place) -> Onboard:
        for key, item in entries(self).items():
            if self.kind == "none" and getattr(self, item.name) != item.default:
                raise self.error(key, at, "must be left out with kind: none")
        if self.kind == "capture" and self.capture is None:
            raise self.error("capture", at, "must say where the base keeps station, with kind: capture")
        if self.kind == "capture" and (self.thrust or self.arm_moves):
            raise self.error("thrust" if self.thrust else "arm_moves", at, "must be left out with kind: capture")
        if self.kind == "scripted" and self.capture is not None:
            raise self.error("capture", at, "must be left out with kind: scripted")
        if self.arm_moves and not np.all(self.stiffness):
            raise self.error(STIFFNESS, at, "must be positive with arm_moves")
        for index, (before, move) in enumerate(pairwise(self.arm_moves), start=1):
            if move.start_ns < before.end_ns:
                allowed = f"must not lie before the end of the last move ({Time('s').write(before.end_ns)} s)"
                raise move.error("start_s", at / "arm_moves" / index, allowed)
        return self

    def check_joints(self, count: int, at: Place) -> None:
        """Refuse lists whose length is not the number of the servicer's joints."""
        allowed = f"must be a list of {count} numbers, one per joint of the servicer"
        for key, gain in {STIFFNESS: self.stiffness, DAMPING: self.damping}.items():
            if isinstance(gain, tuple) and len(gain) != count:
                raise self.error(key, at, allowed)
        for index, move in enumerate(self.arm_moves):
            if len(move.joints) != count:
                raise move.error("joints_deg", at / "arm_moves" / index, allowed)
