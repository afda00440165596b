"""Forces and torques, and the clearance as the supervisor sees it."""
from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.facility.supervisor_observation import Observation
from hil_relative_dynamics.scenario.safety import Safety

from .test_clearance import grasping
from .test_supervisor import (
    CALM,
    CLIENT_JOINTS,
    GRASP_POINT_IN_CLIENT,
    NORMAL,
    SERVICER,
    SERVICER_JOINTS,
    calm,
    goes_on,
    stop,
)

DIRECTION = np.array([0.48, -0.6, 0.64])


def contact(force: np.ndarray, torque: np.ndarray) -> Observation:
    """A contact at the grasp point, told in the client's body frame."""
    return CALM._replace(client_wrench=GRASP_POINT_IN_CLIENT.act(pin.Force(force, torque)))


def sensed(robot: str, force: np.ndarray, torque: np.ndarray) -> Observation:
    return CALM._replace(**{f"{robot}_sensor": pin.Force(force, torque)})


def test_contact_force():
    assert goes_on(contact(249.9999 * DIRECTION, np.zeros(3)))
    said = stop(contact(250.001 * DIRECTION, np.zeros(3)))
    assert said.sentence.startswith("force of contact is 250.001 N (limit 250 N), since 0.008 s")
    assert said.sentence.endswith("the run is physically valid until 0.008 s.")


def test_contact_torque_is_taken_about_the_grasp_point():
    """At the client's CoM, 2.9 m away, 200 N across make 580 N m."""
    assert goes_on(contact(np.array([0.0, 0.0, 200.0]), 59.999 * DIRECTION))
    assert stop(contact(np.zeros(3), 60.001 * DIRECTION)).sentence.startswith(
        "torque of contact is 60.001 N m (limit 60 N m)"
    )


@pytest.mark.parametrize("robot", ["client", "servicer"])
def test_load_of_the_sensors(robot):
    assert goes_on(sensed(robot, 999.999 * DIRECTION, 119.999 * DIRECTION))
    said = stop(sensed(robot, 1000.01 * DIRECTION, np.zeros(3)))
    assert said.sentence.startswith(f"force of {robot}_robot's F/T sensor is 1000.01 N (limit 1000 N)")
    said = stop(sensed(robot, np.zeros(3), 120.001 * DIRECTION))
    assert said.sentence.startswith(f"torque of {robot}_robot's F/T sensor is 120.001 N m (limit 120 N m)")


def test_weight_of_the_mockups_is_no_overload():
    """40 kg hang on the client robot's sensor, 40 kg on a lever on the servicer robot's."""
    weight = np.array([392.0, 0.0, 0.0])
    both = sensed("client", weight, np.array([0.0, 12.0, 0.0]))
    assert goes_on(both._replace(servicer_sensor=pin.Force(weight, np.array([0.0, 75.0, 0.0]))))


def test_limits_are_tightened_and_switched_off():
    push = contact(100.0 * DIRECTION, np.zeros(3))
    assert not goes_on(push, safety=replace(NORMAL, contact_force=99.0))
    off = replace(NORMAL, contact_force=inf, contact_torque=inf, sensor_force=inf, sensor_torque=inf)
    assert goes_on(contact(1e4 * DIRECTION, 1e4 * DIRECTION), safety=off)
    assert goes_on(sensed("servicer", 1e4 * DIRECTION, 1e4 * DIRECTION), safety=off)


def approached(x: float, y: float = 0.0, z: float = 0.0) -> Observation:
    """The servicer's side moved by this much in the laboratory, everything else as it was."""
    pose = SERVICER.pose(SERVICER_JOINTS)
    pose.translation += np.array([x, y, z])
    return calm(CLIENT_JOINTS, SERVICER.inverse(pose, SERVICER_JOINTS))


#: steps between two ticks may be large here
CALM_CLEARANCE = Safety(joint_speed_share=inf, robot_acceleration=inf, arm_acceleration=inf)


def test_clearance_of_arm_and_mockup():
    steps = np.arange(0.0, -0.5, -0.001)
    near = next(x for x in steps if not goes_on(approached(x), safety=CALM_CLEARANCE))
    assert goes_on(approached(near + 0.001), safety=CALM_CLEARANCE)
    said = stop(approached(near), safety=CALM_CLEARANCE)
    assert said.sentence.startswith("clearance between client_robot_client_mockup and arm_link_2 is 0.049")
    assert "(limit 0.05 m)" in said.sentence
    assert not said.escalated
    assert goes_on(approached(near), safety=replace(CALM_CLEARANCE, clearance=-inf))
    assert goes_on(approached(near), safety=replace(CALM_CLEARANCE, clearance=0.03))


def test_a_grasp_that_the_scenario_allows():
    grasp = calm(*np.split(grasping(np.zeros(3)), [6, 12]))
    free = replace(CALM_CLEARANCE, joint_margin=-inf)  # a joint of the arm is beyond its limits there
    assert "client_robot_client_mockup and arm_gripper_body" in stop(grasp, safety=free).sentence
    assert goes_on(*[grasp] * 3, safety=replace(free, grasp_allowed=True))


def test_overlap_ends_the_validity_at_the_tick_before_and_escalates_a_ramp():
    touching = approached(-0.53)
    said = stop(touching, safety=CALM_CLEARANCE)
    assert "client_robot_client_mockup and arm_" in said.sentence and " overlap by 0." in said.sentence
    assert said.sentence.endswith("the run is physically valid until 0.004 s.")
    ramp = stop(approached(-0.48), touching, safety=CALM_CLEARANCE)
    assert "clearance between" in ramp.sentence and ramp.escalated and "overlap" in ramp.later[0]
