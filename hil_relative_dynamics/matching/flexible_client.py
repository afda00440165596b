"""A flexible client in the relative formulation: its pose relative to the nominal, its modes absolute."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionPoints, MotionSample

_flexible_client_step = function("flexible_client_step", pointers=6, doubles=1)


class FlexibleState(PairState):
    """Poses and twists as of any client, then the modal coordinates and their rates."""

    @classmethod
    def with_modes(cls, pair: PairState, q: np.ndarray, dq: np.ndarray) -> FlexibleState:
        return cls(np.concatenate([pair.array, q, dq]))

    @property
    def twist_simulated(self) -> np.ndarray:
        return self.array[14:20]

    @property
    def q(self) -> np.ndarray:
        """Tip deflection of each mode [m]."""
        return self.array[26 : 26 + (len(self.array) - 26) // 2]

    @property
    def dq(self) -> np.ndarray:
        """[m/s]"""
        return self.array[26 + (len(self.array) - 26) // 2 :]


class FlexibleClientDynamics:
    r"""Admittance causality, as `ClientDynamics`: forces in, motion out.

    In orbit  \( M(q) [\dot V_t; \ddot q] = Q(V_t, q, \dot q) + [F_c; 0] \).  The matching (5), (6) concerns the hub
    alone:  \( V_t = V_c + \Delta V,\ \Delta V = Ad_{g_c^{-1}} V_n \),  so that

    \( M(q) [\dot V_c; \ddot q] = Q(V_c + \Delta V, q, \dot q) + [F_c; 0] - M(q) [d(\Delta V)/dt; 0] \),

    which is (11) with a row per mode. Modes measure the shape of the body, which is the same in either frame: they
    have no relative counterpart, and are driven by the absolute twist and acceleration.
    """

    def __init__(self, body: FlexibleBody) -> None:
        self.body = body
        packed = body.packed
        self._memory = Workspace(
            body=len(packed), nominal=(3, SAMPLE_SIZE), wrench=6, state=26 + 2 * body.modes, motion=(2, 2, SAMPLE_SIZE)
        )
        self._memory.body[...] = packed
        poses = self._memory.address_of("state")
        rest = (self._memory.address_of(name) for name in ("body", "nominal", "wrench"))
        self._addresses = (*rest, poses, poses + 14 * packed.itemsize, self._memory.address_of("motion"))

    def initial_state(
        self, pose: pin.SE3, twist: pin.Motion, nominal: MotionSample, q: np.ndarray | None = None
    ) -> FlexibleState:
        """As of a rigid client, with the appendages bent by q and at rest relative to the hub."""
        pair = PairState.of(pose, twist, *relative_motion(pose, twist, nominal))
        rest = np.zeros(self.body.modes)
        return FlexibleState.with_modes(pair, rest if q is None else np.asarray(q, dtype=float), rest)

    def derivative(self, state: FlexibleState, wrench_client: pin.Force, nominal: MotionSample) -> MatchedMotion:
        """Motion in orbit and laboratory at one instant, accelerations included (one point each)."""
        memory = self._memory
        memory.state[...] = state.array
        memory.wrench[...] = wrench_client.vector
        memory.nominal[0] = nominal.array
        _flexible_client_step(*self._addresses, 0.0)
        return MatchedMotion(memory.motion[:, :1].copy())

    def step(
        self, state: FlexibleState, wrench_client: pin.Force, nominal: MotionPoints, dt: float
    ) -> tuple[FlexibleState, MatchedMotion]:
        memory = self._memory
        memory.state[...] = state.array
        memory.wrench[...] = wrench_client.vector
        memory.nominal[...] = nominal.array
        _flexible_client_step(*self._addresses, dt)
        return FlexibleState(memory.state.copy()), MatchedMotion(memory.motion.copy())
