"""The client: a rigid body in orbit (2), its image in the laboratory (11), and the impedance law (9)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionPoints, MotionSample, transported_twist_rate

_client_step = function("client_step", pointers=1, doubles=1)


class ClientDynamics:
    r"""Admittance causality: forces in, motion out.

    Integrates the client in orbit,  \( M_t \dot V_t + C_t(V_t) V_t = F_c \)  (2), and relative to the nominal,
    \( M_t \dot V_c + C_t(V_t) V_t = F_c - M_t d(Ad_{g_c^{-1}} V_n)/dt \)  (11), so that  g_n g_c = g_t.
    """

    def __init__(self, body: RigidBody) -> None:
        self.body = body
        self._memory = Workspace(
            body=13, nominal=(3, SAMPLE_SIZE), wrench=6, state=26, motion=(2, 2, SAMPLE_SIZE)
        )
        self._memory.body[...] = body.packed

    def initial_state(self, pose: pin.SE3, twist: pin.Motion, nominal: MotionSample) -> PairState:
        """g_c(0) and V_c(0) that agree with (5) and (6); both trivial if the nominal starts with the client."""
        return PairState.of(pose, twist, *relative_motion(pose, twist, nominal))

    def derivative(self, state: PairState, wrench_client: pin.Force, nominal: MotionSample) -> MatchedMotion:
        """Motion in orbit and laboratory at one instant, accelerations included (one point each)."""
        memory = self._memory
        memory.state[...] = state.array
        memory.wrench[...] = wrench_client.vector
        memory.nominal[0] = nominal.array
        _client_step(memory.address, 0.0)
        return MatchedMotion(memory.motion[:, :1].copy())

    def step(
        self, state: PairState, wrench_client: pin.Force, nominal: MotionPoints, dt: float
    ) -> tuple[PairState, MatchedMotion]:
        memory = self._memory
        memory.state[...] = state.array
        memory.wrench[...] = wrench_client.vector
        memory.nominal[...] = nominal.array
        _client_step(memory.address, dt)
        return PairState(memory.state.copy()), MatchedMotion(memory.motion.copy())


class ClientImpedance:
    r"""Impedance causality: the wrench that makes a robot of inertia M_c move as the client, eq. (9).

    \( F_c = (M_c M_t^{-1} - I) \tilde F_c - M_c \Delta\dot V_c - M_c M_t^{-1} C_t(V_t) V_t + C_c(V_c) V_c \)
    """

    def __init__(self, body: RigidBody, robot: RigidBody) -> None:
        self.body, self.robot = body, robot
        self._ratio = robot.inertia.matrix() @ body.inverse_matrix()

    def wrench(self, measured: MotionSample, wrench_client: pin.Force, nominal: MotionSample) -> pin.Force:
        """The control wrench for the measured motion (g_c, V_c) under the measured contact wrench."""
        pose, twist = measured.pose, measured.twist
        twist_client = twist + pose.actInv(nominal.twist)  # V_t, (6)
        rate = transported_twist_rate(pose, twist, nominal.twist, nominal.acceleration)
        through_ratio = (wrench_client - self.body.coriolis_wrench(twist_client)).vector
        return (
            pin.Force(np.asarray(self._ratio @ through_ratio))
            - wrench_client
            - self.robot.inertia * rate
            + self.robot.coriolis_wrench(twist)
        )
