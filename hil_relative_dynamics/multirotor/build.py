"""From a scenario to what flies in it; what cannot fly is refused with one sentence."""
from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.multirotor.commander import Commander
from hil_relative_dynamics.multirotor.control import Controller, Gains
from hil_relative_dynamics.multirotor.downwash import Wake
from hil_relative_dynamics.multirotor.mixer import WORST_CONDITION, Mixer
from hil_relative_dynamics.multirotor.navigation import Navigation
from hil_relative_dynamics.multirotor.platform import Platform
from hil_relative_dynamics.multirotor.references import Circle, FreeDrift, Reference, TwoImpulse
from hil_relative_dynamics.multirotor.scaling import Demand, Scaling
from hil_relative_dynamics.multirotor.sensing import Imu, ImuErrors, Mocap, MocapErrors
from hil_relative_dynamics.multirotor.separation import Braking, Separation
from hil_relative_dynamics.multirotor.turbulence import Turbulence
from hil_relative_dynamics.multirotor.vehicle import GRAVITY, Vehicle
from hil_relative_dynamics.orbit.clohessy_wiltshire import transition
from hil_relative_dynamics.orbit.kepler import Orbit
from hil_relative_dynamics.orbit.targeting import SingularTransfer, nearest_regular
from hil_relative_dynamics.scenario.errors import ScenarioError
from hil_relative_dynamics.scenario.multirotor import LARGEST_TILT, MultirotorMission
from hil_relative_dynamics.scenario.multirotor_platform import MultirotorVehicle

FASTEST_TURN = radians(90.0)
"""Yaw rate that a hexarotor of this class holds [rad/s]; an estimate."""


@dataclass(frozen=True)
class Flyers:
    """All that a flight consists of."""

    chaser: Platform
    target: Platform
    pose_target: pin.SE3
    mixer: Mixer
    separation: Separation
    commander: Commander
    reference: Reference
    demand: Demand


def mixer(vehicle: MultirotorVehicle, thrust: float | np.ndarray) -> Mixer:
    """With the thrust coefficient of all rotors, or with one for each."""
    slowest, fastest = vehicle.speeds
    return Mixer(vehicle.arm, vehicle.tilt, vehicle.radial_tilt, thrust, vehicle.drag_ratio, slowest, fastest)


def separation(scenario: MultirotorMission) -> Separation:
    """D_min from the size of the vehicles, H_min from the downwash of one of them."""
    vehicle = scenario.vehicle
    lift, radius = vehicle.mass * GRAVITY, 0.5 * vehicle.propeller
    hover = float(mixer(vehicle, vehicle.thrust).speeds(np.array([0.0, 0.0, lift, 0.0, 0.0, 0.0])).mean())
    wake = Wake(lift, radius, hover, vehicle.solidity)
    settings = scenario.separation
    return Separation(vehicle.arm + radius, settings.margin, wake.height(settings.thrust_increase), settings.accuracy)


def build(scenario: MultirotorMission) -> Flyers:
    """Raises ScenarioError where the scenario cannot be flown."""
    believed = _flyable_mixer(scenario)
    pose_target = pin.SE3(np.eye(3), np.array(scenario.target))
    rule, reference = separation(scenario), _reference(scenario, pose_target)
    _check_start(scenario, rule, reference, pose_target)
    demand = _check_reference(scenario, reference, believed)
    settings = scenario.separation
    braking = Braking(1e-9 * settings.delay_ns, settings.deceleration)
    commander = Commander(reference, rule, braking, _stop(scenario, rule), scenario.control.feed_forward)
    chaser, target = (_platform(scenario, believed, index) for index in range(2))
    return Flyers(chaser, target, pose_target, believed, rule, commander, reference, demand)


def _platform(scenario: MultirotorMission, believed: Mixer, index: int) -> Platform:
    random = np.random.default_rng([scenario.seed, index])
    vehicle, gains, sensors, hall = scenario.vehicle, scenario.control, scenario.sensors, scenario.hall
    inertia = pin.Inertia(vehicle.mass, np.zeros(3), np.array(vehicle.inertia))
    rotors = mixer(vehicle, vehicle.thrust * (1.0 + vehicle.thrust_spread * random.standard_normal(6)))
    imu = ImuErrors(
        sensors.accelerometer_noise, sensors.gyro_noise, sensors.accelerometer_bias, sensors.gyro_bias
    )
    mocap = MocapErrors(sensors.mocap_position, sensors.mocap_attitude)
    control = Gains(
        position=gains.position,
        velocity=gains.velocity,
        velocity_integral=gains.velocity_integral,
        attitude=gains.attitude,
        rate=gains.rate,
        rate_integral=gains.rate_integral,
        largest_velocity=gains.largest_velocity,
        largest_tilt=LARGEST_TILT,
    )
    return Platform(
        Vehicle(RigidBody(inertia), rotors, 1e-9 * vehicle.lag_ns, vehicle.air_drag),
        Controller(inertia, believed, control),
        Navigation(imu, mocap),
        Imu(imu, random),
        Mocap(mocap, random),
        Turbulence(hall.force, hall.torque, 1e-9 * hall.memory_ns, random),
        scenario.sensors.mocap_ns // scenario.step_ns,
    )


