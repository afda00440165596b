"""The method of relative dynamics, re-derived: a table of what it reaches, and what each mistake would cost.

Independent references are MuJoCo and pinocchio's articulated-body algorithm; everything else is a conserved
quantity or the same motion computed in two ways. The flight behind it is in `validate_flight`.
"""
from __future__ import annotations

from collections.abc import Iterator

from hil_relative_dynamics.evidence import (
    validate_arm_torque,
    validate_client,
    validate_conservation,
    validate_impedance,
    validate_sampled,
    validate_servicer,
)
from hil_relative_dynamics.evidence.validate_flight import Flight
from hil_relative_dynamics.evidence.validation import Check, Progress

PARTS = {
    "client in laboratory and orbit, 60 s, three integrators, MuJoCo": validate_client.checks,
    "servicer, arm and client as one system, 60 s, MuJoCo": validate_servicer.checks,
    "torque of the arm on the ground against MuJoCo": validate_arm_torque.checks,
    "robots in impedance mode, 60 s": validate_impedance.checks,
    "ten minutes without any force": validate_conservation.checks,
    "the loop as a facility samples it, 20 s": validate_sampled.checks,
}


def checks(progress: Progress) -> Iterator[Check]:
    flight = Flight.envisat()
    for number, (title, part) in enumerate(PARTS.items(), start=1):
        progress(f"{number}/{len(PARTS)} {title}")
        yield from part(flight)
