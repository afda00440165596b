"""A process, as data."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hil_relative_dynamics.scenario.share import PACKAGE


@dataclass(frozen=True, kw_only=True)
class Process:
    """One process to start.

    Attributes:
        nodes: names of the nodes in it, where they are ours.
        name: given to its node; None where the process names its own, and always where it holds several.
        separate: it has a process of its own even where the others share one.
        environment: variables it gets beside ours.
        essential: the whole start ends with it.
    """

    executable: str
    package: str = PACKAGE
    nodes: tuple[str, ...] = ()
    name: str | None = None
    namespace: str = ""
    parameter_files: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    separate: bool = False
    essential: bool = False
