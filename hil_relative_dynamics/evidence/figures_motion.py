"""Figures of motion: servicer relative to client, and what both formulations ask of a robot's workspace."""
from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.evidence.figure_style import (
    AXES,
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    at,
    finish,
    page,
    relative,
    rotations,
    thin,
)
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.evidence.traces import ORBIT_BASE
from hil_relative_dynamics.scenario import Scenario

ABSOLUTE = signals.CLIENT_ABSOLUTE, signals.SERVICER_ABSOLUTE
MEASURED = signals.CLIENT_MEASURED, signals.SERVICER_MEASURED
SIMULATED = signals.CLIENT_SIMULATED, signals.SERVICER_SIMULATED


def _poses(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, str]:
    """Times; client and servicer as the facility showed them, and as they should be; what these are called."""
    times, simulated = thin(run.signals, signals.SERVICER_SIMULATED)
    client, servicer = (at(run.signals, name, times) for name in ABSOLUTE)
    wanted_client = at(run.signals, signals.CLIENT_SIMULATED, times)[:, 0]
    if ORBIT_BASE in run.measures:
        return times, client, servicer, wanted_client, at(run.measures, ORBIT_BASE, times), "servicer in orbit alone"
    return times, client, servicer, wanted_client, simulated[:, 0], "simulated dynamics"


def position(run: Run) -> Figure | None:
    """As the core paper's Fig. 8."""
    if not all(name in run.signals for name in (*ABSOLUTE, *SIMULATED)):
        return None
    times, client, servicer, wanted_client, wanted_servicer, reference = _poses(run)
    reached, wanted = relative(client, servicer)[0], relative(wanted_client, wanted_servicer)[0]
    figure, axes = page(4, height=1.9)
    for index, (name, colour) in enumerate(AXES):
        axis = axes[index, 0]
        axis.plot(times, reached[:, index], color=colour, label="facility (23)")
        axis.plot(times, wanted[:, index], "--", color="black", linewidth=0.9, label=reference)
        axis.set_ylabel(f"{name} [m]")
    error = 1e3 * np.linalg.norm(reached - wanted, axis=1)
    axes[3, 0].plot(times, error, color=VERMILION, label=f"distance, largest {np.nanmax(error):.3g} mm")
    axes[3, 0].set_ylabel("error [mm]")
    axes[0, 0].set_title("Servicer relative to the client, client axes")
    return finish(figure, run, axes[:, 0])


def orientation(run: Run) -> Figure | None:
    """As the core paper's Fig. 9, all three angles."""
    if not all(name in run.signals for name in (*ABSOLUTE, *SIMULATED)):
        return None
    times, client, servicer, wanted_client, wanted_servicer, reference = _poses(run)
    reached, wanted = relative(client, servicer)[1], relative(wanted_client, wanted_servicer)[1]
    figure, axes = page(4, height=1.9)
    angles, wanted_angles = (
        np.degrees(np.unwrap(turned.as_euler("ZYX"), axis=0)) for turned in (reached, wanted)
    )
    wanted_angles += 360.0 * np.round((angles[0] - wanted_angles[0]) / 360.0)  # both unwrapped from the same turn
    for index, (name, (_, colour)) in enumerate(zip(("yaw", "pitch", "roll"), AXES)):
        axis = axes[index, 0]
        axis.plot(times, angles[:, index], color=colour, label="facility (23)")
        axis.plot(times, wanted_angles[:, index], "--", color="black", linewidth=0.9, label=reference)
        axis.set_ylabel(f"{name} [deg]")
    error = (wanted.inv() * reached).magnitude()
    axes[3, 0].plot(times, error, color=VERMILION, label=f"angle, largest {np.nanmax(error):.3g} rad")
    axes[3, 0].set_ylabel("error [rad]")
    axes[0, 0].set_title("Servicer relative to the client, Euler angles")
    return finish(figure, run, axes[:, 0])


