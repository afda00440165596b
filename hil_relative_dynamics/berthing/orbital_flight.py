"""The orbital phase of a rendezvous: nonlinear relative motion, impulses, and the attitude that faces the target."""
from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.guidance import Leg, impulse, transition_of
from hil_relative_dynamics.berthing.handover import to_contact
from hil_relative_dynamics.berthing.sequence import FACING
from hil_relative_dynamics.orbit.attitude import AttitudeState, RelativeAttitude
from hil_relative_dynamics.orbit.kepler import Orbit, lvlh_rotation
from hil_relative_dynamics.orbit.lvlh import RelativeMotion
from hil_relative_dynamics.orbit.targeting import WORST_CONDITION, condition, nearest_regular
from hil_relative_dynamics.scenario import ScenarioError
from hil_relative_dynamics.scenario.rendezvous import Rendezvous


@dataclass
class Track:
    """A flight as it was flown, and what was fired; times count from the start of the mission."""

    times: list[float] = field(default_factory=list)
    relative: list[np.ndarray] = field(default_factory=list)  # LVLH position and rate
    velocity: list[np.ndarray] = field(default_factory=list)  # seen from the turning target, in its axes [m/s]
    facing: list[float] = field(default_factory=list)  # error of the attitude [rad]
    off_line: list[float] = field(default_factory=list)  # from the glide-slope's line [m]; NaN: in transfer
    pulses: list[tuple[float, np.ndarray]] = field(default_factory=list)

    @property
    def spent(self) -> float:
        """Sum of all impulses [m/s]."""
        return float(sum(np.linalg.norm(change) for _, change in self.pulses))


class OrbitalFlight:
    """One stretch of orbital flight.

    Args:
        offset: time of the mission at which the orbit's own time is 0 [s].
    """

    def __init__(self, scenario: Rendezvous, orbit: Orbit, inertia: np.ndarray, offset: float = 0.0) -> None:
        self._scenario, self.orbit, self._offset = scenario, orbit, offset
        self._motion, self._inertia = RelativeMotion(orbit), inertia
        self._attitude = RelativeAttitude(inertia, np.array(scenario.target.inertia_about_com))
        self._transition = transition_of(scenario.guidance, orbit)
        station = np.array(scenario.contact.station)
        self._axis = station / np.linalg.norm(station)
        self._random = np.random.default_rng(scenario.seed)

    def line(self, now: float, attitude: AttitudeState, time: float) -> np.ndarray:
        """From target to station in LVLH axes at `time`, if the target goes on turning as it does now."""
        target = attitude.target @ pin.exp3(attitude.rate_target * (time - now))
        return lvlh_rotation(self.orbit.anomaly_at(time)).T @ target @ self._axis

    def fly(
        self, start: float, relative: np.ndarray, attitude: AttitudeState, legs: list[Leg], end: float, stop_at: float
    ) -> tuple[float, np.ndarray, AttitudeState, Track]:
        """(time, relative state, attitude, track) at `end` or where the distance falls to `stop_at`."""
        step, track, waiting = 1e-9 * self._scenario.step_ns, Track(), list(legs)
        now, state, on_slope = start, np.asarray(relative, dtype=float), False
        while now < end - 1e-9:
            while waiting and waiting[0].start <= now + 1e-9:
                leg = waiting.pop(0)
                on_slope = not leg.transfer
                change = self._fire(leg, now, state, attitude)
                track.pulses.append((self._offset + now, change))
                state = state + np.concatenate([np.zeros(3), change])
            self._note(track, now, state, attitude, on_slope)
            dt = min(step, end - now, waiting[0].start - now if waiting else inf)
            ahead = np.array(self._motion.step(now, tuple(state), dt))
            reached = np.linalg.norm(ahead[:3]) <= stop_at < np.linalg.norm(state[:3])
            if reached:
                grid = 1e-9 * self._scenario.contact.control_ns  # on which the contact phase goes on
                dt = ceil((now + self._crossing(now, state, dt, stop_at)) / grid) * grid - now
                ahead = np.array(self._motion.step(now, tuple(state), dt))
            attitude = self._attitude.step(attitude, self._torque(attitude), dt)
            now, state = now + dt, ahead
            if reached:
                break
        self._note(track, now, state, attitude, on_slope)
        return now, state, attitude, track

    def _fire(self, leg: Leg, now: float, state: np.ndarray, attitude: AttitudeState) -> np.ndarray:
        guidance = self._scenario.guidance
        noise = np.repeat([guidance.position_noise, guidance.velocity_noise], 3) * self._random.standard_normal(6)
        goal = leg.distance * self.line(now, attitude, leg.arrival)
        change = impulse(self._transition, leg, now, state + noise, goal)
        return change + np.linalg.norm(change) * guidance.execution_noise * self._random.standard_normal(3)

    def check(self, legs: list[Leg]) -> None:
        """Refuses legs that no impulse can fly. Raises ScenarioError."""
        for leg in legs:
            worst = condition(self._transition(leg.start, leg.arrival - leg.start))
            if not worst < WORST_CONDITION:
                raise self._refused(leg)

    def _refused(self, leg: Leg) -> ScenarioError:
        now, duration = leg.start, leg.arrival - leg.start
        key, value = "pulse_period_s", duration
        if leg.transfer:
            key, value = "transfer_s", self._scenario.guidance.transfer
        below, above = nearest_regular(lambda trial: self._transition(now, trial), duration)
        nearby = f"at most {below * value / duration:.0f} s or at least {above * value / duration:.0f} s"
        allowed = f"must not lead to a singular transfer (of {duration:.0f} s): near it, {nearby} is allowed"
        return ScenarioError(self._scenario.file, f"guidance.{key}", value, allowed)

    def _torque(self, attitude: AttitudeState) -> np.ndarray:
        """Turns the chaser to face the target, critically damped."""
        guidance = self._scenario.guidance
        ahead = pin.log3(attitude.chaser_in_target.T @ FACING)
        w = guidance.attitude_bandwidth
        return np.clip(self._inertia @ (w * w * ahead - 2.0 * w * attitude.rate), -guidance.torque, guidance.torque)

    def _crossing(self, now: float, state: np.ndarray, dt: float, distance: float) -> float:
        """When, within a step, the distance is reached: bisection."""
        low, high = 0.0, dt
        for _ in range(60):
            middle = 0.5 * (low + high)
            where = np.array(self._motion.step(now, tuple(state), middle))[:3]
            low, high = (middle, high) if np.linalg.norm(where) > distance else (low, middle)
        return high

    def _note(self, track: Track, now: float, state: np.ndarray, attitude: AttitudeState, on_slope: bool) -> None:
        track.times.append(self._offset + now)
        track.relative.append(state)
        track.facing.append(float(np.linalg.norm(pin.log3(attitude.chaser_in_target.T @ FACING))))
        falling = to_contact(self.orbit, now, state)
        seen = attitude.target.T @ falling.velocity
        track.velocity.append(seen - np.cross(attitude.rate_target, attitude.target.T @ falling.position))
        line = self.line(now, attitude, now)
        across = state[:3] - (state[:3] @ line) * line
        track.off_line.append(float(np.linalg.norm(across)) if on_slope else float("nan"))
