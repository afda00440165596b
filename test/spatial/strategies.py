"""What hypothesis draws: twists, wrenches and poses of the size that a facility sees."""
import numpy as np
import pinocchio as pin
from hypothesis import settings
from hypothesis import strategies as st

#: the same examples on every run, and no deadline on a busy machine
repeatable = settings(derandomize=True, deadline=None, max_examples=60)

_numbers = st.floats(-3.0, 3.0, allow_subnormal=False)
vectors = st.lists(_numbers, min_size=3, max_size=3).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))
twists = st.builds(pin.Motion, vectors, vectors)
wrenches = st.builds(pin.Force, vectors, vectors)
poses = st.builds(lambda turn, position: pin.SE3(pin.exp3(turn), 3.0 * position), vectors, vectors)
inertias = st.builds(
    lambda seed, lever: _inertia(np.random.default_rng(seed), lever), st.integers(0, 2**32 - 1), vectors
)


def _inertia(random: np.random.Generator, lever: np.ndarray) -> pin.Inertia:
    """A cloud of point masses: every tensor that a body can have."""
    points, masses = random.normal(size=(6, 3)), random.uniform(1.0, 5.0, 6)
    tensor = sum(mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(masses, points))
    return pin.Inertia(float(masses.sum()), lever, tensor)
