"""The laboratory with real robots: the blocks of the simulated one without the plant.

Measurements come from outside, stamped by their drivers. One robot is the master: its samples make the dynamics step,
and the newest of all else counts then.
"""
from __future__ import annotations

from typing import Any

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.device_stages import device_stage
from hil_relative_dynamics.engine.laboratory_stages import laboratory_stages
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.scenario.reader import Place

MASTERS = {"client_robot": signals.CLIENT_ROBOT_JOINTS, "servicer_robot": signals.SERVICER_ROBOT_JOINTS}


def real_stages(world: World) -> list[Stage]:
    """Stand-in for the devices, kinematics, arm state, wrench chain, supervisor and commanders."""
    facility = world.scenario.facility
    if facility.kind == "none":
        file = world.scenario.file
        at = Place(str(file), file.parent, key="facility")
        raise facility.error("kind", at, "must be sim for real robots: none is without robots")
    return [
        device_stage(world, "devices", _not_here, outside=True),
        *laboratory_stages(Robots(world), MASTERS[facility.master]),
    ]


def _not_here(*_: Any) -> tuple[Any, ...]:
    raise RuntimeError("real devices are run by their drivers, not by this process")
