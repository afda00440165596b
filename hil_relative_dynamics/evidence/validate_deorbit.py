"""De-orbiting through surface contact: every published number beside ours, and what must hold."""
from __future__ import annotations

from collections.abc import Iterator

from hil_relative_dynamics.evidence import (
    validate_deorbit_boost,
    validate_deorbit_independent,
    validate_deorbit_line,
    validate_deorbit_space,
)
from hil_relative_dynamics.evidence.validation import Check, Comparison, Progress


def checks(progress: Progress) -> Iterator[Check | Comparison]:
    """All rows of the group."""
    progress("1/4 contact along a line")
    yield from validate_deorbit_line.checks()
    progress("2/4 two bodies, held by friction")
    yield from validate_deorbit_space.statics()
    yield from validate_deorbit_space.held()
    progress("3/4 two bodies, sliding")
    yield from validate_deorbit_space.sliding()
    yield from validate_deorbit_independent.checks()
    progress("4/4 boost")
    yield from validate_deorbit_boost.checks()
