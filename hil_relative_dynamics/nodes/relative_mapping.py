"""Measured motion in the laboratory as motion in orbit, (23).

in:  nominal, client/measured, servicer/measured
out: client/absolute, servicer/absolute, /tf
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("relative_mapping")