def _reference(scenario: MultirotorMission, pose_target: pin.SE3) -> Reference:
    settings = scenario.orbit
    orbit = Orbit(settings.semi_major_axis, settings.eccentricity)
    scaling = Scaling(settings.length, settings.time)
    attitude = pin.rpy.rpyToMatrix(*scenario.rpy)
    if scenario.reference == "two_impulse":
        assert scenario.transfer is not None
        transfer = scenario.transfer.transfer_ns / 1e9
        try:
            return TwoImpulse(orbit, np.array(scenario.transfer.start), transfer, scaling, pose_target, attitude)
        except SingularTransfer as error:
            below, above = nearest_regular(lambda time: transition(orbit.mean_motion, time), transfer)
            allowed = f"must not be a singular transfer time: {error}; {below:.6g} and {above:.6g} s are possible"
            raise ScenarioError(scenario.file, "transfer.transfer_s", transfer, allowed) from None
    if scenario.reference == "drift":
        assert scenario.drift is not None
        start, duration = np.array(scenario.drift.start + scenario.drift.velocity), 1e-9 * scenario.drift.duration_ns
        return FreeDrift(orbit, start, duration, scaling, pose_target, attitude)
    circle = scenario.circle
    return Circle(pose_target.translation, circle.radius, 1e-9 * circle.period_ns, circle.turns)


def _stop(scenario: MultirotorMission, rule: Separation) -> float:
    """Horizontal distance of the centres at which the reference ends [m]."""
    if scenario.reference != "two_impulse" or scenario.transfer is None:
        return 0.0
    stop = scenario.transfer.stop
    return rule.centres(stop) if scenario.transfer.measured == "tips" else stop


def _flyable_mixer(scenario: MultirotorMission) -> Mixer:
    vehicle = scenario.vehicle
    found = mixer(vehicle, vehicle.thrust)
    if found.rank < 6 or found.condition > WORST_CONDITION:
        allowed = (
            f"must tilt the rotors so that the mixer has full rank: with these angles its rank is {found.rank} and its"
            f" condition {found.condition:.3g}, allowed are rank 6 and a condition up to {WORST_CONDITION:g}"
        )
        raise ScenarioError(scenario.file, "vehicle.tilt_deg", round(float(np.degrees(vehicle.tilt)), 9), allowed)
    if found.horizontal_force(vehicle.mass * GRAVITY) <= 0.0:
        lightest, heaviest = (lift / GRAVITY for lift in found.lifts)
        allowed = f"must be between {lightest:.3g} and {heaviest:.3g} kg, which slowest and fastest rotors lift"
        raise ScenarioError(scenario.file, "vehicle.mass_kg", vehicle.mass, allowed)
    return found


def _check_start(scenario: MultirotorMission, rule: Separation, reference: Reference, pose_target: pin.SE3) -> None:
    start = reference.at(0.0).pose.translation
    if not rule.broken(start, pose_target.translation):
        _check_stop(scenario, rule, start - pose_target.translation)
        return
    key, value = {
        "circle": ("circle.radius_m", scenario.circle.radius),
        "two_impulse": ("transfer.start_m", list(scenario.transfer.start) if scenario.transfer else None),
        "drift": ("drift.start_m", list(scenario.drift.start) if scenario.drift else None),
    }[scenario.reference]
    allowed = (
        f"must be outside the keep-out zone: in the hall at least {rule.beside + rule.accuracy:.3g} m beside the target"
        f" or {rule.above + rule.accuracy:.3g} m above or below it, centre to centre"
    )
    raise ScenarioError(scenario.file, key, value, allowed)


def _check_stop(scenario: MultirotorMission, rule: Separation, away: np.ndarray) -> None:
    distance, stop = float(np.hypot(away[0], away[1])), _stop(scenario, rule)
    if scenario.transfer is not None and stop >= distance:
        most = scenario.transfer.stop + distance - stop
        allowed = f"must be below {most:.3g} m, the horizontal distance at the start"
        raise ScenarioError(scenario.file, "transfer.stop_m", scenario.transfer.stop, allowed)


def _check_reference(scenario: MultirotorMission, reference: Reference, believed: Mixer) -> Demand:
    """Whether the whole reference lies in the hall and within what the vehicle can."""
    vehicle = scenario.vehicle
    points = [reference.at(time) for time in np.linspace(0.0, reference.duration, 400)]
    places = np.array([point.pose.translation for point in points])
    room = np.array(scenario.hall.size) * (0.5, 0.5, 1.0) - (vehicle.arm + 0.5 * vehicle.propeller)
    lowest = np.array([-room[0], -room[1], vehicle.arm + 0.5 * vehicle.propeller])
    if (places > room).any() or (places < lowest).any():
        low, high = (", ".join(f"{value:.3g}" for value in corner) for corner in (places.min(0), places.max(0)))
        allowed = f"must hold the whole reference, which goes from [{low}] to [{high}] m with half a vehicle around it"
        raise ScenarioError(scenario.file, "hall.size_m", list(scenario.hall.size), allowed)
    able = believed.horizontal_force(vehicle.mass * GRAVITY) / vehicle.mass
    demand = Demand(
        float(max(np.linalg.norm(point.velocity) for point in points)) / scenario.control.largest_velocity,
        float(max(np.linalg.norm(point.acceleration) for point in points)) / able,
        float(max(np.linalg.norm(point.rate) for point in points)) / FASTEST_TURN,
    )
    if demand.largest > 1.0:
        key, value = "orbit.time_scale", scenario.orbit.time
        if scenario.reference == "circle":
            key, value = "circle.period_s", 1e-9 * scenario.circle.period_ns
        allowed = (
            f"must leave the vehicle able to follow: the reference takes {demand.speed:.2g} of its speed,"
            f" {demand.acceleration:.2g} of its acceleration and {demand.turn_rate:.2g} of its turn rate"
        )
        raise ScenarioError(scenario.file, key, value, allowed)
    return demand
