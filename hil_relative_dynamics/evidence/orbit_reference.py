"""The same servicer in orbit under the same on-board software: what the facility should reproduce.

Base and arm are integrated as one system with pinocchio's articulated-body algorithm, (12), and none of the
kernels of the method. The on-board software sees the joints of this servicer, so the loop is closed here as
it is in the laboratory; contact wrenches are those of the run.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.spatial import JointSample, MotionSample


class OrbitReference:
    """Base pose (x, y, z, quaternion) and joints at the stamps of `arm/joints`.

    Args:
        onboard: `(stamp, joints) -> (thrust, torque)`, a fresh instance of the run's on-board software.
    """

    def __init__(
        self,
        servicer: FreeFlyer,
        onboard: Callable[[int, JointSample], tuple[pin.Force, np.ndarray]],
        recording: Recording,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        model, data = servicer.model, servicer.model.createData()
        frame = model.frames[servicer.end_effector]
        stamps = recording.stamps(signals.ARM_JOINTS)
        contact = recording.sampled(signals.END_EFFECTOR_WRENCH, signals.ARM_JOINTS)
        external = pin.StdVec_Force()
        external.extend([pin.Force.Zero()] * model.njoints)
        effort = np.zeros(model.nv)
        start = MotionSample(recording[signals.SERVICER_SIMULATED][0, 0])
        joints = recording[signals.ARM_JOINTS]
        q = np.concatenate([start.array[:7], joints[0, 0]])
        v = np.concatenate([start.array[7:13], joints[0, 1]])
        self.times = 1e-9 * stamps
        self.configurations = np.empty((len(stamps), model.nq))
        h = self.times[1] - self.times[0] if len(stamps) > 1 else 0.0
        for k in range(len(stamps)):
            self.configurations[k] = q
            thrust, effort[6:] = onboard(int(stamps[k]), JointSample.of(q[7:], v[6:]))
            effort[:6] = thrust.vector
            external[frame.parentJoint] = frame.placement.act(pin.Force(contact[k]))

            def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
                return pin.aba(model, data, q, v, effort, external).copy()

            a1 = acceleration(q, v)
            v2 = v + h / 2 * a1
            a2 = acceleration(pin.integrate(model, q, h / 2 * v), v2)
            v3 = v + h / 2 * a2
            a3 = acceleration(pin.integrate(model, q, h / 2 * v2), v3)
            v4 = v + h * a3
            a4 = acceleration(pin.integrate(model, q, h * v3), v4)
            # over a step of milliseconds the commutator terms of the pose are below 1e-12
            q = pin.integrate(model, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            if progress is not None and k % 500 == 0:
                progress(k / len(stamps))

    def servicer_error(self, recording: Recording) -> np.ndarray:
        """Distance of the simulated base from this one, at the stamps of `servicer/simulated` [m]."""
        every = self._rows(recording, signals.SERVICER_SIMULATED)
        simulated = recording[signals.SERVICER_SIMULATED][:, 0, :3]
        return np.linalg.norm(simulated - self.configurations[every, :3], axis=1)

    def joint_error(self, recording: Recording) -> np.ndarray:
        """Largest difference of a joint on the ground from the same in orbit, at every stamp [rad]."""
        return np.abs(recording[signals.ARM_JOINTS][:, 0] - self.configurations[:, 7:]).max(axis=1)

    def _rows(self, recording: Recording, signal: str) -> np.ndarray:
        return np.searchsorted(recording.stamps(signals.ARM_JOINTS), recording.stamps(signal))
