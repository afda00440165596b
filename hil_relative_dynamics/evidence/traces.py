"""What a run is judged by, over time: kept beside the signals, so that figures can be drawn again at any time."""
from __future__ import annotations

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.evidence.conservation import Balance
from hil_relative_dynamics.evidence.energy import worked_out
from hil_relative_dynamics.evidence.measure import Measures

#: columns: position [m], orientation [rad] of nominal times commanded against simulated
CLIENT_MATCHING, SERVICER_MATCHING = "matching/client", "matching/servicer"
#: columns: linear [N s], angular [N m s], energy [J] that nothing explains
CLIENT_BALANCE, SERVICER_BALANCE = "balance/client", "balance/servicer"
#: of the same servicer in orbit: base pose; largest joint error [rad] and base error [m] of the run against it
ORBIT_BASE, ORBIT_ARM_ERROR, ORBIT_BASE_ERROR = "orbit/base", "orbit/arm_error", "orbit/base_error"
#: columns: stored in client (25) and servicer (26) [J], power of contact in orbit (27) and in the laboratory (28) [W],
#: energy that contact has brought in [J]; for a capture whose run did not watch them itself
ENERGY = "energy"
#: seconds on the steady clock at which each tick began
WALL_TIME = "loop/wall_time"
#: enough for a figure
MOST = 3000


def traces(world: World, recording: Recording, measures: Measures) -> Recording:
    """Thinned."""
    parts: dict[str, tuple[np.ndarray, np.ndarray]] = {
        CLIENT_MATCHING: (measures.matching_times, measures.client_matching),
        SERVICER_MATCHING: (measures.matching_times, measures.servicer_matching),
        CLIENT_BALANCE: _of(measures.client),
        SERVICER_BALANCE: _of(measures.servicer),
    }
    if measures.orbit is not None and measures.joint_error is not None and measures.servicer_error is not None:
        times = measures.orbit.times
        parts[ORBIT_BASE] = times, measures.orbit.configurations[:, :7]
        parts[ORBIT_ARM_ERROR] = times, measures.joint_error
        parts[ORBIT_BASE_ERROR] = recording.times(signals.SERVICER_SIMULATED), measures.servicer_error
    if world.scenario.onboard.capture is not None and signals.STABILITY not in recording:
        parts[ENERGY] = (energy := worked_out(world, recording)).times, np.column_stack(energy[1:])
    return _thinned(parts)


def lateness(stamps: np.ndarray, wall: np.ndarray, period: float) -> np.ndarray:
    """How late each tick but the first began [s], against the most punctual one.

    Where ticks were missed and made up for at once, it is that of the first of them.
    """
    late = (wall[1:] - wall[0]) - (stamps[:-1] + period - stamps[0])
    return late - late.min()


def _of(balance: Balance) -> tuple[np.ndarray, np.ndarray]:
    return balance.times, np.column_stack([balance.linear, balance.angular, balance.energy])


def _thinned(parts: dict[str, tuple[np.ndarray, np.ndarray]]) -> Recording:
    stamps, values = {}, {}
    for name, (times, rows) in parts.items():
        every = max(1, len(rows) // MOST)
        stamps[name] = np.round(1e9 * times[: len(rows) : every]).astype(np.int64)
        values[name] = rows[::every]
    return Recording(stamps, values)
