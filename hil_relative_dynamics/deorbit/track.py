"""What is recorded of a push in space."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.deorbit.pair import ContactPair, Instant, PairState

SCALARS = 22
"""Columns of a row before those of the feet."""


@dataclass(frozen=True)
class Track:
    """What was recorded, one row per step. Forces are those on the target."""

    times: np.ndarray
    """[s]"""
    normal: np.ndarray
    """Of each foot [N]"""
    across: np.ndarray
    """Size of the lateral force at each foot [N]"""
    force: np.ndarray
    """Of contact and robot together, in the chaser's axes, in which the thrust is along x [N]"""
    torque_x: np.ndarray
    """About the thrust axis, of the feet [N m]"""
    robot: np.ndarray
    """F_y, F_z, tau_x of the robot [N, N m]"""
    deviation: np.ndarray
    """Of the target's CoM from the chaser's x axis, y and z [m]"""
    deviation_rate: np.ndarray
    """[m/s]"""
    attitude: np.ndarray
    """Roll, pitch, yaw of the target [rad]"""
    rate: np.ndarray
    """Angular velocity of the target, in its own axes [rad/s]"""
    pointing: np.ndarray
    """Angle of the chaser's x axis from where it pointed at the start [rad]"""
    thrust: np.ndarray
    """[N]"""
    depth: np.ndarray
    """Of the deepest foot; negative: nothing touches [m]"""
    balance: np.ndarray
    """Energy minus work plus heat [J]"""
    heat: np.ndarray
    """That the contact has taken [J]"""


def row_of(pair: ContactPair, state: PairState, now: Instant, thrust: pin.Force) -> np.ndarray:
    """One moment as numbers, in the order in which `track_of` takes them apart."""
    rotation, centre = now.pose.rotation, pair.target.inertia.lever
    forces = now.pressed.forces
    # the target's CoM seen from the chaser: where it is, and how fast it moves
    deviation = rotation.T @ (centre - now.pose.translation)
    speed = -(rotation.T @ (now.twist.linear + np.cross(now.twist.angular, centre)))
    return np.concatenate(
        [
            rotation.T @ now.wrench_target.linear,
            [now.pressed.wrench.angular[0]],
            now.robot,
            deviation[1:],
            speed[1:],
            pin.rpy.matrixToRpy(state.pose_target.rotation),
            state.twist_target.angular,
            [np.arccos(np.clip(state.pose_chaser.rotation[0, 0], -1.0, 1.0))],
            [thrust.linear[0], (rotation[0] @ pair.contact.feet).max() + now.pose.translation[0]],
            [pair.energy(state, now) - state.work_thrust - state.work_robot + state.heat, state.heat],
            forces[0],
            np.hypot(forces[1], forces[2]),
        ]
    )


def track_of(times: np.ndarray, rows: np.ndarray, feet: int) -> Track:
    """The rows of `row_of` under their names."""
    return Track(
        times=times,
        normal=rows[:, SCALARS : SCALARS + feet],
        across=rows[:, SCALARS + feet :],
        force=rows[:, :3],
        torque_x=rows[:, 3],
        robot=rows[:, 4:7],
        deviation=rows[:, 7:9],
        deviation_rate=rows[:, 9:11],
        attitude=rows[:, 11:14],
        rate=rows[:, 14:17],
        pointing=rows[:, 17],
        thrust=rows[:, 18],
        depth=rows[:, 19],
        balance=rows[:, 20],
        heat=rows[:, 21],
    )
