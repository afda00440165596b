"""Joints of the arm with their acceleration from before.

in:  arm/joint_states
out: arm/joints
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("arm_state")
