"""A push in space from start to end: thrusters, attitude control and both bodies, sampled at every step."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.deorbit.attitude import BoostAttitude
from hil_relative_dynamics.deorbit.contact import FeetOnFace, hexagon
from hil_relative_dynamics.deorbit.line import Line
from hil_relative_dynamics.deorbit.line_motion import LineMotion
from hil_relative_dynamics.deorbit.pair import ContactPair, PairState
from hil_relative_dynamics.deorbit.robot import DampingRobot
from hil_relative_dynamics.deorbit.thrusters import ThrusterCluster, off_pattern
from hil_relative_dynamics.deorbit.track import SCALARS, Track, row_of, track_of
from hil_relative_dynamics.scenario.deorbit import Boost, DeorbitBodies


def pair_of(bodies: DeorbitBodies) -> ContactPair:
    """Both bodies of a scenario."""
    feet, robot = bodies.contact, bodies.robot
    contact = FeetOnFace(
        hexagon(feet.count, feet.radius, feet.first_angle),
        feet.stiffness,
        feet.damping,
        feet.friction,
        feet.coefficient,
    )
    arm = None
    if robot is not None:
        damping = robot.damping[0], robot.damping[1]
        arm = DampingRobot(damping, np.array(robot.grasp_point), robot.roll_stiffness, robot.roll_damping)
    return ContactPair(RigidBody(bodies.target.inertia), RigidBody(bodies.chaser.inertia), contact, arm)


def cluster_of(boost: Boost) -> ThrusterCluster:
    return ThrusterCluster(boost.force, np.array(boost.positions))


class BoostControl:
    """Which thrusters are on at each step; a new pattern whenever a cycle begins.

    It steers by the attitude of the target, which holds nearly all of the inertia and which the chaser knows from its
    own and the joints of the arm that holds it. The chaser itself rocks on its feet with every pulse.
    """

    def __init__(self, bodies: DeorbitBodies) -> None:
        boost, both = bodies.boost, bodies.target.inertia + bodies.chaser.inertia
        self._modulation, self._cluster = boost.modulation, cluster_of(boost)
        self._steps, self._cycle = boost.cycle_ns // bodies.step_ns, 1e-9 * boost.cycle_ns
        moments = np.diag(both.inertia)[1:]
        self._law = BoostAttitude(moments, boost.bandwidth)
        self._state = self._law.initial_state()
        self._pattern = np.ones((self._steps, self._cluster.count), dtype=bool)

    def on(self, index: int, state: PairState) -> np.ndarray:
        if self._modulation != "none" and index % self._steps == 0:
            rate = state.twist_target.angular
            followed, torque = self._law.step(self._state, state.pose_target.rotation, rate, self._cycle)
            shares = self._cluster.off_shares(torque)
            if shares.max() <= 1.0:
                self._state = followed
            self._pattern = off_pattern(shares, self._steps, self._modulation)
        return np.asarray(self._pattern[index % self._steps])


def fly(bodies: DeorbitBodies, duration_ns: int, progress: Callable[[float], None] | None = None) -> Track:
    """The whole run, with a last row at its end."""
    pair, control, cluster = pair_of(bodies), BoostControl(bodies), cluster_of(bodies.boost)
    count, dt, state = duration_ns // bodies.step_ns, 1e-9 * bodies.step_ns, pair.start()
    rows = np.zeros((count + 1, SCALARS + 2 * pair.contact.count))
    wrenches: dict[bytes, pin.Force] = {}
    for index in range(count + 1):
        on = control.on(index, state)
        thrust = wrenches.setdefault(on.tobytes(), cluster.wrench(on))
        rows[index] = row_of(pair, state, pair.instant(state, thrust), thrust)
        if index < count:
            state = pair.step(state, thrust, dt)
        if progress is not None and index % 500 == 0:
            progress(index / count)
    return track_of(dt * np.arange(count + 1), rows, pair.contact.count)


def structure(bodies: DeorbitBodies, track: Track) -> LineMotion:
    """The same thrust profile on a contact as stiff as the structure, along a line."""
    boost = bodies.boost
    line = Line.with_damping_ratio(bodies.chaser.mass, bodies.target.mass, boost.stiffness, boost.damping_ratio)
    changes = np.flatnonzero(np.diff(track.thrust, prepend=-1.0))
    profile = [(float(track.times[index]), float(track.thrust[index])) for index in changes]
    return LineMotion(line, profile, float(track.times[-1]))
