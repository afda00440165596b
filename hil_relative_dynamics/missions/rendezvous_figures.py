"""Figures of a rendezvous: the way in LVLH axes, and the contact phase as the paper's Figs. 7 and 9."""
from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from hil_relative_dynamics.berthing.contact_phase import PHASES, ContactLog
from hil_relative_dynamics.berthing.voyage import Voyage
from hil_relative_dynamics.evidence.figure_style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION

DIRECTIONS = ("radial", "along-track", "cross-track")
AXES = (("x", BLUE), ("y", ORANGE), ("z", GREEN))
COLOURS = (BLUE, ORANGE, VERMILION, GREEN, PURPLE, BLUE, ORANGE, VERMILION, GREEN)


def draw(voyage: Voyage, folder: Path) -> list[Path]:
    """orbit.png (if any was flown) and contact.png (if anything came near)."""
    drawn = []
    if voyage.tracks:
        drawn.append(_orbit(voyage, folder / "orbit.png"))
    if voyage.contact is not None:
        drawn.append(_contact(voyage, voyage.contact.log, folder / "contact.png"))
    return drawn


def _title(voyage: Voyage) -> str:
    return f"{voyage.scenario.name}: {voyage.scenario.description}"


def _orbit(voyage: Voyage, path: Path) -> Path:
    times = np.concatenate([track.times for track in voyage.tracks])
    relative = np.concatenate([track.relative for track in voyage.tracks])
    pulses = [pulse for track in voyage.tracks for pulse in track.pulses]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
        figure.suptitle(_title(voyage), fontsize=11, wrap=True)
        _way(axes[0, 0], times, relative, [time for time, _ in pulses], voyage.scenario.handover)
        _distance(axes[0, 1], times, relative, voyage.scenario.handover)
        axes[1, 0].set_title("Rate in LVLH axes")
        for column, (name, colour) in enumerate(AXES, start=3):
            axes[1, 0].plot(times, relative[:, column], color=colour, label=f"{name}, {DIRECTIONS[column - 3]}")
        axes[1, 0].set_ylabel("rate [m/s]")
        axes[1, 0].legend()
        axes[1, 1].set_title("Impulses and attitude")
        sizes = [float(np.linalg.norm(change)) for _, change in pulses]
        if pulses:
            axes[1, 1].vlines([time for time, _ in pulses], 1e-6, sizes, color=VERMILION, label="impulse [m/s]")
        facing = np.concatenate([track.facing for track in voyage.tracks])
        axes[1, 1].semilogy(times, np.maximum(facing, 1e-6), color=BLUE, label="attitude error [rad]")
        axes[1, 1].set_ylim(1e-6, 2.0 * max([1e-3, float(facing.max()), *sizes]))
        axes[1, 1].set_ylabel("size")
        axes[1, 1].legend()
        for axis in (axes[0, 1], axes[1, 0], axes[1, 1]):
            axis.set_xlabel("time [s]")
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path


def _way(axis: Axes, times: np.ndarray, relative: np.ndarray, pulses: list[float], handover: float) -> None:
    axis.set_title("Way in the orbital plane, target at the origin")
    axis.plot(relative[:, 1], relative[:, 0], color=BLUE, label="chaser")
    fired = np.searchsorted(times, pulses).clip(max=len(times) - 1)
    axis.plot(relative[fired, 1], relative[fired, 0], "o", color=VERMILION, markersize=3, label="impulses")
    axis.plot(0.0, 0.0, "s", color="black", markersize=4, label="target")
    ring = np.linspace(0.0, 2.0 * np.pi, 100)
    axis.plot(handover * np.cos(ring), handover * np.sin(ring), color=GREY, linewidth=0.8, label=f"{handover:g} m")
    if np.abs(relative[:, :2]).max() > 50.0:  # the end of a long way, closer
        near, close = np.linalg.norm(relative[:, :3], axis=1) < 25.0, axis.inset_axes((0.3, 0.62, 0.4, 0.36))
        close.plot(relative[near, 1], relative[near, 0], color=BLUE)
        shown = fired[near[fired]]
        close.plot(relative[shown, 1], relative[shown, 0], "o", color=VERMILION, markersize=2)
        close.plot(0.0, 0.0, "s", color="black", markersize=3)
        close.plot(handover * np.cos(ring), handover * np.sin(ring), color=GREY, linewidth=0.8)
        close.set_aspect("equal", adjustable="datalim")
        close.tick_params(labelsize=7)
    axis.set_xlabel("along-track y [m]")
    axis.set_ylabel("radial x [m]")
    axis.set_aspect("equal", adjustable="datalim")
    axis.legend()


