"""The arm's torque (22) against MuJoCo's inverse dynamics, and what leaving out its terms would cost."""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference, State
from hil_relative_dynamics.evidence.validate_flight import END_EFFECTOR, GRAVITY, URDF, Flight
from hil_relative_dynamics.evidence.validate_tools import largest, random_pose, random_twist
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward, ArmTorque
from hil_relative_dynamics.spatial import JointSample, MotionSample

STATES = 200
#: an error of the torque that nobody could overlook beside a limit of 1e-9 N m
SEEN = 1e-3


class Case(NamedTuple):
    """A motion of the arm, on a base in orbit and on one in the laboratory that moves differently."""

    joints: JointSample
    orbit: MotionSample
    laboratory: MotionSample


def checks(flight: Flight) -> Iterator[Check]:
    mujoco = MujocoReference.from_urdf(URDF, END_EFFECTOR)
    feed_forward = ArmFeedForward(flight.servicer, flight.calibration, GRAVITY)
    errors: list[np.ndarray] = []
    omissions: dict[str, list[float]] = {}
    for case in random_cases():
        needed_in_orbit = effort(mujoco, case.joints, case.orbit)
        needed = effort(mujoco, case.joints, case.laboratory, flight.calibration)
        torque = feed_forward.step(needed_in_orbit, case.joints, case.laboratory, case.orbit)
        errors.append(torque.total - needed)
        for name, term in terms(torque).items():
            omissions.setdefault(name, []).append(largest(torque.total - term - needed))
        mistaken = feed_forward.step(
            needed_in_orbit, case.joints, with_classical_acceleration(case.laboratory), case.orbit
        )
        omissions.setdefault("spatial", []).append(largest(mistaken.total - needed))
    what = f"torque that makes the arm move as in orbit, against mj_inverse, {STATES} states"
    yield Check("arm.torque", "(22)", what, largest(*errors), 1e-9, "N m", reached=5e-13)
    yield from omission_checks(omissions)


def omission_checks(omissions: dict[str, list[float]]) -> Iterator[Check]:
    """Each mistake has to show in every single one of the states."""
    mistakes = {
        "gravity": ("g(q) left out", "of 60 N m in a stretched arm"),
        "ff1": ("ff1 left out", ""),
        "ff2_ff3": ("ff2 + ff3 left out", ""),
        "spatial": ("the classical acceleration for dV_s", ""),
    }
    for name, (mistake, note) in mistakes.items():
        what = f"smallest error of the torque with {mistake}, {STATES} states"
        seen = float(np.min(omissions[name]))
        yield Check(f"arm.omission.{name}", "(22)", what, seen, SEEN, "N m", ">=", note=note)


def terms(torque: ArmTorque) -> dict[str, np.ndarray]:
    """ff2 and ff3 together: only their sum does not depend on how C is factorised."""
    coriolis = torque.coriolis_joints + torque.coriolis_base
    return {"gravity": torque.gravity, "ff1": torque.acceleration, "ff2_ff3": coriolis}


def effort(
    mujoco: MujocoReference, joints: JointSample, base: MotionSample, calibration: pin.SE3 | None = None
) -> np.ndarray:
    """Joint torques that a motion takes, in orbit or (with a calibration) in the laboratory under gravity."""
    gravity = None if calibration is None else GRAVITY
    pose = base.pose if calibration is None else calibration * base.pose
    state = State(pose, base.twist, joints.position, joints.velocity)
    return mujoco.inverse_dynamics(state, base.acceleration, joints.acceleration, gravity)[1]


def random_cases() -> Iterator[Case]:
    """States of the size of a capture: 0.3 m/s, 0.1 rad/s, joints at up to 0.5 rad/s."""
    random = np.random.default_rng(22)
    for _ in range(STATES):
        joints = JointSample(random.uniform(-1.0, 1.0, (3, 7)) * [[2.0], [0.5], [0.5]])
        twists = [random_twist(random) for _ in range(4)]
        orbit, laboratory = (MotionSample.of(random_pose(random), *twists[k : k + 2]) for k in (0, 2))
        yield Case(joints, orbit, laboratory)


def with_classical_acceleration(motion: MotionSample) -> MotionSample:
    twist, acceleration = motion.twist, motion.acceleration
    extra = pin.Motion(np.cross(twist.angular, twist.linear), np.zeros(3))
    return MotionSample.of(motion.pose, twist, acceleration + extra)
