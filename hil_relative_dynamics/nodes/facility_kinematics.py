"""Joints of the robots as motion of the mock-ups relative to the nominal.

in:  client_robot/joint_states, servicer_robot/joint_states
out: client/measured, servicer/measured
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("facility_kinematics")
