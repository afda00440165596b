"""Data that cannot be trusted stop the robots: missing, misshapen, non-finite, stale, out of order."""
from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_relative_dynamics.facility.supervisor_data import arrays_of
from hil_relative_dynamics.facility.supervisor_observation import SIGNALS, Observation, Stamps
from hil_relative_dynamics.scenario.safety import NEVER
from hil_relative_dynamics.spatial import JointReading, MotionPoints, MotionSample

from .test_supervisor import CALM, NORMAL, PERIOD, course, goes_on, stop

FIELDS = Observation._fields[: len(SIGNALS)]
ELEMENTS = [
    (field, index)
    for field, array in zip(FIELDS, arrays_of(CALM))
    for index in range(array.size)
]
AGE, GAP = NORMAL.data_age_ns, NORMAL.stamp_gap_ns


def spoilt(field: str, index: int, value: float) -> Observation:
    """One number of one signal replaced."""
    signal = getattr(CALM, field)
    if isinstance(signal, pin.Force):
        vector = signal.vector.copy()
        vector[index] = value
        return CALM._replace(**{field: pin.Force(vector)})
    signal = deepcopy(signal) if isinstance(signal, np.ndarray) else type(signal)(signal.array.copy())
    array = signal if isinstance(signal, np.ndarray) else signal.array
    array.flat[index] = value
    return CALM._replace(**{field: signal})


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_stops_wherever_it_stands(field, value):
    name = SIGNALS[FIELDS.index(field)]
    for index in [index for other, index in ELEMENTS if other == field]:
        said = stop(spoilt(field, index, value), calm_before=1)
        assert said.sentence.startswith(f"{name} is {value} (must be finite), since 0.004 s")
        assert said.later == ()


def test_data_before_a_bad_number_are_valid():
    assert stop(spoilt("arm", 3, np.nan)).sentence.endswith("the run is physically valid until 0.004 s.")
    assert course(spoilt("arm", 3, np.nan))[1][0].sentence.endswith("the run is not physically valid.")


def test_every_bad_signal_is_named():
    both = spoilt("arm", 0, np.nan)._replace(client_wrench=pin.Force(np.full(6, np.inf)))
    said = stop(both)
    assert said.sentence.startswith("arm/joint_states is nan")
    assert said.later[0].startswith("client/wrench is inf")


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_signal_stops(field):
    said = stop(CALM._replace(**{field: None}))
    assert said.sentence.startswith(f"{SIGNALS[FIELDS.index(field)]} is missing (must be there)")


@pytest.mark.parametrize(
    "changed, text",
    [
        ({"client_robot": JointReading(np.zeros((3, 5)))}, "client_robot/joint_states is of size 3 x 5 ("),
        ({"arm": JointReading(np.zeros((3, 6)))}, "arm/joint_states is of size 3 x 6 (must be of size 3 x"),
        ({"arm_torque": np.zeros(6)}, "arm/torque is of size 6 (must be of size 7)"),
        ({"client_commanded": MotionPoints(np.zeros((1, 19)))}, "client/commanded is of size 1 x 19"),
        ({"servicer_measured": MotionSample(np.zeros(13))}, "servicer/measured is of size 13 (must be"),
    ],
)
def test_a_wrong_size_stops(changed, text):
    assert stop(CALM._replace(**changed)).sentence.startswith(text)


@pytest.mark.parametrize("field", ["client_measured", "servicer_measured"])
def test_an_attitude_must_be_a_unit_quaternion(field):
    for length in (0.0, 0.9, 1.001, 2.0):
        sample = MotionSample(getattr(CALM, field).array.copy())
        sample.array[3:7] *= length
        said = stop(CALM._replace(**{field: sample}))
        assert f"is turned by a quaternion of length {length:g} (must be of length 1)" in said.sentence
    sample.array[3:7] *= 1.0001 / length
    assert goes_on(CALM._replace(**{field: sample}))


@pytest.mark.parametrize("row", [0, 1])
def test_both_points_of_a_command_must_be_attitudes(row):
    points = MotionPoints(CALM.client_commanded.array.copy())
    points.array[row, 3:7] = 0.0
    assert stop(CALM._replace(client_commanded=points)).sentence.startswith("client/commanded is turned by")


