"""Figures of how the run itself went: exactness of the method, and the loop's timing."""
from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hil_relative_dynamics.evidence.figure_style import (
    BLUE,
    GREEN,
    GREY,
    MOST,
    ORANGE,
    VERMILION,
    finish,
    logarithmic,
    page,
)
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.evidence.traces import (
    CLIENT_BALANCE,
    CLIENT_MATCHING,
    ORBIT_ARM_ERROR,
    ORBIT_BASE_ERROR,
    SERVICER_BALANCE,
    SERVICER_MATCHING,
    WALL_TIME,
    lateness,
)


def exactness(run: Run) -> Figure | None:
    """Nominal times relative against absolute; momentum and energy balances; the same servicer in orbit."""
    if CLIENT_MATCHING not in run.measures:
        return None
    orbit = ORBIT_ARM_ERROR in run.measures
    figure, axes = page(4 + orbit, height=1.9)
    measures = run.measures
    for name, colour, signal in (("client", BLUE, CLIENT_MATCHING), ("servicer", ORANGE, SERVICER_MATCHING)):
        times, rows = measures.times(signal), logarithmic(measures[signal])
        axes[0, 0].semilogy(times, rows[:, 0], color=colour, label=f"{name} [m]")
        axes[0, 0].semilogy(times, rows[:, 1], ":", color=colour, label=f"{name} [rad]")
    axes[0, 0].set_title("Nominal times relative against absolute")
    axes[0, 0].set_ylabel("error")
    units = ("linear momentum [N s]", "angular momentum [N m s]", "energy [J]")
    for index, (axis, unit) in enumerate(zip(axes[1:4, 0], units)):
        for name, colour, signal in (("client", BLUE, CLIENT_BALANCE), ("servicer", ORANGE, SERVICER_BALANCE)):
            rows = logarithmic(measures[signal][:, index])
            axis.semilogy(measures.times(signal), rows, color=colour, label=name)
        axis.set_ylabel(unit, fontsize=8)
    axes[1, 0].set_title("Balance: change that neither impulse nor work explains")
    if orbit:
        for name, colour, signal in (("arm, largest joint [rad]", GREEN, ORBIT_ARM_ERROR),
                                     ("base [m]", ORANGE, ORBIT_BASE_ERROR)):
            axes[4, 0].semilogy(measures.times(signal), logarithmic(measures[signal]), color=colour, label=name)
        axes[4, 0].set_title("Sampled facility against the same servicer in orbit")
        axes[4, 0].set_ylabel("error")
    return finish(figure, run, axes[:, 0])


def timing(run: Run) -> Figure | None:
    """When the ticks began: against the clock in real time, else how long each took."""
    if WALL_TIME not in run.measures or len(run.measures[WALL_TIME]) < 3:
        return None
    stamps, wall = run.measures.times(WALL_TIME)[1:], run.measures[WALL_TIME][1:]  # the first one waits for everybody
    period = float(run.summary.get("tick_period_s", np.diff(stamps).min()))
    between = 1e3 * np.diff(wall)
    figure, axes = page(2, height=2.7, sharex=False)
    if run.summary.get("mode") == "realtime":
        late = 1e3 * lateness(stamps, wall, period)
        axes[0, 0].plot(*_peaks(stamps[1:], late), color=BLUE, label="how late a tick began")
        axes[0, 0].axhline(1e3 * period, color=VERMILION, linewidth=0.9, label="one period: a missed deadline")
        axes[0, 0].set_title("Lateness against the clock, largest in each interval")
        axes[0, 0].set_ylabel("lateness [ms]")
    else:
        axes[0, 0].plot(*_peaks(stamps[1:], between), color=BLUE, label="from one tick to the next")
        axes[0, 0].set_title("Time each tick took, largest in each interval")
        axes[0, 0].set_ylabel("duration [ms]")
    axes[0, 0].set_yscale("log")
    finish(figure, run, axes[:1, 0])
    top = max(float(np.quantile(between, 0.999)), 2e3 * period)
    axes[1, 0].hist(np.minimum(between, top), bins=100, color=GREY, log=True, label="ticks")
    axes[1, 0].axvline(1e3 * period, color=VERMILION, linewidth=0.9, label="period of the scenario")
    axes[1, 0].axvline(float(np.median(between)), color=BLUE, linewidth=0.9, label="median")
    axes[1, 0].set_title("Time from one tick to the next; the last bar holds all longer ones")
    axes[1, 0].set_xlabel("time [ms]")
    axes[1, 0].set_ylabel("number of ticks")
    axes[1, 0].legend()
    return figure


def _peaks(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Few enough to draw, none of the large ones left out."""
    width = -(-len(values) // MOST)
    whole = len(values) // width * width
    return times[:whole:width], values[:whole].reshape(-1, width).max(axis=1)
