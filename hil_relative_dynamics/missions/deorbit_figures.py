"""Figures of a push through surface contact, as the paper's Figs. 3 to 5 and 7 to 11."""
from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hil_relative_dynamics.deorbit.line_motion import LineMotion
from hil_relative_dynamics.deorbit.measures import lateral
from hil_relative_dynamics.deorbit.track import Track
from hil_relative_dynamics.evidence.figure_style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION
from hil_relative_dynamics.scenario.deorbit import Deorbit, DeorbitBodies

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, GREY)
VIEW = 12.0
"""Periods of the contact that a close view of a run along a line shows."""


def line(folder: Path, scenario: Deorbit, motion: LineMotion) -> list[Path]:
    """line.png: the whole run, and a close view of each step of thrust, as the paper's Figs. 3 to 5."""
    changed = [phase for before, phase in pairwise(motion.phases) if before.thrust != phase.thrust]
    steps = [phase.start for phase in [motion.phases[0], *changed] if phase.thrust or phase.start][:4]
    with plt.rc_context(STYLE):
        columns = 1 + len(steps)
        figure, axes = plt.subplots(2, columns, figsize=(3.0 * columns, 5.5), layout="constrained", squeeze=False)
        figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
        view, end = VIEW * 2.0 * np.pi / motion.line.frequency, motion.phases[-1].end
        _line_column(axes[:, 0], motion, 0.0, end)
        for axis, name in zip(axes[:, 0], ("force [N]", "gap [µm], compressed < 0")):
            axis.set_ylabel(name)
        axes[0, 0].set_title("The whole run")
        axes[0, 0].legend(loc="upper right")
        axes[1, 0].set_xlabel("time [s]")
        for column, start in enumerate(steps, start=1):
            _line_column(axes[:, column], motion, start, min(start + view, end), zoom=True)
            axes[0, column].set_title(f"From {start:g} s")
            axes[1, column].set_xlabel("time from then on [ms]")
        return [_saved(figure, folder / "line.png")]


def _line_column(axes: np.ndarray, motion: LineMotion, first: float, last: float, zoom: bool = False) -> None:
    times = np.linspace(first, last, 4000)
    thrust, gap, _, force = motion.sampled(times).T
    shown = 1e3 * (times - first) if zoom else times
    axes[0].plot(shown, thrust, color=GREY, label="thrust")
    axes[0].plot(shown, force, color=BLUE, label="contact force", linewidth=0.9)
    axes[1].plot(shown, 1e6 * gap, color=BLUE, linewidth=0.9)
    axes[1].fill_between(shown, 0.0, 1e6 * np.maximum(gap, 0.0), color=VERMILION, alpha=0.4, label="apart")
    for axis in axes:
        axis.axhline(0.0, color="black", linewidth=0.6)
    if gap.max() > 0.0:
        axes[1].legend(loc="upper right")
    if zoom:  # a gap that goes on growing would hide the compression
        lowest = 1e6 * float(gap.min())
        axes[1].set_ylim(1.15 * lowest, -1.15 * lowest if gap.max() > 0.0 else -0.15 * lowest)


def space(folder: Path, scenario: Deorbit, bodies: DeorbitBodies, track: Track, structure: LineMotion) -> list[Path]:
    """What a run shows: attitude, forces, sliding where the bodies may slide, thrust where it is modulated."""
    with plt.rc_context(STYLE):
        drawn = [_forces(folder / "forces.png", scenario, bodies, track)]
        drawn.append(_attitude(folder / "attitude.png", scenario, track))
        if bodies.contact.friction != "held":
            drawn.append(_sliding(folder / "sliding.png", scenario, track))
        if bodies.boost.modulation != "none":
            drawn.append(_thrust(folder / "thrust.png", scenario, bodies, track, structure))
    return drawn


def _page(scenario: Deorbit, rows: int, height: float = 2.7) -> tuple[Figure, np.ndarray]:
    figure, axes = plt.subplots(rows, 1, figsize=(9, height * rows), sharex=True, layout="constrained")
    figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
    axes[-1].set_xlabel("time [s]")
    return figure, axes


def _plot(axis: Axes, times: np.ndarray, columns: np.ndarray, names: tuple[str, ...] | list[str]) -> None:
    for values, name, colour in zip(columns.T, names, COLOURS):
        axis.plot(times, values, color=colour, label=name)
    axis.legend(loc="upper right", ncols=min(3, len(names)))


