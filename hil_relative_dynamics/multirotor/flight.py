"""A whole flight of two platforms, recorded at the rate of the set-points."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.build import Flyers, build
from hil_relative_dynamics.multirotor.commander import FLYING, RULED, CommanderState
from hil_relative_dynamics.multirotor.platform import Platform, PlatformState
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.scenario.multirotor import MultirotorMission

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Flight:
    """What was flown, one row per set-point; positions in the hall [m], angles [rad]."""

    flyers: Flyers
    story: tuple[CommanderState, ...]  # every change of what the commander did
    stamps: np.ndarray  # [ns]
    times: np.ndarray  # since the start of the reference [s]
    wanted: np.ndarray  # position, 3
    wanted_yaw: np.ndarray
    chaser: np.ndarray  # true position, 3
    estimated: np.ndarray  # position, 3
    attitude: np.ndarray  # roll, pitch, yaw
    speeds: np.ndarray  # of the chaser's rotors [rad/s], 6
    target: np.ndarray  # true position, 3
    consistency: np.ndarray  # normalised estimation error squared of the chaser's EKF, 15 states

    @property
    def stopped_by_rule(self) -> bool:
        return any(state.doing == RULED for state in self.story)

    @property
    def ended(self) -> float:
        """When the reference ended or was ended [s]; the whole flight if it did not."""
        return next((state.since for state in self.story if state.doing != FLYING), float(self.times[-1]))


def fly(scenario: MultirotorMission, progress: Progress | None = None) -> Flight:
    """Flies a scenario from its seed alone. Raises ScenarioError before anything moves."""
    flyers = build(scenario)
    dt, every = 1e-9 * scenario.step_ns, scenario.control.setpoint_ns // scenario.step_ns
    start = flyers.reference.at(0.0).pose
    chaser, target = flyers.chaser.initial_state(start), flyers.target.initial_state(flyers.pose_target)
    hovering = SetPoint(flyers.pose_target)
    commander = flyers.commander.initial_state()
    story, rows = [commander], []
    steps = scenario.duration_ns // scenario.step_ns
    wanted = SetPoint(start)
    for tick in range(steps):
        if tick % every == 0:
            time = 1e-9 * (tick * scenario.step_ns - scenario.settle_ns)
            believed = chaser.estimated
            commander, wanted = flyers.commander.step(
                commander, time, believed.position, believed.velocity, target.estimated.position
            )
            if commander is not story[-1] and commander.doing != story[-1].doing:
                story.append(commander)
            rows.append(_row(tick * scenario.step_ns, time, wanted, flyers.chaser, chaser, target))
            if progress and tick % (50 * every) == 0:
                progress(tick / steps)
        chaser = flyers.chaser.step(chaser, wanted, tick, dt)
        target = flyers.target.step(target, hovering, tick, dt)
    return Flight(flyers, tuple(story), *(np.array(column) for column in zip(*rows)))


def _row(
    stamp: int, time: float, wanted: SetPoint, platform: Platform, chaser: PlatformState, target: PlatformState
) -> tuple[object, ...]:
    vehicle, estimated = chaser.vehicle, chaser.estimated
    error = estimated.error(vehicle.pose, vehicle.velocity, platform.imu.bias)
    consistency = error @ np.linalg.solve(platform.navigation.carried_over(estimated), error)
    return (
        stamp,
        time,
        wanted.pose.translation.copy(),
        pin.rpy.matrixToRpy(wanted.pose.rotation)[2],
        vehicle.pose.translation.copy(),
        estimated.position,
        pin.rpy.matrixToRpy(vehicle.pose.rotation),
        vehicle.speeds,
        target.vehicle.pose.translation.copy(),
        consistency,
    )
