"""The numbers by which a run is judged."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.capture import CaptureStory
from hil_relative_dynamics.evidence.conservation import (
    Balance,
    client_balance,
    flexible_client_balance,
    servicer_balance,
)
from hil_relative_dynamics.evidence.measure_capture import measure_capture
from hil_relative_dynamics.evidence.orbit_reference import OrbitReference
from hil_relative_dynamics.spatial import orientation_error, position_error


@dataclass
class Measures:
    """Quantities over time, and by criterion key the largest value of each."""

    matching_times: np.ndarray
    client_matching: np.ndarray  # columns: position [m], orientation [rad] of g_n g_c against g_t
    servicer_matching: np.ndarray
    client: Balance
    servicer: Balance
    orbit: OrbitReference | None
    joint_error: np.ndarray | None
    servicer_error: np.ndarray | None
    largest: dict[str, float] = field(default_factory=dict)


def measure(world: World, recording: Recording, progress: Callable[[float], None] | None = None) -> Measures:
    """Works everything out. Most of the time goes into the orbit reference."""
    client, servicer = RigidBody(world.client.inertia), world.servicer
    times, client_matching = matching_error(recording, signals.CLIENT_SIMULATED, signals.CLIENT_COMMANDED)
    _, servicer_matching = matching_error(recording, signals.SERVICER_SIMULATED, signals.SERVICER_COMMANDED)
    # a capture reacts to contact, which the orbit alone cannot foresee: nothing to compare with
    scripted = world.scenario.onboard.capture is None
    orbit = OrbitReference(servicer, world.onboard().step, recording, progress) if scripted else None
    measures = Measures(
        times,
        client_matching,
        servicer_matching,
        client_balance(client, recording) if world.flexible_client is None else flexible_balance(world, recording),
        servicer_balance(servicer, recording),
        orbit,
        orbit.joint_error(recording) if orbit else None,
        orbit.servicer_error(recording) if orbit else None,
    )
    matching = np.maximum(client_matching, servicer_matching)
    balances = (measures.client, measures.servicer)
    measures.largest = {
        "relative_position_error_m": _largest(matching[:, 0]),
        "relative_orientation_error_rad": _largest(matching[:, 1]),
        "linear_momentum_error_N_s": _largest(*(balance.linear for balance in balances)),
        "angular_momentum_error_N_m_s": _largest(*(balance.angular for balance in balances)),
        "energy_error_J": _largest(*(balance.energy for balance in balances)),
    }
    if measures.joint_error is not None and measures.servicer_error is not None:
        measures.largest["arm_joint_error_rad"] = _largest(measures.joint_error)
        measures.largest["servicer_position_error_m"] = _largest(measures.servicer_error)
    if not scripted:
        measures.largest |= measure_capture(CaptureStory(world, recording))
    return measures


def flexible_balance(world: World, recording: Recording) -> Balance:
    assert world.flexible_client is not None
    client = world.scenario.client
    bent, start = deflections_of(client.appendages), (client.pose, client.twist)
    return flexible_client_balance(world.flexible_client, bent, start, recording)


def matching_error(recording: Recording, simulated: str, commanded: str) -> tuple[np.ndarray, np.ndarray]:
    """Times, and how far nominal times commanded is from simulated: position [m] and orientation [rad]."""
    every = max(1, len(recording[simulated]) // 2000)
    nominal = recording[signals.NOMINAL][::every, 0, :7]
    rows = zip(nominal, recording[commanded][::every, 0, :7], recording[simulated][::every, 0, :7])
    errors = []
    for pose_nominal, pose_commanded, pose_simulated in rows:
        reached = pin.XYZQUATToSE3(pose_nominal) * pin.XYZQUATToSE3(pose_commanded)
        wanted = pin.XYZQUATToSE3(pose_simulated)
        errors.append((position_error(reached, wanted), orientation_error(reached, wanted)))
    return recording.times(simulated)[::every], np.array(errors)


def _largest(*arrays: np.ndarray) -> float:
    """NaN if any value is: a run that went wrong must not pass."""
    largest = [np.max(array) if np.all(np.isfinite(array)) else np.nan for array in arrays]
    return float(np.max(largest))  # unlike max(), it passes NaN on


