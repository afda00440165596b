"""What hypothesis draws for the method: bodies, motions and wrenches of the size that a facility sees."""
import numpy as np
import pinocchio as pin
from hypothesis import settings
from hypothesis import strategies as st

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.spatial import JointSample, MotionSample

#: the same examples on every run, and no deadline on a busy machine
repeatable = settings(derandomize=True, deadline=None, max_examples=40)

_numbers = st.floats(-2.0, 2.0, allow_subnormal=False)
vectors = st.lists(_numbers, min_size=3, max_size=3).map(np.array)
twists = st.builds(pin.Motion, vectors, vectors)
wrenches = st.builds(lambda force, moment: pin.Force(30.0 * force, 15.0 * moment), vectors, vectors)
poses = st.builds(lambda turn, position: pin.SE3(pin.exp3(1.5 * turn), 2.0 * position), vectors, vectors)
motions = st.builds(MotionSample.of, poses, twists, twists)


def _body(seed: int, lever: np.ndarray) -> RigidBody:
    """A cloud of point masses: every tensor that a body can have, the centre of mass anywhere."""
    random = np.random.default_rng(seed)
    points, masses = random.normal(size=(6, 3)), random.uniform(1.0, 20.0, 6)
    points -= masses @ points / masses.sum()
    tensor = sum(mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(masses, points))
    return RigidBody(pin.Inertia(float(masses.sum()), lever, tensor))


bodies = st.builds(_body, st.integers(0, 2**32 - 1), vectors)


def joints(count: int) -> st.SearchStrategy[JointSample]:
    """Position, velocity and acceleration of so many joints."""
    rows = st.lists(_numbers, min_size=3 * count, max_size=3 * count)
    return rows.map(lambda values: JointSample(np.array(values, dtype=float).reshape(3, count)))
