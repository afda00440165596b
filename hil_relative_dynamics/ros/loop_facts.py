"""What a run over ROS 2 tells of its loop: lateness, losses, start-up, and the time each tick began."""
from __future__ import annotations

from typing import Any

import numpy as np

from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.traces import WALL_TIME, lateness


def tick_times(container: Any) -> Recording:
    """When each tick began."""
    ticks = np.array(container.plant.ticks, dtype=np.int64).reshape(-1, 2)
    return Recording({WALL_TIME: ticks[:, 0]}, {WALL_TIME: 1e-9 * (ticks[:, 1] - ticks[0, 1])})


def loop_facts(container: Any) -> dict[str, Any]:
    """For summary.json; to be asked before the container is closed."""
    plant = container.plant
    ticks = np.array(plant.ticks, dtype=np.int64).reshape(-1, 2)[1:]  # the first one waits until everybody is there
    facts: dict[str, Any] = {
        "time_to_first_tick_s": container.first_tick,
        "ticks": int(plant.stamp // plant.stage.period + 1),
        "tick_period_s": 1e-9 * plant.stage.period,
        "nodes": {node.get_name(): _node(node.runner.counters) for node in container.nodes},
    }
    if len(ticks) > 1:
        simulated, elapsed = (ticks[-1] - ticks[0]).tolist()
        facts["real_time_factor"] = simulated / max(elapsed, 1)
    if not container.lockstep and len(ticks) > 1:
        late = lateness(1e-9 * ticks[:, 0], 1e-9 * (ticks[:, 1] - ticks[0, 1]), facts["tick_period_s"])
        facts |= {
            "deadline_misses": plant.misses,
            "lateness_s": {
                "median": float(np.median(late)),
                "99 %": float(np.quantile(late, 0.99)),
                "largest": float(late.max()),
            },
        }
    return facts


def _node(counters: Any) -> dict[str, Any]:
    return {
        "runs": counters.runs,
        "late": counters.late,
        "longest_period_s": 1e-9 * counters.longest,
        "oldest_input_s": 1e-9 * counters.age,
        "rejected_messages": counters.rejected,
        "ticks_made_up": counters.losses,
    }
