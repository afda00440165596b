import numpy as np
import pinocchio as pin
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.orbit.attitude import AttitudeState, RelativeAttitude
from hil_relative_dynamics.spatial import rk4_step

CHASER = np.array([[650.0, -10.0, 22.0], [-10.0, 950.0, -4.0], [22.0, -4.0, 950.0]])
TARGET = np.array([[300.0, 20.0, 0.0], [20.0, 444.0, 5.0], [0.0, 5.0, 500.0]])
TORQUE = np.array([2.0, -3.0, 1.0])


def start() -> AttitudeState:
    target, chaser = pin.rpy.rpyToMatrix(0.3, -0.4, 1.1), pin.rpy.rpyToMatrix(-0.9, 0.2, 2.0)
    return AttitudeState(target, chaser, np.array([0.05, -0.08, 0.03]), np.array([-0.02, 0.06, 0.04]))


def absolute(state: AttitudeState, steps: int, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Attitude and rate of the chaser in inertial space, from Euler's equations of the chaser alone."""
    body = RigidBody(pin.Inertia(1.0, np.zeros(3), CHASER))
    wrench = pin.Force(np.zeros(3), TORQUE)

    def law(time, poses, rate):
        twist = pin.Motion(np.zeros(3), rate)
        return [twist], body.acceleration(twist, wrench).angular

    poses, rate = [pin.SE3(state.chaser, np.zeros(3))], state.rate_chaser
    for _ in range(steps):
        poses, rate = rk4_step(law, 0.0, poses, rate, dt)
    return poses[0].rotation, rate


def test_relative_equations_give_the_absolute_motion():
    model, state = RelativeAttitude(CHASER, TARGET), start()
    for _ in range(600):
        state = model.step(state, TORQUE, 0.05)
    rotation, rate = absolute(start(), 600, 0.05)
    assert_allclose(state.chaser, rotation, atol=1e-9)
    assert_allclose(state.rate_chaser, rate, atol=1e-9)
    assert np.linalg.norm(state.rate) > 0.05


def test_bodies_alike_and_at_relative_rest_stay_so():
    model = RelativeAttitude(TARGET, TARGET)
    acceleration = model.acceleration(np.zeros(3), np.eye(3), np.array([0.1, -0.2, 0.3]))
    assert_allclose(acceleration, 0.0, atol=1e-16)


def test_inertial_momentum_of_the_target_is_kept():
    model, state = RelativeAttitude(CHASER, TARGET), start()
    before = state.target @ TARGET @ state.rate_target
    for _ in range(200):
        state = model.step(state, TORQUE, 0.1)
    assert_allclose(state.target @ TARGET @ state.rate_target, before, rtol=1e-8)
