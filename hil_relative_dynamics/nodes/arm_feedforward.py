"""Torque that makes the arm on the ground feel the orbit, (22).

in:  arm/onboard_torque, arm/joints, servicer/measured, servicer/commanded, servicer/simulated
out: arm/torque, arm/torque_terms
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("arm_feedforward")
