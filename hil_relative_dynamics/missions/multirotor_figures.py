"""Figures of a flight: where it went (paper 003, Figs. 5 and 6), and how far it was off (Fig. 7)."""
from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from hil_relative_dynamics.evidence.figure_style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION
from hil_relative_dynamics.multirotor.flight import Flight
from hil_relative_dynamics.multirotor.measures import error_fit, errors
from hil_relative_dynamics.scenario.multirotor import MultirotorMission

PLAIN_AXES = ("x [m]", "y [m]", "z [m]")
ORBITAL_AXES = ("x, radial [m]", "y, along-track [m]", "z, cross-track [m]")


def draw(scenario: MultirotorMission, flight: Flight, folder: Path) -> list[Path]:
    """flight.png and error.png."""
    return [_flight(scenario, flight, folder / "flight.png"), _error(scenario, flight, folder / "error.png")]


def _title(scenario: MultirotorMission) -> str:
    return f"{scenario.name}: {scenario.description}"


def _flight(scenario: MultirotorMission, flight: Flight, path: Path) -> Path:
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(11, 8.5), layout="constrained")
        figure.suptitle(_title(scenario), fontsize=11, wrap=True)
        grid = figure.add_gridspec(3, 2, width_ratios=(1.0, 1.1))
        names = PLAIN_AXES if scenario.reference == "circle" else ORBITAL_AXES
        _above(figure.add_subplot(grid[:2, 0]), flight, names)
        _side(figure.add_subplot(grid[2, 0]), flight, names)
        axes = [figure.add_subplot(grid[row, 1]) for row in range(3)]
        _coordinates(axes[0], flight)
        _attitude(axes[1], flight)
        _distance(axes[2], flight)
        for axis in axes:
            axis.set_xlim(flight.times[0], flight.times[-1])
        axes[2].set_xlabel("time since the start of the reference [s]")
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path


def _above(axis: Axes, flight: Flight, names: tuple[str, ...]) -> None:
    axis.set_title("From above")
    axis.plot(*flight.wanted[:, :2].T, color=GREY, linewidth=2.5, alpha=0.6, label="reference")
    axis.plot(*flight.chaser[:, :2].T, color=BLUE, label="chaser")
    axis.plot(*flight.target[:, :2].T, color=ORANGE, label="target, hovering")
    centre, rule = flight.flyers.pose_target.translation[:2], flight.flyers.separation
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = np.array([np.cos(angles), np.sin(angles)])
    zone = centre[:, None] + rule.beside * circle
    axis.fill(*zone, color=VERMILION, alpha=0.12, linewidth=0)
    axis.plot(*zone, color=VERMILION, linestyle="--", label="keep-out zone of centres, D_min")
    for place, colour in ((flight.chaser[-1, :2], BLUE), (centre, ORANGE)):
        axis.plot(*(place[:, None] + rule.tip_radius * circle), color=colour, linewidth=0.9, linestyle=":")
    axis.plot([], [], color=GREY, linestyle=":", linewidth=0.9, label="blade tips at the end")
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel(names[0])
    axis.set_ylabel(names[1])
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=3)


def _side(axis: Axes, flight: Flight, names: tuple[str, ...]) -> None:
    axis.set_title("From the side")
    axis.plot(flight.wanted[:, 0], flight.wanted[:, 2], color=GREY, linewidth=2.5, alpha=0.6)
    axis.plot(flight.chaser[:, 0], flight.chaser[:, 2], color=BLUE)
    axis.plot(flight.target[:, 0], flight.target[:, 2], color=ORANGE)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel(names[0])
    axis.set_ylabel(names[2])


def _coordinates(axis: Axes, flight: Flight) -> None:
    axis.set_title("Position: flown (solid) and wanted (dashed)")
    centre = flight.flyers.pose_target.translation
    for index, (name, colour) in enumerate(zip("xyz", (BLUE, ORANGE, GREEN))):
        axis.plot(flight.times, flight.chaser[:, index] - centre[index], color=colour, label=name)
        axis.plot(flight.times, flight.wanted[:, index] - centre[index], color=colour, linestyle="--", linewidth=0.8)
    axis.margins(y=0.25)  # room for the legend
    axis.set_ylabel("from the target [m]")
    axis.legend(loc="upper right", ncols=3)


