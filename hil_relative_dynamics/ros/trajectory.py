"""Trajectories as trajectory controllers take them."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from hil_relative_dynamics.facility.trajectory import JointTrajectory
from hil_relative_dynamics.ros.wire import BadMessage, read_time, write_time


def write_trajectory(trajectory: JointTrajectory, joint_names: Sequence[str]) -> JointTrajectoryMessage:
    """To be started at once: its header has no stamp."""
    message = JointTrajectoryMessage(joint_names=list(joint_names))
    for index, time in enumerate(trajectory.times):
        point = JointTrajectoryPoint(positions=trajectory.positions[index].tolist())
        if trajectory.velocities is not None:
            point.velocities = trajectory.velocities[index].tolist()
        if trajectory.accelerations is not None:
            point.accelerations = trajectory.accelerations[index].tolist()
        write_time(point.time_from_start, time)
        message.points.append(point)
    return message


def read_trajectory(message: JointTrajectoryMessage, joint_names: Sequence[str]) -> JointTrajectory:
    """In the order of `joint_names`; raises BadMessage."""
    given = list(message.joint_names)
    if sorted(given) != sorted(joint_names):
        raise BadMessage(f"joints {', '.join(given)} instead of {', '.join(joint_names)}")
    order = [given.index(name) for name in joint_names]
    derivatives = [_rows(message.points, name, order) for name in ("positions", "velocities", "accelerations")]
    if derivatives[0] is None:
        raise BadMessage("points without positions")
    try:
        return JointTrajectory(tuple(read_time(point.time_from_start) for point in message.points), *derivatives)
    except ValueError as error:
        raise BadMessage(str(error)) from None


def _rows(points: Sequence[JointTrajectoryPoint], name: str, order: list[int]) -> np.ndarray | None:
    """One row per point; None where no point has this derivative."""
    rows = [getattr(point, name) for point in points]
    if not any(len(row) for row in rows):
        return None
    if any(len(row) != len(order) for row in rows):
        raise BadMessage(f"points with {name} of another number than {len(order)}")
    return np.array(rows)[:, order]
