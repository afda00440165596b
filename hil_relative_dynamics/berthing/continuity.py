"""Both sides of a hand-over compared: nothing may jump."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hil_relative_dynamics.berthing.contact_phase import ContactPhase
from hil_relative_dynamics.berthing.handover import FallingState, Neglected, neglected, to_contact, to_orbit
from hil_relative_dynamics.berthing.pair import BerthingPair, PairState
from hil_relative_dynamics.orbit.attitude import AttitudeState
from hil_relative_dynamics.orbit.kepler import Orbit


@dataclass
class Handover:
    """What is the same on both sides, and what the contact phase leaves out."""

    time: float
    relative: np.ndarray  # LVLH position and rate
    position_jump: float
    velocity_jump: float
    attitude_jump: float
    rate_jump: float
    left_out: Neglected


def target_velocity(pair: BerthingPair, state: PairState) -> np.ndarray:
    """Of the target's CoM, inertial axes [m/s]."""
    return state.target.rotation @ state.vector[pair.layout.twist_target][:3]


def compared(
    orbit: Orbit,
    time: float,
    relative: np.ndarray,
    attitude: AttitudeState,
    phase: ContactPhase,
    state: PairState,
    duration: float,
    turned: np.ndarray | None = None,
) -> Handover:
    """Both sides of a hand-over, each put into the other's terms: by the multi-body's own CoM and rates."""
    turned = np.eye(3) if turned is None else turned
    layout = phase.pair.layout
    position, velocity = phase.com(state)
    position = turned @ (position - state.target.translation)
    velocity = turned @ (velocity - target_velocity(phase.pair, state))
    falling = to_contact(orbit, time, relative)
    back = to_orbit(orbit, time, FallingState(position, velocity))
    chaser, target = turned @ state.base.rotation, turned @ state.target.rotation
    rates = state.vector[layout.twist_base][3:], state.vector[layout.twist_target][3:]
    return Handover(
        time,
        relative,
        max(float(np.linalg.norm(position - falling.position)), float(np.linalg.norm(back[:3] - relative[:3]))),
        max(float(np.linalg.norm(velocity - falling.velocity)), float(np.linalg.norm(back[3:] - relative[3:]))),
        max(float(np.abs(chaser - attitude.chaser).max()), float(np.abs(target - attitude.target).max())),
        max(
            float(np.linalg.norm(rates[0] - attitude.rate_chaser)),
            float(np.linalg.norm(rates[1] - attitude.rate_target)),
        ),
        neglected(orbit, time, relative, duration),
    )
