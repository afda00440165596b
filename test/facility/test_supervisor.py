"""The supervisor's course: waiting, enabled, stopped; first cause, later causes, escalation, events."""
from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.facility.robot_model import client_robot, servicer_robot
from hil_relative_dynamics.facility.safety_state import ENABLED, Level, SafetyState
from hil_relative_dynamics.facility.supervisor import SafetySupervisor, SupervisorState
from hil_relative_dynamics.facility.supervisor_events import (
    ClockJump,
    LateTick,
    LostNode,
    NodeFailure,
    SecondPublisher,
    UserStop,
)
from hil_relative_dynamics.facility.supervisor_observation import Observation
from hil_relative_dynamics.facility.supervisor_tick import CarriedFrames
from hil_relative_dynamics.scenario.safety import Safety
from hil_relative_dynamics.spatial import JointReading, MotionPoints, MotionSample

PERIOD = 4_000_000
ARM_READY = np.radians([45.1, 90.6, -89.4, -91.7, 90.6, -90.6, 46.6])
GRASP_POINT_IN_CLIENT = pin.SE3(np.eye(3), np.array([2.9, 0.0, 0.0]))
ARM_MOUNT_IN_SERVICER = pin.SE3(pin.utils.rotate("y", np.pi / 2), np.array([1.0, 0.0, 0.0]))
GRASP_POINT_AT_START = pin.SE3(np.eye(3), np.array([2.02, 0.0, 1.3]))
ARM_MOUNT_AT_START = pin.SE3(
    pin.utils.rotate("y", -np.pi / 2) @ pin.utils.rotate("z", np.pi), np.array([2.92, 0.0, 1.3])
)
NORMAL = Safety()

CLIENT, SERVICER = client_robot(), servicer_robot()
FRAMES = CarriedFrames(
    GRASP_POINT_AT_START * GRASP_POINT_IN_CLIENT.inverse(), GRASP_POINT_IN_CLIENT, ARM_MOUNT_IN_SERVICER
)
CLIENT_JOINTS = CLIENT.solve_anywhere(GRASP_POINT_AT_START)
SERVICER_JOINTS = SERVICER.solve_anywhere(ARM_MOUNT_AT_START)


@lru_cache
def supervisor(safety: Safety = NORMAL) -> SafetySupervisor:
    """Has no state of its own that matters, so tests may share it."""
    return SafetySupervisor.in_laboratory(safety, FRAMES)


def motion_of(pose_carried: pin.SE3, twist: pin.Motion, pose_in_body: pin.SE3) -> MotionSample:
    """Of the body whose carried frame is there and moves so."""
    pose = FRAMES.pose_nominal_in_laboratory.actInv(pose_carried) * pose_in_body.inverse()
    return MotionSample.of(pose, pose_in_body.act(twist))


def points_of(pose_carried: pin.SE3, twist: pin.Motion, pose_in_body: pin.SE3) -> MotionPoints:
    later = pose_carried * pin.exp6(twist * (1e-9 * PERIOD))
    return MotionPoints.of(*(motion_of(pose, twist, pose_in_body) for pose in (pose_carried, later)))


def calm(
    client_joints: np.ndarray = CLIENT_JOINTS,
    servicer_joints: np.ndarray = SERVICER_JOINTS,
    arm_joints: np.ndarray = ARM_READY,
) -> Observation:
    """Everything at rest where the joints put it, and told to stay there."""
    rest, none = pin.Motion.Zero(), pin.Force.Zero()
    client, servicer = CLIENT.pose(client_joints), SERVICER.pose(servicer_joints)
    return Observation(
        client_robot=JointReading.of(client_joints, np.zeros(6)),
        servicer_robot=JointReading.of(servicer_joints, np.zeros(6)),
        arm=JointReading.of(arm_joints, np.zeros(7)),
        client_measured=motion_of(client, rest, GRASP_POINT_IN_CLIENT),
        servicer_measured=motion_of(servicer, rest, ARM_MOUNT_IN_SERVICER),
        client_commanded=points_of(client, rest, GRASP_POINT_IN_CLIENT),
        servicer_commanded=points_of(servicer, rest, ARM_MOUNT_IN_SERVICER),
        client_wrench=none,
        client_sensor=none,
        servicer_sensor=none,
        arm_torque=np.zeros(7),
    )


