"""`hil report`"""
from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hil_relative_dynamics.commands.terminal import bar, messages, output
from hil_relative_dynamics.evidence.figures import draw
from hil_relative_dynamics.evidence.report import reasons, verdict, write_report
from hil_relative_dynamics.evidence.run import SUMMARY, Run, load_run


def main(options: Namespace) -> int:
    folder = Path(options.run)
    if folder.is_dir() and not (folder / SUMMARY).exists():
        from hil_relative_dynamics.commands.restore import restore

        run = restore(folder)
    else:
        run = load_run(folder)
    for note in run.notes:
        messages.print(note)
    path = write(run)
    output.print(f"[bold]{run.summary['scenario']}[/]: {verdict(run.summary)}")
    for reason in reasons(run.summary):
        output.print(reason, soft_wrap=True)
    output.print(f"report: {path}", soft_wrap=True)
    return 0


def write(run: Run) -> Path:
    """Figures and page."""
    with bar("drawing") as progress:
        for number, drawing in enumerate(draw(run), start=1):
            progress.text(drawing.title)
            progress(number / 12)
        return write_report(run)
