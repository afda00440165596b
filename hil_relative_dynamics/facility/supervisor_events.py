"""What the nodes see that no block can: the wall clock, the graph, a person.

A ROS node watches for these and hands them to the supervisor ready-made, so that a run in lockstep depends on
the data of its ticks alone. Ages are wall-clock times [ns].
"""
from __future__ import annotations

from typing import NamedTuple

from hil_relative_dynamics.facility.supervisor_cause import Cause, milliseconds
from hil_relative_dynamics.scenario.safety import Safety


class UserStop(NamedTuple):
    """Somebody pressed stop, or Ctrl-C; this also stops robots that are not armed."""

    by: str = "the user"


class SecondPublisher(NamedTuple):
    """A command topic has more than its one publisher; detecting it takes tens of milliseconds."""

    topic: str
    nodes: tuple[str, ...]


class LostNode(NamedTuple):
    """A node has been silent for too long."""

    name: str
    age: int


class LateTick(NamedTuple):
    """A tick came too late to be in real time."""

    age: int


class ClockJump(NamedTuple):
    """The clock that the nodes share was set."""

    change: int


class NodeFailure(NamedTuple):
    """A node's callback raised."""

    name: str
    error: str


Event = UserStop | SecondPublisher | LostNode | LateTick | ClockJump | NodeFailure


def cause_of(event: Event, stamp: int, previous: int | None, safety: Safety) -> Cause:
    """The event at the tick `stamp` as a cause; the tick before it was at `previous`."""
    match event:
        case UserStop(by):
            what, limit = "a stop was asked for by", "always obeyed"
            return Cause("user stop", what, by, limit, stamp, stamp, always=True)
        case SecondPublisher(topic, nodes):
            what = f"{topic} is published by"
            return Cause(f"publishers {topic}", what, ", ".join(nodes), "limit 1 node", stamp, previous)
        case LostNode(name, age):
            what, limit = f"{name} has been silent for", f"limit {milliseconds(safety.lost_node_ns)}"
            return Cause(f"lost {name}", what, milliseconds(age), limit, stamp, previous)
        case LateTick(age):
            limit = f"limit {milliseconds(safety.late_tick_ns)}"
            return Cause("late tick", "the tick is late by", milliseconds(age), limit, stamp, previous)
        case ClockJump(change):
            value = milliseconds(change)
            return Cause("clock jump", "the clock was set by", value, "allowed 0 ms", stamp, previous)
        case NodeFailure(name, error):
            return Cause(f"failure {name}", f"{name} failed with", error, "allowed none", stamp, previous)
    raise TypeError(f"not an event of the supervisor: {event!r}")
