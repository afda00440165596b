"""Figures of a run: what an engineer would put in a paper."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.spatial.transform import Rotation

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.measure import Measures
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import Scenario

# Okabe and Ito: told apart by colour-blind readers too
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
VERMILION, PURPLE, GREY = "#D55E00", "#CC79A7", "#666666"

_STYLE: Any = {
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "legend.fontsize": 8,
    "lines.linewidth": 1.2,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}


def overview(path: Path, scenario: Scenario, recording: Recording, measures: Measures) -> None:
    """One page: what the method is for (top left), what acted, and how exact it was."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(3, 2, figsize=(11, 10.5), sharex=True, layout="constrained")
        figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
        _workspace(axes[0, 0], recording, np.array(scenario.client.grasp_point.position))
        _matching(axes[0, 1], measures)
        _wrenches(axes[1, 0], recording)
        _orbit(axes[1, 1], recording, measures)
        _torque(axes[2, 0], recording)
        _balance(axes[2, 1], measures)
        for axis in axes[2]:
            axis.set_xlabel("time [s]")
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _thin(recording: Recording, signal: str, most: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    every = max(1, len(recording[signal]) // most)
    return recording.times(signal)[::every], recording[signal][::every]


def _way(samples: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Distance of a point of the body from where it started [m]; NaN where a run went wrong."""
    axis, scalar = samples[:, 3:6], samples[:, 6:7]
    turned = point + 2.0 * (scalar * np.cross(axis, point) + np.cross(axis, np.cross(axis, point)))
    positions = samples[:, :3] + turned
    return np.linalg.norm(positions - positions[0], axis=1)


def _workspace(axis: Axes, recording: Recording, grasp_point: np.ndarray) -> None:
    axis.set_title("Way from the start: orbit and laboratory")
    for name, colour, point, absolute, measured in (
        ("client's grasp point", BLUE, grasp_point, signals.CLIENT_ABSOLUTE, signals.CLIENT_MEASURED),
        ("servicer's base", ORANGE, np.zeros(3), signals.SERVICER_ABSOLUTE, signals.SERVICER_MEASURED),
    ):
        times, samples = _thin(recording, absolute)
        axis.plot(times, _way(samples, point), color=colour, linestyle="--", label=f"{name} in orbit")
        times, samples = _thin(recording, measured)
        axis.plot(times, _way(samples, point), color=colour, label=f"{name} on its robot")
    axis.set_ylabel("distance [m]")
    axis.legend()


def _matching(axis: Axes, measures: Measures) -> None:
    axis.set_title("Nominal times relative against absolute motion")
    for name, colour, errors in (
        ("client", BLUE, measures.client_matching),
        ("servicer", ORANGE, measures.servicer_matching),
    ):
        times, position, orientation = measures.matching_times, _shown(errors[:, 0]), _shown(errors[:, 1])
        axis.semilogy(times, position, color=colour, label=f"{name}, position [m]")
        axis.semilogy(times, orientation, color=colour, linestyle=":", label=f"{name}, orientation [rad]")
    axis.set_ylim(1e-17, 1e-9)
    axis.set_ylabel("error")
    axis.legend(ncols=2, loc="upper center")


def _shown(values: np.ndarray) -> np.ndarray:
    """Zeros cannot be drawn on a logarithmic axis."""
    return np.maximum(values, 1e-17)


def _wrenches(axis: Axes, recording: Recording) -> None:
    axis.set_title("Forces")
    for name, colour, signal in (
        ("on the client", BLUE, signals.CLIENT_WRENCH),
        ("thrust on the servicer", ORANGE, signals.SERVICER_THRUST),
        ("on the end-effector", GREEN, signals.END_EFFECTOR_WRENCH),
    ):
        forces = np.linalg.norm(recording[signal][:, :3], axis=1)
        axis.step(recording.times(signal), forces, where="post", color=colour, label=name)
    axis.set_ylabel("force [N]")
    axis.legend()


def _orbit(axis: Axes, recording: Recording, measures: Measures) -> None:
    axis.set_title("Sampled facility against the servicer in orbit")
    if measures.orbit is None or measures.joint_error is None or measures.servicer_error is None:
        axis.text(0.5, 0.5, "not computed: contact closes the loop", ha="center", transform=axis.transAxes, color=GREY)
        return
    every = max(1, len(measures.orbit.times) // 3000)
    times, error = measures.orbit.times[::every], measures.joint_error[::every]
    axis.semilogy(times, _shown(error), color=GREEN, label="arm, largest joint [rad]")
    times, error = recording.times(signals.SERVICER_SIMULATED)[::every], measures.servicer_error[::every]
    axis.semilogy(times, _shown(error), color=ORANGE, label="base, position [m]")
    axis.set_ylim(bottom=1e-12)
    axis.set_ylabel("error")
    axis.legend()


def _torque(axis: Axes, recording: Recording) -> None:
    axis.set_title("Arm torque (22), largest joint")
    times, rows = _thin(recording, signals.ARM_TORQUE_TERMS)
    names = ("commanded", "gravity", "ff1", "ff2", "ff3")
    for index, (name, colour) in enumerate(zip(names, (GREY, BLUE, ORANGE, GREEN, PURPLE))):
        axis.semilogy(times, np.maximum(np.abs(rows[:, index]).max(axis=1), 1e-6), color=colour, label=name)
    axis.set_ylim(1e-6, 1e4)
    axis.set_ylabel("torque [N m]")
    axis.legend(ncols=3, loc="upper center")


def _balance(axis: Axes, measures: Measures) -> None:
    axis.set_title("Balance: change that nothing explains")
    for name, balance, style in (("client", measures.client, "-"), ("servicer", measures.servicer, "--")):
        every = max(1, len(balance.times) // 3000)
        for what, values, colour in (
            ("momentum [N s]", balance.linear, BLUE),
            ("angular [N m s]", balance.angular, VERMILION),
            ("energy [J]", balance.energy, GREEN),
        ):
            label = f"{name}, {what}"
            axis.semilogy(balance.times[::every], _shown(values[::every]), style, color=colour, label=label)
    axis.set_ylim(1e-14, 1e3)
    axis.set_ylabel("residual")
    axis.legend(ncols=2, loc="upper center")


PHASE_COLOURS = {"synchronise": BLUE, "approach": ORANGE, "grasp": VERMILION, "hold": GREEN, "abort": GREY}


def capture(path: Path, scenario: Scenario, recording: Recording) -> None:
    """Errors, actuation, relative rate and contact by phase, as the paper's Figs. 12 and 13."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(4, 1, figsize=(10, 11), sharex=True, layout="constrained")
        figure.suptitle(f"{scenario.name}: {scenario.description}", fontsize=11, wrap=True)
        times, status = _thin(recording, signals.ONBOARD_STATUS)
        for axis in axes:
            _shade(axis, times, status[:, 0])
        axes[0].set_title("Errors as the on-board software believes them")
        for column, name, colour, style in (
            (1, "base, position [m]", BLUE, "-"),
            (2, "base, angle [rad]", BLUE, ":"),
            (3, "gripper, position [m]", ORANGE, "-"),
            (4, "gripper, angle [rad]", ORANGE, ":"),
        ):
            axes[0].semilogy(times, np.maximum(status[:, column], 1e-6), style, color=colour, label=name)
        axes[0].set_ylabel("error")
        axes[1].set_title("Actuation")
        times, thrust = _thin(recording, signals.SERVICER_THRUST)
        axes[1].plot(times, np.linalg.norm(thrust[:, :3], axis=1), color=BLUE, label="thrust [N]")
        times, torque = _thin(recording, signals.ARM_ONBOARD_TORQUE)
        axes[1].plot(times, np.abs(torque).max(axis=1), color=ORANGE, label="largest on-board joint torque [N m]")
        axes[1].set_ylabel("size")
        _relative_rate(axes[2], recording)
        axes[3].set_title("Contact")
        times, wrench = _thin(recording, signals.CLIENT_WRENCH)
        axes[3].plot(times, np.linalg.norm(wrench[:, :3], axis=1), color=VERMILION, label="force on the client")
        axes[3].set_ylabel("force [N]")
        axes[3].set_xlabel("time [s]")
        for axis in axes:
            axis.legend(loc="upper right")
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _relative_rate(axis: Axes, recording: Recording) -> None:
    axis.set_title("Rate of the servicer relative to the client")
    times, servicer = _thin(recording, signals.SERVICER_ABSOLUTE)
    _, client = _thin(recording, signals.CLIENT_ABSOLUTE)
    turned = Rotation.from_quat(servicer[:, 3:7]).inv() * Rotation.from_quat(client[:, 3:7])
    rate = np.degrees(servicer[:, 10:13] - turned.apply(client[:, 10:13]))
    for index, (name, colour) in enumerate(zip("xyz", (BLUE, ORANGE, GREEN))):
        axis.plot(times, rate[:, index], color=colour, label=name, linewidth=0.9)
    axis.axhspan(-0.2, 0.2, color=GREY, alpha=0.12, label="+-0.2 deg/s, as published")
    axis.set_ylabel("rate [deg/s]")


def _shade(axis: Axes, times: np.ndarray, phases: np.ndarray) -> None:
    names = [phase.value for phase in Phase]
    starts = np.flatnonzero(np.diff(phases, prepend=-1.0))
    for start, end in zip(starts, [*starts[1:], len(times) - 1]):
        name = names[int(phases[start])]
        axis.axvspan(times[start], times[end], color=PHASE_COLOURS[name], alpha=0.07, linewidth=0)
        if times[end] - times[start] > 0.03 * times[-1]:
            middle = 0.5 * (times[start] + times[end])
            colour, inside = PHASE_COLOURS[name], axis.get_xaxis_transform()
            axis.text(middle, 0.02, name, fontsize=8, color=colour, ha="center", va="bottom", transform=inside)