def velocity(run: Run) -> Figure | None:
    """As the core paper's Fig. 13."""
    if not all(name in run.signals for name in ABSOLUTE):
        return None
    times, servicer = thin(run.signals, signals.SERVICER_ABSOLUTE)
    client = at(run.signals, signals.CLIENT_ABSOLUTE, times)
    turned = rotations(servicer).inv() * rotations(client)
    place = rotations(client).inv().apply(servicer[:, :3] - client[:, :3])  # of the servicer in the client
    carried = turned.apply(client[:, 7:10] + np.cross(client[:, 10:13], place))
    linear = 1e3 * (servicer[:, 7:10] - carried)
    rate = np.degrees(servicer[:, 10:13] - turned.apply(client[:, 10:13]))
    figure, axes = page(2, height=2.7)
    for axis, values, unit in ((axes[0, 0], linear, "velocity [mm/s]"), (axes[1, 0], rate, "rate [deg/s]")):
        for index, (name, colour) in enumerate(AXES):
            axis.plot(times, values[:, index], color=colour, linewidth=0.9, label=name)
        axis.set_ylabel(unit)
    if run.phases:
        axes[1, 0].axhspan(-0.2, 0.2, color=GREY, alpha=0.12, label="±0.2 deg/s, as published")
    axes[0, 0].set_title("Velocity of the servicer relative to the client as it turns, servicer axes")
    axes[1, 0].set_title("Angular velocity of the same, servicer axes")
    return finish(figure, run, axes[:, 0])


def workspace(run: Run) -> Figure | None:
    """What each formulation asks of the robots: motion in orbit, and the same relative to the nominal one."""
    if not all(name in run.signals for name in (*ABSOLUTE, *MEASURED)) or not isinstance(run.scenario, Scenario):
        return None
    grasp_point = np.array(run.scenario.client.grasp_point.position)
    figure, axes = page(2, 2, height=3.4, sharex=False)
    bodies = (
        ("client's grasp point", BLUE, grasp_point, signals.CLIENT_ABSOLUTE, signals.CLIENT_MEASURED),
        ("servicer's base", ORANGE, np.zeros(3), signals.SERVICER_ABSOLUTE, signals.SERVICER_MEASURED),
    )
    for name, colour, point, absolute, measured in bodies:
        ways = ("--", "absolute: as in orbit", absolute), ("-", "relative: on its robot", measured)
        for style, where, signal in ways:
            times, samples = thin(run.signals, signal)
            way = path(samples, point)
            label = f"{name}, {where}"
            axes[0, 0].plot(times, np.linalg.norm(way, axis=1), style, color=colour, label=label)
            speed = np.linalg.norm(samples[:, 7:10] + np.cross(samples[:, 10:13], point), axis=1)
            axes[0, 1].semilogy(times, np.maximum(1e3 * speed, 1e-3), style, color=colour, label=label)
            for axis, (a, b) in ((axes[1, 0], (0, 1)), (axes[1, 1], (0, 2))):
                axis.plot(way[:, a], way[:, b], style, color=colour, label=label)
                axis.plot(way[-1, a], way[-1, b], "o", color=colour, markersize=3)
    axes[0, 0].set_title("Way from the start")
    axes[0, 0].set_ylabel("distance [m]")
    axes[0, 1].set_title("Speed")
    axes[0, 1].set_ylabel("speed [mm/s]")
    for axis in axes[0]:
        axis.set_xlabel("time [s]")
    for axis, other in zip(axes[1], "yz"):
        axis.set_title(f"Path from the start, x and {other}")
        axis.set_xlabel("x [m]")
        axis.set_ylabel(f"{other} [m]")
        axis.set_aspect("equal", adjustable="datalim")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def path(samples: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Of a point of the body, from where it was first [m]."""
    places = samples[:, :3] + rotations(samples).apply(point)
    return places - places[0]
