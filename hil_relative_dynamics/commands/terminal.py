"""What a person sees: progress on standard error, results on standard output."""
from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

# in a file or a pipe, lines are as long as the tables need
output = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
messages = Console(stderr=True, highlight=False)


class Bar:
    """A progress bar for one piece of work, from 0 to 1."""

    def __init__(self, progress: Progress, text: str) -> None:
        self._progress, self._text = progress, text
        self._task = progress.add_task(text, total=1.0)

    def __call__(self, fraction: float) -> None:
        self._progress.update(self._task, completed=min(fraction, 1.0))

    def note(self, text: str) -> None:
        """A line that stays, above the bar."""
        self._progress.console.print(text, highlight=False)

    def text(self, part: str) -> None:
        """Which part of the work is being done, where its fraction is not known."""
        self._progress.update(self._task, description=f"{self._text}: {part}")


@contextmanager
def bar(text: str) -> Iterator[Bar]:
    """Shown while it lasts; on something that is not a terminal only the text, once."""
    if not messages.is_terminal:
        messages.print(text)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=messages, transient=True, disable=not messages.is_terminal) as progress:
        yield Bar(progress, text)


def hil() -> str:
    """`hil` as it can be typed: with its folder where the shell would not find it."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "hil" and shutil.which("hil") is None else "hil"


def table(*columns: str) -> Table:
    result = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        right = name.endswith(">")
        result.add_column(name.rstrip(">"), justify="right" if right else "left", overflow="fold")
    return result


def verdict(ok: bool) -> str:
    return "[green]ok[/]" if ok else "[bold red]FAILED[/]"
