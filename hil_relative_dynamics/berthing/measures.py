"""Numbers of a rendezvous."""
from __future__ import annotations

from math import degrees, nan

import numpy as np

from hil_relative_dynamics.berthing.contact_phase import PHASES, ContactPhase
from hil_relative_dynamics.berthing.sequence import Phase
from hil_relative_dynamics.berthing.voyage import Voyage


def measured(voyage: Voyage) -> dict[str, float]:
    """By the keys of the criteria, and more; what did not happen is NaN."""
    numbers = dict.fromkeys(
        (
            "handover_position_jump_m", "handover_velocity_jump_m_s", "handover_attitude_jump_rad",
            "handover_rate_jump_rad_s", "glideslope_error_m", "facing_error_deg", "contact_energy_gain_J",
            "momentum_residual_N_s", "contact_force_N", "port_speed_m_s", "port_misalignment_m", "release_speed_m_s",
        ),
        nan,
    )  # fmt: skip
    _orbital(voyage, numbers)
    _handover(voyage, numbers)
    if voyage.contact is not None:
        _contact(voyage, voyage.contact, numbers)
    return numbers


def _orbital(voyage: Voyage, numbers: dict[str, float]) -> None:
    if not voyage.tracks:
        return
    numbers["impulses_m_s"] = sum(track.spent for track in voyage.tracks)
    off = np.concatenate([track.off_line for track in voyage.tracks])
    if np.isfinite(off).any():
        numbers["glideslope_error_m"] = float(np.nanmax(off))
    numbers["facing_error_deg"] = degrees(voyage.tracks[-1].facing[-1])
    last = voyage.tracks[-1].relative[-1]
    numbers["last_distance_m"] = float(np.linalg.norm(last[:3]))


def _handover(voyage: Voyage, numbers: dict[str, float]) -> None:
    for over in voyage.handovers:
        numbers["handover_time_s"] = over.time
        numbers["handover_speed_m_s"] = float(np.linalg.norm(over.relative[3:]))
        numbers["handover_turn_speed_m_s"] = over.left_out.turn_speed
        numbers["handover_position_jump_m"] = over.position_jump
        numbers["handover_velocity_jump_m_s"] = over.velocity_jump
        numbers["handover_attitude_jump_rad"] = over.attitude_jump
        numbers["handover_rate_jump_rad_s"] = over.rate_jump
        numbers["neglected_gravity_m_s2"] = over.left_out.acceleration
        numbers["neglected_drift_m"] = over.left_out.drift


def _contact(voyage: Voyage, phase: ContactPhase, numbers: dict[str, float]) -> None:
    log, sequence = phase.log, phase.sequence
    phases = np.array(log.phases)
    balance = np.array(log.gain)  # may only fall
    numbers["contact_energy_gain_J"] = float(np.max(balance - np.minimum.accumulate(balance)))
    numbers["contact_energy_lost_J"] = -log.gain[-1]
    numbers["momentum_residual_N_s"] = max(log.residual)
    numbers["contact_force_N"] = max(*log.fingers, *log.port)
    numbers["grip_force_N"] = max(log.fingers)
    numbers["grip_force_by_gears_N"] = 2.0 * phase.pair.fingers.gripper.clamp_force(
        sequence.clamp_torque / phase.pair.fingers.gripper.ratio, voyage.scenario.contact.fingers.contact_angle
    )
    numbers["grip_force_required_N"] = sequence.grip_force
    numbers["relative_speed_m_s"] = float(np.linalg.norm(log.velocity, axis=1).max())
    carried = np.isin(phases, [PHASES.index(Phase.DOCKING), PHASES.index(Phase.WITHDRAW)]) & (np.array(log.port) == 0.0)
    pushes = np.linalg.norm(np.diff(log.target_velocity, axis=0), axis=1) / np.diff(log.times)
    largest = max(pushes[carried[1:] & carried[:-1]], default=nan)
    numbers["grip_load_N"] = float(phase.pair.target.inertia.mass * largest)
    limits = phase.pair.servicer.model
    joints = np.array(log.joints)
    margin = np.minimum(joints - limits.lowerPositionLimit[7:], limits.upperPositionLimit[7:] - joints)
    numbers["joint_margin_deg"] = degrees(float(margin.min()))
    touching = np.flatnonzero(np.array(log.port) > 0.0)
    docked = np.flatnonzero(phases == PHASES.index(Phase.DOCKED))
    if len(touching) and len(docked):
        numbers["port_speed_m_s"] = float(np.linalg.norm(log.velocity[max(touching[0] - 1, 0)]))
        assert voyage.state is not None
        port = voyage.state.target.actInv(voyage.state.base) * phase.pair.port_base
        off = port.translation - phase.pair.port_target.translation
        numbers["port_misalignment_m"] = float(np.linalg.norm(off[1:]))
        numbers["docked_time_s"] = log.times[docked[0]]
    retreat = np.flatnonzero(phases == PHASES.index(Phase.RETREAT))
    if len(retreat):
        numbers["release_speed_m_s"] = float(np.linalg.norm(log.velocity[retreat[0]]))
