"""Nominal motion g_n, V_n, dV_n.

in:  client/measured (trigger)
out: nominal
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("nominal_trajectory")
