"""A target in the closed gripper: the rigid connection of paper 002, Sec. III."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer


def with_target(servicer: FreeFlyer, joint: int, inertia: pin.Inertia, placement: pin.SE3) -> FreeFlyer:
    """The same servicer, one of whose bodies holds the target."""
    model = servicer.model.copy()
    model.appendBodyToJoint(joint, inertia, placement)
    return FreeFlyer(model, model.frames[servicer.end_effector].name)


class Held:
    """Servicer and target as one multi-body system.

    Args:
        servicer: base and arm alone.
        inertia: of the target.
        target_in_tool: where it is held.
        stored, pressing: what the pads' springs hold and press with meanwhile [J, N].
    """

    def __init__(
        self, servicer: FreeFlyer, inertia: pin.Inertia, target_in_tool: pin.SE3, stored: float, pressing: float
    ) -> None:
        self.target_in_tool, self.stored, self.pressing = target_in_tool, stored, pressing
        self._servicer, self._inertia = servicer, inertia
        flange = servicer.model.frames[servicer.end_effector]
        self.joint, self.target_in_joint = flange.parentJoint, flange.placement * target_in_tool
        self.both = with_target(servicer, self.joint, inertia, self.target_in_joint)
        self.data = self.both.model.createData()

    def target(self, joints: np.ndarray, velocity: np.ndarray) -> tuple[pin.SE3, pin.Motion]:
        """Pose in the base and twist of the target."""
        jacobian_base, jacobian_joints = self._servicer.jacobians(joints)
        tool = self._servicer.end_effector_in_base(joints)
        twist = pin.Motion(jacobian_base @ velocity[:6] + jacobian_joints @ velocity[6:])
        return tool * self.target_in_tool, self.target_in_tool.actInv(twist)

    def merged(self, joints: np.ndarray, velocity: np.ndarray, twist_target: pin.Motion) -> np.ndarray:
        """Velocities of base and joints once both move as one: an inelastic joining, which keeps all momenta."""
        jacobian = self.target_in_tool.inverse().toActionMatrix() @ np.hstack(self._servicer.jacobians(joints))
        momenta = self._servicer.mass_matrix(joints) @ velocity
        momenta = momenta + jacobian.T @ (self._inertia * twist_target).vector
        return np.linalg.solve(self.both.mass_matrix(joints), momenta)
