"""Robots written for the tests: URDF texts of any shape, with inertias that a body can have."""
from dataclasses import dataclass, field

import numpy as np

Axis = tuple[float, float, float]
X, Y, Z, SKEW = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.48, -0.6, 0.64)


@dataclass
class Robot:
    """A robot put together joint by joint; every link has its own random inertia.

    >>> Robot(seed=1).joint("shoulder", "base", "arm", axis=(0, 0, 1)).urdf()
    """

    seed: int = 0
    base: str = "base"
    _parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._link(self.base, mass=50.0)

    def _link(self, name: str, mass: float) -> None:
        points = self._random.normal(size=(6, 3)) * 0.3
        tensor = mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        (xx, xy, xz), (_, yy, yz), (*_, zz) = tensor
        x, y, z = self._random.normal(size=3) * 0.1
        self._parts.append(
            f'<link name="{name}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/>'
            f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial></link>'
        )

    def joint(self, name: str, parent: str, child: str, kind: str = "revolute", axis: Axis = Z) -> "Robot":
        """Adds a link of 3 kg behind a joint somewhere on its parent."""
        self._link(child, mass=3.0)
        x, y, z = self._random.normal(size=3) * 0.3
        roll, pitch, yaw = self._random.uniform(-3.0, 3.0, 3)
        limited = kind in ("revolute", "prismatic")
        limit = '<limit lower="-2" upper="2" effort="10" velocity="1"/>' if limited else ""
        self._parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{x} {y} {z}" rpy="{roll} {pitch} {yaw}"/>'
            f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>{limit}</joint>'
        )
        return self

    def urdf(self) -> str:
        return f'<?xml version="1.0"?><robot name="test">{"".join(self._parts)}</robot>'


def chain(joints: int, seed: int = 0) -> Robot:
    """Revolute joints in a row; the last link is called tip."""
    robot = Robot(seed)
    links = [robot.base, *[f"link_{index}" for index in range(1, joints)], "tip"]
    for index in range(joints):
        axis = (X, Y, Z, SKEW)[index % 4]
        robot.joint(f"joint_{index + 1}", links[index], links[index + 1], axis=axis)
    return robot


def prismatic_arm() -> Robot:
    return (
        Robot(1)
        .joint("slide", "base", "carriage", "prismatic", X)
        .joint("elbow", "carriage", "arm", "revolute", Y)
        .joint("push", "arm", "tip", "prismatic", SKEW)
    )


def continuous_arm() -> Robot:
    wheel = Robot(2).joint("wheel", "base", "disc", "continuous", SKEW)
    return wheel.joint("spin", "disc", "tip", "continuous", Z)


def tree() -> Robot:
    """Two arms that fork once more; the end-effector is in the middle of a branch."""
    return (
        Robot(3)
        .joint("left_1", "base", "left_upper", "revolute", X)
        .joint("left_2", "left_upper", "left_lower", "revolute", SKEW)
        .joint("right_1", "base", "right_upper", "revolute", Y)
        .joint("right_2", "right_upper", "tip", "prismatic", Z)
        .joint("right_3", "tip", "finger_a", "revolute", X)
        .joint("right_4", "tip", "finger_b", "revolute", SKEW)
    )


def with_fixed_joints() -> Robot:
    """Fixed joints at the base, between moving links and under the end-effector."""
    return (
        Robot(4)
        .joint("tank_mount", "base", "tank", "fixed")
        .joint("arm_mount", "tank", "pedestal", "fixed")
        .joint("shoulder", "pedestal", "upper", "revolute", Y)
        .joint("weld", "upper", "upper_end", "fixed")
        .joint("elbow", "upper_end", "lower", "revolute", SKEW)
        .joint("flange", "lower", "tip", "fixed")
    )


#: name -> (robot, end-effector, moving joints)
ROBOTS = {
    "seven joints": (chain(7), "tip", 7),
    "one joint": (chain(1), "tip", 1),
    "24 joints": (chain(24), "tip", 24),
    "no joint": (Robot(5), "base", 0),
    "end-effector on the base": (chain(3), "base", 3),
    "end-effector in the middle": (chain(4), "link_2", 4),
    "prismatic": (prismatic_arm(), "tip", 3),
    "continuous": (continuous_arm(), "tip", 2),
    "tree": (tree(), "tip", 6),
    "fixed joints": (with_fixed_joints(), "tip", 2),
    "fixed joints only": (Robot(6).joint("weld", "base", "tip", "fixed"), "tip", 0),
}
