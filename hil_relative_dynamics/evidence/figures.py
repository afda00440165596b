"""The figures of a run: what an engineer would put in a paper. Only those for which the run has signals."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from hil_relative_dynamics.evidence import figures_contact, figures_loop, figures_motion, figures_onboard
from hil_relative_dynamics.evidence.figure_style import STYLE
from hil_relative_dynamics.evidence.figures_overview import overview
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.scenario import Scenario


class Drawing(NamedTuple):
    """A kind of figure: its file is `<name>.png`."""

    name: str
    title: str
    draw: Callable[[Run], Figure | None]


DRAWINGS = (
    Drawing("overview", "Overview", overview),
    Drawing("relative_position", "Relative position", figures_motion.position),
    Drawing("relative_orientation", "Relative orientation", figures_motion.orientation),
    Drawing("star_tracker", "Star tracker", figures_onboard.star_tracker),
    Drawing("capture", "Errors and actuation by phase", figures_onboard.capture),
    Drawing("relative_velocity", "Relative velocity", figures_motion.velocity),
    Drawing("workspace", "Workspace of both formulations", figures_motion.workspace),
    Drawing("wrench", "Wrenches and contact", figures_contact.wrench),
    Drawing("energy", "Energy and passivity", figures_contact.energy),
    Drawing("exactness", "Exactness of the method", figures_loop.exactness),
    Drawing("timing", "Timing of the loop", figures_loop.timing),
)


def draw(run: Run) -> Iterator[Drawing]:
    """Draws into the run's folder; gives each that was drawn. Other missions draw theirs when they run."""
    if not isinstance(run.scenario, Scenario):
        return
    with plt.rc_context(STYLE), np.errstate(all="ignore"):  # a run that went wrong has numbers that are none
        for drawing in DRAWINGS:
            figure = drawing.draw(run)
            if figure is None:
                continue
            figure.savefig(run.folder / f"{drawing.name}.png")
            plt.close(figure)
            yield drawing


def drawn(folder: Path) -> dict[str, str]:
    """The figures in a folder, whoever drew them: title by file name, ours first and in order."""
    known = {f"{drawing.name}.png": drawing.title for drawing in DRAWINGS}
    files = sorted(path.name for path in folder.glob("*.png"))
    ours = {name: title for name, title in known.items() if name in files}
    return ours | {name: _title(name) for name in files if name not in known}


def _title(name: str) -> str:
    words = Path(name).stem.replace("_", " ")
    return words[:1].upper() + words[1:]
