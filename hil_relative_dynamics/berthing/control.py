"""Thrust and joint torque of the servicer: relative to the target while free, relative to the base while it carries."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.berthing.grasp import with_target
from hil_relative_dynamics.berthing.pair import BerthingPair, Commands, PairState
from hil_relative_dynamics.berthing.path import Wanted, follow
from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.onboard.coordinated import ArmKinematicsNow, CoordinatedControl
from hil_relative_dynamics.scenario.rendezvous_contact import BerthingControl
from hil_relative_dynamics.spatial import transported_twist_rate

_NO_THRUST = pin.Force.Zero()
_BASE_JOINT = 1


class Seen:
    """What control needs to know of a state, with perfect navigation."""

    def __init__(self, pair: BerthingPair, state: PairState, control: CoordinatedControl) -> None:
        layout, x = pair.layout, state.vector
        self.joints, self.rates = x[layout.joints], x[layout.rates]
        self.twist_target, self.twist_base = pin.Motion(x[layout.twist_target]), pin.Motion(x[layout.twist_base])
        self.acceleration_target = pair.target.acceleration(self.twist_target, _NO_THRUST)
        self.base = state.target.actInv(state.base)
        self.arm: ArmKinematicsNow = control.look(self.joints, self.rates, self.twist_base)
        self.tool_in_base = self.arm.pose_end_effector
        self.tool = self.base * self.tool_in_base
        self.tool_in_fixture = pair.fixture.actInv(self.tool)

    @property
    def twist_tool(self) -> pin.Motion:
        return pin.Motion(self.arm.jacobian_base @ self.twist_base.vector + self.arm.jacobian_joints @ self.rates)

    def relative(self, pose: pin.SE3, twist: pin.Motion) -> pin.Motion:
        """Twist relative to the target of a body that is at `pose` in it."""
        return twist - pose.actInv(self.twist_target)

    def inertial(self, pose: pin.SE3, relative: pin.Motion, acceleration: pin.Motion) -> pin.Motion:
        """Derivative of the inertial twist that gives a relative acceleration to a body at `pose` in the target."""
        return acceleration + transported_twist_rate(pose, relative, self.twist_target, self.acceleration_target)


class ServicerControl:
    """Inverse dynamics of the free-flyer: alone, with the target in its gripper, or with the target at its port."""

    def __init__(self, pair: BerthingPair, settings: BerthingControl, docked: pin.SE3) -> None:
        self._pair, self._settings = pair, settings
        servicer, inertia = pair.servicer, pair.target.inertia
        flange = servicer.model.frames[servicer.end_effector]
        held = flange.placement * pair.fixture.inverse()
        self.alone = CoordinatedControl(servicer)
        self.carrying = CoordinatedControl(with_target(servicer, flange.parentJoint, inertia, held))
        self.berthed = CoordinatedControl(with_target(servicer, _BASE_JOINT, inertia, docked.inverse()))
        self._limits = np.repeat([settings.force, settings.torque], 3)

    def free(self, state: PairState, base: Wanted, tool: Wanted | None, posture: np.ndarray) -> tuple[Seen, Commands]:
        """Base and gripper (None: joints at `posture`) along ways given in the target."""
        seen = Seen(self._pair, state, self.alone)
        gains = self._settings
        moving = seen.relative(seen.base, seen.twist_base)
        acceleration_base = seen.inertial(seen.base, moving, follow(seen.base, moving, base, gains.base))
        ddq = -2.0 * gains.tool * seen.rates
        if tool is None:
            ddq += gains.tool**2 * (posture - seen.joints)
        else:
            moving = seen.relative(seen.tool, seen.twist_tool)
            wanted = seen.inertial(seen.tool, moving, follow(seen.tool, moving, tool, gains.tool))
            ddq = self.alone.joint_accelerations(seen.arm, acceleration_base, wanted.vector, ddq)
        thrust, torque = self.alone.efforts(acceleration_base, ddq)
        limited = pin.Force(np.clip(thrust.vector, -self._limits, self._limits))
        return seen, Commands(limited, torque)

    def floating(
        self, state: PairState, control: CoordinatedControl, wanted: Wanted | None, bandwidth: float
    ) -> tuple[Seen, Commands]:
        """Gripper along a way given in the base (None: slow down), thrusters off."""
        seen = Seen(self._pair, state, control)
        moving = pin.Motion(seen.arm.jacobian_joints @ seen.rates)
        acceleration = None if wanted is None else follow(seen.tool_in_base, moving, wanted, bandwidth)
        return seen, self._arm_alone(seen, control, acceleration, bandwidth)

    def _arm_alone(
        self, seen: Seen, control: CoordinatedControl, acceleration: pin.Motion | None, bandwidth: float
    ) -> Commands:
        """Torque for an acceleration of the gripper relative to the base; what it leaves open slows down."""
        ddq = -2.0 * bandwidth * seen.rates
        if acceleration is not None:
            jacobian, drift = seen.arm.jacobian_joints, _arm_drift(self._pair.servicer, seen.joints, seen.rates)
            left = acceleration.vector - drift - jacobian @ ddq
            ddq = ddq + jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, left)
        return Commands(_NO_THRUST, _torque_without_thrust(control, ddq))


def _torque_without_thrust(control: CoordinatedControl, ddq: np.ndarray) -> np.ndarray:
    """Joint torque for joint accelerations, the base moving as it must: the base row of (12) with F_b = 0."""
    still, _ = control.efforts(pin.Motion.Zero(), ddq)
    columns = [control.efforts(pin.Motion(unit), ddq)[0].vector - still.vector for unit in np.eye(6)]
    yielding = np.linalg.solve(np.array(columns).T, -still.vector)
    return control.efforts(pin.Motion(yielding), ddq)[1]


def _arm_drift(servicer: FreeFlyer, joints: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Acceleration of the gripper relative to the base without any of the joints."""
    model, data = servicer.model, servicer.data
    q, v = pin.neutral(model), np.zeros(model.nv)
    q[7:], v[6:] = joints, rates
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    return pin.getFrameAcceleration(model, data, servicer.end_effector, pin.ReferenceFrame.LOCAL).vector
