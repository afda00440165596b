"""The kinds of scenarios: which schema a file follows is said by its `mission` key."""
from __future__ import annotations

from hil_relative_dynamics.scenario.deorbit import Deorbit
from hil_relative_dynamics.scenario.flexible_client import FlexibleClient
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.multirotor import MultirotorMission
from hil_relative_dynamics.scenario.rendezvous import Rendezvous
from hil_relative_dynamics.scenario.schema import Scenario

MISSIONS: dict[str, type[Mission]] = {
    "servicing": Scenario,
    "deorbit": Deorbit,
    "flexible_client": FlexibleClient,
    "multirotor": MultirotorMission,
    "rendezvous": Rendezvous,
}
