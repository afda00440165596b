"""Storage functions and power of contact over a run, (25) to (28): as it was watched, or worked out afterwards."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.matching.passivity import STABILITY, StabilityWatch
from hil_relative_dynamics.spatial import JointSample, MotionSample

#: what it can be worked out from
WATCHED = (
    signals.CLIENT_MEASURED,
    signals.SERVICER_MEASURED,
    signals.ARM_JOINTS,
    signals.CLIENT_WRENCH,
    signals.NOMINAL,
)


class Energy(NamedTuple):
    """Over time."""

    times: np.ndarray
    client: np.ndarray  # (25) [J]
    servicer: np.ndarray  # kinetic part of (26) [J]
    in_orbit: np.ndarray  # last term of (27) [W]
    in_laboratory: np.ndarray  # (28) [W]
    brought_in: np.ndarray  # by contact into client and servicer together, up to each instant [J]


def energy(world: World, recording: Recording) -> Energy:
    """From the run's own watch; without robots there is none, and it is worked out at every step of the dynamics."""
    return watched(recording) if signals.STABILITY in recording else worked_out(world, recording)


def watched(recording: Recording) -> Energy:
    """As the run told it."""
    return _columns(recording.times(signals.STABILITY), recording[signals.STABILITY])


def worked_out(world: World, recording: Recording) -> Energy:
    """The same block over what was recorded."""
    reference = signals.SERVICER_ABSOLUTE  # without robots, measurements come at the arm's pace
    times = recording.times(reference)
    steps = np.diff(times, prepend=times[0])
    watch, rows = StabilityWatch(world.client, world.servicer), []
    state = watch.initial_state()
    sampled = [recording.sampled(signal, reference) for signal in WATCHED]
    for client, servicer, joints, wrench, nominal, dt in zip(*sampled, steps):
        measured = MotionSample(client), MotionSample(servicer), JointSample(joints), pin.Force(wrench)
        state = watch.step(state, *measured, dt)
        rows.append(watch.numbers(state, *measured, MotionSample(nominal[0])))
    return _columns(times, np.array(rows))


def _columns(times: np.ndarray, rows: np.ndarray) -> Energy:
    return Energy(times, *rows[:, : STABILITY.index("client_displacement")].T)
