"""A flexible client in the relative formulation: its pose relative to the nominal, its modes absolute."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.matching.pair import MatchedMotion, PairState, relative_motion
from hil_relative_dynamics.spatial import MotionPoints, MotionSample, rk4_step, transported_twist_rate
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
        return MatchedMotion(self._samples(state, wrench_client.vector, nominal)[:, None])

    def step(
        self, state: FlexibleState, wrench_client: pin.Force, nominal: MotionPoints, dt: float
    ) -> tuple[FlexibleState, MatchedMotion]:
        wrench, count = wrench_client.vector, self.body.modes
        samples = [(sample.pose, sample.twist, sample.acceleration) for sample in nominal]

        def law(time: float, poses: Poses, x: np.ndarray) -> tuple[tuple[pin.Motion, pin.Motion], np.ndarray]:
            _, twist_nominal, acceleration_nominal = samples[round(2.0 * time / dt)]
            twist_relative = pin.Motion(x[6:12])
            acceleration, ddq = self.body.acceleration(x[:6], x[12 : 12 + count], x[12 + count :], wrench)
            carried = transported_twist_rate(poses[1], twist_relative, twist_nominal, acceleration_nominal)
            rate = np.concatenate([acceleration, acceleration - carried.vector, x[12 + count :], ddq])
            return (pin.Motion(x[:6]), twist_relative), rate

        poses, x = rk4_step(law, 0.0, [state.pose_simulated, state.pose_commanded], state.array[14:], dt)
        after = FlexibleState(np.concatenate([*[_row(pose) for pose in poses], x]))
        ends = self._samples(state, wrench, nominal.start), self._samples(after, wrench, nominal.end)
        return after, MatchedMotion(np.stack(ends, axis=1))

    def _samples(self, state: FlexibleState, wrench: np.ndarray, nominal: MotionSample) -> np.ndarray:
        """Rows: in orbit, in the laboratory."""
        acceleration, _ = self.body.acceleration(state.twist_simulated, state.q, state.dq, wrench)
        relative = pin.Motion(state.array[20:26])
        carried = transported_twist_rate(state.pose_commanded, relative, nominal.twist, nominal.acceleration)
        poses, twists = state.array[:14].reshape(2, 7), state.array[14:26].reshape(2, 6)
        return np.hstack([poses, twists, [acceleration, acceleration - carried.vector]])


def _row(pose: pin.SE3) -> np.ndarray:
    """Position and unit quaternion: from matrix to quaternion and back, a length off by 1e-16 doubles in every step."""
    row: np.ndarray = pin.SE3ToXYZQUAT(pose)
    row[3:] /= np.sqrt(row[3:] @ row[3:])
    return row
