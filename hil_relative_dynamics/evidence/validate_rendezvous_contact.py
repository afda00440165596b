"""Gripper, contact, hand-over and sequences: published numbers beside ours, and what must hold."""
from __future__ import annotations

from collections.abc import Iterator
from math import log1p, radians

import numpy as np

from hil_relative_dynamics.berthing.contact import SpheresOnPlanes
from hil_relative_dynamics.berthing.contact_phase import PHASES
from hil_relative_dynamics.berthing.gripper import GearedGripper, normal_force, required_torque
from hil_relative_dynamics.berthing.measures import measured
from hil_relative_dynamics.berthing.sequence import Phase
from hil_relative_dynamics.berthing.voyage import Voyage
from hil_relative_dynamics.evidence.validation import Check, Comparison
from hil_relative_dynamics.scenario.rendezvous_contact import GearedFingers

READ_OFF = "read off the axis of a printed figure, labelled mm/s but m/s by the way covered"


def gripper() -> Iterator[Check | Comparison]:
    """The gear train as published, and its balance of power."""
    settings = GearedFingers()
    drive, angle = GearedGripper(settings), radians(50.0)
    text = "transmission ratio with 15 teeth on the motor"
    yield Comparison("rendezvous.gears", "(5)", text, 2.0, drive.ratio, "-", 1e-9)
    slow, torque = drive.clamp_speed(1.0, angle) / drive.arm(angle), drive.clamp_torque(1.0)
    yield Comparison("rendezvous.gears.speed", "(6)", "rate of a clamp over that of the motor", 0.5, slow, "-", 1e-9)
    text = "torque of a clamp over that of the motor"
    yield Comparison("rendezvous.gears.torque", "(8)", text, 2.0, torque, "-", 1e-9)
    given, taken = 1.0, 2.0 * drive.clamp_force(1.0, angle) * drive.clamp_speed(1.0, angle)
    what = "power of both clamps less that of the motor, (6) and (8) together"
    yield Check("rendezvous.gears.power", "(6), (8)", what, abs(taken - given), 1e-12, "W")
    mass, wide = 800.0, settings.pad_width
    moment = required_torque(mass, settings.acceleration, wide, settings.safety, settings.friction)
    carried = settings.friction * normal_force(moment, wide) / (mass * settings.acceleration * settings.safety)
    what = "friction of (9) and (10) over the force that the target needs with its safety, less 1"
    yield Check("rendezvous.gears.friction", "(9), (10)", what, abs(carried - 1.0), 1e-12, "-")
    by_gears = 2.0 * drive.clamp_force(moment / drive.ratio, angle)
    what = "total force by (8) over that by (10), less 1: b = 2 r sin(gamma) makes them agree"
    off = abs(by_gears / normal_force(moment, wide) - 1.0)
    yield Check("rendezvous.gears.agree", "(8), (10)", what, off, 1e-3, "-")


def sphere() -> Iterator[Check]:
    """A sphere thrown at a plane, against the closed form."""
    mass, stiffness, damping, speed = 5.0, 1e4, 1.5, 0.2
    back = bounce(mass, stiffness, damping, speed)
    # m v dv = -k d (1 + a v) dd: u - ln(1 + u) is the same going in (u = a v) and out (u = -a v')
    left = damping * speed - log1p(damping * speed)
    right = -damping * back - log1p(-damping * back)
    what = "sphere on plane, Hunt and Crossley: integral of motion in and out, relative difference"
    yield Check("rendezvous.sphere", "Sec. III-A", what, abs(right / left - 1.0), 1e-6, "-")
    elastic = abs(bounce(mass, stiffness, 0.0, speed) / speed - 1.0)
    yield Check("rendezvous.sphere.elastic", "Sec. III-A", "restitution without damping, less 1", elastic, 1e-6, "-")


