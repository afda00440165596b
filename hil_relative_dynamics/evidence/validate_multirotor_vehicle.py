"""The hexarotor by itself: its mixer and its motion against MuJoCo, closed forms and an integrator of others."""
from __future__ import annotations

from collections.abc import Iterator
from math import radians

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.evidence.validate_tools import largest, order
from hil_relative_dynamics.evidence.validation import Check, ReferenceMissing
from hil_relative_dynamics.multirotor.mixer import Mixer
from hil_relative_dynamics.multirotor.vehicle import GRAVITY, Vehicle, VehicleState
from hil_relative_dynamics.spatial import orientation_error, position_error

try:
    import mujoco
except ImportError:
    raise ReferenceMissing(
        "these checks compare with MuJoCo, which is not installed: pip install mujoco "
        "(or hil_relative_dynamics[reference])"
    ) from None

MASS, ARM, THRUST, DRAG_RATIO = 2.1, 0.27, 1.11e-5, 0.016
INERTIA = np.array([[0.03, 0.001, -0.002], [0.001, 0.031, 0.0015], [-0.002, 0.0015, 0.055]])
TILTS = {"25 deg": (25.0, 0.0), "20 and 10 deg": (20.0, 10.0)}
STILL_AIR = np.zeros(6)


def mixer(alpha: float = 25.0, beta: float = 0.0) -> Mixer:
    return Mixer(ARM, radians(alpha), radians(beta), THRUST, DRAG_RATIO, 100.0, 1000.0)


def vehicle(air_drag: float = 0.0, rotors: Mixer | None = None) -> Vehicle:
    return Vehicle(RigidBody(pin.Inertia(MASS, np.zeros(3), INERTIA)), rotors or mixer(), 0.03, air_drag)


def checks() -> Iterator[Check]:
    yield from mixers()
    yield from against_mujoco()
    yield from against_euler_angles()
    yield from conserved()


def mixers() -> Iterator[Check]:
    random = np.random.default_rng(3)
    for name, tilt in TILTS.items():
        rotors = mixer(*tilt)
        yield Check(f"mixer.rank.{name}", "(23)", f"rank of the mixer, tilt {name}", rotors.rank, 6, "-", ">=")
        what = f"condition of the mixer, tilt {name}, torques as forces at the arm's end"
        yield Check(f"mixer.condition.{name}", "(23)", what, rotors.condition, 10.0, "-")
        wrenches = [summed(rotors, speeds) - rotors.wrench(speeds) for speeds in random.uniform(100, 1000, (50, 6))]
        what = f"mixer against the sum of six forces and their moments, tilt {name}"
        yield Check(f"mixer.sum.{name}", "(23)", what, largest(*wrenches), 1e-12, "N, N m")
        hover = np.array([0.0, 0.0, MASS * GRAVITY, 0.0, 0.0, 0.0])
        wanted = hover + random.uniform(-1.0, 1.0, (50, 6)) * (1.0, 1.0, 2.0, 0.1, 0.1, 0.1)
        back = [rotors.wrench(rotors.speeds(wrench)) - wrench for wrench in wanted]
        what = f"wrench to rotor speeds and back, tilt {name}"
        yield Check(f"mixer.inverse.{name}", "(23)", what, largest(*back), 1e-12, "N, N m")
    what = "rank of the mixer without tilt: an ordinary hexarotor"
    yield Check("mixer.flat", "(23)", what, mixer(0.0).rank, 4, "-")


def summed(rotors: Mixer, speeds: np.ndarray) -> np.ndarray:
    """Rotor by rotor, as a wrench moved from each rotor's own frame to the vehicle's."""
    total = pin.Force.Zero()
    for axis, position, spin, speed in zip(rotors.axes, rotors.positions, rotors.spins, speeds):
        thrust = THRUST * speed**2
        across = np.cross(axis, [1.0, 0.0, 0.0])
        across /= np.linalg.norm(across)
        pose = pin.SE3(np.array([np.cross(across, axis), across, axis]).T, position)
        total += pose.act(pin.Force(np.array([0.0, 0.0, thrust]), np.array([0.0, 0.0, spin * DRAG_RATIO * thrust])))
    return np.asarray(total.vector)


