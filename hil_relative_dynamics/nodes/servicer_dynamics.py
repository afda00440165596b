"""Servicer base in orbit (13) and relative to the nominal (18).

in:  servicer/thrust, end_effector/wrench, arm/joints, nominal
out: servicer/simulated, servicer/commanded
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("servicer_dynamics")
