"""From a scenario to the table of its blocks, with their states at the start."""
from __future__ import annotations

from hil_relative_dynamics.engine.ideal_laboratory import ideal_stages
from hil_relative_dynamics.engine.method_stages import method_stages
from hil_relative_dynamics.engine.real_laboratory import real_stages
from hil_relative_dynamics.engine.simulated_laboratory import simulated_stages
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.scenario import Scenario


def assemble(scenario: Scenario, simulated: bool = True) -> TickTable:
    """All blocks of a scenario; `simulated`: with the plant, else for real devices.

    Raises ScenarioError where what it names does not fit together.
    """
    world = World(scenario)
    laboratory = real_stages
    if simulated:
        laboratory = ideal_stages if scenario.facility.kind == "none" else simulated_stages
    return TickTable([*laboratory(world), *method_stages(world)])


__all__ = ["World", "assemble"]
