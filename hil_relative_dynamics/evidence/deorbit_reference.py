"""The same pushes by other means: Newton and Euler at the centres of mass, in world axes, by an adaptive integrator.

Shares no dynamics with `deorbit/`: rotations are matrices that are integrated entry by entry, forces act foot by foot.
"""
from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from hil_relative_dynamics.scenario.deorbit import DeorbitBodies

TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}


def line_by_integration(
    masses: tuple[float, float], contact: tuple[float, float], thrust: float, gap: float, times: np.ndarray
) -> np.ndarray:
    """Gap of two masses (chaser, target) under (2) and (3) from rest, with events where contact begins and ends."""
    (chaser, target), (stiffness, damping) = masses, contact

    def force(state: np.ndarray) -> float:
        return float(-stiffness * (state[1] - state[0]) - damping * (state[3] - state[2]))

    def rates(touching: bool) -> object:
        def rate(_: float, state: np.ndarray) -> list[float]:
            push = force(state) if touching else 0.0
            return [state[2], state[3], (thrust - push) / chaser, push / target]

        return rate

    def parts(_: float, state: np.ndarray) -> float:
        return force(state)

    def meets(_: float, state: np.ndarray) -> float:
        return float(max(state[1] - state[0], -force(state) / stiffness))

    parts.terminal = meets.terminal = True  # type: ignore[attr-defined]
    parts.direction = meets.direction = -1.0  # type: ignore[attr-defined]
    found, now, state, touching = np.zeros(len(times)), 0.0, np.array([0.0, gap, 0.0, 0.0]), True
    while now < times[-1]:
        inside = (times >= now) & (times <= times[-1])
        event = parts if touching else meets
        done = solve_ivp(
            rates(touching), (now, times[-1]), state, events=event, dense_output=True, max_step=1e-3,
            method="DOP853", rtol=1e-12, atol=1e-18,
        )  # fmt: skip
        at = done.sol(times[inside])
        found[inside] = at[1] - at[0]
        now, state = float(done.t[-1]), done.y[:, -1]
        if not len(done.t_events[0]):
            break
        touching = not touching
    return found


class TwoBodies:
    """Both bodies of a scenario without friction cone: feet that slide freely or are held."""

    def __init__(self, bodies: DeorbitBodies) -> None:
        self._bodies, feet = bodies, bodies.contact
        angles = feet.first_angle + 2.0 * np.pi * np.arange(feet.count) / feet.count
        self._feet = [np.array([0.0, feet.radius * np.cos(angle), feet.radius * np.sin(angle)]) for angle in angles]
        self._inertia = [np.array(body.inertia.inertia) for body in (bodies.target, bodies.chaser)]
        self._centre = [np.array(body.com) for body in (bodies.target, bodies.chaser)]
        self._mass = [bodies.target.mass, bodies.chaser.mass]
        self._thrust = bodies.boost.force * len(bodies.boost.positions)

    def positions(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of both centres of mass (target, chaser) and both attitudes at the given times, from rest."""
        start = np.concatenate(
            [*self._centre, np.eye(3).ravel(), np.eye(3).ravel(), np.zeros(12 + 2 * len(self._feet))]
        )
        done = solve_ivp(self._rate, (0.0, times[-1]), start, t_eval=times, **TIGHT)
        return done.y[:6].T.reshape(-1, 2, 3), done.y[6:24].T.reshape(-1, 2, 3, 3)

    def _rate(self, _: float, state: np.ndarray) -> np.ndarray:
        place, turn = state[:6].reshape(2, 3), state[6:24].reshape(2, 3, 3)
        speed, spin = state[24:30].reshape(2, 3), state[30:36].reshape(2, 3)  # in world axes
        bristles = state[36:].reshape(-1, 2)
        forces, torques = np.zeros((2, 3)), np.zeros((2, 3))
        creep = np.zeros_like(bristles)

        def act(point: np.ndarray, force: np.ndarray) -> None:
            """On the target, and back on the chaser, at one point in the world."""
            for body, sign in ((0, 1.0), (1, -1.0)):
                forces[body] += sign * force
                torques[body] += np.cross(point - place[body], sign * force)

        def apart(point: np.ndarray) -> np.ndarray:
            """Velocity of the chaser's material there relative to the target's, in the target's axes."""
            moves = [speed[body] + np.cross(spin[body], point - place[body]) for body in (0, 1)]
            return np.asarray(turn[0].T @ (moves[1] - moves[0]))

        feet = self._bodies.contact
        for index, foot in enumerate(self._feet):
            point = place[1] + turn[1] @ (foot - self._centre[1])
            local = turn[0].T @ (point - place[0]) + self._centre[0]
            moves, force = apart(point), np.zeros(3)
            if local[0] > -1e-9:  # in touch from the start
                force[0] = max(0.0, feet.stiffness * max(0.0, local[0]) + feet.damping * moves[0])
            if feet.friction == "held":
                force[1:] = feet.stiffness * bristles[index] + feet.damping * moves[1:]
                creep[index] = moves[1:]
            act(point, turn[0] @ force)
        robot = self._bodies.robot
        if robot is not None:
            grasp = place[1] + turn[1] @ (np.array(robot.grasp_point) - self._centre[1])
            moves = apart(grasp)
            force = np.array([0.0, robot.damping[0] * moves[1], robot.damping[1] * moves[2]])
            act(grasp, turn[0] @ force)
            relative = turn[0].T @ turn[1]
            roll = np.arctan2(relative[2, 1], relative[2, 2])
            hold = robot.roll_stiffness * roll + robot.roll_damping * float((turn[0].T @ (spin[1] - spin[0]))[0])
            local = turn[0].T @ (grasp - place[0]) + self._centre[0]
            # the robot's torque: holds the roll and takes the moment of its own force about the face's x axis
            torque = turn[0] @ np.array([hold - (local[1] * force[2] - local[2] * force[1]), 0.0, 0.0])
            torques[0] += torque
            torques[1] -= torque
        forces[1] += turn[1] @ np.array([self._thrust, 0.0, 0.0])
        torques[1] += np.cross(turn[1] @ -self._centre[1], turn[1] @ np.array([self._thrust, 0.0, 0.0]))
        rates, turning, faster = np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 3))
        for body in (0, 1):
            inertia = turn[body] @ self._inertia[body] @ turn[body].T
            rates[body] = forces[body] / self._mass[body]
            faster[body] = np.linalg.solve(inertia, torques[body] - np.cross(spin[body], inertia @ spin[body]))
            turning[body] = np.cross(spin[body], turn[body], axisb=0, axisc=0)
        return np.concatenate([speed.ravel(), turning.ravel(), rates.ravel(), faster.ravel(), creep.ravel()])
