"""`hil compare`"""
from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from hil_relative_dynamics.commands.terminal import bar, messages, output, table
from hil_relative_dynamics.evidence.compare import Difference, configuration, numbers, versions, write_comparison
from hil_relative_dynamics.evidence.run import load_run


def main(options: Namespace) -> int:
    first, second = (load_run(Path(folder)) for folder in options.runs)
    for run in (first, second):
        for note in run.notes:
            messages.print(f"{run.name}: {note}")
    folder = Path(options.out) if options.out else second.folder.absolute().parent / f"{first.name}-and-{second.name}"
    with bar("drawing"):
        path = write_comparison(folder, first, second)
    for title, rows in (
        ("configuration", configuration(first, second)),
        ("result", numbers(first, second)),
        ("version", versions(first, second)),
    ):
        if rows:
            _print(title, first.name, second.name, rows)
    output.print(f"comparison: {path}", soft_wrap=True)
    return 0


def _print(title: str, first: str, second: str, rows: list[Difference]) -> None:
    columns = table(title, f"{first}>", f"{second}>")
    for key, a, b in rows:
        columns.add_row(key, _text(a), _text(b))
    output.print(columns)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
