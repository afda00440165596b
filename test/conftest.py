"""Bodies that many tests share."""
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody

SERVICER_URDF = Path(__file__).resolve().parent.parent / "urdf" / "servicer.urdf"

#: all that the package's own servicer has not: a branch, a sliding joint, skew axes, a tool on an inner link
BRANCHED_URDF = """
<robot name="branched">
  <link name="base">
    <inertial><origin xyz="0.1 -0.2 0.05" rpy="0.3 0.1 -0.2"/><mass value="40"/>
      <inertia ixx="5" ixy="0.3" ixz="-0.2" iyy="7" iyz="0.1" izz="6"/></inertial>
  </link>
  <link name="turret">
    <inertial><origin xyz="0.05 0.02 0.1" rpy="0 0 0"/><mass value="6"/>
      <inertia ixx="0.4" ixy="0.02" ixz="0.01" iyy="0.3" iyz="-0.03" izz="0.35"/></inertial>
  </link>
  <link name="boom">
    <inertial><origin xyz="0.3 0 0" rpy="0.1 0 0"/><mass value="4"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.5" iyz="0.01" izz="0.5"/></inertial>
  </link>
  <link name="antenna">
    <inertial><origin xyz="0 0 0.4" rpy="0 0.2 0"/><mass value="2"/>
      <inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.25" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="tool"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="turret"/>
    <origin xyz="0.5 0.1 0.2" rpy="0.2 -0.4 0.6"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-3" upper="3" effort="10" velocity="1"/></joint>
  <joint name="extend" type="prismatic"><parent link="turret"/><child link="boom"/>
    <origin xyz="0.1 0 0.3" rpy="0 0.5 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
  <joint name="swing" type="revolute"><parent link="turret"/><child link="antenna"/>
    <origin xyz="-0.1 0.2 0.1" rpy="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="10" velocity="1"/></joint>
  <joint name="hold" type="fixed"><parent link="boom"/><child link="tool"/>
    <origin xyz="0.6 0.05 0" rpy="0.3 0.2 0.1"/></joint>
</robot>
"""


@pytest.fixture(scope="session")
def envisat() -> RigidBody:
    inertia = [[17023.3, 397.1, -2171.4], [397.1, 124825.7, 344.2], [-2171.4, 344.2, 129112.2]]
    return RigidBody(pin.Inertia(7828.0, np.zeros(3), np.array(inertia)))


@pytest.fixture(scope="session")
def servicer() -> FreeFlyer:
    """The package's own: 1200 kg and seven joints."""
    return FreeFlyer.from_urdf(SERVICER_URDF, "gripper")


@pytest.fixture(scope="session")
def branched(tmp_path_factory) -> FreeFlyer:
    """Three joints, none like those of the servicer."""
    path = tmp_path_factory.mktemp("urdf") / "branched.urdf"
    path.write_text(BRANCHED_URDF)
    return FreeFlyer.from_urdf(path, "tool")


@pytest.fixture(scope="session")
def lump(tmp_path_factory) -> FreeFlyer:
    """A servicer without any joint."""
    path = tmp_path_factory.mktemp("urdf") / "lump.urdf"
    inertial = BRANCHED_URDF.split("<inertial>")[1].split("</inertial>")[0]
    path.write_text(f'<robot name="lump"><link name="base"><inertial>{inertial}</inertial></link></robot>')
    return FreeFlyer.from_urdf(path, "base")
