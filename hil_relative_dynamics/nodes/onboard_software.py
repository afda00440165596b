"""The on-board software of the scenario; a user's own takes its place on the same topics.

in:  arm/joints
out: servicer/thrust, arm/onboard_torque
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("onboard_software")