def _attitude(axis: Axes, flight: Flight) -> None:
    rows = flight.times >= 0.0
    axis.set_title("Roll and pitch")
    for index, (name, colour) in enumerate(zip(("roll", "pitch"), (BLUE, ORANGE))):
        angle = np.degrees(flight.attitude[:, index])
        label = f"{name}, standard deviation {angle[rows].std():.2f} deg"
        axis.plot(flight.times, angle, color=colour, linewidth=0.8, label=label)
    axis.axhspan(-1.0, 1.0, color=GREY, alpha=0.12, label="+-1 deg")
    axis.set_ylim(-3.0, 3.0)
    axis.set_ylabel("angle [deg]")
    axis.legend(loc="upper right", ncols=2)


def _distance(axis: Axes, flight: Flight) -> None:
    axis.set_title("Distance of the vehicles")
    gap, rule = flight.chaser - flight.target, flight.flyers.separation
    axis.plot(flight.times, np.linalg.norm(gap, axis=1), color=BLUE, label="between centres")
    beside = np.hypot(gap[:, 0], gap[:, 1])
    axis.plot(flight.times, beside - 2.0 * rule.tip_radius, color=PURPLE, label="between blade tips, horizontal")
    axis.axhline(rule.beside, color=VERMILION, linestyle="--", label=f"D_min = {rule.beside:.2f} m, centres")
    for state in flight.story[1:]:
        axis.axvline(state.since, color=GREY, linestyle=":")
        side = "right" if state.since > 0.8 * flight.times[-1] else "left"
        inside = axis.get_xaxis_transform()
        axis.text(state.since, 0.05, f" {state.doing} ", color=GREY, fontsize=8, ha=side, transform=inside)
    axis.set_ylim(0.0, 1.6 * float(np.linalg.norm(gap, axis=1).max()))
    axis.set_ylabel("distance [m]")
    axis.legend(loc="upper right", ncols=2)


def _error(scenario: MultirotorMission, flight: Flight, path: Path) -> Path:
    """The paper's Fig. 7, and what the estimator thought of itself."""
    rows = (flight.times >= 0.0) & (flight.times <= flight.ended)
    times, error, fit = flight.times[rows], 100.0 * errors(flight)[rows], error_fit(flight)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(2, 1, figsize=(10, 7), sharex=True, layout="constrained")
        figure.suptitle(_title(scenario), fontsize=11, wrap=True)
        axes[0].set_title("Distance from the reference, linear fit and 95 % prediction interval")
        every = max(1, len(times) // 250)
        axes[0].plot(times[::every], error[::every], "o", color=BLUE, markersize=3, alpha=0.6, label="samples")
        line, width = 100.0 * fit.at(times), 100.0 * fit.half_width(times)
        axes[0].plot(times, line, color=ORANGE, linewidth=2, label="linear fit")
        axes[0].plot(times, line + width, color=PURPLE, linestyle=":", label="95 % prediction interval")
        axes[0].plot(times, line - width, color=PURPLE, linestyle=":")
        limit = scenario.criteria.largest_error
        if limit is not None:
            axes[0].axhline(100.0 * limit, color=VERMILION, linestyle="--", label=f"published: {100.0 * limit:.3g} cm")
        axes[0].set_ylabel("error [cm]")
        axes[1].set_title("Navigation: error of position, and squared error of all 15 states by their covariance")
        wrong = 1e3 * np.linalg.norm(flight.estimated - flight.chaser, axis=1)[rows]
        axes[1].plot(times, wrong, color=GREEN, linewidth=0.8, label="position error [mm]")
        axes[1].plot(times, flight.consistency[rows], color=GREY, linewidth=0.8, label="NEES, 15 on average")
        axes[1].set_yscale("log")
        axes[1].set_xlabel("time since the start of the reference [s]")
        for axis in axes:
            axis.legend(loc="upper right", ncols=2)
        figure.savefig(path, dpi=130)
        plt.close(figure)
    return path
