"""The laboratory's devices as simulated: what is imperfect about them, and by how much.

Sources. KUKA RSI: cycle of 4 ms (`rates_ms.dynamics`). Delays of robotic facilities from command to motion:
12 to 35 ms (16 ms with EPOS, 35 ms with UR's position loop). F/T sensors of the ATI Omega class: noise 0.5 N
and 0.05 N m, drift 1 N/h, bandwidth 100 to 200 Hz, ranges 1000 N (2500 N along z) and 120 N m. All else is an
engineering estimate.
"""

# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from hil_relative_dynamics.scenario.laboratory import Sign
from hil_relative_dynamics.scenario.quantities import ZERO, Number, Numbers, OneOrPerJoint, Vector3, vector
from hil_relative_dynamics.scenario.reader import Part, Place, Section, entry
from hil_relative_dynamics.scenario.safety import Limit
from hil_relative_dynamics.scenario.values import Choice, Flag, Time

FacilityKind = Literal["none", "sim"]
Master = Literal["client_robot", "servicer_robot"]
PerJoint = float | tuple[float, ...]
MILLISECOND = 1_000_000
ROBOT_JOINTS = 6
OFF = math.inf
"""A bandwidth or range that is off."""
VISCOUS, COULOMB = "viscous_friction_N_m_s_rad", "coulomb_friction_N_m"


def _amount(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "non-negative"), f"{description}; 0: none", default)


def _resolution(degrees: float) -> float:
    return _amount("encoder_resolution_deg", "deg", "step of the measured angles", math.radians(degrees))


def _range(key: str, unit: str, description: str, default: Vector3) -> Vector3:
    return entry(key, Numbers(Limit(unit, "positive"), 3), description, default)


@dataclass(frozen=True, kw_only=True)
class RobotDevice(Part):
    """An industrial robot that follows joint positions.

    By default it is 30 ms behind its commands: delay 12 ms, interpolation 2 ms (half a cycle), servo 16 ms.
    """

    delay_ns: int = entry(
        "delay_ms",
        Time("ms"),
        "transport delay: a command acts this much later, from the next cycle on (three RSI cycles); 0: none",
        12 * MILLISECOND,
    )
    bandwidth: float = entry(
        "bandwidth_Hz",
        Limit("Hz", "positive"),
        "frequency at which the joints' servos pass on 71 % (-3 dB); their lag is 0.205 / bandwidth; off: no"
        " servo and no interpolation",
        12.8,
    )
    limits: bool = entry(
        "limits", Flag(), "positions, velocities and accelerations stay within the robot's limits", True
    )
    encoder_resolution: float = _resolution(1e-4)
    start: tuple[float, ...] | None = entry(
        "start_deg",
        Numbers(Number("deg"), ROBOT_JOINTS),
        "where its joints are before the run, at rest: it is homed to the start of the run first; without: it is there"
        " already, and moves as the run does",
        None,
    )

    def ideal(self) -> RobotDevice:
        """Without errors; where it stands is no error and stays."""
        return RobotDevice(delay_ns=0, bandwidth=OFF, limits=False, encoder_resolution=0.0, start=self.start)


@dataclass(frozen=True, kw_only=True)
class ArmDevice(Part):
    """The arm that obeys joint torques."""

    delay_ns: int = entry(
        "delay_ms", Time("ms"), "a torque acts this much later (a cycle of FRI, Franka); 0: none", MILLISECOND
    )
    limits: bool = entry(
        "limits", Flag(), "torques saturate and joints have end stops, both as in the description", True
    )
    viscous_friction: PerJoint = entry(
        VISCOUS,
        OneOrPerJoint(Number("N m s/rad", "non-negative")),
        "friction per speed that the arm's own torque loop leaves; 0: none",
        0.05,
    )
    coulomb_friction: PerJoint = entry(
        COULOMB,
        OneOrPerJoint(Number("N m", "non-negative")),
        "dry friction that the arm's own torque loop leaves; 0: none",
        0.05,
    )
    encoder_resolution: float = _resolution(3e-4)

    def ideal(self) -> ArmDevice:
        none = ArmDevice(viscous_friction=0.0, coulomb_friction=0.0, encoder_resolution=0.0)
        return replace(none, delay_ns=0, limits=False)

    def friction(self, joints: int) -> tuple[np.ndarray, np.ndarray]:
        """Viscous [N m s/rad] and Coulomb friction [N m] of each joint."""
        return np.full(joints, self.viscous_friction), np.full(joints, self.coulomb_friction)

    def check_joints(self, count: int, at: Place) -> None:
        """Refuse lists whose length is not the number of the servicer's joints."""
        for key, friction in {VISCOUS: self.viscous_friction, COULOMB: self.coulomb_friction}.items():
            if isinstance(friction, tuple) and len(friction) != count:
                allowed = f"must be a list of {count} numbers, one per joint of the servicer"
                raise self.error(key, at, allowed)


