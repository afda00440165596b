"""The plant: robots, arm and sensors on the topics of the stock controllers and broadcasters.

in:  forward controller commands
out: joint states, F/T readings, /clock
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("facility_sim")
