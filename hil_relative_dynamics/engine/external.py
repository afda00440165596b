"""On-board software that is not ours: the table without it, for a user's own node on the same signals."""
from __future__ import annotations

from dataclasses import replace

from hil_relative_dynamics.engine.signals import ONBOARD_STATUS, SENSORS_CLIENT, SENSORS_SERVICER
from hil_relative_dynamics.engine.table import Stage, TickTable

ONBOARD = "onboard_software"
#: who may be the on-board software
CHOICES = REFERENCE, EXTERNAL = "reference", "external"


def left_out(table: TickTable) -> TickTable:
    """The same table with the on-board software outside: no node of ours runs it, and it may take either state."""
    return TickTable(_outside(stage) if stage.name == ONBOARD else stage for stage in table)


def _outside(stage: Stage) -> Stage:
    states = SENSORS_CLIENT, SENSORS_SERVICER  # what nobody takes is thinned out in real time
    return replace(stage, outside=True, inputs=tuple(dict.fromkeys((*stage.inputs, *states))))


def external_stage(table: TickTable) -> Stage | None:
    """The on-board software of a table, if it is outside."""
    return next((stage for stage in table if stage.name == ONBOARD and stage.outside), None)


def recorded(table: TickTable) -> list[str]:
    """What a run records: all but a stranger's status, which need not come and has phases of its own."""
    ours = external_stage(table) is None
    return [name for name in table.producers if ours or name != ONBOARD_STATUS]
