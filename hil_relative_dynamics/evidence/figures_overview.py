"""One page on a run: what the method is for, what acted, and how exact it was."""
from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.evidence.figure_style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILION,
    logarithmic,
    page,
    shade,
    thin,
)
from hil_relative_dynamics.evidence.figures_motion import path
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.evidence.traces import (
    CLIENT_BALANCE,
    CLIENT_MATCHING,
    ORBIT_ARM_ERROR,
    ORBIT_BASE_ERROR,
    SERVICER_BALANCE,
    SERVICER_MATCHING,
)
from hil_relative_dynamics.scenario import Scenario


def overview(run: Run) -> Figure | None:
    if not isinstance(run.scenario, Scenario) or CLIENT_MATCHING not in run.measures:
        return None
    figure, axes = page(3, 2, height=3.4)
    name = run.summary.get("scenario", run.scenario.name)
    figure.suptitle(f"{name}: {run.scenario.description}", fontsize=11, wrap=True)
    _workspace(axes[0, 0], run, np.array(run.scenario.client.grasp_point.position))
    _matching(axes[0, 1], run)
    _wrenches(axes[1, 0], run)
    _orbit(axes[1, 1], run)
    _torque(axes[2, 0], run)
    _balance(axes[2, 1], run)
    for axis in axes.flat:
        shade(axis, run)
    for axis in axes[2]:
        axis.set_xlabel("time [s]")
    return figure


def _workspace(axis: Axes, run: Run, grasp_point: np.ndarray) -> None:
    axis.set_title("Way from the start: orbit and laboratory")
    for name, colour, point, absolute, measured in (
        ("client's grasp point", BLUE, grasp_point, signals.CLIENT_ABSOLUTE, signals.CLIENT_MEASURED),
        ("servicer's base", ORANGE, np.zeros(3), signals.SERVICER_ABSOLUTE, signals.SERVICER_MEASURED),
    ):
        for signal, style, where in ((absolute, "--", "in orbit"), (measured, "-", "on its robot")):
            times, samples = thin(run.signals, signal)
            way = np.linalg.norm(path(samples, point), axis=1)
            axis.plot(times, way, style, color=colour, label=f"{name} {where}")
    axis.set_ylabel("distance [m]")
    axis.legend()


def _matching(axis: Axes, run: Run) -> None:
    axis.set_title("Nominal times relative against absolute motion")
    for name, colour, signal in (("client", BLUE, CLIENT_MATCHING), ("servicer", ORANGE, SERVICER_MATCHING)):
        times, errors = run.measures.times(signal), logarithmic(run.measures[signal])
        axis.semilogy(times, errors[:, 0], color=colour, label=f"{name}, position [m]")
        axis.semilogy(times, errors[:, 1], ":", color=colour, label=f"{name}, orientation [rad]")
    axis.set_ylim(1e-17, 1e-9)
    axis.set_ylabel("error")
    axis.legend(ncols=2, loc="upper center")


def _wrenches(axis: Axes, run: Run) -> None:
    axis.set_title("Forces")
    for name, colour, signal in (
        ("on the client", BLUE, signals.CLIENT_WRENCH),
        ("thrust on the servicer", ORANGE, signals.SERVICER_THRUST),
        ("on the end-effector", GREEN, signals.END_EFFECTOR_WRENCH),
    ):
        forces = np.linalg.norm(run.signals[signal][:, :3], axis=1)
        axis.step(run.signals.times(signal), forces, where="post", color=colour, label=name)
    axis.set_ylabel("force [N]")
    axis.legend()


def _orbit(axis: Axes, run: Run) -> None:
    axis.set_title("Sampled facility against the servicer in orbit")
    if ORBIT_ARM_ERROR not in run.measures:
        axis.text(0.5, 0.5, "not computed: contact closes the loop", ha="center", transform=axis.transAxes, color=GREY)
        return
    for name, colour, signal in (
        ("arm, largest joint [rad]", GREEN, ORBIT_ARM_ERROR),
        ("base, position [m]", ORANGE, ORBIT_BASE_ERROR),
    ):
        axis.semilogy(run.measures.times(signal), logarithmic(run.measures[signal]), color=colour, label=name)
    axis.set_ylim(bottom=1e-12)
    axis.set_ylabel("error")
    axis.legend()


def _torque(axis: Axes, run: Run) -> None:
    axis.set_title("Arm torque (22), largest joint")
    times, rows = thin(run.signals, signals.ARM_TORQUE_TERMS)
    names = ("commanded", "gravity", "ff1", "ff2", "ff3")
    for index, (name, colour) in enumerate(zip(names, (GREY, BLUE, ORANGE, GREEN, PURPLE))):
        axis.semilogy(times, logarithmic(np.abs(rows[:, index]).max(axis=1), 1e-6), color=colour, label=name)
    axis.set_ylim(1e-6, 1e4)
    axis.set_ylabel("torque [N m]")
    axis.legend(ncols=3, loc="upper center")


def _balance(axis: Axes, run: Run) -> None:
    axis.set_title("Balance: change that nothing explains")
    for name, signal, style in (("client", CLIENT_BALANCE, "-"), ("servicer", SERVICER_BALANCE, "--")):
        times, rows = run.measures.times(signal), logarithmic(run.measures[signal])
        for index, (what, colour) in enumerate(
            (("momentum [N s]", BLUE), ("angular [N m s]", VERMILION), ("energy [J]", GREEN))
        ):
            axis.semilogy(times, rows[:, index], style, color=colour, label=f"{name}, {what}")
    axis.set_ylim(1e-14, 1e3)
    axis.set_ylabel("residual")
    axis.legend(ncols=2, loc="upper center")
