"""A whole rendezvous: orbital flight, hand-over, contact, and back (paper 002, Fig. 4)."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.contact_phase import ContactPhase
from hil_relative_dynamics.berthing.continuity import Handover, compared, target_velocity
from hil_relative_dynamics.berthing.guidance import Glideslope, glideslope_legs, transfer_legs
from hil_relative_dynamics.berthing.handover import (
    FallingState,
    left_by,
    to_contact,
    to_orbit,
)
from hil_relative_dynamics.berthing.orbital_flight import OrbitalFlight, Track
from hil_relative_dynamics.berthing.pair import BerthingPair, PairState
from hil_relative_dynamics.berthing.sequence import FACING, Berthing, Unberthing
from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.orbit.attitude import AttitudeState
from hil_relative_dynamics.orbit.kepler import Orbit, lvlh_rotation
from hil_relative_dynamics.scenario.rendezvous import Rendezvous

Progress = Callable[[float], None]
_BEYOND = 0.98  # the glide-slope aims a little nearer than the hand-over, so that it gets there


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
    voyage.handovers.append(compared(orbit, time, relative, attitude, phase, state, total - time))
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
    found, turned = left_by(orbit, time, state.target.translation, target_velocity(crew.pair, state))
    position, velocity = phase.com(state)
    layout = crew.pair.layout
    falling = FallingState(
        turned @ (position - state.target.translation), turned @ (velocity - target_velocity(crew.pair, state))
    )
    relative = to_orbit(found, 0.0, falling)
    chaser_in_target = state.target.rotation.T @ state.base.rotation
    rate_target = state.vector[layout.twist_target][3:]
    rate = state.vector[layout.twist_base][3:] - chaser_in_target.T @ rate_target
    attitude = AttitudeState(turned @ state.target.rotation, chaser_in_target, rate_target, rate)
    left = 1e-9 * (scenario.duration_ns - stamp)
    voyage.handovers.append(compared(found, 0.0, relative, attitude, phase, state, time, turned))
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
