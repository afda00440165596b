"""What on-board sensors tell of the absolute states.

in:  client/absolute, servicer/absolute
out: sensors/client, sensors/servicer
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("sensor_models")
