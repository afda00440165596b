"""Motion between the two points of a step."""
from __future__ import annotations

from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionPoints, MotionSample

_motion_between = function("motion_between", pointers=2, doubles=2)


class Interpolator:
    """Where a robot is between its two points, for devices with a shorter cycle than the dynamics."""

    def __init__(self, period: int) -> None:
        self._period = period
        self._memory = Workspace(points=(2, SAMPLE_SIZE), result=SAMPLE_SIZE)
        self._addresses = self._memory.address_of("points"), self._memory.address_of("result")

    def at(self, points: MotionPoints, time: int) -> MotionSample:
        """The sample `time` [ns] after the first point; exactly the points at both ends."""
        if time == 0:
            return points.start
        if time == self._period:
            return points.end
        self._memory.points[:] = points.array
        _motion_between(*self._addresses, time / self._period, 1e-9 * self._period)
        return MotionSample(self._memory.result.copy())
