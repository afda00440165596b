"""What a recorded capture showed: when, how close, how hard, how fast; momentum, stored energy and a verdict.

Everything is judged by where the mock-ups were measured to be, mapped to orbit (23), not by what the on-board software
believed. Momentum is that of the dynamics, which is what the method has to conserve.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.evidence.energy import Energy, energy
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario.capture import Capture
from hil_relative_dynamics.spatial import JointSample, MotionSample

#: what a capture is judged from; a recording may hold more
RECORDED = (
    signals.NOMINAL,
    signals.CLIENT_MEASURED,
    signals.SERVICER_MEASURED,
    signals.CLIENT_ABSOLUTE,
    signals.SERVICER_ABSOLUTE,
    signals.CLIENT_SIMULATED,
    signals.SERVICER_SIMULATED,
    signals.ARM_JOINTS,
    signals.CLIENT_WRENCH,
    signals.END_EFFECTOR_WRENCH,
    signals.SERVICER_THRUST,
    signals.GRIPPER_STATE,
    signals.ONBOARD_STATUS,
)

#: the relative rate is judged from here to the grasp, as published [s]
SETTLED_FROM = 15.0
#: relative motion counts as decayed after so long [s]
DECAY = 5.0
#: over which velocities are averaged where they are to decay [s]
SMOOTHING = 0.5


class Entered(NamedTuple):
    """A phase and when it began [s]."""

    phase: Phase
    time: float


class Momentum(NamedTuple):
    """What became of the momentum of client and servicer together that thrust does not explain, over time."""

    times: np.ndarray
    linear: np.ndarray  # over the servicer's mass times its speed along the arc
    angular: np.ndarray  # over the client's angular momentum at the start


@dataclass(frozen=True)
class Limits:
    """What a capture has to keep."""

    synchronised_by: float = 9.0  # [s]
    rate: float = np.radians(0.2)  # [rad/s]
    contact: float = 50.0  # [N]
    displacement: float = 0.5  # [m]


class CaptureStory:
    """Reads a recording; each quantity is worked out when it is asked for.

    Args:
        world: of the scenario that was run.
        recording: with the signals `RECORDED`.
    """

    def __init__(self, world: World, recording: Recording) -> None:
        if world.scenario.onboard.capture is None:
            raise ValueError("the scenario has no capture: onboard.kind must be 'capture'")
        self._capture: Capture = world.scenario.onboard.capture
        self._world, self._recording = world, recording

    # ---- when ----

    @cached_property
    def phases(self) -> list[Entered]:
        """As the on-board software told; none if it is somebody's own, which need not tell."""
        if signals.ONBOARD_STATUS not in self._recording:
            return []
        numbers, times = self._recording[signals.ONBOARD_STATUS][:, 0], self._recording.times(signals.ONBOARD_STATUS)
        changes = np.flatnonzero(np.diff(numbers, prepend=-1.0))
        return [Entered(list(Phase)[int(numbers[row])], float(times[row])) for row in changes]

    def began(self, phase: Phase) -> float:
        """[s]; NaN if it never did."""
        return next((entered.time for entered in self.phases if entered.phase is phase), nan)

    @property
    def latched(self) -> float:
        """When the gripper told that it holds the ring [s]; NaN if it never did."""
        return self._first(signals.GRIPPER_STATE, self._recording[signals.GRIPPER_STATE][:, 1] > 0.5)

    @property
    def stopped(self) -> float:
        """When the supervisor stopped the run [s]; NaN if it did not, or there is none."""
        if signals.SAFETY not in self._recording:
            return nan
        return self._first(signals.SAFETY, self._recording[signals.SAFETY][:, 0] < 0.5)

    @property
    def triggered(self) -> float:
        """When the grasp began [s], NaN: never; of software that does not tell, when the gripper had latched."""
        return self.began(Phase.GRASP) if self.phases else self.latched

    @property
    def synchronised(self) -> float:
        """From when on, until the approach, the base was at its station by the software's own measure [s]; NaN: never.

        How far it really was is `station_errors`, which counts, until the grasp, for software that does not tell.
        """
        if self.phases:
            times, end = self._recording.times(signals.ONBOARD_STATUS), self.began(Phase.APPROACH)
            errors = self._recording[signals.ONBOARD_STATUS][:, 1:3]
        else:
            times, end, errors = self.times, self.triggered, self.station_errors
        limits, errors = self._capture.tolerances, errors[times < self._or_end(end)]
        off = np.flatnonzero((errors[:, 0] > limits.base_position) | (errors[:, 1] > limits.base_angle))
        if not len(off):
            return 0.0
        return nan if off[-1] + 1 == len(errors) else float(times[off[-1] + 1])

    def _first(self, signal: str, condition: np.ndarray) -> float:
        return float(self._recording.times(signal)[np.argmax(condition)]) if condition.any() else nan

    def _or_end(self, time: float) -> float:
        return float(self.times[-1]) if np.isnan(time) else time

    # ---- how close and how fast, in orbit ----

    @property
    def times(self) -> np.ndarray:
        """Of the dynamics [s]."""
        return self._recording.times(signals.SERVICER_ABSOLUTE)

    @cached_property
    def _absolute(self) -> tuple[list[MotionSample], list[MotionSample], list[JointSample]]:
        recording = self._recording
        joints = recording.sampled(signals.ARM_JOINTS, signals.SERVICER_ABSOLUTE)
        return (
            [MotionSample(row) for row in recording[signals.CLIENT_ABSOLUTE]],
            [MotionSample(row) for row in recording[signals.SERVICER_ABSOLUTE]],
            [JointSample(row) for row in joints],
        )

    @cached_property
    def station_errors(self) -> np.ndarray:
        """Of the base from its station in the client: position [m] and attitude [rad]."""
        station = self._capture.station.pose
        rows = []
        for client, servicer, _ in zip(*self._absolute):
            off = station.actInv(client.pose.actInv(servicer.pose))
            rows.append((np.linalg.norm(off.translation), np.linalg.norm(pin.log3(off.rotation))))
        return np.array(rows)

    @cached_property
    def relative_rates(self) -> np.ndarray:
        """Angular velocity of the servicer relative to the client, base axes [rad/s]."""
        return np.array(
            [
                servicer.twist.angular - servicer.pose.rotation.T @ client.pose.rotation @ client.twist.angular
                for client, servicer, _ in zip(*self._absolute)
            ]
        )

    @cached_property
    def tool_twists(self) -> np.ndarray:
        """Of the gripper relative to the client, where the gripper is and in its axes [m/s, rad/s]."""
        rows = []
        for client, servicer, joints in zip(*self._absolute):
            pose_tool = self._world.servicer.end_effector_in_base(joints.position)
            by_base, by_joints = self._world.servicer.jacobians(joints.position)
            tool = by_base @ servicer.twist.vector + by_joints @ joints.velocity
            rows.append(tool - (servicer.pose * pose_tool).actInv(client.pose.act(client.twist)).vector)
        return np.array(rows)

    def largest_rate(self) -> float:
        """On any axis, from 15 s to the grasp [rad/s]; NaN if it did not come so far."""
        return _largest(self.relative_rates[self._between(SETTLED_FROM, self.triggered)])

    def speeds(self) -> tuple[float, float]:
        """Speed of the gripper against the client, largest from trigger to latch and largest from 5 s after it [m/s].

        Means over half a second: encoder steps and sticking joints make single values jump.
        """
        return self._before_and_after(self.tool_twists[:, :3])

    def rates(self) -> tuple[float, float]:
        """The same of the servicer's angular velocity relative to the client [rad/s]."""
        return self._before_and_after(self.relative_rates)

    def _before_and_after(self, vectors: np.ndarray) -> tuple[float, float]:
        width = max(1, round(SMOOTHING / (self.times[1] - self.times[0])))
        smooth = np.column_stack([np.convolve(column, np.full(width, 1.0 / width), "same") for column in vectors.T])
        sizes = np.linalg.norm(smooth, axis=1)
        before = sizes[self._between(self.began(Phase.GRASP), self.latched)]
        return _largest(before), _largest(sizes[self._between(self.latched + DECAY, self._end)])

    def true_station_error(self) -> tuple[float, float]:
        """Where the base really was when the approach began [m, rad]."""
        begun = self.began(Phase.APPROACH)
        if np.isnan(begun):
            return nan, nan
        position, angle = self.station_errors[np.searchsorted(self.times, begun)]
        return float(position), float(angle)

    @property
    def _end(self) -> float:
        return float(self.times[-1]) + 1.0

    def _between(self, start: float, end: float) -> np.ndarray:
        return (self.times >= start) & (self.times < end)

    # ---- how hard and how far, in the laboratory ----

    @property
    def largest_contact(self) -> float:
        """Force on the client [N]."""
        return _largest(np.linalg.norm(self._recording[signals.CLIENT_WRENCH][:, :3], axis=1))

    @property
    def inhibited(self) -> float:
        """From when on the thrusters were silent to the end [s]; NaN if they were not."""
        thrust, times = self._recording[signals.SERVICER_THRUST], self._recording.times(signals.SERVICER_THRUST)
        firing = np.flatnonzero(thrust.any(axis=1))
        last = firing[-1] if len(firing) else -1
        return float(times[last + 1]) if last + 1 < len(times) else nan

    def displacement(self, signal: str) -> float:
        """Of a robot (by its measured motion) from its start, the largest [m]."""
        places = self._recording[signal][:, :3]
        return _largest(np.linalg.norm(places - places[0], axis=1))

    @property
    def displacements(self) -> tuple[float, float]:
        """Of client robot and servicer robot [m]."""
        return self.displacement(signals.CLIENT_MEASURED), self.displacement(signals.SERVICER_MEASURED)

    # ---- momentum and energy ----

    @cached_property
    def momentum(self) -> Momentum:
        recording, client, servicer = self._recording, self._world.client, self._world.servicer
        reference = signals.SERVICER_SIMULATED
        thrusts = recording.sampled(signals.SERVICER_THRUST, reference)
        joints = recording.sampled(signals.ARM_JOINTS, reference)
        momenta, forces = [], []
        for points, (start, end), thrust, (q, dq, _) in zip(
            recording[signals.CLIENT_SIMULATED], recording[reference], thrusts, joints
        ):
            tumbling, a, b = MotionSample(points[0]), MotionSample(start), MotionSample(end)
            of_client = client.momentum(tumbling.pose, tumbling.twist)
            of_servicer = a.pose.act(servicer.momentum_in_base(q, a.twist, dq))
            momenta.append((of_client + of_servicer).vector)
            wrench = pin.Force(thrust)
            forces.append(0.5 * (a.pose.act(wrench) + b.pose.act(wrench)).vector)
        times = recording.times(reference)
        given = np.cumsum(np.array(forces)[:-1], axis=0) * (times[1] - times[0])
        unexplained = np.array(momenta) - momenta[0]
        unexplained[1:] -= given
        linear, angular = self.momentum_scales
        return Momentum(
            times,
            np.linalg.norm(unexplained[:, :3], axis=1) / linear,
            np.linalg.norm(unexplained[:, 3:], axis=1) / angular,
        )

    @property
    def momentum_scales(self) -> tuple[float, float]:
        """Servicer's mass times its speed along the arc [N s]; the client's angular momentum [N m s]; at the start."""
        scenario = self._world.scenario
        speed = np.linalg.norm(np.cross(scenario.client.twist.angular, self._capture.station.position))
        angular = self._world.client.momentum(scenario.client.pose, scenario.client.twist).angular
        return float(self._world.servicer.mass * speed), float(np.linalg.norm(angular))

    @cached_property
    def energy(self) -> Energy:
        return energy(self._world, self._recording)

    # ---- the verdict ----

    def complaints(self, limits: Limits = Limits()) -> list[str]:
        """What was not as it should be, in sentences; none: a clean capture."""
        return [sentence for good, sentence in self._judged(limits) if not good]

    def _judged(self, limits: Limits) -> Sequence[tuple[bool, str]]:
        trigger, latched, inhibited = self.began(Phase.GRASP), self.latched, self.inhibited
        speeds = self.speeds()
        return (
            (np.isnan(self.stopped), f"the supervisor stopped the run at {self.stopped:.2f} s"),
            (self.synchronised <= limits.synchronised_by, f"synchronised at {self.synchronised:.2f} s"),
            (not np.isnan(trigger), "the grasp was never triggered"),
            (not np.isnan(latched), "the gripper never latched"),
            (self.largest_rate() <= limits.rate, f"relative rate of {np.degrees(self.largest_rate()):.3f} deg/s"),
            (self.largest_contact <= limits.contact, f"contact force of {self.largest_contact:.1f} N"),
            (speeds[1] < 0.2 * speeds[0], "relative motion did not decay after the grasp"),
            (not inhibited < latched, f"thrusters silent from {inhibited:.2f} s, latched at {latched:.2f} s"),
            (
                max(self.displacements) <= limits.displacement,
                f"robots moved {self.displacements[0]:.2f} and {self.displacements[1]:.2f} m",
            ),
        )


def _largest(values: np.ndarray) -> float:
    """Largest magnitude; NaN where nothing or not a number is: neither must pass."""
    return float(np.max(np.abs(values))) if len(values) else nan


__all__ = ["RECORDED", "CaptureStory", "Energy", "Entered", "Limits", "Momentum"]