def against_mujoco() -> Iterator[Check]:
    """Constant, unequal rotor speeds for 2 s: it turns over while it falls."""
    rotors = mixer(20.0, 10.0)
    flown = vehicle(rotors=rotors)
    speeds = flown.hover(pin.SE3.Identity()).speeds * (1.02, 0.99, 1.0, 1.01, 0.98, 1.0)
    state = VehicleState(pin.SE3.Identity(), pin.Motion(np.array([0.2, -0.1, 0.3, 0.5, -0.3, 0.8])), speeds)
    model = mujoco.MjModel.from_xml_string(_mjcf(rotors))
    data = mujoco.MjData(model)
    data.qvel[:] = np.concatenate([state.velocity, state.twist.angular])
    data.ctrl[:] = THRUST * speeds**2
    for _ in range(2000):
        mujoco.mj_step(model, data)
        state = flown.step(state, speeds, STILL_AIR, 1e-3)
    quaternion = pin.Quaternion(*data.qpos[3:].tolist()).normalized()
    pose = pin.SE3(quaternion.toRotationMatrix(), data.qpos[:3].copy())
    what = "hexarotor with unequal rotors, 2 s, against six thrusters on a body in MuJoCo"
    value = position_error(pose, state.pose)
    yield Check("vehicle.mujoco.position", "(21) to (23)", what, value, 1e-9, "m")
    value = orientation_error(pose, state.pose)
    yield Check("vehicle.mujoco.orientation", "(21) to (23)", what, value, 1e-9, "rad")


def _mjcf(rotors: Mixer) -> str:
    sites, actuators = [], []
    for index, (axis, place, spin) in enumerate(zip(rotors.axes, rotors.positions, rotors.spins)):
        sites.append(f'<site name="r{index}" pos="{_text(place)}" zaxis="{_text(axis)}"/>')
        gear = f"0 0 1 0 0 {float(spin) * DRAG_RATIO!r}"
        actuators.append(f'<general site="r{index}" gear="{gear}" gainprm="1" biastype="none"/>')
    tensor = _text(INERTIA[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
    return f"""<mujoco><option timestep="0.001" integrator="RK4" gravity="0 0 {-GRAVITY!r}"/>
      <worldbody><body><freejoint/><inertial pos="0 0 0" mass="{MASS}" fullinertia="{tensor}"/>{"".join(sites)}</body>
      </worldbody><actuator>{"".join(actuators)}</actuator></mujoco>"""


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def against_euler_angles() -> Iterator[Check]:
    """(21) in the paper's own coordinates, position and Euler angles, by scipy at rtol 1e-12; rotors with lag."""
    flown = vehicle(air_drag=0.3)
    air = np.array([0.3, -0.2, 0.1, 0.01, -0.02, 0.015])
    pose = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.15, 0.4), np.array([1.0, 2.0, 3.0]))
    start = VehicleState(pose, pin.Motion(np.array([0.3, 0.2, -0.1, 0.2, -0.1, 0.3])), np.full(6, 570.0))
    commanded = flown.hover(pin.SE3.Identity()).speeds * (1.01, 0.995, 1.0, 1.0, 0.99, 1.005)
    exact = _euler_angles(flown, start, commanded, air, 1.0)
    errors = []
    for steps in (200, 400):
        state = start
        for _ in range(steps):
            state = flown.step(state, commanded, air, 1.0 / steps)
        errors.append(max(position_error(exact, state.pose), orientation_error(exact, state.pose)))
    what = "vehicle with lagging rotors, drag and wind, 1 s at 2.5 ms, against (21) in Euler angles by scipy"
    yield Check("vehicle.euler_angles", "(21)", what, errors[1], 1e-9, "m, rad")
    yield Check("vehicle.order", "(21)", "order of its steps", order(*errors), 3.8, "-", ">=")


