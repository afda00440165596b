"""Rendezvous, berthing and unberthing (paper 002): an orbital and a contact phase with a hand-over between them."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from math import dist, hypot
from pathlib import Path
from typing import Literal, get_args

from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Numbers
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entry, nearest
from hil_relative_dynamics.scenario.rendezvous_contact import BerthingTarget, Contact
from hil_relative_dynamics.scenario.rendezvous_orbit import ChaserStart, Guidance, RendezvousCriteria, TargetOrbit
from hil_relative_dynamics.scenario.urdf import outline
from hil_relative_dynamics.scenario.values import Choice, FileName, Text, Time

Sequence = Literal["approach", "berthing", "unberthing"]


@dataclass(frozen=True, kw_only=True)
class BerthingServicer(Part):
    """The chaser: a free base with an arm, described by a URDF; base x points to the target."""

    urdf: Path = entry("urdf", FileName("urdf"), "description of base and arm; its root link is the base")
    end_effector: str = entry("end_effector", Text(), "link that carries the fingers")
    joints: tuple[float, ...] = entry("joints_deg", Numbers(Number("deg")), "start angles of the joints")

    def resolved(self, at: Place) -> BerthingServicer:
        robot = outline(self.urdf, at / "urdf")
        if self.end_effector not in robot.links:
            hint = nearest(self.end_effector, robot.links)
            raise self.error("end_effector", at, f"must be a link of {self.urdf.name}{hint}")
        if len(self.joints) != len(robot.joints):
            count = f"{len(robot.joints)} numbers, one per moving joint of {self.urdf.name}"
            raise self.error("joints_deg", at, f"must be a list of {count}")
        return self


@dataclass(frozen=True, kw_only=True)
class Rendezvous(Mission):
    """A chaser comes from an orbit of its own to a target and berths it, or lets it go."""

    sequence: Sequence = entry(
        "sequence",
        Choice(get_args(Sequence)),
        "approach: up to the hand-over; berthing: on to the latched ports; unberthing: the other way round",
    )
    orbit: TargetOrbit = entry("orbit", Section(TargetOrbit), "of the target")
    start: ChaserStart = entry(
        "start", Section(ChaserStart), "of the chaser; not used by unberthing", ChaserStart(position=ZERO)
    )
    guidance: Guidance = entry("guidance", Section(Guidance), "in the orbital phase")
    handover: float = entry(
        "handover_distance_m", Number("m", "positive"), "eps, of the centres of mass: contact phase below it", 3.603
    )
    step_ns: int = entry("step_s", Time("s", positive=True), "of the orbital phase", 1_000_000_000)
    target: BerthingTarget = entry("target", Section(BerthingTarget), "what is approached")
    servicer: BerthingServicer = entry("servicer", Section(BerthingServicer), "what approaches")
    contact: Contact = entry("contact", Section(Contact), "within the hand-over distance")
    criteria: RendezvousCriteria = entry(
        "criteria", Section(RendezvousCriteria), "limits a run must keep to pass", RendezvousCriteria()
    )

    def resolved(self, at: Place) -> Rendezvous:
        if self.guidance.hold_distance <= self.handover:
            allowed = f"must be more than handover_distance_m ({self.handover:g} m)"
            raise self.guidance.error("hold_distance_m", at / "guidance", allowed)
        if self.sequence != "unberthing" and hypot(*self.start.position) <= self.handover:
            allowed = f"must be farther from the target than handover_distance_m ({self.handover:g} m)"
            raise self.start.error("position_m", at / "start", allowed)
        reach = dist(self.contact.station, ZERO)
        if reach >= self.handover:
            allowed = f"must be nearer to the target than handover_distance_m ({self.handover:g} m)"
            raise self.contact.error("station_m", at / "contact", allowed)
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.servicer.urdf,)

    @property
    def limits(self) -> dict[str, float]:
        written = Section(RendezvousCriteria).write(self.criteria)
        return {key: float(value) for key, value in written.items()}  # type: ignore[arg-type]
