"""Torque limits, and gravity hold with damping whenever not enabled.

in:  arm/torque, safety/state, arm/joint_states, servicer/measured
out: arm/command, arm/forward_effort_controller/commands
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("arm_commander", moves_hardware=True)
