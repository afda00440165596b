"""Calling `hil` in this process."""
from __future__ import annotations

from dataclasses import dataclass

import pytest

from hil_relative_dynamics import cli


@dataclass
class Answer:
    status: int
    out: str
    err: str


class Hil:
    """`hil("run", "envisat_pulses")` gives its exit status and what it printed."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: str) -> Answer:
        self._capfd.readouterr()
        try:
            status = cli.main(list(arguments))
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
        return Answer(status, *self._capfd.readouterr())
