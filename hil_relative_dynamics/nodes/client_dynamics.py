"""Client in orbit (2) and relative to the nominal (11).

in:  client/wrench, nominal
out: client/simulated, client/commanded
"""
from __future__ import annotations

from hil_relative_dynamics.ros.standalone import run_stage


def main() -> int:
    return run_stage("client_dynamics")
