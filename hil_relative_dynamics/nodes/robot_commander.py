"""Commands one robot: calibration, inverse kinematics, limits, homing, ramp to a stop.

in:  <body>/commanded, safety/state, <robot>/joint_states
out: <robot>/command, <robot>/forward_position_controller/commands, <robot>/joint_trajectory_controller/joint_trajectory
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def client_robot() -> int:
    return run_stage("client_robot_commander", moves_hardware=True)


def servicer_robot() -> int:
    return run_stage("servicer_robot_commander", moves_hardware=True)
