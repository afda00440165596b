"""Messages as bytes: the same as anybody else's, and read back to the last bit."""
from operator import attrgetter

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rclpy.serialization import deserialize_message, serialize_message

from hil_relative_dynamics.facility.safety_state import ENABLED, SafetyState
from hil_relative_dynamics.matching.arm_feedforward import ArmTorque
from hil_relative_dynamics.ros.raw import RawSafetyWire, RawWire
from hil_relative_dynamics.ros.wire import (
    BadMessage,
    JointReadingWire,
    JointSampleWire,
    JointVectorWire,
    MotionWire,
    TorqueTermsWire,
    WrenchWire,
)
from hil_relative_dynamics.spatial import JointReading, JointSample, MotionPoints, MotionSample

STAMP = 1_234_567_890_123_456_789
NAMES = [f"joint_{number}" for number in range(1, 8)]


def same(array):
    return array


CASES = {
    "sample": (MotionWire(True, "nominal", "client"), (19,), attrgetter("array"), MotionSample),
    "points": (MotionWire(False, "orbit", "a", (0, 5, 10)), (3, 19), attrgetter("array"), MotionPoints),
    "wrench": (WrenchWire("client"), (6,), attrgetter("vector"), pin.Force),
    "joints": (JointSampleWire(NAMES), (3, 7), attrgetter("array"), JointSample),
    "reading": (JointReadingWire(NAMES), (3, 7), attrgetter("array"), JointReading),
    "vector": (JointVectorWire(NAMES, "effort"), (7,), same, same),
    "terms": (TorqueTermsWire(NAMES), (5, 7), attrgetter("rows"), ArmTorque),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request):
    wire, shape, to_array, build = request.param
    return RawWire(wire, shape, to_array, build), wire, shape, to_array, build


@settings(max_examples=30, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", CASES)
def test_every_number_survives_bit_for_bit(name, data):
    wire, shape, to_array, build = CASES[name]
    numbers = data.draw(arrays(float, shape, elements=st.floats(allow_nan=False)))
    raw = RawWire(wire, shape, to_array, build)
    stamp, value = raw.read(raw.write(STAMP, build(numbers)))
    assert stamp == STAMP
    assert to_array(value).tobytes() == numbers.tobytes()


def test_what_is_sent_is_the_standard_message(case):
    raw, wire, shape, _, build = case
    numbers = np.random.default_rng(1).normal(size=shape)
    sent = deserialize_message(raw.write(STAMP, build(numbers)), wire.message_type)
    assert sent == wire.write(STAMP, build(numbers))


def test_messages_of_others_are_read_too(case):
    """Somebody else's serialiser leaves other bytes in the padding."""
    raw, wire, shape, to_array, build = case
    numbers = np.random.default_rng(2).normal(size=shape)
    stamp, value = raw.read(serialize_message(wire.write(STAMP, build(numbers))))
    assert stamp == STAMP
    np.testing.assert_array_equal(to_array(value), numbers)


def test_another_frame_or_order_of_joints_is_read_field_by_field():
    raw = RawWire(*CASES["reading"])
    other = JointReadingWire(list(reversed(NAMES)))
    message = other.write(7, JointReading(np.arange(21.0).reshape(3, 7)))
    message.header.frame_id = "somewhere"
    stamp, value = raw.read(serialize_message(message))
    assert stamp == 7
    np.testing.assert_array_equal(value.position, np.arange(7.0)[::-1])


@pytest.mark.parametrize("names", [NAMES[:6], [*NAMES[:6], "elbow"]])
def test_wrong_joints_are_refused_by_name(names):
    raw = RawWire(*CASES["reading"])
    message = JointReadingWire(names).write(0, JointReading(np.zeros((3, len(names)))))
    with pytest.raises(BadMessage, match="joint_7"):
        raw.read(serialize_message(message))


def test_wrong_number_of_values_is_refused():
    wire = JointVectorWire(NAMES, "effort")
    message = wire.write(0, np.zeros(7))
    message.effort = [1.0, 2.0]
    with pytest.raises(BadMessage, match="2 numbers instead of 7"):
        RawWire(*CASES["vector"]).read(serialize_message(message))


def test_safety_state_crosses_with_its_sentence():
    wire = RawSafetyWire("safety_supervisor")
    stopped = SafetyState(False, "client_robot joint 3 at 169.0 deg, allowed 168.0")
    for state in (ENABLED, stopped, ENABLED):
        assert wire.read(wire.write(STAMP, state)) == (STAMP, state)
