"""Numbers, vectors, times and inertias over their whole range."""
from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil_relative_dynamics.scenario import ScenarioError
from hil_relative_dynamics.scenario.quantities import InertiaTensor, Number, OneOrPerJoint, vector
from hil_relative_dynamics.scenario.reader import Place
from hil_relative_dynamics.scenario.values import Time

HERE = Place("file.yaml", Path(), key="key")
finite = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.floats(0.01, 100.0)


@given(finite | st.integers(-(2**60), 2**60))
def test_numbers_are_kept(number: float) -> None:
    assert Number("m").read(number, HERE) == float(number)
    assert Number("m").write(Number("m").read(number, HERE)) == float(number)


@given(finite)
def test_degrees_written_read_back_as_the_same_angle(degrees: float) -> None:
    angle = Number("deg").read(degrees, HERE)
    assert angle == math.radians(degrees)
    assert Number("deg").read(Number("deg").write(angle), HERE) == angle


@given(st.integers(-36000, 36000))
def test_degrees_are_written_as_a_person_wrote_them(hundredths: int) -> None:
    degrees = hundredths / 100
    assert Number("deg/s").write(math.radians(degrees)) == degrees


@given(st.lists(finite, max_size=6))
def test_vectors_have_three_numbers(numbers: list[float]) -> None:
    if len(numbers) == 3:
        assert vector("N").read(numbers, HERE) == tuple(numbers)
    else:
        with pytest.raises(ScenarioError, match="list of 3 numbers"):
            vector("N").read(numbers, HERE)


@given(finite)
def test_one_for_all_joints_stays_one(number: float) -> None:
    kind = OneOrPerJoint(Number())
    assert kind.write(kind.read(number, HERE)) == number
    assert kind.write(kind.read([number], HERE)) == [number]


@given(st.integers(0, 10**15))
def test_whole_nanoseconds_are_exact(nanoseconds: int) -> None:
    for unit, per_unit in (("s", 10**9), ("ms", 10**6)):
        written = float(Fraction(nanoseconds, per_unit))
        assert Time(unit).read(written, HERE) == nanoseconds
        assert Time(unit).write(nanoseconds) == written


@given(st.floats(0.0, 1e6))
def test_times_are_exact_or_refused(seconds: float) -> None:
    exact = Fraction(repr(seconds)) * 10**9
    if exact.denominator == 1:
        assert Time("s").read(seconds, HERE) == exact
    else:
        with pytest.raises(ScenarioError, match="whole number of nanoseconds"):
            Time("s").read(seconds, HERE)


@given(st.tuples(lengths, lengths, lengths), st.tuples(*[st.floats(-4.0, 4.0)] * 3), st.floats(0.1, 1e5))
def test_the_inertia_of_every_turned_box_is_accepted(
    edges: tuple[float, ...], rpy: tuple[float, ...], mass: float
) -> None:
    rotation = pin.rpy.rpyToMatrix(*rpy)
    box = rotation @ pin.Inertia.FromBox(mass, *edges).inertia @ rotation.T
    tensor = ((box + box.T) / 2).tolist()
    assert InertiaTensor().write(InertiaTensor().read(tensor, HERE)) == tensor


@given(st.tuples(lengths, lengths), st.tuples(*[st.floats(-4.0, 4.0)] * 3))
def test_a_flat_plate_is_accepted(edges: tuple[float, float], rpy: tuple[float, ...]) -> None:
    rotation = pin.rpy.rpyToMatrix(*rpy)
    plate = rotation @ np.diag([edges[0], edges[1], edges[0] + edges[1]]) @ rotation.T
    InertiaTensor().read(((plate + plate.T) / 2).tolist(), HERE)


@given(st.tuples(lengths, lengths), st.floats(1.001, 100.0), st.tuples(*[st.floats(-4.0, 4.0)] * 3))
def test_what_no_body_can_have_is_refused(
    moments: tuple[float, float], excess: float, rpy: tuple[float, ...]
) -> None:
    rotation = pin.rpy.rpyToMatrix(*rpy)
    tensor = rotation @ np.diag([*moments, sum(moments) * excess]) @ rotation.T
    with pytest.raises(ScenarioError, match="above the sum of the others"):
        InertiaTensor().read(((tensor + tensor.T) / 2).tolist(), HERE)


@given(st.lists(finite, min_size=6, max_size=6))
def test_any_symmetric_numbers_are_an_inertia_or_refused(numbers: list[float]) -> None:
    a, b, c, d, e, f = numbers
    tensor = [[a, b, c], [b, d, e], [c, e, f]]
    try:
        InertiaTensor().read(tensor, HERE)
    except ScenarioError as error:
        assert "must be positive definite" in str(error) or "above the sum" in str(error)
    else:
        assert min(a, d, f) > 0.0
