"""Figures of the on-board software: what it sees and what it does, by phase."""
from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.evidence.figure_style import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    VERMILION,
    at,
    finish,
    logarithmic,
    page,
    rotations,
    thin,
)
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.sensors.suite import FIELDS, NEVER

STAMP, ATTITUDE = FIELDS.index("star_tracker_stamp"), FIELDS.index("attitude_x")
ARCSECONDS = 3600.0 * 180.0 / np.pi


def star_tracker(run: Run) -> Figure | None:
    """As the core paper's Fig. 10: what the sensor tells against the attitude at that time."""
    if not all(name in run.signals for name in (signals.SENSORS_READINGS, signals.SERVICER_SIMULATED)):
        return None
    times, readings = thin(run.signals, signals.SENSORS_READINGS)
    come = readings[:, STAMP] != NEVER
    if not come.any():
        return None
    times, readings = times[come], readings[come]
    told = readings[:, ATTITUDE : ATTITUDE + 4]
    truth = at(run.signals, signals.SERVICER_SIMULATED, times)[:, 0, 3:7]
    taken = at(run.signals, signals.SERVICER_SIMULATED, 1e-9 * readings[:, STAMP])[:, 0]
    told = told * np.sign(np.sum(told * truth, axis=1))[:, None]  # q and -q are one attitude
    figure, axes = page(5, height=1.6)
    for index, (name, colour) in enumerate(zip(("x", "y", "z", "w"), (BLUE, ORANGE, GREEN, PURPLE))):
        axis = axes[index, 0]
        axis.plot(times, told[:, index], color=colour, drawstyle="steps-post", label="star tracker")
        axis.plot(times, truth[:, index], "--", color="black", linewidth=0.8, label="dynamics")
        axis.set_ylabel(f"$q_{name}$")
    error = ARCSECONDS * (rotations(taken).inv() * Rotation.from_quat(told)).magnitude()
    label = f"angle, mean {error.mean():.3g} arcsec"
    axes[4, 0].plot(times, error, color=VERMILION, drawstyle="steps-post", label=label)
    axes[4, 0].set_ylabel("error [arcsec]")
    axes[0, 0].set_title("Attitude of the servicer; error at the time of exposure")
    return finish(figure, run, axes[:, 0])


def capture(run: Run) -> Figure | None:
    """As the core paper's Fig. 12: errors and actuation by phase."""
    needed = signals.ONBOARD_STATUS, signals.SERVICER_THRUST, signals.ARM_ONBOARD_TORQUE
    if not all(name in run.signals for name in needed):
        return None
    figure, axes = page(4, height=2.2)
    times, status = thin(run.signals, signals.ONBOARD_STATUS)
    for column, name, colour, style in (
        (1, "base, position [m]", BLUE, "-"),
        (2, "base, angle [rad]", BLUE, ":"),
        (3, "gripper, position [m]", ORANGE, "-"),
        (4, "gripper, angle [rad]", ORANGE, ":"),
    ):
        axes[0, 0].semilogy(times, logarithmic(status[:, column], 1e-6), style, color=colour, label=name)
    axes[0, 0].set_title("Believed errors")
    axes[0, 0].set_ylabel("error")
    times, thrust = thin(run.signals, signals.SERVICER_THRUST)
    axes[1, 0].plot(times, np.linalg.norm(thrust[:, :3], axis=1), color=BLUE, label="force")
    axes[1, 0].set_title("Thrusters on the base")
    axes[1, 0].set_ylabel("force [N]")
    axes[2, 0].plot(times, np.linalg.norm(thrust[:, 3:], axis=1), color=GREEN, label="torque")
    axes[2, 0].set_ylabel("torque [N m]")
    times, torque = thin(run.signals, signals.ARM_ONBOARD_TORQUE)
    colours = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, "#56B4E9", "#000000")
    for index, column in enumerate(torque.T):
        axes[3, 0].plot(times, column, color=colours[index % 7], linewidth=0.8, label=f"joint {index + 1}")
    axes[3, 0].set_title("Joint torques")
    axes[3, 0].set_ylabel("torque [N m]")
    return finish(figure, run, axes[:, 0])
