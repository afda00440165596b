"""A facility without faults: robots that are where they are told to be, sensors that tell the truth."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.gripper import GripperState
from hil_relative_dynamics.facility.gripper_on_ring import GripperOnRing
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.facility.interpolate import Interpolator
from hil_relative_dynamics.spatial import JointSample, MotionPoints, MotionSample

_NO_WRENCH = pin.Force.Zero()


class Measurements(NamedTuple):
    """What the laboratory tells at one instant."""

    client: MotionSample  # g_c, V_c
    servicer: MotionSample  # g_s, V_s
    joints: JointSample
    wrench_client: pin.Force  # on the client, in its frame
    wrench_end_effector: pin.Force  # on the arm, in the end-effector's frame
    gripper: GripperState | None = None


class Commands(NamedTuple):
    """What the laboratory was told at the instant before."""

    client: MotionPoints
    servicer: MotionPoints
    torque: np.ndarray
    close_gripper: bool = False


class IdealFacility:
    """Perfect tracking (Assumption 1), and the arm's true ground dynamics (20) under held torque."""

    def __init__(
        self,
        servicer: FreeFlyer,
        arm: GroundArm,
        wrenches: ExternalWrenches,
        dynamics_period: int,
        gripper: GripperOnRing | None = None,
    ) -> None:
        self._servicer, self._arm, self._wrenches, self._gripper = servicer, arm, wrenches, gripper
        self._dynamics_period = dynamics_period
        self._motion = Interpolator(dynamics_period)

    def initial_state(
        self, client: MotionSample, servicer: MotionSample, joints: JointSample
    ) -> Measurements:
        gripper = self._gripper.initial_state() if self._gripper else None
        return self._measure(0, client, servicer, joints)._replace(gripper=gripper)

    def step(self, state: Measurements, commands: Commands, stamp: int, period: int) -> Measurements:
        """The measurements at `stamp`, one period after `state`, under the commands given then."""
        # time since the commanded motion began, above 0 up to its period
        end = (stamp - 1) % self._dynamics_period + 1
        client, servicer = self._motion.at(commands.client, end), self._motion.at(commands.servicer, end)
        joints = self._arm.step(
            state.servicer, servicer, state.joints, commands.torque, state.wrench_end_effector, 1e-9 * period
        )
        measured = self._measure(stamp, client, servicer, joints)
        if self._gripper is None or state.gripper is None:
            return measured
        gripper, on_client, on_end_effector = self._gripper.step(
            state.gripper, client, servicer, joints, commands.close_gripper, 1e-9 * period
        )
        return measured._replace(
            gripper=gripper,
            wrench_client=measured.wrench_client + on_client,
            wrench_end_effector=measured.wrench_end_effector + on_end_effector,
        )

    def _measure(
        self, stamp: int, client: MotionSample, servicer: MotionSample, joints: JointSample
    ) -> Measurements:
        if not self._wrenches.any_at(stamp):
            return Measurements(client, servicer, joints, _NO_WRENCH, _NO_WRENCH)
        end_effector = servicer.pose * self._servicer.end_effector_in_base(joints.position)
        return Measurements(
            client, servicer, joints, *self._wrenches.at(stamp, client.pose.actInv(end_effector))
        )