def bounce(mass: float, stiffness: float, damping: float, speed: float, dt: float = 1e-4) -> float:
    """Speed after a central impact (RK4)."""
    plane = SpheresOnPlanes(
        np.array([[1.0], [0.0], [0.0]]), np.zeros(1), 0.0, stiffness, damping, 0.0, np.full(3, np.inf)
    )

    def law(y: np.ndarray) -> np.ndarray:
        point, velocity = np.array([[y[0]], [0.0], [0.0]]), np.array([[y[1]], [0.0], [0.0]])
        press = plane.press(point, velocity, point)
        return np.array([y[1], press.forces[0, 0] / mass if press is not None else 0.0])

    y = np.array([0.0, -speed])
    while True:
        k1 = law(y)
        k2 = law(y + 0.5 * dt * k1)
        k3 = law(y + 0.5 * dt * k2)
        k4 = law(y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if y[0] > 0.0:
            return float(y[1])


def handover(voyage: Voyage, name: str) -> Iterator[Check | Comparison]:
    numbers = measured(voyage)
    rows = (
        ("position", "handover_position_jump_m", "m"),
        ("velocity", "handover_velocity_jump_m_s", "m/s"),
        ("attitude", "handover_attitude_jump_rad", "rad"),
        ("rate", "handover_rate_jump_rad_s", "rad/s"),
    )
    for what, key, unit in rows:
        text = f"{name}: jump of the {what} at the hand-over, both ways round"
        yield Check(f"rendezvous.{name}.{what}", "Figs. 4, 5", text, numbers[key], 1e-12, unit)
    distance = float(np.linalg.norm(voyage.handovers[-1].relative[:3]))
    text, note = f"{name}: distance at the hand-over", "on the first control period beyond it"
    yield Comparison(f"rendezvous.{name}.eps", "Sec. II-C", text, 3.603, distance, "m", 1e-3, note=note)
    left = f"gravity differs by {numbers['neglected_gravity_m_s2']:.2g} m/s^2 at the hand-over"
    text = f"{name}: drift that the contact phase leaves out, of a chaser that nobody controls"
    yield Check(f"rendezvous.{name}.neglected", "Fig. 4", text, numbers["neglected_drift_m"], 2.0, "m", note=left)


def contact(voyage: Voyage, name: str) -> Iterator[Check]:
    numbers = measured(voyage)
    text = f"{name}: energy that contact brought in, most over any stretch of time"
    yield Check(f"rendezvous.{name}.energy", "Sec. III", text, numbers["contact_energy_gain_J"], 1e-9, "J")
    text = f"{name}: energy that contact took"
    yield Check(f"rendezvous.{name}.lost", "Sec. III", text, numbers["contact_energy_lost_J"], 1e-5, "J", ">=")
    text = f"{name}: momentum of both beyond the thrusters' impulse"
    yield Check(f"rendezvous.{name}.momentum", "Sec. III", text, numbers["momentum_residual_N_s"], 1e-8, "N s")
    log, drive = voyage_log(voyage), GearedGripper(voyage.scenario.contact.fingers)
    assert voyage.contact is not None
    gripping = np.isin(log["phases"], [PHASES.index(Phase.CAPTURE), PHASES.index(Phase.GRASP)])
    steady = log["fingers"][gripping][-1]
    torque = voyage.contact.sequence.clamp_torque / drive.ratio
    angle = angle_at(drive, steady)
    text = f"{name}: force of the closed fingers less that of the gears at rest, over it"
    off = abs(steady / (2.0 * drive.clamp_force(torque, angle)) - 1.0)
    yield Check(f"rendezvous.{name}.grip", "(7), (8)", text, off, 1e-3, "-")
    fingers = voyage.scenario.contact.fingers
    text = f"{name}: force between gripper and target while carried, over what friction holds"
    used = numbers["grip_load_N"] / (fingers.friction * numbers["grip_force_N"])
    yield Check(f"rendezvous.{name}.load", "(9)", text, used, 1.0, "-")
    text = f"{name}: joints beyond their limits, by"
    yield Check(f"rendezvous.{name}.joints", "-", text, max(0.0, -numbers["joint_margin_deg"]), 0.0, "deg")


def angle_at(drive: GearedGripper, force: float) -> float:
    """Of the clamps when four springs of the pads carry `force` [N] in all."""
    low, high = 0.0, 0.5 * np.pi
    stiffness, half = drive.settings.stiffness, 0.5 * drive.settings.bar
    for _ in range(60):
        middle = 0.5 * (low + high)
        deep = half - drive.half_gap(middle)
        low, high = (middle, high) if 4.0 * stiffness * deep < force else (low, middle)
    return high


def voyage_log(voyage: Voyage) -> dict[str, np.ndarray]:
    assert voyage.contact is not None
    return {name: np.array(rows) for name, rows in vars(voyage.contact.log).items()}


def sequences(berthing: Voyage, unberthing: Voyage) -> Iterator[Check | Comparison]:
    """Figs. 3, 7 and 9."""
    for name, voyage, paper in (("berthing", berthing, 0.01), ("unberthing", unberthing, 0.04)):
        log = voyage_log(voyage)
        later = [np.array(track.velocity) for track in voyage.tracks if track.times[-1] > log["times"][-1]]
        speed = float(np.abs(np.concatenate([log["velocity"], *later])).max())
        figure = "Fig. 7" if name == "berthing" else "Fig. 9"
        text = f"{name}: largest relative speed of the CoMs on one axis"
        note = f"{READ_OFF}; the curves' data are not published, ours follows from the durations and speeds chosen"
        yield Comparison(f"rendezvous.{name}.speed", figure, text, paper, speed, "m/s", 0.1 * paper, 0.5 * paper, note)
        spent = voyage.scenario.duration_ns * 1e-9 - (log["times"][0] if name == "berthing" else 0.0)
        text = f"{name}: simulated after the hand-over" if name == "berthing" else f"{name}: simulated"
        yield Comparison(f"rendezvous.{name}.duration", figure, text, 600.0, spent, "s", 10.0)
    for name, voyage in (("berthing", berthing), ("unberthing", unberthing)):
        assert voyage.contact is not None
        position, angle = voyage.contact.sequence.fired_at
        text = f"{name}: position error when the grasp is triggered"
        yield Check(f"rendezvous.{name}.trigger.position", "Fig. 3", text, position, 2e-3, "m")
        text = f"{name}: orientation error when the grasp is triggered"
        yield Check(f"rendezvous.{name}.trigger.orientation", "Fig. 3", text, angle, 1e-3, "rad")
    numbers = measured(berthing)
    text = "berthing: ports latched, misaligned across their axis by"
    yield Check("rendezvous.berthing.port", "Fig. 6", text, numbers["port_misalignment_m"], 0.005, "m")
    text = "berthing: speed of the ports as they touch"
    yield Check("rendezvous.berthing.touch", "Fig. 6", text, numbers["port_speed_m_s"], 0.005, "m/s")
    text = "unberthing: speed of the target relative to the servicer after the release"
    speed = measured(unberthing)["release_speed_m_s"]
    yield Check("rendezvous.unberthing.release", "Fig. 8", text, speed, 1e-3, "m/s")
