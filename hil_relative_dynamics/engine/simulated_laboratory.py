"""The laboratory of `facility: sim`: simulated devices, and all that stands between them and the method."""
from __future__ import annotations

from hil_relative_dynamics.engine.device_stages import SimulatedFacilityStage, device_stage
from hil_relative_dynamics.engine.laboratory_stages import laboratory_stages
from hil_relative_dynamics.engine.robots import Robots
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World


def simulated_stages(world: World) -> list[Stage]:
    """Plant, kinematics, arm state, wrench chain, supervisor and commanders."""
    robots = Robots(world)
    return [device_stage(world, "facility_sim", SimulatedFacilityStage(robots)), *laboratory_stages(robots)]
