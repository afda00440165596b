"""What the robots carry: how it moves, and what it loads the F/T sensors with."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.facility.robot_model import RobotModel
from hil_relative_dynamics.spatial import JointSample, MotionSample

FLANGE = 6
"""The joint that carries flange, sensor and mock-up."""


class CarriedBody:
    """A body (client or base of the servicer) that a robot moves, of which the mock-up is a part.

    Args:
        robot: its sensor's load is the mock-up's inertia.
        pose_body_in_carried: the body's frame, seen from the carried one (grasp point or arm mount).
        pose_nominal_in_laboratory: constant calibration transform.
        gravity: in the laboratory [m/s^2].
    """

    def __init__(
        self,
        robot: RobotModel,
        pose_body_in_carried: pin.SE3,
        pose_nominal_in_laboratory: pin.SE3,
        gravity: np.ndarray,
    ) -> None:
        self._model, self._data = robot.model, robot.model.createData()
        frames = robot.model.frames
        self._pose_body_in_flange = frames[robot.carried].placement * pose_body_in_carried
        self._pose_sensor_in_flange = frames[robot.sensor].placement.copy()
        self._pose_laboratory_in_nominal = pose_nominal_in_laboratory.inverse()
        self._load = self._pose_sensor_in_flange.act(robot.load)
        self._upwards = pin.Motion(-np.asarray(gravity, dtype=float), np.zeros(3))
        self.pose_body_in_sensor = self._pose_sensor_in_flange.actInv(self._pose_body_in_flange)

    def at(self, joints: np.ndarray) -> tuple[MotionSample, pin.Force]:
        """Motion of the body relative to the nominal, and the mock-up's load on the sensor, in its frame.

        The load is weight less what it takes to move the mock-up, (2):  -(M (dV - g) + V x* M V).

        Args:
            joints: angles, velocities and accelerations of the robot: rows.
        """
        data, body = self._data, self._pose_body_in_flange
        pin.forwardKinematics(self._model, data, joints[0], joints[1], joints[2])
        pose, twist, acceleration = data.oMi[FLANGE], data.v[FLANGE], data.a[FLANGE]
        sample = MotionSample.of(
            self._pose_laboratory_in_nominal * pose * body, body.actInv(twist), body.actInv(acceleration)
        )
        needed = self._load * (acceleration + pose.actInv(self._upwards)) + self._load.vxiv(twist)
        return sample, -self._pose_sensor_in_flange.actInv(needed)


class ArmReaction:
    """What the arm loads its mount with: base row of its inverse dynamics, the base without mass."""

    def __init__(self, servicer: FreeFlyer, pose_nominal_in_laboratory: pin.SE3, gravity: np.ndarray) -> None:
        model = pin.Model(servicer.model)
        model.inertias[1] = pin.Inertia.Zero()
        self._model, self._data = model, model.createData()
        model.gravity.linear = np.asarray(gravity, dtype=float)
        tip = model.frames[servicer.end_effector]
        self._tip_joint, self._pose_tip_in_joint = tip.parentJoint, tip.placement.copy()
        self._external = pin.StdVec_Force()
        self._external.extend([pin.Force.Zero()] * model.njoints)
        self._q = pin.neutral(model)
        self._rates = np.zeros((2, model.nv))
        self._pose_nominal = pose_nominal_in_laboratory.copy()

    def at(self, base: MotionSample, joints: JointSample, wrench_end_effector: pin.Force) -> pin.Force:
        """On the servicer's base, at its origin and in its axes: weight, inertia and contact of the arm."""
        q, rates = self._q, self._rates
        q[:7] = pin.SE3ToXYZQUAT(self._pose_nominal * base.pose)
        q[7:] = joints.position
        rates[0, :6], rates[1, :6] = base.array[7:13], base.array[13:19]
        rates[:, 6:] = joints.array[1:]
        self._external[self._tip_joint] = self._pose_tip_in_joint.act(wrench_end_effector)
        needed = pin.rnea(self._model, self._data, q, rates[0], rates[1], self._external)
        return pin.Force(-needed[:6])
