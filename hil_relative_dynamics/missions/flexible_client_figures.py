"""Figures of a flexible client: the hub's motion and its difference, the appendages, and what the sensor felt."""
from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.figure_style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION
from hil_relative_dynamics.evidence.flexible_ringing import HubMotion
from hil_relative_dynamics.facility.flexible_rig import simulated_body
from hil_relative_dynamics.scenario.appendage import Appendage
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, GREY)
LINES = {"simulated": "-", "physical": ":"}


def draw(scenario: FlexibleClient, recording: Recording, folder: Path) -> list[Path]:
    """hub.png as the paper's Figs. 7 and 8 or 10 and 11, appendages.png with its Fig. 9."""
    return [_hub(scenario, recording, folder / "hub.png"), _appendages(scenario, recording, folder / "appendages.png")]


def _hub(scenario: FlexibleClient, recording: Recording, path: Path) -> Path:
    motion = HubMotion.of(simulated_body(scenario), deflections_of(scenario.appendages))
    unit, factor = motion.unit
    flown = {name: factor * motion(recording[f"{name}/flange"]) for name in LINES if f"{name}/flange" in recording}
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 1, figsize=(9, 6.5), sharex=True, layout="constrained")
        figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
        what = "turn about" if motion.turns else "way along"
        axes[0].set_title(f"Hub as the robot flies it: {what} the axis of its swing")
        for (name, values), colour in zip(flown.items(), (BLUE, ORANGE)):
            times = recording.times(f"{name}/flange")
            axes[0].plot(times, values, LINES[name], color=colour, label=f"{name} appendages")
        axes[0].set_ylabel(f"hub [{unit}]")
        _legend(axes[0])
        if len(flown) == 2:
            _difference(axes[1], times, flown["physical"] - flown["simulated"], unit)
        else:
            _swing(axes[1], times, values, unit)
        axes[1].set_xlabel("time [s]")
        figure.savefig(path)
        plt.close(figure)
    return path


def _difference(axis: Axes, times: np.ndarray, difference: np.ndarray, unit: str) -> None:
    axis.set_title("Physical minus simulated")
    axis.plot(times, difference, color=VERMILION, label="difference")
    axis.set_ylabel(f"difference [{unit}]")
    _legend(axis)


def _swing(axis: Axes, times: np.ndarray, values: np.ndarray, unit: str) -> None:
    axis.set_title("The same without its drift")
    axis.plot(times, values - np.polyval(np.polyfit(times, values, 1), times), color=BLUE, label="swing")
    axis.set_ylabel(f"hub [{unit}]")
    _legend(axis)


def _appendages(scenario: FlexibleClient, recording: Recording, path: Path) -> Path:
    felt = "physical/wrench" in recording
    with plt.rc_context(STYLE):
        rows, height = (3, 9.0) if felt else (1, 4.0)
        figure, axes = plt.subplots(rows, 1, figsize=(9, height), sharex=True, layout="constrained")
        figure.suptitle(f"{scenario.name}: appendages", fontsize=11)
        tips, *below = np.atleast_1d(axes)
        tips.set_title("Tip deflection")
        for name, parts in {"simulated": scenario.appendages, "physical": scenario.on_flange}.items():
            if f"{name}/modes" in recording:
                _tips(tips, recording, name, parts)
        tips.set_ylabel("deflection [mm]")
        _legend(tips)
        for axis, title, part, unit in zip(below, ("Force", "Torque"), (slice(0, 3), slice(3, 6)), ("N", "N m")):
            axis.set_title(f"{title} of the physical appendages, as the F/T sensor tells it")
            for name, colour, values in zip("xyz", COLOURS, recording["physical/wrench"][:, part].T):
                axis.plot(recording.times("physical/wrench"), values, color=colour, label=name, linewidth=0.8)
            axis.set_ylabel(f"{title.lower()} [{unit}]")
            _legend(axis)
        (below or [tips])[-1].set_xlabel("time [s]")
        figure.savefig(path)
        plt.close(figure)
    return path


def _tips(axis: Axes, recording: Recording, name: str, parts: tuple[Appendage, ...]) -> None:
    signal, first = f"{name}/modes", 0
    for index, (part, colour) in enumerate(zip(parts, COLOURS * len(parts))):
        tip = recording[signal][:, first : first + part.modes].sum(axis=1)  # shapes are 1 at the tip
        axis.plot(recording.times(signal), 1e3 * tip, LINES[name], color=colour, label=f"{name}, {index + 1}")
        first += part.modes


def _legend(axis: Axes) -> None:
    """Beside the title, where no curve is."""
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncols=4)
