"""Whether the robots may move; services ~/stop, ~/reset, ~/arm.

in:  measurements and motions before the commanders
out: safety/state
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("safety_supervisor", moves_hardware=True)
