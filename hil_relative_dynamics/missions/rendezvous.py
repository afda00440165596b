"""Rendezvous, berthing and unberthing (paper 002): orbital flight, hand-over, contact, and back."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.guidance import Glideslope, glideslope_legs, transfer_legs
from hil_relative_dynamics.berthing.handover import (
    FallingState,
    Neglected,
    left_by,
    neglected,
    to_contact,
    to_orbit,
)
from hil_relative_dynamics.berthing.pair import BerthingPair, PairState
from hil_relative_dynamics.berthing.sequence import FACING, Berthing, Unberthing
from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.missions import rendezvous_figures
from hil_relative_dynamics.missions.outcome import Outcome, Progress
from hil_relative_dynamics.missions.rendezvous_contact import ContactPhase
from hil_relative_dynamics.missions.rendezvous_measures import measured, recording
from hil_relative_dynamics.missions.rendezvous_orbital import OrbitalFlight, Track
from hil_relative_dynamics.orbit.attitude import AttitudeState
from hil_relative_dynamics.orbit.kepler import Orbit, lvlh_rotation
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.rendezvous import Rendezvous

_BEYOND = 0.98  # the glide-slope aims a little nearer than the hand-over, so that it gets there


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


@dataclass
class Voyage:
    """Everything a run has to tell."""

    scenario: Rendezvous
    orbit: Orbit
    tracks: list[Track] = field(default_factory=list)
    handovers: list[Handover] = field(default_factory=list)
    contact: ContactPhase | None = None
    state: PairState | None = None
    events: list[str] = field(default_factory=list)


def run(scenario: Mission, progress: Progress) -> Outcome:
    assert isinstance(scenario, Rendezvous)
    voyage = fly(scenario, progress)

    def draw(folder: Path) -> list[Path]:
        return rendezvous_figures.draw(voyage, folder)

    return Outcome(recording(voyage), measured(voyage), draw, voyage.events)


def fly(scenario: Rendezvous, progress: Progress) -> Voyage:
    orbit = orbit_of(scenario)
    voyage, crew = Voyage(scenario, orbit), Crew(scenario)
    if scenario.sequence == "unberthing":
        _unberth(voyage, crew, progress)
    else:
        _approach(voyage, crew, progress)
    progress(1.0)
    return voyage


def orbit_of(scenario: Rendezvous) -> Orbit:
    at = scenario.orbit
    return Orbit(1e3 * at.semi_major_axis, at.eccentricity, at.anomaly, 1e9 * at.mu)


class Crew:
    """The two spacecraft of a scenario."""

    def __init__(self, scenario: Rendezvous) -> None:
        servicer = FreeFlyer.from_urdf(scenario.servicer.urdf, scenario.servicer.end_effector)
        self.pair, self.joints = BerthingPair(servicer, scenario.target, scenario.contact), scenario.servicer.joints
        q = pin.neutral(servicer.model)
        q[7:] = self.joints
        pin.ccrba(servicer.model, servicer.data, q, np.zeros(servicer.model.nv))
        self.inertia = np.array(servicer.data.Ig.inertia)
        self.com = np.array(pin.centerOfMass(servicer.model, servicer.data, q))

    def placed(self, falling: FallingState, attitude: AttitudeState) -> PairState:
        """Both in inertial axes at the target's CoM; the servicer's CoM is where the orbital phase had it."""
        turning = attitude.rate_chaser
        body = attitude.chaser.T @ falling.velocity - np.cross(turning, self.com)
        base = pin.SE3(attitude.chaser, falling.position - attitude.chaser @ self.com)
        target = pin.SE3(attitude.target, np.zeros(3))
        twist_target = pin.Motion(np.zeros(3), attitude.rate_target)
        return self.pair.start(base, pin.Motion(body, turning), self.joints, target, twist_target)


def _start_attitude(scenario: Rendezvous, orbit: Orbit) -> AttitudeState:
    """The target at rest in LVLH axes, the chaser facing it but for its error."""
    target = lvlh_rotation(orbit.at(0.0).anomaly) @ pin.rpy.rpyToMatrix(*scenario.target.rpy)
    rate = target.T @ np.array([0.0, 0.0, orbit.at(0.0).rate])
    chaser = FACING @ pin.rpy.rpyToMatrix(*scenario.start.attitude_error)
    return AttitudeState(target, chaser, rate, np.array(scenario.start.rate))


def _approach(voyage: Voyage, crew: Crew, progress: Progress) -> None:
    scenario, orbit, guidance = voyage.scenario, voyage.orbit, voyage.scenario.guidance
    total = 1e-9 * scenario.duration_ns
    flight = OrbitalFlight(scenario, orbit, crew.inertia)
    relative = np.array([*scenario.start.position, *scenario.start.velocity])
    slope = Glideslope(guidance.hold_distance, _BEYOND * scenario.handover, guidance.fast, guidance.slow)
    legs = [*transfer_legs(guidance, 0.0), *glideslope_legs(guidance, guidance.transfer, slope)]
    flight.check(legs)
    time, relative, attitude, track = flight.fly(
        0.0, relative, _start_attitude(scenario, orbit), legs, total, scenario.handover
    )
    voyage.tracks.append(track)
    if np.linalg.norm(relative[:3]) > scenario.handover * (1.0 + 1e-9):
        voyage.events.append(f"{time:.1f} s: no hand-over, {np.linalg.norm(relative[:3]):.2f} m from the target")
        return
    stamp = round(1e9 * time)
    falling = to_contact(orbit, time, relative)
    state = crew.placed(falling, attitude)
    phase = ContactPhase(crew.pair, scenario.contact, Berthing(crew.pair, scenario.contact, state, 1e-9 * stamp))
    voyage.handovers.append(_compare(orbit, time, relative, attitude, phase, state, total - time))
    voyage.events.append(f"{time:.1f} s: hand-over to the contact phase at {np.linalg.norm(relative[:3]):.3f} m")
    if scenario.sequence == "berthing":
        _touch(voyage, phase, state, stamp, progress)


def _unberth(voyage: Voyage, crew: Crew, progress: Progress) -> None:
    scenario, orbit = voyage.scenario, voyage.orbit
    attitude = _start_attitude(replace(scenario, start=replace(scenario.start, attitude_error=(0, 0, 0))), orbit)
    docked = crew.pair.port_target.translation - FACING @ crew.pair.port_base.translation
    pose = pin.SE3(attitude.target, np.zeros(3)) * pin.SE3(FACING, docked)
    turn = attitude.target @ attitude.rate_target
    twist = pin.Motion(pose.rotation.T @ np.cross(turn, pose.translation), pose.rotation.T @ turn)
    target = pin.SE3(attitude.target, np.zeros(3))
    still = pin.Motion(np.zeros(3), attitude.rate_target)
    state = crew.pair.start(pose, twist, crew.joints, target, still)
    state = crew.pair.latched(state, scenario.contact)
    phase = ContactPhase(crew.pair, scenario.contact, Unberthing(crew.pair, scenario.contact, state, 0.0))
    stamp, state = _touch(voyage, phase, state, 0, progress)
    if stamp >= scenario.duration_ns:
        return
    time = 1e-9 * stamp
    found, turned = left_by(orbit, time, state.target.translation, _target_velocity(crew.pair, state))
    position, velocity = phase.com(state)
    layout = crew.pair.layout
    falling = FallingState(
        turned @ (position - state.target.translation), turned @ (velocity - _target_velocity(crew.pair, state))
    )
    relative = to_orbit(found, 0.0, falling)
    chaser_in_target = state.target.rotation.T @ state.base.rotation
    rate_target = state.vector[layout.twist_target][3:]
    rate = state.vector[layout.twist_base][3:] - chaser_in_target.T @ rate_target
    attitude = AttitudeState(turned @ state.target.rotation, chaser_in_target, rate_target, rate)
    left = 1e-9 * (scenario.duration_ns - stamp)
    voyage.handovers.append(_compare(found, 0.0, relative, attitude, phase, state, time, turned))
    voyage.handovers[-1].time = time
    voyage.events.append(f"{time:.1f} s: hand-over to the orbital phase at {np.linalg.norm(relative[:3]):.3f} m")
    guidance = scenario.guidance
    here = float(np.linalg.norm(relative[:3]))
    slope = Glideslope(here, guidance.hold_distance, guidance.slow, guidance.fast)
    flight = OrbitalFlight(scenario, found, crew.inertia, offset=time)
    legs = glideslope_legs(guidance, 0.0, slope)
    voyage.tracks.append(flight.fly(0.0, relative, attitude, legs, left, 0.0)[3])


def _touch(
    voyage: Voyage, phase: ContactPhase, state: PairState, stamp: int, progress: Progress
) -> tuple[int, PairState]:
    scenario = voyage.scenario
    stamp, state = phase.run(
        state, stamp, scenario.duration_ns, scenario.handover, lambda now: progress(now / scenario.duration_ns)
    )
    voyage.contact, voyage.state = phase, state
    voyage.events += phase.sequence.events
    return stamp, state


def _target_velocity(pair: BerthingPair, state: PairState) -> np.ndarray:
    return state.target.rotation @ state.vector[pair.layout.twist_target][:3]


def _compare(
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
    velocity = turned @ (velocity - _target_velocity(phase.pair, state))
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
