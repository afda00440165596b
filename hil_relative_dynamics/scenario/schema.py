"""A servicing scenario (a client, a servicer with an arm, a laboratory): what one YAML file says."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.scenario.bodies import Client, Servicer
from hil_relative_dynamics.scenario.contact import Contact
from hil_relative_dynamics.scenario.criteria import Criteria
from hil_relative_dynamics.scenario.events import ExternalWrench, Interval
from hil_relative_dynamics.scenario.laboratory import Laboratory
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.onboard import Onboard
from hil_relative_dynamics.scenario.plant import Facility
from hil_relative_dynamics.scenario.reader import ListOf, Part, Place, Section, entry
from hil_relative_dynamics.scenario.safety import Safety
from hil_relative_dynamics.scenario.sensors import Sensors
from hil_relative_dynamics.scenario.setting import Nominal
from hil_relative_dynamics.scenario.values import Time

MILLISECOND = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Rates(Part):
    """Periods of the clocks."""

    arm_ns: int = entry("arm", Time("ms", positive=True), "period of the arm's torque command", MILLISECOND)
    dynamics_ns: int = entry("dynamics", Time("ms", positive=True), "step of the dynamics", MILLISECOND)

    def resolved(self, at: Place) -> Rates:
        if self.dynamics_ns % self.arm_ns:
            arm = Time("ms").write(self.arm_ns)
            raise self.error("dynamics", at, f"must be a whole multiple of {at.key}.arm ({arm} ms)")
        return self


@dataclass(frozen=True, kw_only=True)
class Scenario(Mission):
    """Who is there, how it starts, what happens and what must hold."""

    rates: Rates = entry("rates_ms", Section(Rates), "periods of the clocks", Rates())
    client: Client = entry("client", Section(Client), "the client")
    servicer: Servicer = entry("servicer", Section(Servicer), "the servicer")
    nominal: Nominal = entry("nominal", Section(Nominal), "the nominal motion", Nominal())
    onboard: Onboard = entry("onboard", Section(Onboard), "on-board software of the servicer", Onboard())
    sensors: Sensors = entry("sensors", Section(Sensors), "sensors of the servicer", Sensors())
    external_wrenches: tuple[ExternalWrench, ...] = entry(
        "external_wrenches", ListOf(Section(ExternalWrench)), "wrenches from outside; they add", ()
    )
    contact: Contact = entry("contact", Section(Contact), "between the gripper and the client", Contact())
    facility: Facility = entry("facility", Section(Facility), "the robots that move the mock-ups", Facility())
    laboratory: Laboratory = entry("laboratory", Section(Laboratory), "the mock-ups' room", Laboratory())
    safety: Safety = entry("safety", Section(Safety), "limits at which the robots are stopped", Safety())
    criteria: Criteria = entry("criteria", Section(Criteria), "limits a run must keep to pass", Criteria())

    def resolved(self, at: Place) -> Scenario:
        self.onboard.check_joints(len(self.servicer.joints), at / "onboard")
        self.facility.arm.check_joints(len(self.servicer.joints), at / "facility" / "arm")
        self.sensors.check(len(self.servicer.joints), self.rates.dynamics_ns, at / "sensors")
        self.contact.check_period(self.rates.arm_ns, at / "contact")
        self.criteria.check_onboard(self.onboard.kind, at / "criteria")
        if self.onboard.kind == "capture" and self.contact.kind == "none":
            raise self.contact.error("kind", at / "contact", "must be ring with onboard.kind: capture, which grasps")
        self._check_on_grid(self, "duration_s", self.duration_ns, at)
        pulses: dict[Place, tuple[Interval, ...]] = {
            at / "onboard" / "thrust": self.onboard.thrust,
            at / "external_wrenches": self.external_wrenches,
        }
        for place, listed in pulses.items():
            for index, pulse in enumerate(listed):
                self._check_on_grid(pulse, "start_s", pulse.start_ns, place / index)
                self._check_on_grid(pulse, "duration_s", pulse.duration_ns, place / index)
        return self

    def _check_on_grid(self, part: Part, key: str, time_ns: int, at: Place) -> None:
        """Wrenches are held over a step: one that changed within it would not act as written."""
        if time_ns % self.rates.dynamics_ns:
            step = Time("ms").write(self.rates.dynamics_ns)
            raise part.error(key, at, f"must be a whole multiple of rates_ms.dynamics ({step} ms)")

    @property
    def pose_servicer(self) -> pin.SE3:
        """Start pose of the servicer's base in the world."""
        return self.client.pose * self.servicer.pose_in_client

    @property
    def twist_servicer(self) -> pin.Motion:
        """Start twist of the base in its own axes; co-rotating, V_b(0) = Ad(g_bt) V_t(0)."""
        linear, angular = self.servicer.linear_velocity, self.servicer.angular_velocity
        if linear is None or angular is None:
            return self.servicer.pose_in_client.actInv(self.client.twist)
        return pin.Motion(np.array(linear), np.array(angular))

    @property
    def files(self) -> tuple[Path, ...]:
        """The other files this scenario consists of."""
        return tuple(path for path in (self.servicer.urdf, self.nominal.file) if path is not None)

    @property
    def limits(self) -> dict[str, float]:
        return self.criteria.limits
