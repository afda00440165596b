"""Write docs/topics.md from a running facility: every topic with its type, who publishes, who listens, and QoS.

    python tools/topics_reference.py

What only a person can say (the meanings) stands here; the rest is asked of the ROS graph. A test compares the page
with the graph.
"""
from __future__ import annotations

import os
import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "topics.md"
sys.path.insert(0, str(ROOT))
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

from hil_relative_dynamics.ros.container import Container  # noqa: E402
from hil_relative_dynamics.scenario import load  # noqa: E402

SCENARIO = "envisat_capture"
#: of ROS itself, the same for every node
STANDARD = ("/parameter_events", "/rosout")
#: with every node in one line a table cannot be read
MANY = 8

MEANINGS = {
    "/arm/command": "stamped copy of the torques sent to the arm [N m, `effort`]",
    "/arm/forward_effort_controller/commands": "torques of the arm [N m], as the stock controller takes them",
    "/arm/joint_states": "the arm's joint_state_broadcaster: angles, rates, torques",
    "/arm/joints": "the arm as the dynamics see it: angles, rates, estimated accelerations",
    "/arm/onboard_torque": "tau of the on-board software [N m, `effort`]",
    "/arm/torque": "torque (22) that makes the arm on ground move as in orbit [N m, `effort`]",
    "/arm/torque_terms": "its parts: tau, G, ff1, ff2, ff3",
    "/client/absolute": "client in the inertial frame, (23): pose, twist, acceleration",
    "/client/commanded": "g_c that the client's robot is to follow, at t and t + h",
    "/client/measured": "the client's mock-up, from the robot's joints",
    "/client/simulated": "g_t of the client in orbit, at t and t + h",
    "/client/wrench": "contact wrench on the client at its body frame",
    "/client_robot/command": "stamped copy of the joint positions sent to the robot",
    "/client_robot/forward_position_controller/commands": "joint positions [rad], as the stock controller takes them",
    "/client_robot/ft_broadcaster/wrench": "raw F/T sensor: weight, inertia, bias, noise and contact",
    "/client_robot/joint_states": "the robot's joint_state_broadcaster",
    "/clock": "time of the run; published every 20 ms",
    "/diagnostics": "counters of every node: period, age of inputs, losses, refused messages, exceptions",
    "/end_effector/wrench": "contact wrench on the gripper, in its frame",
    "/gripper/command": "1: close",
    "/gripper/state": "opening [m], and 1 when latched",
    "/nominal": "g_n, V_n, dV_n at t, t + h/2 and t + h",
    "/onboard/status": "phase of the on-board software and its errors",
    "/markers": "the orbit for RViz, 10 times a second: satellites, trails, wrenches",
    "/run/monitor": "the newest tick of what can be seen, 30 times a second, for the viewer",
    "/run/scenario": "the resolved scenario as YAML, for whoever comes later",
    "/run/start": "when the run begins [ROS time], for whoever comes later",
    "/safety/state": "enabled, latched, escalated, and the sentence that says why",
    "/sensors/client": "the client as it is (ideal sensor)",
    "/sensors/imu": "gyro: angular velocity of the base, stamped with its acquisition",
    "/sensors/readings": "newest gyro, star tracker and camera measurement as one array, with acquisition stamps",
    "/sensors/relative_pose": "camera or lidar: grasp point in the servicer's base, stamped with its acquisition",
    "/sensors/servicer": "the servicer as it is (ideal sensor)",
    "/sensors/star_tracker": "attitude of the base in the inertial frame, stamped with its acquisition",
    "/servicer/absolute": "servicer's base in the inertial frame, (23)",
    "/servicer/commanded": "g_s that the servicer's robot is to follow, at t and t + h",
    "/servicer/measured": "the arm's mount, from the robot's joints",
    "/servicer/simulated": "g_b of the servicer in orbit, at t and t + h",
    "/servicer/thrust": "F_b of the on-board software, in base axes",
    "/servicer_robot/command": "stamped copy of the joint positions sent to the robot",
    "/servicer_robot/forward_position_controller/commands": "joint positions [rad], as the stock controller takes them",
    "/servicer_robot/ft_broadcaster/wrench": "raw F/T sensor: weight, inertia, bias, noise and what the arm does",
    "/servicer_robot/joint_states": "the robot's joint_state_broadcaster",
    "/stability": "storage (25), (26), power and energy of contact (27), (28), displacements, by name in `position`",
    "/tf": "client, servicer and nominal in the inertial frame",
}
#: not in every graph, and why
SOMETIMES = {
    "/tf": ("tf2_msgs/msg/TFMessage", "where `tf2_msgs` is installed"),
    "/markers": ("visualization_msgs/msg/MarkerArray", "where `visualization_msgs` is installed"),
    "/run/start": ("builtin_interfaces/msg/Time", "with homing, `hardware:=mock` and `hardware:=real`"),
}

