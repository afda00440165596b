"""The minute of flight that the checks of the method share, and its truth as MuJoCo computes it.

Envisat tumbles at 2.5 deg/s and is pushed; the servicer co-rotates with it, fires its thrusters, moves its
arm by more than 3 rad and touches the client. Pulses reach 62 N and 30 N m. The on-board software draws each
joint to a set-point with a soft spring and a damper: left alone, an arm is chaotic. The springs are so soft
that a torque wrong by 0.01 N m shows as milliradians.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference, State
from hil_relative_dynamics.scenario.share import share
from hil_relative_dynamics.spatial import MotionSample

URDF = share() / "urdf" / "servicer.urdf"
END_EFFECTOR = "gripper"
MASS = 7828.0
INERTIA = np.array([[17023.3, 397.1, -2171.4], [397.1, 124825.7, 344.2], [-2171.4, 344.2, 129112.2]])
GRAVITY = np.array([0.0, 0.0, -9.81])

DURATION = 60.0
HOLD = 0.004  # inputs change on this grid only, and on multiples of 0.2 s if they are wrenches [s]
SAMPLING = 25  # holds between two samples: 0.1 s

NO_JOINTS = np.zeros(0)
NO_WRENCH = pin.Force.Zero()


class Inputs(NamedTuple):
    """What acts during one hold; the contact is on the end-effector, its reaction on the client extra."""

    push: pin.Force
    thrust: pin.Force
    contact: pin.Force
    posture: np.ndarray  # set-point of the joints


class Pulse(NamedTuple):
    start: float
    end: float
    force: tuple[float, float, float]
    moment: tuple[float, float, float]


PUSHES = (  # on the client
    Pulse(6.0, 6.6, (-62.0, 0.0, 0.0), (0.0, 0.0, 12.4)),
    Pulse(45.0, 46.0, (10.0, 40.0, -20.0), (30.0, -20.0, 10.0)),
)
THRUSTS = (  # on the servicer's base; the first keeps it on its circle around the client
    Pulse(0.0, 60.0, (11.1, 0.0, 0.0), (0.0, 0.0, 0.0)),
    Pulse(4.0, 5.0, (0.0, 48.9, 0.0), (0.0, 0.0, 25.0)),
    Pulse(8.0, 9.0, (0.0, -48.9, 0.0), (0.0, 0.0, -25.0)),
    Pulse(28.4, 29.0, (48.9, 0.0, -30.0), (-10.0, 25.0, 5.0)),
    Pulse(36.4, 37.0, (-48.9, 0.0, 30.0), (10.0, -25.0, -5.0)),
)
CONTACTS = (  # on the end-effector
    Pulse(20.0, 20.4, (0.0, -0.6, -3.0), (-0.05, 0.1, -0.001)),
    Pulse(33.0, 33.2, (1.0, -1.0, 0.0), (0.0, 0.02, 0.001)),
)
POSTURES = np.radians(
    [
        [0.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0],
        [86.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0],
        [-100.0, 60.0, 40.0, -95.0, 60.0, 20.0, 90.0],
        [0.0, 35.0, 0.0, -80.0, 0.0, -25.0, 0.0],
    ]
)
MOVES = ((2.0, 10.0), (14.0, 20.0), (38.0, 15.0))  # start and duration of each move to the next posture
BANDWIDTH = 1.0  # of each joint, by itself and in the first posture [rad/s]


def wrench_at(pulses: tuple[Pulse, ...], time: float) -> pin.Force:
    """The sum of the pulses in a hold that begins at `time`."""
    total = np.zeros(6)
    for pulse in pulses:
        if pulse.start - 1e-9 <= time < pulse.end - 1e-9:
            total += pulse.force + pulse.moment
    return pin.Force(total)


def posture_at(time: float) -> np.ndarray:
    """Where the arm is meant to be: minimum-jerk moves from posture to posture."""
    posture = POSTURES[0].copy()
    for (start, duration), before, after in zip(MOVES, POSTURES, POSTURES[1:]):
        s = min(max((time - start) / duration, 0.0), 1.0)
        posture += (after - before) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    return posture


def inputs_at(time: float) -> Inputs:
    push, thrust, contact = (wrench_at(pulses, time) for pulses in (PUSHES, THRUSTS, CONTACTS))
    return Inputs(push, thrust, contact, posture_at(time))


@dataclass(frozen=True)
class Flight:
    """Bodies, initial conditions and the on-board joint controller."""

    client: RigidBody
    servicer: FreeFlyer

    @classmethod
    def envisat(cls) -> Flight:
        client = RigidBody(pin.Inertia(MASS, np.zeros(3), INERTIA))
        return cls(client, FreeFlyer.from_urdf(URDF, END_EFFECTOR))

    @property
    def client_start(self) -> MotionSample:
        """g_t(0), V_t(0); the unforced nominal starts from the same."""
        return MotionSample.of(pin.SE3.Identity(), pin.Motion(np.zeros(3), np.radians([0.0, -2.5, 0.0])))

    @property
    def servicer_start(self) -> MotionSample:
        """g_b(0) and V_b(0) = Ad(g_bt) V_t(0)."""
        pose = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, np.pi), np.array([4.8, 0.0, 0.0]))
        return MotionSample.of(pose, pose.actInv(self.client_start.twist))

    @property
    def calibration(self) -> pin.SE3:
        """Where the nominal stands in the laboratory."""
        return pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.2, 0.3), np.array([1.0, 2.0, 1.5]))

    @cached_property
    def stiffness(self) -> np.ndarray:
        """[N m/rad]; the damping is critical."""
        return BANDWIDTH**2 * np.diag(self.servicer.mass_matrix(POSTURES[0]))[6:]

    def torque(self, posture: np.ndarray, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """What the on-board software commands."""
        return self.stiffness * (posture - q - 2.0 / BANDWIDTH * dq)

    @cached_property
    def inputs(self) -> list[Inputs]:
        """One for each hold."""
        return [inputs_at(k * HOLD) for k in range(round(DURATION / HOLD))]

    @cached_property
    def reference(self) -> list[State]:
        """The servicer every 0.1 s as MuJoCo flies it."""
        damping = 2.0 / BANDWIDTH * self.stiffness
        mujoco = MujocoReference.from_urdf(URDF, END_EFFECTOR, self.stiffness, damping)
        start = self.servicer_start
        mujoco.start(start.pose, start.twist, POSTURES[0], np.zeros(7))
        states = [mujoco.state]
        for k, held in enumerate(self.inputs, start=1):
            mujoco.step(held.thrust, held.contact, self.stiffness * held.posture, count=4)
            if k % SAMPLING == 0:
                states.append(mujoco.state)
        return states
