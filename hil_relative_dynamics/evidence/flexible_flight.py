"""Flying a client with flexible appendages, and the numbers of a flight."""
from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.flexible_ringing import HubMotion, balance, matching, ringing
from hil_relative_dynamics.facility.flexible_rig import (
    Signals,
    fly_physical,
    fly_simulated,
    physical_body,
    simulated_body,
)
from hil_relative_dynamics.scenario import ScenarioError
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient

VARIANTS = {"simulated": fly_simulated, "physical": fly_physical}
#: by when the robot's own transient is over: the beams are let go in an instant [s]
SETTLING = 1.0
#: of the hub's motion: enough for 1e-6 of its frequency
MOST_SAMPLES = 1000


def flown(scenario: FlexibleClient) -> dict[str, float]:
    """The numbers of a flight."""
    return measure(scenario, fly(scenario))


def fly(scenario: FlexibleClient, progress: Callable[[float], None] | None = None) -> Recording:
    """The variants of the scenario, one after the other; `progress` is told the share that is done."""
    check_step(scenario)
    chosen = list(VARIANTS) if scenario.variant == "both" else [scenario.variant]
    recorded: Signals = {}
    for index, name in enumerate(chosen):
        signals = VARIANTS[name](scenario, partial(_tell, progress, index, len(chosen)))
        recorded.update({f"{name}/{signal}": rows for signal, rows in signals.items()})
    values = {name: np.array(rows) for name, rows in recorded.items()}
    stamps = np.arange(scenario.duration_ns // scenario.step_ns, dtype=np.int64) * scenario.step_ns
    return Recording(dict.fromkeys(values, stamps), values)


def _tell(progress: Callable[[float], None] | None, done: int, count: int, share: float) -> None:
    if progress is not None:
        progress((done + share) / count)


def check_step(scenario: FlexibleClient) -> None:
    """Refuses steps that the fastest vibration would not survive."""
    longest = min(body.longest_step for body in (simulated_body(scenario), physical_body(scenario)))
    if 1e-9 * scenario.step_ns > longest:
        allowed = f"must be at most {1e3 * longest:.3g} for the fastest mode ({0.5 / np.pi / longest:.3g} Hz)"
        raise ScenarioError(scenario.file, "step_ms", 1e-6 * scenario.step_ns, allowed)


def measure(scenario: FlexibleClient, recording: Recording) -> dict[str, float]:
    """The numbers of a run, by key with unit."""
    body, deflections = simulated_body(scenario), deflections_of(scenario.appendages)
    motion = HubMotion.of(body, deflections)
    measured: dict[str, float] = {}
    if "simulated/hub" in recording:
        times, hub = recording.times("simulated/hub"), recording["simulated/hub"]
        relative = recording["simulated/commanded"]
        measured |= rang("simulated", motion, motion.heard(body, deflections), times, relative)
        measured |= balance(body, times, hub, recording["simulated/modes"])
        measured |= matching(recording["simulated/nominal"], relative, hub)
    if "physical/flange" in recording:
        heard = motion.heard(physical_body(scenario), deflections_of(scenario.on_flange))
        times, flange = recording.times("physical/flange"), recording["physical/flange"]
        settled = times >= SETTLING
        measured |= rang("physical", motion, heard, times[settled], flange[settled])
    if scenario.variant == "both":
        unit, factor = motion.unit
        flown = [motion(recording[f"{name}/flange"]) for name in VARIANTS]
        measured[f"physical_from_simulated_{unit}"] = float(factor * np.max(np.abs(flown[1] - flown[0])))
        measured[f"way_of_the_hub_{unit}"] = float(factor * np.ptp(flown[0]))
    return measured


def rang(
    name: str, motion: HubMotion, heard: list[float], times: np.ndarray, samples: np.ndarray
) -> dict[str, float]:
    """Frequency, damping and size of the hub's strongest vibration, and its beat with the second if there is one."""
    unknowns = 4 * len(heard) + 2
    if not heard or len(times) <= unknowns:
        return {}
    every = max(1, len(times) // MOST_SAMPLES)
    rings = ringing(times[::every], motion(samples[::every]), heard)
    rings.sort(key=lambda ring: -ring.amplitude)
    unit, factor = motion.unit
    measured = {
        f"{name}_frequency_Hz": rings[0].frequency,
        f"{name}_damping_ratio": rings[0].damping,
        f"{name}_hub_peak_to_peak_{unit}": factor * rings[0].peak_to_peak,
    }
    if len(rings) > 1:
        measured[f"{name}_beat_Hz"] = abs(rings[0].frequency - rings[1].frequency)
    return measured
