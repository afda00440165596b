"""The torque-controlled arm in the laboratory: gravity, a moving base, contact, eq. (20)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, JointSample, MotionSample

_ground_arm_step = function("ground_arm_step", pointers=4, doubles=1)


class GroundArm:
    r"""\( M_{bq}^T \dot V_s + M_q \ddot q + C_{qs} V_s + C_q \dot q + g(q) = \tau_q + J_m^T F_e \)  (20).

    Args:
        servicer: base and arm; only the arm's rows are used here.
        pose_nominal_in_laboratory: constant calibration transform.
        gravity: in the laboratory [m/s^2].
    """

    def __init__(self, servicer: FreeFlyer, pose_nominal_in_laboratory: pin.SE3, gravity: np.ndarray) -> None:
        self._servicer = servicer  # keeps the memory behind the address
        self._memory = Workspace(base=(2, SAMPLE_SIZE), calibration=7, gravity=3, wrench=6)
        self._memory.calibration[:] = pin.SE3ToXYZQUAT(pose_nominal_in_laboratory)
        self._memory.gravity[:] = gravity
        self._arm = Workspace(joints=(3, servicer.joint_count), torque=servicer.joint_count)
        addresses = [self._arm.address_of(name) for name in ("joints", "torque")]
        self._arguments = (servicer.packed.ctypes.data, self._memory.address, *addresses)

    def step(
        self,
        base: MotionSample,
        base_next: MotionSample,
        joints: JointSample,
        torque: np.ndarray,
        wrench_end_effector: pin.Force,
        dt: float,
    ) -> JointSample:
        """The joints after `dt`, torque and wrench held.

        `base` is (g_s, V_s, dV_s) at the start, `base_next` at the end. The acceleration in the result is
        the one at the end under the old torque. With dt = 0 only it is computed.
        """
        memory, arm = self._memory, self._arm
        memory.base[0] = base.array
        memory.base[1] = base_next.array
        memory.wrench[:] = wrench_end_effector.vector
        arm.joints[:] = joints.array
        arm.torque[:] = torque
        _ground_arm_step(*self._arguments, dt)
        return JointSample(arm.joints.copy())
