"""From raw F/T readings to the wrench of contact; service ~/tare.

in:  client_robot/ft_broadcaster/wrench, client/measured, servicer/measured, arm/joints
out: client/wrench, end_effector/wrench
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("wrench_chain")
