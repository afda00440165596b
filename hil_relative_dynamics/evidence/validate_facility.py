"""The whole facility, robots included: what it measures, mapped to orbit, against MuJoCo; and what each error costs.

The scenario is the published unforced comparison on simulated robots: servo lag and delay of 30 ms together, F/T
noise behind the contact gate, friction in the arm. MuJoCo flies the free servicer and the client by themselves.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, inf, nan, pi, sqrt

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder, Recording
from hil_relative_dynamics.evidence.mujoco_reference import MujocoReference, State
from hil_relative_dynamics.evidence.validate_tools import Worst, largest, order
from hil_relative_dynamics.evidence.validation import Check, Progress
from hil_relative_dynamics.facility.servo import ServoedRobot
from hil_relative_dynamics.facility.setpoint import JointLimits
from hil_relative_dynamics.scenario import Scenario, load
from hil_relative_dynamics.scenario.plant import RobotDevice
from hil_relative_dynamics.spatial import MotionSample

SCENARIO = "envisat_unforced_facility"
DURATION = 15.0
SAMPLING = 100_000_000  # between two comparisons [ns]
MILLISECOND = 1_000_000
MUJOCO_STEP = MILLISECOND
LAG = 0.030  # of the default robots at their cycle of 4 ms: delay 12, half a cycle 2, servo 16 ms
RECORDED = (
    signals.CLIENT_ABSOLUTE,
    signals.SERVICER_ABSOLUTE,
    signals.CLIENT_SIMULATED,
    signals.SERVICER_SIMULATED,
    signals.ARM_JOINTS,
    signals.CLIENT_WRENCH,
    signals.SAFETY,
)

WITHOUT_GATE = ("laboratory.wrench.gate_N=0", "laboratory.wrench.gate_N_m=0")
WITHOUT_FRICTION = ("facility.arm.viscous_friction_N_m_s_rad=0", "facility.arm.coulomb_friction_N_m=0")
WITHOUT_ERRORS = ("facility.imperfections=false",)

NO_WRENCH = pin.Force.Zero()
NO_JOINTS = np.zeros(0)


def checks(progress: Progress) -> Iterator[Check]:
    progress("1/5 client and servicer in MuJoCo, 15 s")
    reference = Reference(_scenario())
    progress("2/5 the facility as it is")
    yield from as_it_is(Flown(), reference)
    progress("3/5 the facility without contact gate; without friction in the arm")
    yield from causes(Flown(*WITHOUT_GATE), Flown(*WITHOUT_FRICTION), reference)
    progress("4/5 the facility without errors, steps of 4 and 2 ms")
    yield from without_errors(Flown(*WITHOUT_ERRORS), Flown(*WITHOUT_ERRORS, "rates_ms.dynamics=2"), reference)
    progress("5/5 robots against a spring")
    yield from contact()


def _scenario(*overrides: str) -> Scenario:
    return load(SCENARIO, [f"duration_s={DURATION + 0.004:g}", *overrides])  # the last instant counts


class Reference:
    """Client and servicer every 0.1 s, each by itself in MuJoCo."""

    def __init__(self, scenario: Scenario) -> None:
        client, servicer = scenario.client, scenario.servicer
        free = MujocoReference.from_urdf(servicer.urdf, servicer.end_effector, timestep=1e-9 * MUJOCO_STEP)
        free.start(
            scenario.pose_servicer, scenario.twist_servicer, np.array(servicer.joints), np.array(servicer.joint_rates)
        )
        body = client.inertia
        tumbling = MujocoReference.rigid_body(body.mass, body.lever, body.inertia, 1e-9 * MUJOCO_STEP)
        tumbling.start(client.pose, client.twist, NO_JOINTS, NO_JOINTS)
        self.client: list[State] = []
        self.servicer: list[State] = []
        torque, count = np.zeros(free.joint_count), SAMPLING // MUJOCO_STEP
        for _ in range(round(DURATION * 1e9) // SAMPLING + 1):
            self.client.append(tumbling.state)
            self.servicer.append(free.state)
            tumbling.step(NO_WRENCH, NO_WRENCH, NO_JOINTS, count)
            free.step(NO_WRENCH, NO_WRENCH, torque, count)

    @property
    def relative(self) -> list[pin.SE3]:
        """Pose of the servicer in the client."""
        return [client.pose.actInv(servicer.pose) for client, servicer in zip(self.client, self.servicer)]


class Flown:
    """A run of the facility, at the instants of the reference."""

    def __init__(self, *overrides: str) -> None:
        scenario = _scenario(*overrides)
        table = assemble(scenario)
        self.world = World(scenario)
        self.recording: Recording = run(table, scenario.duration_ns, Recorder(table, scenario.duration_ns, RECORDED))
        self.enabled = bool(self.recording[signals.SAFETY].all())

    def rows(self, signal: str) -> np.ndarray:
        """One value for every instant of the reference."""
        return self.recording[signal][:: SAMPLING // int(self.recording.stamps(signal)[1])]

    @property
    def measured(self) -> list[pin.SE3]:
        """Pose of the servicer in the client, from measurements mapped to orbit, (23)."""
        return _relative(self.rows(signals.CLIENT_ABSOLUTE), self.rows(signals.SERVICER_ABSOLUTE))

    @property
    def simulated(self) -> list[pin.SE3]:
        """The same before robots come in: where the dynamics have it."""
        return _relative(self.rows(signals.CLIENT_SIMULATED)[:, 0], self.rows(signals.SERVICER_SIMULATED)[:, 0])

    def momenta(self) -> np.ndarray:
        """Of base and arm in the inertial frame, from measurements."""
        joints = self.recording.sampled(signals.ARM_JOINTS, signals.SERVICER_ABSOLUTE)
        motions = map(MotionSample, self.recording[signals.SERVICER_ABSOLUTE])
        return np.array(
            [
                motion.pose.act(self.world.servicer.momentum_in_base(q, motion.twist, dq)).vector
                for motion, (q, dq, _) in zip(motions, joints)
            ]
        )


def _relative(client: np.ndarray, servicer: np.ndarray) -> list[pin.SE3]:
    return [pin.XYZQUATToSE3(a[:7]).actInv(pin.XYZQUATToSE3(b[:7])) for a, b in zip(client, servicer)]


def _worst(flown: Flown, poses: Sequence[pin.SE3], reference: Reference) -> Worst:
    """NaN if the supervisor stopped the run: then nothing was compared."""
    worst = Worst()
    if not flown.enabled:
        worst.position = worst.orientation = nan
    for pose, wanted in zip(poses, reference.relative, strict=True):
        worst.add(pose, wanted)
    return worst


def as_it_is(flown: Flown, reference: Reference) -> Iterator[Check]:
    """The published comparison, and what its error is made of."""
    measured, simulated = flown.measured, flown.simulated
    what = "servicer relative to client, measured and mapped to orbit, against MuJoCo, 15 s"
    worst = _worst(flown, measured, reference)
    yield from worst.checks("facility.relative", "(23)", what, (1e-3, 2e-4), reached=(1e-3, 2e-3))
    what = "the same before the robots: what friction in the arm leaves"
    yield from _worst(flown, simulated, reference).checks("facility.simulated", "(13)", what, (5e-4, 2e-4))
    what = "lag of the measured relative motion behind the simulated one, difference from 30 ms"
    yield Check("facility.lag", "(23)", what, abs(_lag(measured, simulated) - LAG), 1e-3, "s")
    what = "momentum of base and arm from measurements, 15 s, relative change"
    yield Check("facility.momentum", "(13)", what, _change(flown.momenta()), 1e-3, "-")


def _lag(measured: Sequence[pin.SE3], simulated: Sequence[pin.SE3]) -> float:
    """The time that explains best how far one motion is behind the other [s]."""
    behind = np.array([a.translation - b.translation for a, b in zip(simulated, measured)])
    path = np.array([pose.translation for pose in simulated])
    velocity = np.gradient(path, 1e-9 * SAMPLING, axis=0, edge_order=2)
    return float((behind * velocity).sum() / (velocity * velocity).sum())


def _change(momenta: np.ndarray) -> float:
    """Largest change of linear or angular momentum, relative to its start."""
    parts = np.split(momenta, 2, axis=1)
    return largest(*[largest(part - part[0]) / largest(part[0]) for part in parts])


def causes(ungated: Flown, frictionless: Flown, reference: Reference) -> Iterator[Check]:
    error = _worst(ungated, ungated.measured, reference).position
    what = "position error without contact gate: F/T noise pushes two free bodies"
    yield Check("facility.omission.gate", "(11)", what, error, 2e-3, "m", ">=")
    what = "servicer relative to client as simulated, against MuJoCo, arm without friction"
    worst = _worst(frictionless, frictionless.simulated, reference)
    yield from worst.checks("facility.frictionless", "(13)", what, (2e-5, 4e-5))


def without_errors(coarse: Flown, fine: Flown, reference: Reference) -> Iterator[Check]:
    """Devices without imperfections: what sampling leaves, in proportion to the step."""
    errors = [_worst(flown, flown.measured, reference) for flown in (coarse, fine)]
    what = "servicer relative to client, measured, against MuJoCo, devices without errors, 4 ms"
    yield from errors[0].checks("facility.ideal", "(23)", what, (1e-6, 2e-6))
    what = "order of that error, difference from 1, steps of 4 and 2 ms"
    value = abs(order(errors[0].position, errors[1].position) - 1.0)
    yield Check("facility.ideal.order", "(23)", what, value, 0.1, "-")
    joints = np.array([state.q for state in reference.servicer])
    what = "joints of the arm on the ground against the free arm in MuJoCo, devices without errors"
    error = largest(coarse.rows(signals.ARM_JOINTS)[:, 0] - joints)
    yield Check("facility.ideal.joints", "(20), (22)", what, error, 1e-3, "rad")
    what = "how far the arm moved meanwhile"
    yield Check("facility.ideal.excursion", "(22)", what, largest(joints - joints[0]), 0.2, "rad", ">=")
    what = "momentum of base and arm from measurements, devices without errors, relative change"
    yield Check("facility.ideal.momentum", "(13)", what, _change(coarse.momenta()), 5e-5, "-")


# ---- self-test of the robots' delay ----


def contact() -> Iterator[Check]:
    """A simulated mass of 80 kg meets a spring of 1e4 N/m through a robot: it comes back faster than it came."""
    delayed = RobotDevice(delay_ns=16 * MILLISECOND, bandwidth=inf, limits=False, encoder_resolution=0.0)
    what = "restitution with a delay of 16 ms over exp(pi w tau / 2) = 1.32, difference from 1"
    value = restitution_error(delayed, cycle=MILLISECOND // 10)
    yield Check("facility.contact.delay", "exp(pi w tau / 2)", what, value, 0.01, "-")
    what = "the same for a robot as it is, 30 ms behind, cycle of 4 ms, force held over a cycle"
    value = restitution_error(RobotDevice(), cycle=4 * MILLISECOND)
    yield Check("facility.contact.robot", "exp(pi w tau / 2)", what, value, 0.03, "-")


def restitution_error(device: RobotDevice, cycle: int, mass: float = 80.0, stiffness: float = 1e4) -> float:
    unlimited = JointLimits(*[np.full(1, sign * inf) for sign in (-1.0, 1.0, 1.0, 1.0)])
    robot = ServoedRobot(device, cycle, unlimited)
    total = 1e-9 * device.delay_ns + robot.lag + 0.5e-9 * cycle  # the force is held: half a cycle more
    expected = exp(0.5 * pi * sqrt(stiffness / mass) * total)
    return abs(_restitution(robot, total, cycle, mass, stiffness) / expected - 1.0)


def _restitution(robot: ServoedRobot, behind: float, cycle: int, mass: float, stiffness: float) -> float:
    """Speed of the mass after contact over its speed before, which is 20 mm/s."""
    dt, impact = 1e-9 * cycle, 0.02
    position, velocity, stamp, touched = -0.004, impact, 0, False
    state = robot.initial_state(np.array([position - impact * behind]), np.array([impact]))
    while True:
        measured = float(robot.read(state).position[0])
        touched = touched or measured > 0.0
        if touched and measured <= 0.0:
            return -velocity / impact
        acceleration = -stiffness * max(measured, 0.0) / mass
        position += dt * (velocity + 0.5 * dt * acceleration)
        velocity += dt * acceleration
        state = robot.step(robot.give(state, np.array([position]), stamp), stamp)
        stamp += cycle
