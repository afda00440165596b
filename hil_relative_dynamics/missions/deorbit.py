"""`mission: deorbit`: a push through surface contact, along a line or in space."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hil_relative_dynamics.deorbit import flight, measures
from hil_relative_dynamics.deorbit.line import Line
from hil_relative_dynamics.deorbit.line_motion import LineMotion
from hil_relative_dynamics.deorbit.thrusters import drops
from hil_relative_dynamics.deorbit.track import Track
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.missions.outcome import Outcome, Progress
from hil_relative_dynamics.scenario.deorbit import Deorbit, DeorbitBodies
from hil_relative_dynamics.scenario.deorbit import Line as LineScenario

SAMPLES = 20_001
"""Of a run along a line; the motion itself is exact at any time."""


def run(scenario: Deorbit, progress: Progress) -> Outcome:
    """Runs the scenario's `line` or its `bodies`."""
    if scenario.line is not None:
        return _along_a_line(scenario, scenario.line)
    assert scenario.bodies is not None  # the schema wants one of the two
    return _in_space(scenario, scenario.bodies, progress)


def line_motion(line: LineScenario, duration_ns: int) -> LineMotion:
    """The closed form of a scenario's line."""
    contact = Line.with_damping_ratio(line.chaser, line.target, line.stiffness, line.damping_ratio, line.pull)
    profile = [(1e-9 * step.start_ns, step.force) for step in line.thrust]
    return LineMotion(contact, profile, 1e-9 * duration_ns)


def _along_a_line(scenario: Deorbit, line: LineScenario) -> Outcome:
    motion = line_motion(line, scenario.duration_ns)
    stamps = np.linspace(0, scenario.duration_ns, SAMPLES).astype(np.int64)
    rows = motion.sampled(1e-9 * stamps)
    columns = {"thrust": 0, "gap": 1, "gap_rate": 2, "contact_force": 3}
    thrust = max(step.force for step in line.thrust)
    apart = motion.separations
    measured = {
        "steady_contact_force_N": motion.line.steady_force(thrust),
        "steady_compression_m": -motion.line.steady_gap(thrust),
        "stored_energy_J": motion.line.stored_energy(thrust),
        "natural_frequency_Hz": motion.line.frequency / (2.0 * np.pi),
        "largest_contact_force_N": float(rows[:, 3].max()),
        "separations": float(len(apart)),
        "largest_gap_m": motion.largest_gap,
        "time_apart_s": float(sum(phase.end - phase.start for phase in apart)),
        "largest_drop": float(drops(rows[:, 0]).max()),
    }
    events = [
        f"{phase.start:.4f} s: the bodies part at {1e3 * phase.rate:.3g} mm/s under {phase.thrust:g} N"
        + (f" and meet again at {phase.end:.4f} s" if phase.end < motion.phases[-1].end else "")
        for phase in apart[:10]
    ]
    if len(apart) > 10:
        events.append(f"... and {len(apart) - 10} more separations")
    values = {name: rows[:, column] for name, column in columns.items()}
    recording = Recording(dict.fromkeys(values, stamps), values)

    def draw(folder: Path) -> list[Path]:
        from hil_relative_dynamics.missions import deorbit_figures  # matplotlib takes longer to load than the run lasts

        return deorbit_figures.line(folder, scenario, motion)

    return Outcome(recording, measured, draw, events)


def _in_space(scenario: Deorbit, bodies: DeorbitBodies, progress: Progress) -> Outcome:
    track = flight.fly(bodies, scenario.duration_ns, progress)
    structure = flight.structure(bodies, track)
    stamps = np.rint(1e9 * track.times).astype(np.int64)
    values = {name: array for name, array in vars(track).items() if name != "times"}
    recording = Recording(dict.fromkeys(values, stamps), values)

    def draw(folder: Path) -> list[Path]:
        from hil_relative_dynamics.missions import deorbit_figures  # matplotlib takes longer to load than the run lasts

        return deorbit_figures.space(folder, scenario, bodies, track, structure)

    return Outcome(recording, _measured(bodies, track, structure), draw, _events(bodies, track, structure))


def _measured(bodies: DeorbitBodies, track: Track, structure: LineMotion) -> dict[str, float]:
    level, peak = measures.lateral_start(track)
    graze_time, graze_force = measures.graze(track)
    each, together = measures.friction_suffices(track, bodies.contact.coefficient, bodies.contact.radius)
    gap, apart = measures.gap(track)
    settled = track.times >= measures.SETTLED
    largest_robot = np.abs(track.robot).max(axis=0)
    measured = {
        "normal_force_start_N": float(track.force[np.searchsorted(track.times, measures.SETTLED), 0]),
        "lateral_force_level_N": level,
        "lateral_force_start_N": peak,
        "contact_torque_x_N_m": measures.torque_x(track),
        "least_loaded_foot_N": float(measures.least_loaded(track)[settled].min()),
        "first_foot_opens_s": measures.opens(track),
        "graze_time_s": graze_time,
        "graze_force_N": graze_force,
        "friction_suffices_each_foot_s": each,
        "friction_suffices_together_s": together,
        "robot_force_y_N": float(largest_robot[0]),
        "robot_force_z_N": float(largest_robot[1]),
        "robot_torque_x_N_m": float(largest_robot[2]),
        "end_deviation_m": float(np.linalg.norm(track.deviation[-1])),
        "attitude_error_rad": float(track.pointing.max()),
        "end_attitude_error_rad": float(track.pointing[-1]),
        "mean_thrust_N": float(track.thrust[:-1].mean()),
        "velocity_change_m_s": float(track.thrust[:-1].mean() * track.times[-1])
        / (bodies.chaser.mass + bodies.target.mass),
        "largest_drop": float(drops(track.thrust).max()),
        "fewest_thrusters": float(track.thrust.min() / bodies.boost.force),
        "structure_separations": float(len(structure.separations)),
        "structure_lowest_force_N": structure.lowest_force,
        "largest_gap_m": gap,
        "time_apart_s": apart,
        "energy_error_J": float(np.abs(track.balance).max()),
    }
    unused = ("robot_",) if bodies.robot is None else ("contact_torque", "friction_", "graze_")
    return {name: value for name, value in measured.items() if not name.startswith(unused)}


def _events(bodies: DeorbitBodies, track: Track, structure: LineMotion) -> list[str]:
    events = []
    graze_time, graze_force = measures.graze(track)
    if np.isfinite(graze_time):
        events.append(f"{graze_time:.2f} s: the least loaded foot grazes, {graze_force:.1f} N")
    if np.isfinite(opened := measures.opens(track)):
        events.append(f"{opened:.2f} s: the first foot lifts off")
    if (track.depth[1:] < 0.0).any():
        events.append(f"{track.times[1:][track.depth[1:] < 0.0][0]:.2f} s: the bodies part")
    if structure.separations:
        first = structure.separations[0]
        stiffness = bodies.boost.stiffness
        events.append(f"{first.start:.3f} s: on a structure of {stiffness:g} N/m this drop in thrust parts the bodies")
    return events
