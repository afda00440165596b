"""On-board software to begin your own from: keeps station beside the tumbling client, and the arm's joints still.

hil run envisat_capture --mode lockstep --onboard external & python -m hil_relative_dynamics.examples.station_keeping
"""
import numpy as np
import rclpy
from geometry_msgs.msg import Pose, Twist, Vector3, Wrench, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

STATION = np.array([4.8, 0.0, 0.55])  # of the base, in the client's axes [m]
FACING = np.diag([-1.0, -1.0, 1.0])  # attitude of the base in the client: x towards it
INERTIA = np.array([1220.0, 1220.0, 1220.0, 650.0, 950.0, 950.0])  # of the servicer, roughly [kg], [kg m^2]
PACE, MOST = 0.6, 60.0  # errors decay, critically damped [rad/s]; limit of the thrusters on each axis [N], [N m]
STIFFNESS, DAMPING = np.array([[200, 200, 100, 100, 20, 20, 5], [30, 30, 8, 10, 1, 1, 0.2]])  # [N m/rad, N m s/rad]


class StationKeeping(Node):
    def __init__(self) -> None:
        super().__init__("my_onboard_software")  # queues of 250: in lockstep every stamp is waited for
        self.target: np.ndarray | None = None  # joints to hold: where they are first seen
        self.states: dict[str, Odometry] = {}
        self.thrust = self.create_publisher(WrenchStamped, "servicer/thrust", 250)
        self.gripper = self.create_publisher(JointState, "gripper/command", 250)
        self.torque = self.create_publisher(JointState, "arm/onboard_torque", 250)
        self.create_subscription(JointTrajectory, "arm/joints", self.on_joints, 250)
        self.create_subscription(Odometry, "sensors/client", self.on_state, 250)
        self.create_subscription(Odometry, "sensors/servicer", self.on_state, 250)

    def on_joints(self, message: JointTrajectory) -> None:
        """Every cycle of the arm: torques as in orbit, stamped as what they answer; the facility adds gravity's."""
        position, velocity = np.array([message.points[0].positions, message.points[0].velocities])
        self.target = position if self.target is None else self.target
        effort = STIFFNESS * (self.target - position) - DAMPING * velocity
        self.torque.publish(JointState(header=message.header, name=message.joint_names, effort=effort.tolist()))

    def on_state(self, message: Odometry) -> None:
        """Every cycle of the dynamics, once both measurements of one instant are there, in whatever order."""
        self.states[message.child_frame_id] = message
        client, servicer = self.states.get("client"), self.states.get("servicer")
        if client is None or servicer is None or client.header.stamp != servicer.header.stamp:
            return
        place, turned, speed, rate = numbers(client.pose.pose, client.twist.twist)
        position, attitude, velocity, spin = numbers(servicer.pose.pose, servicer.twist.twist)
        # Where the station is, how it moves and accelerates as the client turns; in axes that do not turn.
        lever, rate = turned @ STATION, turned @ rate
        off, behind = place + lever - position, turned @ speed + np.cross(rate, lever) - attitude @ velocity
        linear = np.cross(rate, np.cross(rate, lever)) + PACE**2 * off + 2.0 * PACE * behind
        miss = attitude.T @ turned @ FACING
        angle = 0.5 * (miss - miss.T)[[2, 0, 1], [1, 2, 0]]  # small, as a rotation vector
        angular = PACE**2 * angle + 2.0 * PACE * (attitude.T @ rate - spin)
        thrust = np.clip(INERTIA * [*(attitude.T @ linear), *angular], -MOST, MOST)
        force, torque = (Vector3(**dict(zip("xyz", part))) for part in thrust.reshape(2, 3).tolist())
        message.header.frame_id = "servicer"  # the wrench acts on the base at its origin, in its axes
        self.thrust.publish(WrenchStamped(header=message.header, wrench=Wrench(force=force, torque=torque)))
        self.gripper.publish(JointState(header=message.header, name=["close"], position=[0.0]))  # 1.0 closes it


def numbers(pose: Pose, twist: Twist) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Position, rotation matrix; velocity and turn rate in the body's own axes."""
    vectors = pose.position, pose.orientation, twist.linear, twist.angular
    place, turn, speed, rate = (np.array([vector.x, vector.y, vector.z]) for vector in vectors)
    cross = np.cross(np.eye(3), turn)
    return place, np.eye(3) + 2.0 * pose.orientation.w * cross + 2.0 * cross @ cross, speed, rate


def main() -> None:
    rclpy.init()
    try:
        rclpy.spin(StationKeeping())
    except (KeyboardInterrupt, ExternalShutdownException):  # Ctrl-C, SIGTERM
        return


if __name__ == "__main__":
    main()
