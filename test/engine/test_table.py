"""The tick table: its order, and what it refuses to start on."""
from __future__ import annotations

import pytest

from hil_relative_dynamics.engine.table import Stage, TableError, TickTable


def block(name: str, inputs: str = "", outputs: str = "", period: int = 10, **options: object) -> Stage:
    return Stage(name, tuple(inputs.split()), tuple(outputs.split()), period, lambda *_: (), **options)


PLANT = block("plant", "torque", "joints wrench", closes_loop=True)
SENSOR = block("sensor", "joints", "reading")
CONTROLLER = block("controller", "reading wrench", "torque")


@pytest.mark.parametrize(
    "given", [(PLANT, SENSOR, CONTROLLER), (CONTROLLER, SENSOR, PLANT), (SENSOR, CONTROLLER, PLANT)]
)
def test_everything_is_known_before_it_is_used(given: tuple[Stage, ...]) -> None:
    assert [stage.name for stage in TickTable(given)] == ["plant", "sensor", "controller"]


def test_what_closes_the_loop_starts_the_tick_even_if_others_need_nothing() -> None:
    clock = block("clock", "", "time")
    assert TickTable([clock, CONTROLLER, SENSOR, PLANT]).stages[0] is PLANT


def test_a_loop_within_a_tick_is_refused_and_named() -> None:
    open_plant = block("plant", "torque", "joints wrench")
    with pytest.raises(TableError) as caught:
        TickTable([open_plant, SENSOR, CONTROLLER])
    loop = str(caught.value).partition(": ")[2].split(" -> ")
    assert loop[0] == loop[-1] and set(loop) == {"plant", "sensor", "controller"}


def test_the_named_loop_leaves_out_what_only_leads_to_it() -> None:
    stages = [block("user", "a"), block("first", "b", "a"), block("second", "a", "b")]
    with pytest.raises(TableError, match=r"within a tick: first -> second -> first$"):
        TickTable(stages)


def test_a_block_that_waits_for_itself() -> None:
    with pytest.raises(TableError, match=r"within a tick: alone -> alone$"):
        TickTable([block("alone", "a", "a")])


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        ([block("left", "", "pose"), block("right", "", "pose")], "pose is given by both left and right"),
        ([block("deaf", "whisper")], "deaf takes whisper, which no block gives"),
        (
            [block("source", "", "a b"), block("user", "a", "c", trigger="b")],
            "user is triggered by b, which it does not take",
        ),
        ([block("stuck", "", "a", period=0)], "the period of stuck is 0 ns; it must be positive"),
        ([block("stuck", "", "a", period=-4)], "the period of stuck is -4 ns; it must be positive"),
        ([block("twin", "", "a"), block("twin", "", "b")], "two blocks are called twin"),
    ],
)
def test_refusals(stages: list[Stage], sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        TickTable(stages)
    assert str(caught.value) == sentence


def test_the_tick_is_the_longest_that_meets_every_period() -> None:
    table = TickTable([block("slow", "", "a", period=6_000), block("odd", "", "b", period=4_000)])
    assert table.period == 2_000


def test_stages_and_producers_by_name() -> None:
    table = TickTable([PLANT, SENSOR, CONTROLLER])
    assert table["sensor"] is SENSOR
    assert table.producers == {"joints": PLANT, "wrench": PLANT, "reading": SENSOR, "torque": CONTROLLER}
