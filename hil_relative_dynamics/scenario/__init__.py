"""Typed, validated inputs: one YAML file says what happens, and nothing starts on a bad one."""
from hil_relative_dynamics.scenario.errors import ScenarioError
from hil_relative_dynamics.scenario.load import available, configuration_hash, load, load_mission, to_yaml
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.schema import Scenario

__all__ = ["Mission", "Scenario", "ScenarioError", "available", "configuration_hash", "load", "load_mission", "to_yaml"]
