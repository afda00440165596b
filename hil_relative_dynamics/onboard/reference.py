"""The reference on-board software: synchronise with a tumbling client, approach, grasp, hold, or abort."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.onboard.coordinated import CoordinatedControl
from hil_relative_dynamics.onboard.guidance import StraightApproach, Waypoint, grasp_pose
from hil_relative_dynamics.onboard.navigation import Knowledge
from hil_relative_dynamics.onboard.phases import Errors, Limits, Phase, PhaseMachine, PhaseState
from hil_relative_dynamics.onboard.thrusters import Thrusters, ThrusterState
from hil_relative_dynamics.spatial import JointSample, transported_twist_rate


class Actuation(NamedTuple):
    """What the software wants done."""

    thrust: pin.Force
    torque: np.ndarray
    close_gripper: bool


class OnboardState(NamedTuple):
    phase: PhaseState
    thrusters: ThrusterState
    approach: StraightApproach | None = None
    held: np.ndarray | None = None  # joints at the latch
    errors: Errors = Errors(0.0, 0.0, 0.0, 0.0, 0.0)


class Gains(NamedTuple):
    """Natural frequencies [rad/s] of the errors' decay, critically damped; and the joint hold after the latch."""

    base: float = 0.6
    tool: float = 3.0
    posture: float = 2.0
    hold_stiffness: float = 300.0  # [N m/rad]
    hold_damping: float = 60.0  # [N m s/rad]


class ReferenceOnboard:
    """Coordinated control of base and arm relative to the client.

    Args:
        servicer: base and arm.
        pose_base: where the base is to stay in the client.
        pose_grasp_point: of the client, in it.
        joints: posture of the arm until the approach, and its preference afterwards.
    """

    def __init__(
        self,
        servicer: FreeFlyer,
        pose_base: pin.SE3,
        pose_grasp_point: pin.SE3,
        joints: np.ndarray,
        thrusters: Thrusters,
        limits: Limits = Limits(),
        gains: Gains = Gains(),
    ) -> None:
        self._control = CoordinatedControl(servicer)
        self._pose_base, self._grasp = pose_base.copy(), grasp_pose(pose_grasp_point)
        self._posture, self._thrusters, self._gains = np.array(joints), thrusters, gains
        self._limits, self._machine = limits, PhaseMachine(limits)

    def initial_state(self) -> OnboardState:
        return OnboardState(PhaseState(), self._thrusters.initial_state())

    def step(
        self, state: OnboardState, known: Knowledge, joints: JointSample, latched: bool, stamp: int, dt: float
    ) -> tuple[OnboardState, Actuation]:
        q, dq = joints.position, joints.velocity
        now = self._control.look(q, dq, known.twist_base)
        pose_tool = known.pose_base * now.pose_end_effector
        twist_tool = pin.Motion(now.jacobian_base @ known.twist_relative.vector + now.jacobian_joints @ dq)
        wanted = self._wanted_tool(state, stamp, pose_tool)
        errors = self._errors(known, pose_tool, twist_tool, wanted)
        phase = self._machine.step(state.phase, errors, latched, stamp)
        state = self._entered(state._replace(errors=errors), phase, pose_tool, q)
        if phase.phase is Phase.HOLD:
            thrust, torque = pin.Force.Zero(), self._hold(state, q, dq)  # inhibited only now that it is latched
        else:
            acceleration = self._base_acceleration(known)
            ddq = self._joint_accelerations(state, known, now, acceleration, q, dq, pose_tool, twist_tool, wanted)
            thrust, torque = self._control.efforts(acceleration, ddq)
        fired, thrust = self._thrusters.step(state.thrusters, thrust, dt)
        return state._replace(thrusters=fired), Actuation(thrust, torque, phase.phase in (Phase.GRASP, Phase.HOLD))

    def _wanted_tool(self, state: OnboardState, stamp: int, pose_tool: pin.SE3) -> Waypoint:
        if state.approach is None:
            return Waypoint(pose_tool, pin.Motion.Zero(), pin.Motion.Zero())
        begun = state.phase.since if state.phase.phase is Phase.APPROACH else state.phase.since - self._limits.approach_ns
        return state.approach.at(1e-9 * (stamp - begun))

    def _errors(
        self, known: Knowledge, pose_tool: pin.SE3, twist_tool: pin.Motion, wanted: Waypoint
    ) -> Errors:
        base = self._pose_base.actInv(known.pose_base)
        tool = wanted.pose.actInv(pose_tool)
        return Errors(
            float(np.linalg.norm(base.translation)),
            float(np.linalg.norm(pin.log3(base.rotation))),
            float(np.linalg.norm(tool.translation)),
            float(np.linalg.norm(pin.log3(tool.rotation))),
            float(np.linalg.norm(twist_tool.linear)),
        )

    def _entered(self, state: OnboardState, phase: PhaseState, pose_tool: pin.SE3, q: np.ndarray) -> OnboardState:
        if phase.phase is state.phase.phase:
            return state._replace(phase=phase)
        if phase.phase is Phase.APPROACH:
            way = StraightApproach(pose_tool, self._grasp, 1e-9 * self._limits.approach_ns)
            return state._replace(phase=phase, approach=way)
        return state._replace(phase=phase, held=q.copy())

    def _base_acceleration(self, known: Knowledge) -> pin.Motion:
        """Stay where the base should be in the client: feed-forward of the client's motion, and a spring to the place."""
        frequency = self._gains.base
        carried = transported_twist_rate(
            known.pose_base, known.twist_relative, known.twist_client, known.acceleration_client
        )
        error = pin.log6(known.pose_base.actInv(self._pose_base))
        return carried + error * frequency**2 - known.twist_relative * (2.0 * frequency)

    def _joint_accelerations(self, state, known, now, acceleration, q, dq, pose_tool, twist_tool, wanted) -> np.ndarray:  # type: ignore[no-untyped-def]
        gains = self._gains
        target = self._posture if state.held is None else state.held
        posture = gains.posture**2 * (target - q) - 2.0 * gains.posture * dq
        if state.phase.phase not in (Phase.APPROACH, Phase.GRASP):
            return posture
        carried = transported_twist_rate(pose_tool, twist_tool, known.twist_client, known.acceleration_client)
        error = pose_tool.actInv(wanted.pose)
        # the wanted motion, seen from where the tool is
        wanted_twist = error.act(wanted.twist)
        relative = wanted_twist - twist_tool
        tool = carried + error.act(wanted.acceleration) + pin.log6(error) * gains.tool**2 + relative * (2.0 * gains.tool)
        return self._control.joint_accelerations(now, acceleration, tool.vector, -2.0 * gains.posture * dq)

    def _hold(self, state: OnboardState, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        assert state.held is not None
        return self._gains.hold_stiffness * (state.held - q) - self._gains.hold_damping * dq