def _euler_angles(
    flown: Vehicle, start: VehicleState, commanded: np.ndarray, air: np.ndarray, duration: float
) -> pin.SE3:
    def law(_: float, x: np.ndarray) -> np.ndarray:
        angles, velocity, rates, speeds = x[3:6], x[6:9], x[9:12], x[12:]
        rotation = pin.rpy.rpyToMatrix(*angles)
        jacobian = pin.rpy.computeRpyJacobian(angles, pin.LOCAL)
        change = pin.rpy.computeRpyJacobianTimeDerivative(angles, rates, pin.LOCAL)
        omega = jacobian @ rates
        wrench = flown.mixer.matrix @ speeds**2
        force = rotation @ wrench[:3] + air[:3] - flown.air_drag * velocity
        torque = wrench[3:] + air[3:] - np.cross(omega, INERTIA @ omega)
        turn = np.linalg.solve(INERTIA @ jacobian, torque - INERTIA @ change @ rates)
        fall = force / MASS - (0.0, 0.0, GRAVITY)
        return np.concatenate([velocity, rates, fall, turn, (commanded - speeds) / flown.lag])

    angles = pin.rpy.matrixToRpy(start.pose.rotation)
    rates = np.linalg.solve(pin.rpy.computeRpyJacobian(angles, pin.LOCAL), start.twist.angular)
    x = np.concatenate([start.pose.translation, angles, start.velocity, rates, start.speeds])
    end = solve_ivp(law, (0.0, duration), x, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return pin.SE3(pin.rpy.rpyToMatrix(*end[3:6]), end[:3])


def conserved() -> Iterator[Check]:
    """Rotors at rest, no air: it falls and tumbles; and with rotors, what they give is what it has."""
    flown = vehicle()
    start = VehicleState(pin.SE3.Identity(), pin.Motion(np.array([0.5, 0.2, 3.0, 2.0, -1.0, 3.0])), np.zeros(6))
    state = start
    for _ in range(2000):
        state = flown.step(state, np.zeros(6), STILL_AIR, 1e-3)
    what = "energy of a falling, tumbling vehicle with its rotors off, 2 s, relative"
    before = flown.energy(start)
    yield Check("vehicle.energy", "(21)", what, abs(flown.energy(state) - before) / before, 1e-10, "-")
    fallen = start.velocity - np.array([0.0, 0.0, 2.0 * GRAVITY])
    what = "velocity of its centre of mass against free fall"
    yield Check("vehicle.momentum", "(21)", what, largest(state.velocity - fallen), 1e-10, "m/s")
    spins = [one.pose.rotation @ INERTIA @ one.twist.angular for one in (start, state)]
    what = "its angular momentum in the hall, relative"
    value = largest(spins[1] - spins[0]) / float(np.linalg.norm(spins[0]))
    yield Check("vehicle.angular_momentum", "(21)", what, value, 1e-10, "-")
    yield from _work(flown)


def _work(flown: Vehicle) -> Iterator[Check]:
    """Energy with rotors on: its change is the work of thrust, by Simpson's rule over each step."""
    commanded = flown.hover(pin.SE3.Identity()).speeds * (1.03, 0.99, 1.0, 1.01, 0.98, 1.0)
    state = VehicleState(pin.SE3.Identity(), pin.Motion(np.array([0.5, 0.2, 0.1, 0.2, -0.1, 0.3])), commanded)
    before, work, dt = flown.energy(state), 0.0, 2.5e-3

    def power(at: VehicleState) -> float:
        return float(flown.mixer.wrench(at.speeds) @ at.twist.vector)

    for _ in range(400):
        middle = flown.step(state, commanded, STILL_AIR, dt)
        after = flown.step(middle, commanded, STILL_AIR, dt)
        work += (power(state) + 4.0 * power(middle) + power(after)) * dt / 3.0
        state = after
    gained = flown.energy(state) - before
    what = "energy gained less the work of the rotors, 2 s, over the work"
    yield Check("vehicle.work", "(21)", what, abs(gained - work) / abs(work), 1e-7, "-")