def _forces(path: Path, scenario: Deorbit, bodies: DeorbitBodies, track: Track) -> Path:
    """The paper's Figs. 9 and 11."""
    figure, (feet, across, torque) = _page(scenario, 3)
    feet.set_title("Normal force of each foot")
    _plot(feet, track.times, track.normal, [f"foot {index + 1}" for index in range(track.normal.shape[1])])
    if bodies.robot is not None:
        feet.legend(loc="lower right", ncols=3)
    feet.axhline(0.0, color="black", linewidth=0.6)
    feet.set_ylabel("force [N]")
    if bodies.robot is None:
        across.set_title("Lateral force on the target, in the chaser's axes")
        _plot(across, track.times, np.column_stack([track.force[:, 1:], lateral(track)]), ("y", "z", "size"))
        limit = bodies.contact.coefficient * track.normal.sum(axis=1)
        across.plot(track.times, limit, "--", color=GREY, label=f"{bodies.contact.coefficient:g} x normal force")
        across.set_ylim(-130.0, 300.0)
        across.legend(loc="upper right", ncols=4)
        torque.set_title("Torque of the feet about the thrust axis")
        torque.plot(track.times, track.torque_x, color=BLUE, label="torque about x")
        if bodies.boost.modulation == "none":
            torque.axhspan(-5.0, 5.0, color=GREY, alpha=0.12, label="±5 N m, as published")
    else:
        across.set_title("Robot: lateral force, damping only")
        _plot(across, track.times, track.robot[:, :2], ("y", "z"))
        torque.set_title("Robot: torque about the thrust axis")
        torque.plot(track.times, track.robot[:, 2], color=BLUE, label="torque about x")
    across.set_ylabel("force [N]")
    torque.set_ylabel("torque [N m]")
    torque.legend(loc="upper right")
    return _saved(figure, path)


def _attitude(path: Path, scenario: Deorbit, track: Track) -> Path:
    """The paper's Fig. 8."""
    figure, (angles, rates) = _page(scenario, 2)
    angles.set_title("Attitude of the target")
    _plot(angles, track.times, np.degrees(np.unwrap(track.attitude, axis=0)), ("roll", "pitch", "yaw"))
    angles.set_ylabel("angle [deg]")
    rates.set_title("Angular velocity of the target, in its axes")
    _plot(rates, track.times, np.degrees(track.rate), ("x", "y", "z"))
    rates.set_ylabel("rate [deg/s]")
    return _saved(figure, path)


def _sliding(path: Path, scenario: Deorbit, track: Track) -> Path:
    """The paper's Fig. 10."""
    figure, (ways, rates) = _page(scenario, 2)
    ways.set_title("Target's CoM from the thrust axis")
    _plot(ways, track.times, track.deviation, ("y", "z"))
    ways.set_ylabel("deviation [m]")
    rates.set_title("Its rate")
    _plot(rates, track.times, track.deviation_rate, ("y", "z"))
    rates.set_ylabel("rate [m/s]")
    return _saved(figure, path)


def _thrust(path: Path, scenario: Deorbit, bodies: DeorbitBodies, track: Track, structure: LineMotion) -> Path:
    """The paper's Fig. 7, with what a stiff structure makes of it."""
    figure, axes = plt.subplots(3, 1, figsize=(9, 8), layout="constrained")
    figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
    last, cycle = float(track.times[-1]), 1e-9 * bodies.boost.cycle_ns
    middle = 0.5 * last
    for axis, (start, end), title in (
        (axes[0], (middle, min(last, middle + 6.0 * cycle)), "Thrust, close up"),
        (axes[1], (0.0, last), "Thrust, the whole boost"),
    ):
        inside = (track.times >= start) & (track.times <= end)
        axis.step(track.times[inside], track.thrust[inside], where="post", color=BLUE, linewidth=0.9)
        axis.set_title(title)
        axis.set_ylabel("thrust [N]")
        axis.set_ylim(0.0, 1.05 * track.thrust.max())
    times = np.linspace(middle, min(last, middle + 6.0 * cycle), 20_000)
    axes[2].set_title(f"Contact force along a line, structure of {bodies.boost.stiffness:g} N/m")
    axes[2].plot(times, structure.sampled(times)[:, 3], color=ORANGE, linewidth=0.7)
    axes[2].axhline(0.0, color="black", linewidth=0.6)
    axes[2].set_ylabel("force [N]")
    axes[2].set_xlabel("time [s]")
    return _saved(figure, path)


def _saved(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
