"""Groups of checks and of measurements, chosen by name."""
from __future__ import annotations

from collections.abc import Iterable

from hil_relative_dynamics.scenario.reader import nearest


def chosen(group: str | None, known: Iterable[str]) -> list[str]:
    """The groups to do: all of them, or the one named; a name that does not exist is refused."""
    groups = list(known)
    if group is None:
        return groups
    if group not in groups:
        raise ValueError(f"there is no group {group!r}{nearest(group, groups)}")
    return [group]
