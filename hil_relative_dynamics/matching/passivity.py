"""Stability of the facility: storage functions, power flow and bounds, eqs. (25) to (29)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.spatial import JointSample, MotionSample

#: what a `StabilityWatch` tells, in this order
STABILITY = (
    "client_storage",  # (25) [J]
    "servicer_storage",  # kinetic part of (26) [J]
    "contact_power_in_orbit",  # last term of (27) [W]
    "contact_power_in_laboratory",  # (28) [W]
    "contact_energy",  # brought in since the start [J]: not above zero where contact is passive
    "client_displacement",  # from its start [m]
    "servicer_displacement",
)
_NO_WRENCH = pin.Force.Zero()


def client_storage(body: RigidBody, measured: MotionSample, nominal: MotionSample) -> float:
    r"""\( \tilde W_c = \frac12 (\tilde V_c + \Delta V_c)^T M_t (\tilde V_c + \Delta V_c) \)  (25) [J].

    Constant as long as nothing touches the client: the facility is loss-less relative to -Delta V_c.
    """
    return body.kinetic_energy(measured.twist + measured.pose.actInv(nominal.twist))


def servicer_storage(servicer: FreeFlyer, measured: MotionSample, joints: JointSample, nominal: MotionSample) -> float:
    r"""Kinetic part of \( \tilde W_a(g_n \tilde g_s, \tilde V_s + \Delta V_s, q, \dot q) \) in (26) [J].

    What the on-board controller stores (its springs) is for the controller to add.
    """
    twist = measured.twist + measured.pose.actInv(nominal.twist)
    return servicer.kinetic_energy(joints.position, twist, joints.velocity)


def contact_power_in_orbit(
    twist_end_effector: pin.Motion, wrench_end_effector: pin.Force, twist_client: pin.Motion, wrench_client: pin.Force
) -> float:
    """Power that contact brings into client and servicer together, the last term of (27) [W]."""
    return twist_end_effector.dot(wrench_end_effector) + twist_client.dot(wrench_client)


def contact_power_in_laboratory(
    servicer: FreeFlyer,
    servicer_measured: MotionSample,
    joints: JointSample,
    client_measured: MotionSample,
    wrench_end_effector: pin.Force,
) -> float:
    r"""\( (\tilde V_a - \tilde V_c)^T \tilde F_e \)  (28) [W]: what the robots see of the same power.

    Both twists are taken at the end-effector, in its axes. Equal to (27) because the nominal motion, being one
    rigid motion, gives client and end-effector the same Delta V at the point of contact.
    """
    pose_in_servicer = servicer.end_effector_in_base(joints.position)
    jacobian_base, jacobian_joints = servicer.jacobians(joints.position)
    twist_arm = jacobian_base @ servicer_measured.twist.vector + jacobian_joints @ joints.velocity
    end_effector = servicer_measured.pose * pose_in_servicer
    twist_client_there = end_effector.actInv(client_measured.pose.act(client_measured.twist))
    return float((twist_arm - twist_client_there.vector) @ wrench_end_effector.vector)


def velocity_bound(measured: MotionSample, nominal: MotionSample) -> tuple[float, float]:
    r"""Both sides of \( \|V_s\| \le \|V_b\| + \|\Delta V_s\| \)  (29).

    A triangle inequality, true of any motion; what keeps a robot inside its workspace is `displacement`.
    """
    drift = measured.pose.actInv(nominal.twist)
    left = float(np.linalg.norm(measured.twist.vector))
    return left, float(np.linalg.norm((measured.twist + drift).vector) + np.linalg.norm(drift.vector))


def displacement(measured: MotionSample, start: MotionSample) -> tuple[float, float]:
    """How far a robot has gone from its start [m, rad]: the numeric bound that a run is judged by."""
    moved = start.pose.actInv(measured.pose)
    return float(np.linalg.norm(moved.translation)), float(np.linalg.norm(pin.log3(moved.rotation)))


class StabilityState(NamedTuple):
    """What a watch remembers."""

    client_start: MotionSample | None = None
    servicer_start: MotionSample | None = None
    power: float = 0.0  # of contact at the last instant, (28) [W]
    energy: float = 0.0  # that contact has brought in [J]


class StabilityWatch:
    """Storage, power flow and displacements of a run while it goes on.

    Power is integrated at every instant, because contact changes within milliseconds; the rest is worked out when it
    is asked for.
    """

    def __init__(self, client: RigidBody, servicer: FreeFlyer) -> None:
        self._client, self._servicer = client, servicer

    def initial_state(self) -> StabilityState:
        return StabilityState()

    def step(
        self,
        state: StabilityState,
        client: MotionSample,
        servicer: MotionSample,
        joints: JointSample,
        wrench_client: pin.Force,
        dt: float,
    ) -> StabilityState:
        """Takes in a further instant, `dt` after the last; displacements are counted from the first."""
        power = 0.0
        if wrench_client != _NO_WRENCH:
            reaction = self._on_end_effector(client, servicer, joints, wrench_client)
            power = contact_power_in_laboratory(self._servicer, servicer, joints, client, reaction)
        if state.client_start is None:
            return StabilityState(client, servicer, power)
        return state._replace(power=power, energy=state.energy + 0.5 * (state.power + power) * dt)

    def numbers(
        self,
        state: StabilityState,
        client: MotionSample,
        servicer: MotionSample,
        joints: JointSample,
        wrench_client: pin.Force,
        nominal: MotionSample,
    ) -> np.ndarray:
        """At the instant that was taken in last, in the order of `STABILITY`."""
        assert state.client_start is not None and state.servicer_start is not None
        in_orbit = 0.0
        if wrench_client != _NO_WRENCH:
            reaction = self._on_end_effector(client, servicer, joints, wrench_client)
            by_base, by_joints = self._servicer.jacobians(joints.position)
            twist_base = servicer.twist + servicer.pose.actInv(nominal.twist)  # (23)
            twist_client = client.twist + client.pose.actInv(nominal.twist)
            twist_tool = pin.Motion(by_base @ twist_base.vector + by_joints @ joints.velocity)
            in_orbit = contact_power_in_orbit(twist_tool, reaction, twist_client, wrench_client)
        return np.array(
            [
                client_storage(self._client, client, nominal),
                servicer_storage(self._servicer, servicer, joints, nominal),
                in_orbit,
                state.power,
                state.energy,
                displacement(client, state.client_start)[0],
                displacement(servicer, state.servicer_start)[0],
            ]
        )

    def _on_end_effector(
        self, client: MotionSample, servicer: MotionSample, joints: JointSample, wrench_client: pin.Force
    ) -> pin.Force:
        """The reaction at this very instant (Assumption 3); the dynamics are told that of the middle of their step."""
        end_effector = servicer.pose * self._servicer.end_effector_in_base(joints.position)
        return -client.pose.actInv(end_effector).actInv(wrench_client)
