"""Figures of a rendezvous."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil_relative_dynamics.missions.rendezvous import Voyage


def draw(voyage: Voyage, folder: Path) -> list[Path]:
    return []
