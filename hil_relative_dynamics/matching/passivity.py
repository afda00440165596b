"""Stability of the facility: storage functions, power flow and bounds, eqs. (25) to (29)."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.spatial import JointSample, MotionSample


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
