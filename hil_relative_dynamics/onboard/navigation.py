"""What the on-board software knows of the two spacecraft."""
from __future__ import annotations

from typing import NamedTuple

import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.spatial import MotionSample


class Knowledge(NamedTuple):
    """Relative motion and the client's own, as the controller uses them."""

    pose_base: pin.SE3  # of the servicer's base in the client
    twist_relative: pin.Motion  # of the base relative to the client, in the base's axes
    twist_client: pin.Motion  # of the client, in its axes
    acceleration_client: pin.Motion

    @property
    def twist_base(self) -> pin.Motion:
        """Of the base in the inertial frame, in its own axes."""
        return self.twist_relative + self.pose_base.actInv(self.twist_client)


class IdealNavigation:
    """Knows what ideal sensors tell: absolute states of both. The client is taken to be free of forces."""

    def __init__(self, client: RigidBody) -> None:
        self._client = client

    def step(self, client: MotionSample, servicer: MotionSample) -> Knowledge:
        pose_base = client.pose.actInv(servicer.pose)
        twist_client = client.twist
        return Knowledge(
            pose_base,
            servicer.twist - pose_base.actInv(twist_client),
            twist_client,
            self._client.acceleration(twist_client, pin.Force.Zero()),
        )
