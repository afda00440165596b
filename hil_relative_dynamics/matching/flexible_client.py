"""A flexible client in the relative formulation: its pose relative to the nominal, its modes absolute."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionPoints, MotionSample, rk4_step, transported_twist_rate
from hil_relative_dynamics.spatial.integrate import Poses


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

    def initial_state(
        self, pose: pin.SE3, twist: pin.Motion, nominal: MotionSample, q: np.ndarray | None = None
    ) -> FlexibleState:
        """As of a rigid client, with the appendages bent by q and at rest relative to the hub."""
        pair = PairState.of(pose, twist, *relative_motion(pose, twist, nominal))
        rest = np.zeros(self.body.modes)
        return FlexibleState.with_modes(pair, rest if q is None else np.asarray(q, dtype=float), rest)

    def derivative(self, state: FlexibleState, wrench_client: pin.Force, nominal: MotionSample) -> MatchedMotion:
        """Motion in orbit and laboratory at one instant, accelerations included (one point each)."""
        rates = self._rates(state.pose_commanded, state.array[14:], wrench_client.vector, nominal)
        return MatchedMotion(_samples(state, rates)[:, None])

    def step(
        self, state: FlexibleState, wrench_client: pin.Force, nominal: MotionPoints, dt: float
    ) -> tuple[FlexibleState, MatchedMotion]:
        wrench, points = wrench_client.vector, list(nominal)
        rates: list[np.ndarray] = []

        def law(time: float, poses: Poses, x: np.ndarray) -> tuple[tuple[pin.Motion, pin.Motion], np.ndarray]:
            rates.append(self._rates(poses[1], x, wrench, points[round(2.0 * time / dt)]))
            return (pin.Motion(x[:6]), pin.Motion(x[6:12])), rates[-1]

        poses, x = rk4_step(law, 0.0, [state.pose_simulated, state.pose_commanded], state.array[14:], dt)
        after = FlexibleState(np.concatenate([*[_row(pose) for pose in poses], x]))
        law(dt, poses, x)
        # the law was first asked at the start of the step and last at its end
        return after, MatchedMotion(np.stack([_samples(state, rates[0]), _samples(after, rates[-1])], axis=1))

    def _rates(self, pose_relative: pin.SE3, x: np.ndarray, wrench: np.ndarray, nominal: MotionSample) -> np.ndarray:
        """Of x, which is V_t, V_c, q and dq."""
        count = self.body.modes
        dq = x[12 + count :]
        carried = transported_twist_rate(pose_relative, pin.Motion(x[6:12]), nominal.twist, nominal.acceleration)
        acceleration, ddq = self.body.acceleration(x[:6], x[12 : 12 + count], dq, wrench)
        return np.concatenate([acceleration, acceleration - carried.vector, dq, ddq])


def _samples(state: FlexibleState, rates: np.ndarray) -> np.ndarray:
    """Rows: in orbit, in the laboratory."""
    samples = np.empty((2, SAMPLE_SIZE))
    samples[:, :7] = state.array[:14].reshape(2, 7)
    samples[:, 7:13] = state.array[14:26].reshape(2, 6)
    samples[:, 13:] = rates[:12].reshape(2, 6)
    return samples


def _row(pose: pin.SE3) -> np.ndarray:
    """Position and unit quaternion: from matrix to quaternion and back, a length off by 1e-16 doubles in every step."""
    row: np.ndarray = pin.SE3ToXYZQUAT(pose)
    row[3:] /= np.sqrt(row[3:] @ row[3:])
    return row
