"""Rendezvous with multirotors: every number of paper 003 beside ours.

A. Garzelli et al., Representing On-Orbit Rendezvous and Proximity Operations with Fully-Actuated Multirotor Aerial
Platforms.
"""
from __future__ import annotations

from collections.abc import Iterator

from hil_relative_dynamics.evidence import (
    validate_multirotor_blocks,
    validate_multirotor_errata,
    validate_multirotor_flight,
    validate_multirotor_vehicle,
)
from hil_relative_dynamics.evidence.validation import Check, Comparison, Progress


def checks(progress: Progress) -> Iterator[Check | Comparison]:
    progress("the vehicle against MuJoCo and closed forms")
    yield from validate_multirotor_vehicle.checks()
    progress("what is listed and printed")
    yield from validate_multirotor_errata.rows()
    yield from validate_multirotor_flight.rows(progress)
    progress("navigation, references, distances")
    yield from validate_multirotor_blocks.rows()