CALM = calm()
STRONG_PUSH = CALM._replace(client_sensor=pin.Force(np.array([1400.0, 0, 0, 0, 0, 0])))
PUSH = CALM._replace(client_sensor=pin.Force(np.array([1100.0, 0, 0, 0, 0, 0])))
SHOVE = CALM._replace(servicer_sensor=pin.Force(np.array([0, 0, 0, 0, 130.0, 0])))
USER_STOP = CALM._replace(events=(UserStop(),))


def course(
    *observations: Observation, safety: Safety = NORMAL, start: int = 0, period: int = PERIOD
) -> tuple[SupervisorState, list[SafetyState]]:
    """Armed and then shown the observations, one per tick."""
    block = supervisor(safety)
    state, outputs = block.arm(block.initial_state()), []
    for index, observation in enumerate(observations):
        state, output = block.step(state, observation, start + index * period)
        outputs.append(output)
    return state, outputs


def stop(*observations: Observation, safety: Safety = NORMAL, calm_before: int = 2) -> SafetyState:
    """What is said when the observations follow some calm ticks: a whole sentence, and the robots stop."""
    _, outputs = course(*[CALM] * calm_before, *observations, safety=safety)
    assert all(output == ENABLED for output in outputs[:calm_before])
    last = outputs[-1]
    assert not last.enabled and last.latched and last.level is Level.ERROR
    for sentence in (last.sentence, *last.later):
        assert_is_whole(sentence)
    return last


def goes_on(*observations: Observation, safety: Safety = NORMAL) -> bool:
    return all(output.enabled for output in course(CALM, *observations, safety=safety)[1])


def assert_is_whole(sentence: str) -> None:
    """What, value and limit, since when, and how far the run is valid."""
    assert "(" in sentence and ")" in sentence
    assert ", since " in sentence and " s; the run is " in sentence and "physically valid" in sentence
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 300


def commanded_aside(distance: float) -> Observation:
    """At rest, but the client robot is told to be elsewhere."""
    aside = GRASP_POINT_AT_START * pin.SE3(np.eye(3), np.array([0.0, distance, 0.0]))
    return CALM._replace(client_commanded=points_of(aside, pin.Motion.Zero(), GRASP_POINT_IN_CLIENT))


def test_calm_is_enabled():
    assert goes_on(*[CALM] * 10)


def test_nothing_moves_before_it_is_armed():
    block = supervisor()
    _, output = block.step(block.initial_state(), CALM, 0)
    assert (output.enabled, output.latched, output.level) == (False, False, Level.WARN)
    assert output.sentence == "waiting to be armed."


def test_waiting_tells_what_is_in_the_way_and_forgets_it():
    block = supervisor()
    state, output = block.step(block.initial_state(), PUSH, 0)
    assert output.sentence == (
        "waiting to be armed; not ready, as force of client_robot's F/T sensor is 1100 N (limit 1000 N)."
    )
    state, output = block.step(state, CALM, PERIOD)
    assert output.sentence == "waiting to be armed."
    assert block.step(block.arm(state), CALM, 2 * PERIOD)[1].enabled


def test_arming_where_something_does_not_hold_stops_at_once():
    _, outputs = course(PUSH)
    assert outputs[0].latched
    assert outputs[0].sentence.endswith("since 0.000 s; the run is physically valid until 0.000 s.")


def test_a_stop_latches():
    state, outputs = course(CALM, PUSH, *[CALM] * 20)
    assert [output.enabled for output in outputs] == [True] + [False] * 21
    assert all(output == outputs[1] for output in outputs[1:])
    assert state.phase == "stopped"


def test_sentence_tells_what_value_limit_since_and_validity():
    assert stop(PUSH).sentence == (
        "force of client_robot's F/T sensor is 1100 N (limit 1000 N), since 0.008 s;"
        " the run is physically valid until 0.008 s."
    )


