"""Figures of contact: wrenches, gripper, energy."""
from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.evidence.energy import Energy, watched
from hil_relative_dynamics.evidence.figure_style import AXES, BLUE, GREEN, GREY, ORANGE, VERMILION, finish, page, thin
from hil_relative_dynamics.evidence.run import Run
from hil_relative_dynamics.evidence.traces import ENERGY
from hil_relative_dynamics.matching.passivity import STABILITY

SENSORS = {signals.CLIENT_ROBOT_SENSOR: "client robot", signals.SERVICER_ROBOT_SENSOR: "servicer robot"}


def wrench(run: Run) -> Figure | None:
    """What acts on the client and on the gripper, and what the sensors under it read."""
    if signals.CLIENT_WRENCH not in run.signals:
        return None
    raw = [name for name in SENSORS if name in run.signals]
    gripper = signals.GRIPPER_STATE in run.signals
    figure, axes = page(3 + bool(raw) + gripper, height=2.0)
    times, on_client = thin(run.signals, signals.CLIENT_WRENCH)
    for index, (name, colour) in enumerate(AXES):
        axes[0, 0].plot(times, on_client[:, index], color=colour, linewidth=0.9, label=name)
        axes[1, 0].plot(times, on_client[:, 3 + index], color=colour, linewidth=0.9, label=name)
    largest = np.linalg.norm(on_client[:, :3], axis=1).max()
    axes[0, 0].set_title(f"On the client, at its origin and in its axes; largest force {largest:.3g} N")
    axes[0, 0].set_ylabel("force [N]")
    axes[1, 0].set_ylabel("torque [N m]")
    times, on_gripper = thin(run.signals, signals.END_EFFECTOR_WRENCH)
    for index, (name, colour) in enumerate(AXES):
        axes[2, 0].plot(times, on_gripper[:, index], color=colour, linewidth=0.9, label=name)
    axes[2, 0].set_title("On the arm's end-effector, in its axes")
    axes[2, 0].set_ylabel("force [N]")
    for name, colour in zip(raw, (BLUE, ORANGE)):
        times, read = thin(run.signals, name)
        size = np.linalg.norm(read[:, :3], axis=1)
        axes[3, 0].plot(times, size, color=colour, linewidth=0.8, label=SENSORS[name])
    if raw:
        axes[3, 0].set_title("Force/torque sensors as they read, weight of the mock-up included")
        axes[3, 0].set_ylabel("force [N]")
    if gripper:
        times, state = thin(run.signals, signals.GRIPPER_STATE)
        axes[-1, 0].plot(times, 1e3 * state[:, 0], color=BLUE, label="opening")
        axes[-1, 0].fill_between(times, 0, 1, where=state[:, 1] > 0.5, color=GREEN, alpha=0.2, label="latched",
                                 transform=axes[-1, 0].get_xaxis_transform())
        axes[-1, 0].set_title("Gripper")
        axes[-1, 0].set_ylabel("opening [mm]")
    return finish(figure, run, axes[:, 0])


def energy(run: Run) -> Figure | None:
    """Storage (25), (26); power of contact in orbit (27) and in the laboratory (28); what contact brought in."""
    live = signals.STABILITY in run.signals
    if not live and ENERGY not in run.measures:
        return None
    told = watched(run.signals) if live else Energy(run.measures.times(ENERGY), *run.measures[ENERGY].T)
    figure, axes = page(4 if live else 3, height=2.3)
    axes[0, 0].plot(told.times, told.client, color=BLUE, label="client (25)")
    axes[0, 0].plot(told.times, told.servicer, color=ORANGE, label="servicer, kinetic part of (26)")
    axes[0, 0].set_title("Stored in the motion relative to the nominal one")
    axes[0, 0].set_ylabel("energy [J]")
    axes[1, 0].plot(told.times, told.in_orbit, color=VERMILION, label="in orbit (27)")
    axes[1, 0].plot(told.times, told.in_laboratory, "--", color="black", linewidth=0.9, label="in the laboratory (28)")
    axes[1, 0].set_title("Power of contact on client and servicer together")
    axes[1, 0].set_ylabel("power [W]")
    axes[2, 0].plot(told.times, told.brought_in, color=GREEN, label=f"at the end {told.brought_in[-1]:.3g} J")
    axes[2, 0].axhline(0.0, color=GREY, linewidth=0.8)
    axes[2, 0].set_title("Energy that contact has brought in: passive while it is not above zero")
    axes[2, 0].set_ylabel("energy [J]")
    if live:
        for name, colour in (("client", BLUE), ("servicer", ORANGE)):
            moved = run.signals[signals.STABILITY][:, STABILITY.index(f"{name}_displacement")]
            axes[3, 0].plot(told.times, moved, color=colour, label=name)
        if limit := run.scenario.limits.get("robot_displacement_m"):
            axes[3, 0].axhline(limit, color=GREY, linestyle="--", linewidth=0.8, label="limit")
        axes[3, 0].set_title("How far the mock-ups are from where they started")
        axes[3, 0].set_ylabel("distance [m]")
    return finish(figure, run, axes[:, 0])
