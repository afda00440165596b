"""The robot arm that holds the target without friction: damping only, and a torque about the thrust axis."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin


@dataclass(frozen=True)
class DampingRobot:
    """Lateral damping at the grasp point, no elasticity, and a torque that keeps the bodies from rolling apart.

    The paper gives the damping, 75 and 25 N s/m, and the grasp point; a force there has a moment about x, which the
    torque tau_x of (16) balances. It is the robot's too: here it cancels that moment and holds the roll angle.

    Args:
        damping: in y and z [N s/m].
        grasp_point: in the contact frame [m].
        roll_stiffness, roll_damping: about x [N m/rad, N m s/rad].
    """

    damping: tuple[float, float]
    grasp_point: np.ndarray
    roll_stiffness: float
    roll_damping: float

    def wrench(self, pose: pin.SE3, twist: pin.Motion) -> tuple[pin.Force, np.ndarray]:
        """On the target, in its frame; and F_y, F_z, tau_x [N, N m]."""
        x, y, z = (pose.rotation @ self.grasp_point + pose.translation).tolist()
        (_, vy, vz), (wx, wy, wz) = twist.linear.tolist(), twist.angular.tolist()
        along_y = self.damping[0] * (vy + wz * x - wx * z)
        along_z = self.damping[1] * (vz + wx * y - wy * x)
        rotation = pose.rotation
        roll = np.arctan2(rotation[2, 1], rotation[2, 2])
        hold = float(self.roll_stiffness * roll + self.roll_damping * wx)
        force = np.array([0.0, along_y, along_z])
        torque_x = hold - (y * along_z - z * along_y)
        moment = np.array([hold, -x * along_z, x * along_y])
        return pin.Force(force, moment), np.array([along_y, along_z, torque_x])