def test_first_cause_wins_and_later_ones_are_listed_once():
    said = stop(USER_STOP, *[PUSH] * 3, SHOVE, USER_STOP)
    assert said.sentence.startswith("a stop was asked for by the user (always obeyed), since 0.008 s")
    assert [sentence[:36] for sentence in said.later] == [
        "force of client_robot's F/T sensor i",
        "torque of servicer_robot's F/T senso",
    ]
    assert "since 0.012 s" in said.later[0] and "since 0.024 s" in said.later[1]


def test_causes_of_one_tick_are_all_told():
    said = stop(PUSH._replace(servicer_sensor=SHOVE.servicer_sensor))
    assert "client_robot's F/T sensor" in said.sentence
    assert len(said.later) == 1 and "servicer_robot's F/T sensor" in said.later[0]


def test_reset_leads_to_waiting_never_to_enabled():
    block = supervisor()
    state, _ = course(CALM, PUSH)
    state = block.reset(state)
    assert state == block.initial_state()
    state, output = block.step(state, CALM, 3 * PERIOD)
    assert not output.enabled and not output.latched
    assert block.step(block.arm(state), CALM, 4 * PERIOD)[1].enabled


def test_arming_does_not_end_a_stop():
    block = supervisor()
    state, _ = course(CALM, PUSH)
    assert block.arm(state) is state
    assert not block.step(block.arm(state), CALM, 2 * PERIOD)[1].enabled


def test_reset_and_arm_leave_a_run_alone():
    block = supervisor()
    state, _ = course(CALM, CALM)
    assert block.reset(state) is state
    assert block.arm(state) is state


def test_arming_again_without_homing_stops():
    """After a stop the robots are not where the simulated bodies went."""
    block = supervisor()
    state = block.arm(block.reset(course(CALM, PUSH)[0]))
    _, output = block.step(state, commanded_aside(0.2), 2 * PERIOD)
    assert "measured position of grasp_point differs from the commanded one by 0.2 m" in output.sentence
    assert output.sentence.endswith("the run is not physically valid.")


def test_following_no_longer_counts_once_stopped():
    said = stop(USER_STOP, commanded_aside(3.0))
    assert said.later == ()


@pytest.mark.parametrize(
    "after, escalated",
    [
        (CALM, False),
        (PUSH, True),  # a limit passed during the ramp
        (STRONG_PUSH, True),
        (CALM._replace(events=(LostNode("viewer", 10**9),)), False),
    ],
)
def test_force_during_the_ramp_escalates(after, escalated):
    assert stop(USER_STOP, after, CALM).escalated is escalated


def test_force_that_caused_the_stop_escalates_only_when_it_rises_far_beyond():
    assert not stop(PUSH).escalated
    assert not stop(PUSH, PUSH).escalated
    said = stop(PUSH, STRONG_PUSH._replace(client_sensor=pin.Force(np.array([1600.0, 0, 0, 0, 0, 0]))))
    assert said.escalated and "limit 1500 N" in said.later[0]


def test_force_far_beyond_escalates_at_once():
    hit = CALM._replace(client_sensor=pin.Force(np.array([1600.0, 0, 0, 0, 0, 0])))
    assert stop(hit).escalated


@pytest.mark.parametrize(
    "event, text",
    [
        (UserStop("Ctrl-C"), "a stop was asked for by Ctrl-C"),
        (SecondPublisher("/a/b", ("ours", "theirs")), "/a/b is published by ours, theirs (limit 1 node)"),
        (LostNode("viewer", 750_000_000), "viewer has been silent for 750 ms (limit 500 ms)"),
        (LateTick(31_000_000), "the tick is late by 31 ms (limit 20 ms)"),
        (ClockJump(-2_000_000_000), "the clock was set by -2000 ms (allowed 0 ms)"),
        (NodeFailure("mapping", "ValueError: no"), "mapping failed with ValueError: no (allowed none)"),
    ],
)
def test_events_stop(event, text):
    assert stop(CALM._replace(events=(event,))).sentence.startswith(text)


def test_what_a_late_tick_says_was_valid_until_the_tick_before():
    assert stop(CALM._replace(events=(LateTick(31_000_000),))).sentence.endswith("valid until 0.004 s.")


