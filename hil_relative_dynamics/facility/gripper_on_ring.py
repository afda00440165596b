"""The gripper where it is, on the ring where it is: from the motion of the two mock-ups to the wrench between them."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.gripper import GripperContact, GripperReading, GripperState, reaction
from hil_relative_dynamics.scenario.contact import Contact
from hil_relative_dynamics.spatial import JointSample, MotionSample

_FAR = 0.3  # beyond this the relative speed does not matter yet [m]


class GripperOnRing:
    """Contact of the arm's gripper with the client's launch adapter ring, equal and opposite at one point.

    Args:
        settings: `scenario.contact`.
        servicer: base and arm; its end-effector is the gripper.
        pose_grasp_point: of the client, in it.
    """

    def __init__(self, settings: Contact, servicer: FreeFlyer, pose_grasp_point: pin.SE3) -> None:
        self._contact, self._servicer, self._grasp = GripperContact(settings), servicer, pose_grasp_point.copy()

    def initial_state(self) -> GripperState:
        return self._contact.initial_state()

    def read(self, state: GripperState) -> GripperReading:
        return self._contact.read(state)

    def step(
        self,
        state: GripperState,
        client: MotionSample,
        base: MotionSample,
        joints: JointSample,
        closing: bool,
        dt: float,
    ) -> tuple[GripperState, pin.Force, pin.Force]:
        """(state, wrench on the client in its frame, wrench on the end-effector in its own), held for `dt` from now."""
        pose_client = client.pose
        pose_tool = pose_client.actInv(base.pose * self._servicer.end_effector_in_base(joints.position))
        pose = self._grasp.actInv(pose_tool)
        twist = pin.Motion.Zero()
        if np.abs(pose.translation).max() < _FAR:
            jacobian_base, jacobian_joints = self._servicer.jacobians(joints.position)
            tool = jacobian_base @ base.twist.vector + jacobian_joints @ joints.velocity
            twist = pin.Motion(tool) - pose_tool.actInv(client.twist)
        state, on_gripper = self._contact.step(state, pose, twist, closing, dt)
        on_grasp_point = reaction(on_gripper, pose)
        return state, self._grasp.act(on_grasp_point), on_gripper