def test_finite_numbers_whose_squares_overflow_stop_too():
    said = stop(CALM._replace(client_wrench=pin.Force(np.full(6, 1e308))))
    assert said.sentence.startswith("force of contact is 1.73205e+308 N (limit 250 N)")


def stamped(now: int, **others: int) -> Observation:
    return CALM._replace(stamps=Stamps.all_at(now)._replace(**others))


@pytest.mark.parametrize("field", FIELDS)
def test_age_of_every_signal(field):
    name, now = SIGNALS[FIELDS.index(field)], 10 * PERIOD
    assert course(stamped(now, **{field: now - AGE}), start=now)[1][0].enabled
    _, (said,) = course(stamped(now, **{field: now - AGE - 1}), start=now)
    assert said.sentence.startswith(f"{name} has an age of 20 ms (limit 20 ms), since 0.019 s")
    assert said.sentence.endswith("the run is physically valid until 0.019 s.")


def test_a_stamp_from_the_future_is_as_bad_as_one_from_the_past():
    assert course(stamped(0, arm=AGE))[1][0].enabled
    said = course(stamped(0, arm=AGE + 5_000_000))[1][0]
    assert said.sentence.startswith("arm/joint_states is from the future by 25 ms (limit 20 ms)")


def test_the_stamp_of_a_missing_signal_does_not_matter():
    said = stop(stamped(2 * PERIOD, arm=-(10**12))._replace(arm=None))
    assert said.sentence.startswith("arm/joint_states is missing") and said.later == ()


@pytest.mark.parametrize("field", FIELDS)
def test_stamps_must_not_run_backwards(field):
    name = SIGNALS[FIELDS.index(field)]
    assert goes_on(stamped(PERIOD, **{field: PERIOD}), stamped(2 * PERIOD, **{field: PERIOD}))
    said = stop(stamped(2 * PERIOD), stamped(3 * PERIOD, **{field: 2 * PERIOD - 1_000_000}))
    assert said.sentence.startswith(
        f"the stamp of {name} runs backwards to 0.007 s from 0.008 s (must not decrease), since 0.008 s"
    )


def test_a_stamp_that_jumps():
    wide = replace(NORMAL, data_age_ns=NEVER)
    signal = [stamped(0), stamped(PERIOD, arm=GAP), stamped(2 * PERIOD, arm=2 * GAP + 1)]
    _, outputs = course(*signal, safety=wide)
    assert [output.enabled for output in outputs] == [True, True, False]
    assert outputs[-1].sentence.startswith("the stamp of arm/joint_states jumps by 40 ms (limit 40 ms)")


def test_ticks_that_jump_or_run_backwards():
    assert course(CALM, CALM, period=GAP)[1][1].enabled
    said = course(CALM, CALM, period=GAP + 1_000_000)[1][1]
    assert said.sentence.startswith("the stamp of the tick jumps by 41 ms (limit 40 ms), since 0.000 s")
    said = course(CALM, CALM, start=5 * PERIOD, period=-PERIOD)[1][1]
    assert said.sentence.startswith("the stamp of the tick runs backwards to 0.016 s from 0.020 s")
    assert said.sentence.endswith("the run is physically valid until 0.020 s.")


def test_a_time_limit_that_is_off():
    loose = replace(NORMAL, data_age_ns=NEVER, stamp_gap_ns=NEVER)
    _, outputs = course(stamped(0), stamped(10**12, arm=0), safety=loose, period=10**12)
    assert all(output.enabled for output in outputs)


@settings(deadline=None)
@given(st.sampled_from(ELEMENTS), st.floats(allow_nan=True, allow_infinity=True))
def test_no_number_makes_the_supervisor_raise(element, value):
    """Whatever a device says, there is an answer, and bad numbers never enable."""
    _, outputs = course(CALM, spoilt(*element, value), CALM)
    assert outputs[1].enabled or outputs[1].sentence
    assert np.isfinite(value) or not outputs[1].enabled