def test_a_user_stop_counts_before_arming_too():
    block = supervisor()
    state, output = block.step(block.initial_state(), USER_STOP, 0)
    assert output.latched and "asked for by the user" in output.sentence
    assert block.arm(state).phase == "stopped"
    other = CALM._replace(events=(LateTick(31_000_000),))
    assert not block.step(block.initial_state(), other, 0)[1].latched


def test_an_unknown_event_is_refused():
    with pytest.raises(TypeError, match="not an event"):
        course(CALM._replace(events=("fire",)))


def test_a_check_that_fails_stops():
    block = SafetySupervisor.in_laboratory(Safety(), FRAMES)

    class Broken:
        start, while_stopped = None, True

        def check(self, memory, tick):
            raise ZeroDivisionError("by zero")

    block._physical[0] = Broken()
    _, output = block.step(block.arm(block.initial_state()), CALM, 0)
    assert output.sentence.startswith("the check Broken itself failed with ZeroDivisionError: by zero")
    assert_is_whole(output.sentence)


def test_the_same_course_gives_the_same_words():
    observations = [CALM, CALM, SHOVE, PUSH, USER_STOP, STRONG_PUSH]
    assert course(*observations)[1] == course(*observations)[1]
    fresh = SafetySupervisor.in_laboratory(Safety(), FRAMES)
    state, outputs = fresh.arm(fresh.initial_state()), []
    for index, observation in enumerate(observations):
        state, output = fresh.step(state, observation, index * PERIOD)
        outputs.append(output)
    assert outputs == course(*observations)[1]


def test_a_step_leaves_the_state_it_was_given_alone():
    block = supervisor()
    before, _ = course(CALM, CALM)
    after, first = block.step(before, PUSH, 2 * PERIOD)
    assert before.phase == "enabled" and after.phase == "stopped"
    assert block.step(before, PUSH, 2 * PERIOD)[1] == first
    assert block.step(before, CALM, 2 * PERIOD)[1].enabled


@pytest.mark.parametrize(
    "said",
    [
        ENABLED,
        SafetyState(False, "waiting to be armed."),
        SafetyState(False, "a.", True, True, ("b.", "c.")),
    ],
)
def test_a_safety_state_survives_as_texts(said):
    values = said.values
    assert all(isinstance(text, str) for text in values.values())
    assert SafetyState.of_values(said.sentence, values) == said


def test_texts_without_enabled_do_not_enable():
    assert not SafetyState.of_values("", {}).enabled
    assert SafetyState(False).level is Level.WARN and ENABLED.level is Level.OK


def test_the_absolute_formulation_stops_at_the_client_robots_workspace():
    """Nominal at rest: the grasp point, 2.9 m from the client's CoM, rises until the robot is stretched."""
    block = supervisor()
    state, joints = block.arm(block.initial_state()), CLIENT_JOINTS
    rate = np.radians(2.5)
    twist = GRASP_POINT_IN_CLIENT.actInv(pin.Motion(np.zeros(3), np.array([0.0, -rate, 0.0])))
    centre = FRAMES.pose_nominal_in_laboratory
    for tick in range(5000):
        time = 1e-9 * PERIOD * tick
        turned = pin.SE3(pin.utils.rotate("y", -rate * time), np.zeros(3))
        pose = centre * turned * GRASP_POINT_IN_CLIENT
        joints = CLIENT.inverse(pose, joints)
        seen = CALM._replace(
            client_robot=JointReading.of(joints, np.zeros(6)),
            client_measured=motion_of(pose, twist, GRASP_POINT_IN_CLIENT),
            client_commanded=points_of(pose, twist, GRASP_POINT_IN_CLIENT),
        )
        state, output = block.step(state, seen, tick * PERIOD)
        if not output.enabled:
            break
    assert 14.0 < time < 15.2
    assert output.sentence.startswith("client_robot cannot follow to x 1.")
    assert re.search(r"at the limit of its workspace: stretched to (9\d\.\d|100\.0) % of its reach", output.sentence)
    assert "client_robot_joint_3 would have to turn at" in output.sentence
    assert f"physically valid until {time:.3f} s" in output.sentence