@dataclass(frozen=True, kw_only=True)
class SensorDevice(Part):
    """The F/T sensors at both flanges; axes are the sensor's own (z out of the flange)."""

    force_noise: float = _amount("noise_N", "N", "standard deviation of the white noise on each force", 0.5)
    torque_noise: float = _amount("noise_N_m", "N m", "the same for each torque", 0.05)
    force_bias: Vector3 = entry(
        "bias_N", vector("N"), "constant offset of the forces, to be tared", (4.0, -3.0, 6.0)
    )
    torque_bias: Vector3 = entry(
        "bias_N_m", vector("N m"), "constant offset of the torques, to be tared", (0.3, 0.2, -0.2)
    )
    force_drift: float = _amount(
        "drift_N_h", "N/h", "each force drifts at a constant rate of up to this, drawn by the seed", 1.0
    )
    torque_drift: float = _amount("drift_N_m_h", "N m/h", "the same for each torque", 0.1)
    bandwidth: float = entry(
        "bandwidth_Hz", Limit("Hz", "positive"), "corner of the low pass of first order; off: none", 150.0
    )
    force_range: Vector3 = _range("range_N", "N", "forces saturate there", (1000.0, 1000.0, 2500.0))
    torque_range: Vector3 = _range("range_N_m", "N m", "torques saturate there", (120.0, 120.0, 120.0))
    multiplier: int = entry(
        "multiplier",
        Sign(),
        "1: the load on the sensor is reported (a free tool reads its weight downwards); -1: the reaction",
        1,
    )

    def ideal(self) -> SensorDevice:
        """Without errors; the sign is no error and stays."""
        unlimited = (OFF, OFF, OFF)
        return SensorDevice(
            force_noise=0.0,
            torque_noise=0.0,
            force_bias=ZERO,
            torque_bias=ZERO,
            force_drift=0.0,
            torque_drift=0.0,
            bandwidth=OFF,
            force_range=unlimited,
            torque_range=unlimited,
            multiplier=self.multiplier,
        )


@dataclass(frozen=True, kw_only=True)
class Facility(Part):
    """The devices that move the mock-ups."""

    kind: FacilityKind = entry(
        "kind",
        Choice(get_args(FacilityKind)),
        "none: all motion is perfect, and no robot is there; sim: simulated robots, arm and sensors",
        "none",
    )
    imperfections: bool = entry(
        "imperfections", Flag(), "false: with kind: sim, devices without any of the errors below", True
    )
    master: Master = entry(
        "master",
        Choice(get_args(Master)),
        "with real robots: the one whose samples make the dynamics step; the other's are the newest at that moment",
        "servicer_robot",
    )
    client_robot: RobotDevice = entry(
        "client_robot", Section(RobotDevice), "the robot that carries the client's mock-up", RobotDevice()
    )
    servicer_robot: RobotDevice = entry(
        "servicer_robot", Section(RobotDevice), "the robot that carries the servicer's arm", RobotDevice()
    )
    arm: ArmDevice = entry("arm", Section(ArmDevice), "the servicer's arm", ArmDevice())
    ft_sensor: SensorDevice = entry("ft_sensor", Section(SensorDevice), "both F/T sensors", SensorDevice())

    @property
    def to_be_homed(self) -> bool:
        """Whether a simulated robot stands somewhere else than where the run starts."""
        return self.kind == "sim" and not (self.client_robot.start is None and self.servicer_robot.start is None)

    @property
    def devices(self) -> Facility:
        """This facility with the devices as they are to be: ideal ones without imperfections."""
        if self.imperfections:
            return self
        robots = {name: getattr(self, name).ideal() for name in ("client_robot", "servicer_robot")}
        return replace(self, arm=self.arm.ideal(), ft_sensor=self.ft_sensor.ideal(), **robots)
