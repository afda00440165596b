"""The nominal motion."""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Choice, FileName

NominalKind = Literal["unforced", "fixed", "file"]


@dataclass(frozen=True, kw_only=True)
class Nominal(Part):
    """The nominal motion, relative to which the facility moves."""

    kind: NominalKind = entry(
        "kind",
        Choice(get_args(NominalKind)),
        "unforced: the client's own motion from its start, without wrenches; fixed: at rest where the"
        " client starts; file: read from a file",
        "unforced",
    )
    file: Path | None = entry("file", FileName("config/scenarios"), "the motion, with kind: file", None)

    def resolved(self, at: Place) -> Nominal:
        if self.kind == "file" and self.file is None:
            raise self.error("file", at, "must name a readable file with kind: file")
        if self.kind != "file" and self.file is not None:
            raise self.error("file", at, f"must be left out with kind: {self.kind}")
        return self
