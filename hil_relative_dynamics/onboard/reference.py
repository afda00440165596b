"""The reference on-board software: synchronise with a tumbling client, approach, grasp, hold, or abort."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.onboard.coordinated import ArmKinematicsNow, CoordinatedControl
from hil_relative_dynamics.onboard.guidance import StraightApproach, Waypoint, grasp_pose
from hil_relative_dynamics.onboard.navigation import Knowledge
from hil_relative_dynamics.onboard.phases import Errors, Phase, PhaseMachine, PhaseState
from hil_relative_dynamics.onboard.thrusters import Thrusters, ThrusterState
from hil_relative_dynamics.scenario.capture import Capture
from hil_relative_dynamics.spatial import JointSample, transported_twist_rate

#: rate at which the arm's own motion dies away while it holds the client [1/s]
JOINT_DAMPING = 50.0


class Actuation(NamedTuple):
    """What the software wants done."""

    thrust: pin.Force
    torque: np.ndarray
    close_gripper: bool


class OnboardState(NamedTuple):
    phase: PhaseState
    thrusters: ThrusterState
    approach: StraightApproach | None = None
    held: np.ndarray | None = None  # joints when the approach was over
    held_base: pin.SE3 | None = None  # the base in the client then
    errors: Errors = Errors(0.0, 0.0, 0.0, 0.0, 0.0)
    thrust: pin.Force = pin.Force.Zero()
    sum_of_errors: np.ndarray = np.zeros(6)  # of the tool on its way [m s, rad s]


class Tool(NamedTuple):
    """The end-effector at one instant, relative to the client."""

    arm: ArmKinematicsNow
    pose: pin.SE3
    twist: pin.Motion
    wanted: Waypoint

    @property
    def error(self) -> pin.SE3:
        """Where the tool should be, seen from where it is."""
        return self.pose.actInv(self.wanted.pose)


class ReferenceOnboard:
    """Coordinated control of base and arm relative to the client.

    Args:
        servicer: base and arm.
        pose_grasp_point: of the client, in it.
        joints: posture of the arm until the approach.
        capture: of the scenario.
    """

    def __init__(self, servicer: FreeFlyer, pose_grasp_point: pin.SE3, joints: np.ndarray, capture: Capture) -> None:
        self._control = CoordinatedControl(servicer)
        self._pose_base, self._grasp = capture.station.pose, grasp_pose(pose_grasp_point)
        self._posture, self._gains, self._approach_ns = np.array(joints), capture.gains, capture.timeline.approach_ns
        set_of = capture.thrusters
        self._thrusters = Thrusters(set_of.force, set_of.torque, 1e-9 * set_of.minimum_on_ns)
        self._machine = PhaseMachine(capture.timeline, capture.tolerances)

    def initial_state(self) -> OnboardState:
        return OnboardState(PhaseState(), self._thrusters.initial_state())

    def give_up(self, state: OnboardState, reason: str, stamp: int) -> OnboardState:
        """Abort, unless it holds the client already."""
        if state.phase.phase is Phase.HOLD:
            return state
        return state._replace(phase=self._machine.abort(state.phase, reason, stamp))

    def step(
        self,
        state: OnboardState,
        known: Knowledge,
        joints: JointSample,
        latched: bool,
        stamp: int,
        dt: float,
        fire: float | None,
    ) -> tuple[OnboardState, Actuation]:
        """Args: dt: until the next step [s]; fire: thrusters are told for this long, None: as told last [s]."""
        q, dq = joints.position, joints.velocity
        tool = self._tool(state, known, q, dq, stamp)
        errors = self._errors(known, tool)
        phase = self._machine.step(state.phase, errors, latched, stamp)
        state = self._entered(state._replace(errors=errors), phase, known, tool, q)
        if phase.phase is Phase.HOLD:
            thrust, torque = pin.Force.Zero(), self._hold(state, known, tool)  # inhibited only now that it is latched
        else:
            acceleration = self._base_acceleration(known)
            ddq = self._joint_accelerations(state, known, tool, acceleration, q, dq)
            state = state._replace(sum_of_errors=state.sum_of_errors + dt * pin.log6(tool.error).vector)
            thrust, torque = self._control.efforts(acceleration, ddq)
        if fire is not None:
            fired, thrust = self._thrusters.step(state.thrusters, thrust, fire)
            state = state._replace(thrusters=fired, thrust=thrust)
        return state, Actuation(state.thrust, torque, phase.phase in (Phase.GRASP, Phase.HOLD))

    def _tool(self, state: OnboardState, known: Knowledge, q: np.ndarray, dq: np.ndarray, stamp: int) -> Tool:
        arm = self._control.look(q, dq, known.twist_base)
        pose = known.pose_base * arm.pose_end_effector
        twist = pin.Motion(arm.jacobian_base @ known.twist_relative.vector + arm.jacobian_joints @ dq)
        if state.approach is None:
            return Tool(arm, pose, twist, Waypoint(pose, pin.Motion.Zero(), pin.Motion.Zero()))
        begun = state.phase.since
        if state.phase.phase is not Phase.APPROACH:
            begun -= self._approach_ns  # the way is behind it
        return Tool(arm, pose, twist, state.approach.at(1e-9 * (stamp - begun)))

    def _errors(self, known: Knowledge, tool: Tool) -> Errors:
        base, gap = self._pose_base.actInv(known.pose_base), tool.wanted.pose.actInv(tool.pose)
        return Errors(
            float(np.linalg.norm(base.translation)),
            float(np.linalg.norm(pin.log3(base.rotation))),
            float(np.linalg.norm(gap.translation)),
            float(np.linalg.norm(pin.log3(gap.rotation))),
            float(np.linalg.norm(tool.twist.linear)),
        )

    def _entered(
        self, state: OnboardState, phase: PhaseState, known: Knowledge, tool: Tool, q: np.ndarray
    ) -> OnboardState:
        if phase.phase is state.phase.phase:
            return state._replace(phase=phase)
        if phase.phase is Phase.APPROACH:
            way = StraightApproach(tool.pose, self._grasp, 1e-9 * self._approach_ns)
            return state._replace(phase=phase, approach=way, sum_of_errors=np.zeros(6))
        return state._replace(phase=phase, held=q.copy(), held_base=known.pose_base)

    def _base_acceleration(self, known: Knowledge) -> pin.Motion:
        """Stay at its place in the client: feed-forward of the client's motion, and a damped spring."""
        frequency = self._gains.base
        error = pin.log6(known.pose_base.actInv(self._pose_base))
        return self._carried(known) + error * frequency**2 - known.twist_relative * (2.0 * frequency)

    @staticmethod
    def _carried(known: Knowledge) -> pin.Motion:
        """Acceleration of a base that just turns with the client."""
        return transported_twist_rate(
            known.pose_base, known.twist_relative, known.twist_client, known.acceleration_client
        )

    def _joint_accelerations(
        self,
        state: OnboardState,
        known: Knowledge,
        tool: Tool,
        acceleration_base: pin.Motion,
        q: np.ndarray,
        dq: np.ndarray,
    ) -> np.ndarray:
        gains = self._gains
        if state.phase.phase not in (Phase.APPROACH, Phase.GRASP):
            target = self._posture if state.held is None else state.held
            return gains.posture**2 * (target - q) - 2.0 * gains.posture * dq
        carried = transported_twist_rate(tool.pose, tool.twist, known.twist_client, known.acceleration_client)
        error, frequency = tool.error, gains.tool
        behind = error.act(tool.wanted.twist) - tool.twist  # the wanted motion, seen from where the tool is
        # three equal poles: the integral overcomes friction in the joints
        pull = pin.log6(error) * (3.0 * frequency**2) + behind * (3.0 * frequency)
        pull += pin.Motion(frequency**3 * state.sum_of_errors)
        wanted = carried + error.act(tool.wanted.acceleration) + pull
        return self._control.joint_accelerations(
            tool.arm, acceleration_base, wanted.vector, -2.0 * gains.posture * dq
        )

    def _hold(self, state: OnboardState, known: Knowledge, tool: Tool) -> np.ndarray:
        """The arm pulls the base to where it was at the latch, and takes out what is left of relative motion."""
        assert state.held_base is not None
        frequency = self._gains.hold
        error = pin.log6(known.pose_base.actInv(state.held_base))
        wanted = self._carried(known) + error * frequency**2 - known.twist_relative * (2.0 * frequency)
        return self._control.efforts_by_contact(tool.arm, wanted, JOINT_DAMPING)
