"""The two ways to fly a flexible client: appendages in the simulation, or on the robot's flange."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.appendage import appendages_of, deflections_of
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.facility.ft_sensor import ForceTorqueSensor
from hil_relative_dynamics.facility.servo import ServoedRobot
from hil_relative_dynamics.facility.setpoint import JointLimits
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.flexible_client import FlexibleClientDynamics
from hil_relative_dynamics.matching.nominal import FixedNominal, Nominal, UnforcedNominal
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient
from hil_relative_dynamics.scenario.plant import RobotDevice
from hil_relative_dynamics.spatial import MotionSample

#: signal -> one row per step
Signals = dict[str, list[np.ndarray]]
START, NO_WRENCH = pin.SE3.Identity(), pin.Force.Zero()
AXES = 6


def simulated_body(scenario: FlexibleClient) -> FlexibleBody:
    return FlexibleBody(scenario.hub.inertia, appendages_of(scenario.appendages))


def physical_body(scenario: FlexibleClient) -> FlexibleBody:
    """What the physical variant would be with a perfect robot and sensor."""
    return FlexibleBody(scenario.hub.inertia, appendages_of(scenario.on_flange))


def nominal_of(scenario: FlexibleClient) -> Nominal:
    if scenario.nominal == "fixed":
        return FixedNominal(START)
    return UnforcedNominal(RigidBody(simulated_body(scenario).rigid), START, scenario.hub.twist)


class FlangeRobot:
    """A robot seen at its flange: position and rotation vector lag behind their commands, each by itself.

    A rotation vector stands for the attitude: exact about one axis, and of third order in the angle otherwise.
    """

    def __init__(self, scenario: FlexibleClient, twist: pin.Motion) -> None:
        robot, free = scenario.robot, np.full(AXES, np.inf)
        device = RobotDevice(
            delay_ns=robot.delay_ns, bandwidth=robot.bandwidth, limits=False, encoder_resolution=0.0
        )
        self._servo = ServoedRobot(device, scenario.step_ns, JointLimits(-free, free, free, free))
        self._state = self._servo.initial_state(np.zeros(AXES), twist.vector)

    def step(self, commanded: pin.SE3, stamp: int) -> None:
        """One cycle later, the command being for its end."""
        target = np.concatenate([commanded.translation, pin.log3(commanded.rotation)])
        self._state = self._servo.step(self._servo.give(self._state, target, stamp), stamp)

    def motion(self) -> MotionSample:
        """Pose, body twist and its derivative."""
        position, velocity, acceleration = self._state.motion
        rotation, jacobian = pin.exp3(position[3:]), pin.Jexp3(position[3:])
        twist = pin.Motion(rotation.T @ velocity[:3], jacobian @ velocity[3:])
        linear = rotation.T @ acceleration[:3] - pin.skew(twist.angular) @ twist.linear
        rate = pin.Motion(linear, jacobian @ acceleration[3:])
        return MotionSample.of(pin.SE3(rotation, position[:3]), twist, rate)


def fly_simulated(scenario: FlexibleClient, told: Callable[[float], None]) -> Signals:
    """The flexible dynamics tell the robot how the hub moves relative to the nominal."""
    body, nominal = simulated_body(scenario), nominal_of(scenario)
    client, motion = FlexibleClientDynamics(body), nominal.initial_state()
    dt, count = 1e-9 * scenario.step_ns, scenario.duration_ns // scenario.step_ns
    _, points = nominal.step(motion, 0, scenario.step_ns)
    state = client.initial_state(START, scenario.hub.twist, points.start, deflections_of(scenario.appendages))
    robot = FlangeRobot(scenario, pin.Motion(state.array[20:26]))
    signals: Signals = {name: [] for name in ("nominal", "hub", "commanded", "flange", "modes")}
    for k in range(count):
        stamp = k * scenario.step_ns
        motion, points = nominal.step(motion, stamp, scenario.step_ns)
        signals["nominal"].append(points.start.array)
        signals["flange"].append(robot.motion().array)
        signals["modes"].append(np.concatenate([state.q, state.dq]))
        state, matched = client.step(state, NO_WRENCH, points, dt)
        signals["hub"].append(matched.simulated.start.array)
        signals["commanded"].append(matched.commanded.start.array)
        robot.step(state.pose_commanded, stamp)
        told((k + 1) / count)
    return signals


def fly_physical(scenario: FlexibleClient, told: Callable[[float], None]) -> Signals:
    """Appendages on the flange pull at the F/T sensor; what it tells moves a rigid hub, which the robot flies."""
    rig = Rig(scenario)
    hub, nominal = ClientDynamics(RigidBody(scenario.hub.inertia)), FixedNominal(START)
    _, points = nominal.step(None, 0, scenario.step_ns)
    state = hub.initial_state(START, scenario.hub.twist, points.start)
    robot = FlangeRobot(scenario, scenario.hub.twist)
    dt, count = 1e-9 * scenario.step_ns, scenario.duration_ns // scenario.step_ns
    signals: Signals = {name: [] for name in ("hub", "flange", "modes", "wrench")}
    flange = robot.motion()
    for k in range(count):
        wrench = rig.measured(flange)
        signals["flange"].append(flange.array)
        signals["modes"].append(np.concatenate([rig.q, rig.dq]))
        signals["wrench"].append(wrench.vector.copy())
        state, matched = hub.step(state, wrench, points, dt)
        signals["hub"].append(matched.simulated.start.array)
        robot.step(state.pose_commanded, k * scenario.step_ns)
        before, flange = flange, robot.motion()
        rig.step(before, flange, dt)
        told((k + 1) / count)
    return signals


class Rig:
    """Physical appendages behind an F/T sensor on a flange that moves as the robot does; tared of their weight."""

    def __init__(self, scenario: FlexibleClient) -> None:
        self._body = FlexibleBody(pin.Inertia.Zero(), appendages_of(scenario.on_flange))
        self.q = deflections_of(scenario.on_flange)
        self.dq = np.zeros_like(self.q)
        self._sensor = ForceTorqueSensor(scenario.force_torque, "flange", scenario.seed, scenario.step_ns)
        self._state = self._sensor.initial_state(NO_WRENCH)

    def measured(self, flange: MotionSample) -> pin.Force:
        """What the sensor tells of the appendages' pull, at the hub's origin in its axes."""
        _, push = self._body.driven(flange.array[7:13], flange.array[13:19], self.q, self.dq)
        self._state = self._sensor.step(self._state, pin.Force(-push))
        return self._sensor.read(self._state)

    def step(self, before: MotionSample, after: MotionSample, dt: float) -> None:
        """The appendages at the end of a cycle, RK4, the flange's motion in its middle being the mean of its ends."""
        base = [before.array[7:19], 0.5 * (before.array[7:19] + after.array[7:19]), after.array[7:19]]

        def rate(point: int, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
            return np.array([dq, self._body.driven(base[point][:6], base[point][6:], q, dq)[0]])

        x = np.array([self.q, self.dq])
        k1 = rate(0, *x)
        k2 = rate(1, *(x + dt / 2 * k1))
        k3 = rate(1, *(x + dt / 2 * k2))
        k4 = rate(2, *(x + dt * k3))
        self.q, self.dq = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
