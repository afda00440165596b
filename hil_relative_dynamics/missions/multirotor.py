"""`hil run` of a rendezvous flown by two multirotors."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.missions.outcome import Outcome, Progress
from hil_relative_dynamics.multirotor.commander import RULED, STOPPED
from hil_relative_dynamics.multirotor.flight import Flight, fly
from hil_relative_dynamics.multirotor.measures import measure, repeatability
from hil_relative_dynamics.scenario.multirotor import MultirotorMission

SAYS = {
    STOPPED: "the reference ended and the chaser was told to stand",
    RULED: "the separation rule stopped the chaser: its centre would have come too near to the target's",
}


def run(scenario: MultirotorMission, progress: Progress) -> Outcome:
    flight = fly(scenario, progress)
    measured = measure(flight)
    if scenario.reference == "circle" and scenario.circle.turns > 1:
        measured["repeatability_m"] = repeatability(flight, scenario.circle.turns)
    settle = 1e-9 * scenario.settle_ns
    told = [f"{settle + state.since:.2f} s: {SAYS[state.doing]}" for state in flight.story if state.doing in SAYS]

    def draw(folder: Path) -> list[Path]:
        from hil_relative_dynamics.missions import multirotor_figures  # matplotlib takes a second to load

        return multirotor_figures.draw(scenario, flight, folder)

    return Outcome(recording(flight), measured, draw, told)


def recording(flight: Flight) -> Recording:
    """The chaser's and the target's motion, one row per set-point."""
    values = {
        "chaser/reference": flight.wanted,
        "chaser/position": flight.chaser,
        "chaser/estimated": flight.estimated,
        "chaser/rpy": flight.attitude,
        "chaser/rotor_speeds": flight.speeds,
        "target/position": flight.target,
        "chaser/consistency": flight.consistency,
    }
    return Recording(dict.fromkeys(values, flight.stamps.astype(np.int64)), values)
