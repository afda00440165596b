"""Balance of momentum and energy over a recorded run: what changed, minus what acted."""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.matching.flexible_client import FlexibleClientDynamics
from hil_relative_dynamics.spatial import MotionPoints, MotionSample


class Balance(NamedTuple):
    """Residuals over time; each is zero for exact dynamics."""

    times: np.ndarray  # [s]
    linear: np.ndarray  # [N s]
    angular: np.ndarray  # [N m s], about the inertial origin
    energy: np.ndarray  # [J]


def client_balance(body: RigidBody, recording: Recording) -> Balance:
    """The client in orbit against the impulse and work of the wrench on it."""
    points = recording[signals.CLIENT_SIMULATED]
    wrenches = recording.sampled(signals.CLIENT_WRENCH, signals.CLIENT_SIMULATED)

    def rows() -> Iterator[tuple[np.ndarray, float, np.ndarray, float]]:
        for (start, end), vector in zip(points, wrenches):
            a, b, wrench = MotionSample(start), MotionSample(end), pin.Force(vector)
            yield (
                body.momentum(a.pose, a.twist).vector,
                body.kinetic_energy(a.twist),
                0.5 * (a.pose.act(wrench) + b.pose.act(wrench)).vector,
                0.5 * (a.twist + b.twist).dot(wrench),
            )

    return _balance(recording.times(signals.CLIENT_SIMULATED), rows())


def flexible_client_balance(
    body: FlexibleBody, deflections: np.ndarray, start: tuple[pin.SE3, pin.Motion], recording: Recording
) -> Balance:
    """The same of a client with appendages, whose modes no signal tells: they are flown again, as they were."""
    client, reference = FlexibleClientDynamics(body), signals.CLIENT_SIMULATED
    nominals, wrenches = (recording.sampled(name, reference) for name in (signals.NOMINAL, signals.CLIENT_WRENCH))
    times = recording.times(reference)
    dt = times[1] - times[0] if len(times) > 1 else 1.0

    def rows() -> Iterator[tuple[np.ndarray, float, np.ndarray, float]]:
        after = client.initial_state(*start, MotionSample(nominals[0, 0]), deflections)
        for points, vector in zip(nominals, wrenches):
            wrench, state = pin.Force(vector), after
            after, _ = client.step(state, wrench, MotionPoints(points), dt)
            pose, twist = state.pose_simulated, state.twist_simulated
            yield (
                body.momentum(pose, twist, state.q, state.dq).vector.copy(),
                body.energy(twist, state.q, state.dq),
                0.5 * (pose.act(wrench) + after.pose_simulated.act(wrench)).vector,
                float(0.5 * (twist + after.twist_simulated) @ vector)
                - 0.5 * (body.dissipation(state.dq) + body.dissipation(after.dq)),
            )

    return _balance(times, rows())


def servicer_balance(servicer: FreeFlyer, recording: Recording) -> Balance:
    """Base and arm in orbit against thrust, contact and joint torque."""
    reference = signals.SERVICER_SIMULATED
    joints = recording.sampled(signals.ARM_JOINTS, reference)
    thrusts = recording.sampled(signals.SERVICER_THRUST, reference)
    contacts = recording.sampled(signals.END_EFFECTOR_WRENCH, reference)
    torques = recording.sampled(signals.ARM_ONBOARD_TORQUE, reference)

    middles = 0.5 * (joints + np.concatenate([joints[1:], joints[-1:]]))

    def rows() -> Iterator[tuple[np.ndarray, float, np.ndarray, float]]:
        for (start, end), (q, dq, _), (q_middle, dq_middle, _), thrust, contact, torque in zip(
            recording[reference], joints, middles, thrusts, contacts, torques
        ):
            a, b = MotionSample(start), MotionSample(end)
            wrench, power = pin.Force(thrust), float(torque @ dq_middle)
            if np.any(contact):
                jacobian_base, jacobian_joints = servicer.jacobians(q_middle)
                wrench += pin.Force(jacobian_base.T @ contact)
                power += float(contact @ jacobian_joints @ dq_middle)
            yield (
                a.pose.act(servicer.momentum_in_base(q, a.twist, dq)).vector,
                servicer.kinetic_energy(q, a.twist, dq),
                0.5 * (a.pose.act(wrench) + b.pose.act(wrench)).vector,
                power + 0.5 * (a.twist + b.twist).dot(wrench),
            )

    return _balance(recording.times(reference), rows())


def _balance(times: np.ndarray, rows: Iterator[tuple[np.ndarray, float, np.ndarray, float]]) -> Balance:
    momentum, energy, force, power = (np.array(column) for column in zip(*rows))
    dt = times[1] - times[0] if len(times) > 1 else 0.0
    residual = momentum - momentum[0] - _held(force, dt)
    return Balance(
        times,
        np.linalg.norm(residual[:, :3], axis=1),
        np.linalg.norm(residual[:, 3:], axis=1),
        np.abs(energy - energy[0] - _held(power, dt)),
    )


def _held(rate: np.ndarray, dt: float) -> np.ndarray:
    """Integral up to each instant of a rate held over the steps before it."""
    return np.concatenate([np.zeros_like(rate[:1]), np.cumsum(rate[:-1], axis=0)]) * dt