def _distance(axis: Axes, times: np.ndarray, relative: np.ndarray, handover: float) -> None:
    axis.set_title("Distance and closing speed")
    distance = np.linalg.norm(relative[:, :3], axis=1)
    speed = np.abs(np.einsum("ij,ij->i", relative[:, :3], relative[:, 3:])) / distance
    axis.semilogy(times, distance, color=BLUE, label="distance [m]")
    axis.semilogy(times, np.maximum(speed, 1e-4), color=ORANGE, label="closing (or opening) speed [m/s]")
    axis.axhline(handover, color=GREY, linewidth=0.8, linestyle="--", label=f"hand-over at {handover:g} m")
    axis.set_ylabel("size")
    axis.legend()


def _contact(voyage: Voyage, log: ContactLog, path: Path) -> Path:
    published = {"berthing": "Fig. 7", "unberthing": "Fig. 9"}
    times, velocity, position = np.array(log.times), np.array(log.velocity), np.array(log.position)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(4, 1, figsize=(10, 12), sharex=True, layout="constrained")
        figure.suptitle(_title(voyage), fontsize=11, wrap=True)
        for axis in axes:
            _shade(axis, times, log.phases, 0.06e-9 * voyage.scenario.duration_ns if axis is axes[0] else np.inf)
        axes[0].set_title(f"Relative velocity of the CoMs in target axes, as {published[voyage.scenario.sequence]}")
        for column, (name, colour) in enumerate(AXES):
            axes[0].plot(times, 1e3 * velocity[:, column], color=colour, label=f"along {name.upper()}")
            for track in voyage.tracks:
                axes[0].plot(track.times, 1e3 * np.array(track.velocity)[:, column], ":", color=colour)
        axes[0].plot([], [], ":", color="black", label="in the orbital phase")
        axes[0].set_ylabel("velocity [mm/s]")
        axes[1].set_title("Position of the servicer's CoM in target axes")
        axes[1].plot(times, np.linalg.norm(position, axis=1), color=GREY, linestyle="--", label="distance")
        for column, (name, colour) in enumerate(AXES):
            axes[1].plot(times, position[:, column], color=colour, label=name)
        axes[1].set_ylabel("position [m]")
        axes[2].set_title("Contact: what fingers and ports press with")
        axes[2].plot(times, log.fingers, color=VERMILION, label="fingers, both together")
        axes[2].plot(times, log.port, color=PURPLE, label="ports")
        axes[2].set_ylabel("force [N]")
        axes[3].set_title("Balance: work of contact and what it stores may only fall; momentum stays")
        axes[3].plot(times, 1e3 * np.array(log.gain), color=GREEN, label="energy of contact [mJ]")
        axes[3].set_ylabel("energy [mJ]")
        momentum = axes[3].twinx()
        momentum.semilogy(times, np.maximum(log.residual, 1e-14), color=BLUE, linewidth=0.8, label="momentum residual")
        momentum.set_ylabel("momentum residual [N s]")
        momentum.set_ylim(1e-14, 1e-6)
        momentum.grid(False)
        axes[3].set_xlabel("time [s]")
        for axis, place in zip(axes, ("best", "center right", "upper right")):
            axis.legend(loc=place)
        lines = [*axes[3].get_lines(), *momentum.get_lines()]
        axes[3].legend(lines, [str(line.get_label()) for line in lines], loc="upper right")
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path


def _shade(axis: Axes, times: np.ndarray, phases: list[int], named_from: float) -> None:
    """Each phase in its colour; named if it lasts at least `named_from` [s]."""
    starts = np.flatnonzero(np.diff(phases, prepend=-1))
    for first, last in zip(starts, [*starts[1:], len(times) - 1]):
        colour = COLOURS[phases[first]]
        axis.axvspan(times[first], times[last], color=colour, alpha=0.07, linewidth=0)
        if times[last] - times[first] > named_from:
            middle, inside = 0.5 * (times[first] + times[last]), axis.get_xaxis_transform()
            text = PHASES[phases[first]].value
            axis.text(middle, 0.02, text, fontsize=8, color=colour, ha="center", va="bottom", transform=inside)
