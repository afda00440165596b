"""Which controller moves a robot: the stock ones exclude each other."""
from __future__ import annotations

from typing import NamedTuple

from hil_relative_dynamics.facility.trajectory import ActiveTrajectory, JointTrajectory
from hil_relative_dynamics.spatial import JointReading

FORWARD = "forward_position_controller"
TRAJECTORY = "joint_trajectory_controller"
CONTROLLERS = (FORWARD, TRAJECTORY)


class ControllerState(NamedTuple):
    """The active controller, or None; and the trajectory it follows, if any."""

    active: str | None
    trajectory: ActiveTrajectory | None = None


class ControllerSwitch:
    """Only the active controller moves the robot.

    One that was just activated says nothing until it is told something: the robot holds its position.
    """

    def initial_state(self, active: str | None = FORWARD) -> ControllerState:
        return self.switch(ControllerState(None), active)

    def switch(self, state: ControllerState, active: str | None) -> ControllerState:
        """Activates one controller, or none; the other one stops."""
        if active is not None and active not in CONTROLLERS:
            raise ValueError(f"there is no controller {active!r}, only {' and '.join(CONTROLLERS)}")
        return state if active == state.active else ControllerState(active)

    def follow(
        self, state: ControllerState, trajectory: JointTrajectory, reading: JointReading, stamp: int
    ) -> ControllerState:
        """Starts a trajectory from the state that is read now; it replaces one that is under way."""
        if state.active != TRAJECTORY:
            raise ValueError(f"{TRAJECTORY} must be active to follow a trajectory, not {state.active}")
        active = ActiveTrajectory(trajectory, stamp, reading.position.copy(), reading.velocity.copy())
        return ControllerState(TRAJECTORY, active)
