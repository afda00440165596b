"""From joint readings to the motion that the method needs: poses and twists relative to the nominal.

The nominal frame is at rest in the laboratory, so (g_c, V_c, dV_c) is also the mock-up's true motion there.
No device measures accelerations: they are differences of successive twists or joint rates over the time
between their stamps, the mean over the last interval: late by half an interval, and by the filter if any.
"""
from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.filters import low_pass, time_constant
from hil_relative_dynamics.facility.robot_model import RobotModel
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointReading, JointSample, MotionSample


class RateState(NamedTuple):
    """A rate (twist or joint velocities) at the last stamp [ns], and its derivative so far."""

    stamp: int | None
    rate: np.ndarray
    derivative: np.ndarray


class Differentiator:
    """Derivative of a sampled rate, from before the sample: its limit from the left, never what is to come.

    Zero for the first sample; the one of before for a repeated or older stamp. After a sample that was not
    finite it starts afresh.
    """

    def __init__(self, size: int, cutoff: float) -> None:
        self._size, self._tau = size, time_constant(cutoff)

    def initial_state(self) -> RateState:
        return RateState(None, np.zeros(self._size), np.zeros(self._size))

    def step(self, state: RateState, rate: np.ndarray, stamp: int) -> RateState:
        if state.stamp is None:
            return RateState(stamp, rate, state.derivative)
        if stamp <= state.stamp:
            return state
        dt = 1e-9 * (stamp - state.stamp)
        derivative = low_pass(state.derivative, (rate - state.rate) / dt, self._tau, dt)
        if not isfinite(derivative.dot(derivative)):
            return RateState(stamp if isfinite(rate.dot(rate)) else None, rate, np.zeros(self._size))
        return RateState(stamp, rate, derivative)


class RobotKinematics:
    """Measured motion of a spacecraft's body frame relative to the nominal, from the joints of its robot.

    Args:
        robot: carries the mock-up by its carried frame.
        pose_nominal_in_laboratory: constant calibration transform.
        pose_carried_in_body: the grasp point in the client, or the arm's mount in the servicer's base.
        cutoff: of the low-pass on the acceleration [Hz]; 0: none.
    """

    def __init__(
        self,
        robot: RobotModel,
        pose_nominal_in_laboratory: pin.SE3,
        pose_carried_in_body: pin.SE3,
        cutoff: float = 0.0,
    ) -> None:
        self.robot = robot
        self._pose_laboratory_in_nominal = pose_nominal_in_laboratory.inverse()
        self._pose_carried_in_body = pose_carried_in_body.copy()
        self._pose_body_in_carried = pose_carried_in_body.inverse()
        self._differentiator = Differentiator(6, cutoff)

    def initial_state(self) -> RateState:
        return self._differentiator.initial_state()

    def step(self, state: RateState, reading: JointReading, stamp: int) -> tuple[RateState, MotionSample]:
        joints = reading.array
        pose_carried, twist_carried = self.robot.pose_and_twist(joints[0], joints[1])
        pose = self._pose_laboratory_in_nominal * pose_carried * self._pose_body_in_carried
        twist = self._pose_carried_in_body.act(twist_carried).vector
        state = self._differentiator.step(state, twist, stamp)
        sample = np.empty(SAMPLE_SIZE)
        sample[:7] = pin.SE3ToXYZQUAT(pose)
        sample[7:13] = twist
        sample[13:] = state.derivative
        return state, MotionSample(sample)


class ArmKinematics:
    """Joint sample of the arm: its reading, and the acceleration of before."""

    def __init__(self, joint_count: int, cutoff: float = 0.0) -> None:
        self._differentiator = Differentiator(joint_count, cutoff)

    def initial_state(self) -> RateState:
        return self._differentiator.initial_state()

    def step(self, state: RateState, reading: JointReading, stamp: int) -> tuple[RateState, JointSample]:
        sample = reading.array.copy()
        state = self._differentiator.step(state, sample[1].copy(), stamp)
        sample[2] = state.derivative
        return state, JointSample(sample)


class KinematicsState(NamedTuple):
    client: RateState
    servicer: RateState
    arm: RateState


class FacilityKinematics:
    """All three devices at one stamp; where their cycles differ, step the parts instead."""

    def __init__(self, client: RobotKinematics, servicer: RobotKinematics, arm: ArmKinematics) -> None:
        self.client, self.servicer, self.arm = client, servicer, arm

    def initial_state(self) -> KinematicsState:
        return KinematicsState(
            self.client.initial_state(), self.servicer.initial_state(), self.arm.initial_state()
        )

    def step(
        self,
        state: KinematicsState,
        client: JointReading,
        servicer: JointReading,
        arm: JointReading,
        stamp: int,
    ) -> tuple[KinematicsState, tuple[MotionSample, MotionSample, JointSample]]:
        state_client, sample_client = self.client.step(state.client, client, stamp)
        state_servicer, sample_servicer = self.servicer.step(state.servicer, servicer, stamp)
        state_arm, sample_arm = self.arm.step(state.arm, arm, stamp)
        states = KinematicsState(state_client, state_servicer, state_arm)
        return states, (sample_client, sample_servicer, sample_arm)
