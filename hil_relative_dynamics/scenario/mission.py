"""What every scenario says, whatever it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hil_relative_dynamics.scenario.reader import Part, entry
from hil_relative_dynamics.scenario.values import Text, Time, Whole


@dataclass(frozen=True, kw_only=True)
class Mission(Part):
    """A scenario of any kind; its `mission` key says which schema the rest of the file follows."""

    mission: str = entry("mission", Text(), "what kind of scenario this is, and so which keys it has", "servicing")
    description: str = entry("description", Text(), "what the scenario shows, in one sentence")
    duration_ns: int = entry("duration_s", Time("s", positive=True), "simulated time")
    seed: int = entry("seed", Whole(), "start of every random sequence", 0)
    file: Path = field(default=Path(), compare=False)

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def files(self) -> tuple[Path, ...]:
        """The other files this scenario consists of."""
        return ()

    @property
    def limits(self) -> dict[str, float]:
        """Limits that a run must keep to pass, by the key of what was measured."""
        return {}