HEAD = f"""\
# Topics

<!-- Written by tools/topics_reference.py from a running facility: run it again after a change. -->

The graph of `{SCENARIO}` in real time with simulated hardware, as `ros2 topic list -v` shows it. Names are relative to
the namespace of the launch (`namespace:=`). All messages are of standard packages. Between nodes quantities are SI,
twists and wrenches of a body are at its frame and in its axes, and stamps are the time of the data, not of sending.

- QoS: `R` reliable or `B` best effort, `V` volatile or `T` transient local (latched). Publishers of devices are
  whatever their drivers offer; our subscriptions to them are best effort and so connect to both.
- In lockstep the plant listens to the stamped copies (`*/command`) instead of the controllers' topics, and everything
  is reliable: nothing may get lost where every stamp is waited for.
- Signals that no node listens to are published every 20 ms in real time, and at every tick in lockstep.
- A motion is one `trajectory_msgs/MultiDOFJointTrajectory`: transform, velocity and acceleration in one message, with
  as many points as the meaning says. Joints with accelerations, or several terms, are a `JointTrajectory`.
- With `hardware:=mock` and `real` the topics of `facility_sim` are those of ros2_control and the vendors' drivers.

"""


def rows(node: Any) -> list[tuple[str, str, str, str, str]]:
    """Topic, type, publishers, listeners and QoS of everything in the graph but ROS's own."""
    found = []
    for topic, types in sorted(node.get_topic_names_and_types()):
        if topic in STANDARD or topic.endswith("/transition_event"):
            continue
        publishers, listeners = node.get_publishers_info_by_topic(topic), node.get_subscriptions_info_by_topic(topic)
        if publishers:  # others only wait for somebody who is not here
            found.append((topic, ", ".join(types), _names(publishers), _names(listeners), _qos(publishers, listeners)))
    return found


def _names(ends: list[Any]) -> str:
    names = sorted({end.node_name for end in ends})
    return "every node" if len(names) > MANY else ", ".join(names)


def _qos(publishers: list[Any], listeners: list[Any]) -> str:
    sides = ["/".join(sorted({_profile(end.qos_profile) for end in ends})) for ends in (publishers, listeners)]
    return " to ".join(side for side in sides if side)


def _profile(profile: Any) -> str:
    return f"{profile.reliability.name[0]}{profile.durability.name[0]}"


def services(node: Any) -> list[tuple[str, str]]:
    """Those that are not a node's own of ROS itself."""
    own = ("parameter", "change_state", "get_state", "available", "transition_graph", "type_description")
    return [
        (name, ", ".join(types))
        for name, types in sorted(node.get_service_names_and_types())
        if not any(word in name for word in own)
    ]


def page(node: Any) -> str:
    """The whole page."""
    cells = [(*row, MEANINGS[row[0]]) for row in rows(node)]
    here = {row[0] for row in cells}
    lines = ["| topic | type | published by | heard by | QoS | what |", "|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join((f"`{topic}`", *rest)) + " |" for topic, *rest in cells if topic not in SOMETIMES]
    lines += ["", "Only sometimes there:", "", "| topic | type | when | what |", "|---|---|---|---|"]
    lines += [f"| `{topic}` | {kind} | {when} | {MEANINGS[topic]} |" for topic, (kind, when) in SOMETIMES.items()]
    lines += ["", "Services:", "", "| service | type |", "|---|---|"]
    lines += [f"| `{name}` | {kind} |" for name, kind in services(node)]
    assert not here - set(MEANINGS)
    return HEAD + "\n".join(lines) + "\n"


def facility() -> Container:
    """A facility that is there and does nothing yet; the graph takes a while to know it."""
    container = Container(load(SCENARIO, ["duration_s=1"]), lockstep=False)
    end, before = perf_counter() + 10.0, None
    while perf_counter() < end and (before is None or before != rows(container.nodes[0])):
        before = rows(container.nodes[0])
        sleep(0.5)
    return container


if __name__ == "__main__":
    running = facility()
    PAGE.write_text(page(running.nodes[0]), encoding="utf-8")
    running.close()
    print(f"wrote {PAGE.relative_to(ROOT)}")
