"""`hil list`"""
from __future__ import annotations

from argparse import Namespace

from hil_relative_dynamics.commands.terminal import output, table
from hil_relative_dynamics.scenario import available


def main(options: Namespace) -> int:
    rows = table("scenario", "what it shows")
    for name, description in available():
        rows.add_row(name, description)
    output.print(rows)
    return 0
