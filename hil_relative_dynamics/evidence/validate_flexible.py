"""`hil validate flexible`: the flexible client against its paper, continuous beams, closed loops and conservation."""
from __future__ import annotations

from collections.abc import Iterator

from hil_relative_dynamics.evidence.validate_flexible_laws import frequency_checks, law_checks
from hil_relative_dynamics.evidence.validate_flexible_motion import (
    conservation_checks,
    loop_checks,
    matching_checks,
    rigid_limit_checks,
)
from hil_relative_dynamics.evidence.validate_flexible_tables import comparisons
from hil_relative_dynamics.evidence.validation import Check, Comparison, Progress


def checks(progress: Progress) -> Iterator[Check | Comparison]:
    progress("1/6 Tables I to III: six hubs, simulated and physical appendages")
    yield from comparisons()
    progress("2/6 exact frequencies, terms of (7)")
    yield from frequency_checks()
    yield from law_checks()
    progress("3/6 momentum and energy while panels ring")
    yield from conservation_checks()
    progress("4/6 rigid limit")
    yield from rigid_limit_checks()
    progress("5/6 a tumbling flexible Envisat, relative and absolute")
    yield from matching_checks()
    progress("6/6 physical appendages in the loop with the robot")
    yield from loop_checks()
