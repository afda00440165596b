"""Rendezvous, berthing and unberthing (paper 002): every number beside ours, and what must hold."""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hil_relative_dynamics.berthing.voyage import Voyage, fly
from hil_relative_dynamics.evidence import validate_rendezvous_contact as contact
from hil_relative_dynamics.evidence import validate_rendezvous_orbit as orbit
from hil_relative_dynamics.evidence.validation import Check, Comparison, Progress
from hil_relative_dynamics.scenario import load_mission
from hil_relative_dynamics.scenario.rendezvous import Rendezvous


def checks(progress: Progress) -> Iterator[Check | Comparison]:
    progress("1/5 relative motion in orbit")
    yield from orbit.checks()
    progress("2/5 gripper and contact by themselves")
    yield from contact.gripper()
    yield from contact.sphere()
    progress("3/5 approach in an elliptic orbit, 2000 s")
    yield from contact.handover(flown("rendezvous_elliptic"), "approach")
    progress("4/5 berthing, 900 s")
    berthing = flown("berthing")
    yield from contact.handover(berthing, "berthing")
    yield from contact.contact(berthing, "berthing")
    progress("5/5 unberthing, 600 s")
    unberthing = flown("unberthing")
    yield from contact.handover(unberthing, "unberthing")
    yield from contact.contact(unberthing, "unberthing")
    yield from contact.sequences(berthing, unberthing)


@cache
def flown(name: str, *overrides: str) -> Voyage:
    """A run of one of the package's scenarios, made once."""
    scenario = load_mission(name, overrides)
    assert isinstance(scenario, Rendezvous)
    return fly(scenario, lambda share: None)
