"""How figures of runs look, and what most of them need."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.run import Run

# Okabe and Ito: told apart by colour-blind readers too
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
VERMILION, PURPLE, GREY = "#D55E00", "#CC79A7", "#666666"
AXES = tuple(zip("xyz", (BLUE, ORANGE, GREEN)))
PHASE_COLOURS = {"synchronise": BLUE, "approach": ORANGE, "grasp": VERMILION, "hold": GREEN, "abort": GREY}

STYLE: Any = {
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "legend.fontsize": 8,
    "lines.linewidth": 1.2,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "savefig.dpi": 130,
}
#: points of a curve: more cannot be seen
MOST = 3000


def page(rows: int, columns: int = 1, height: float = 2.3, sharex: bool = True) -> tuple[Figure, Any]:
    """A figure of panels on top of and beside each other."""
    size = (9.0 if columns == 1 else 11.0), height * rows + 0.4
    return plt.subplots(rows, columns, figsize=size, sharex=sharex, layout="constrained", squeeze=False)


def finish(figure: Figure, run: Run, axes: Sequence[Axes]) -> Figure:
    """Phases, stop, legends and the axis of time, on panels that show something over time."""
    for axis in axes:
        shade(axis, run)
        legend_above(axis)
    axes[-1].set_xlabel("time [s]")
    return figure


def legend_above(axis: Axes) -> None:
    """In the line of the title, on the right: it hides no curve there."""
    handles, labels = axis.get_legend_handles_labels()
    if handles:
        axis.legend(handles, labels, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(handles),
                    borderaxespad=0.1, columnspacing=1.2, handlelength=1.6)


def shade(axis: Axes, run: Run) -> None:
    """Phases of the on-board software in the background, and where the supervisor stopped the run."""
    whole = run.phases[-1].end if run.phases else 0.0
    inside = axis.get_xaxis_transform()
    for name, start, end in run.phases:
        colour = PHASE_COLOURS[name]
        axis.axvspan(start, end, color=colour, alpha=0.07, linewidth=0)
        if end - start > 0.06 * whole:
            label = axis.text(0.5 * (start + end), 0.03, name, fontsize=8, ha="center", va="bottom", transform=inside)
            label.set_bbox({"facecolor": colour, "alpha": 0.15, "edgecolor": "none", "pad": 1.0})
    if run.stopped is not None:
        axis.axvline(run.stopped, color=VERMILION, linestyle="-.", linewidth=1.0)
        axis.text(run.stopped, 0.98, " stop", fontsize=8, color=VERMILION, va="top", transform=inside)


def thin(recording: Recording, signal: str) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and values, as many as can be seen."""
    every = max(1, len(recording[signal]) // MOST)
    return recording.times(signal)[::every], recording[signal][::every]


def at(recording: Recording, signal: str, times: np.ndarray) -> np.ndarray:
    """Values of a signal at other times [s]: the newest at or before each, the first before that."""
    rows = np.searchsorted(recording.stamps(signal), np.round(1e9 * times), side="right") - 1
    return recording[signal][np.maximum(rows, 0)]


def logarithmic(values: np.ndarray, least: float = 1e-17) -> np.ndarray:
    """Zeros cannot be drawn on a logarithmic axis."""
    return np.maximum(values, least)


def rotations(poses: np.ndarray) -> Rotation:
    """Of samples x, y, z, quaternion, ...; what is not a number becomes the identity, so that the rest can be drawn."""
    quaternions = poses[:, 3:7]
    good = np.isfinite(quaternions).all(axis=1) & (np.abs(quaternions).sum(axis=1) > 0.0)
    return Rotation.from_quat(np.where(good[:, None], quaternions, [0.0, 0.0, 0.0, 1.0]))


def relative(client: np.ndarray, servicer: np.ndarray) -> tuple[np.ndarray, Rotation]:
    """Position [m] and orientation of the servicer in the client's frame."""
    turned = rotations(client).inv()
    return turned.apply(servicer[:, :3] - client[:, :3]), turned * rotations(servicer)
