"""Wrenches by the clock: when they act, where, and that contact acts on both."""
from __future__ import annotations

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.scenario.events import ExternalWrench

END_EFFECTOR = pin.SE3(pin.exp3(np.array([0.4, -0.3, 0.8])), np.array([2.9, 0.1, -0.2]))


def push(on: str, start: int = 10, duration: int = 5, **values: object) -> ExternalWrench:
    return ExternalWrench(on=on, start_ns=start, duration_ns=duration, **values)  # type: ignore[arg-type]


def test_from_the_start_up_to_but_not_including_the_end() -> None:
    wrenches = ExternalWrenches([push("client", force=(1.0, 2.0, 3.0))])
    active = [stamp for stamp in range(20) if np.any(wrenches.at(stamp, END_EFFECTOR)[0].vector)]
    assert active == [10, 11, 12, 13, 14]
    assert [stamp for stamp in range(20) if wrenches.any_at(stamp)] == active


def test_a_force_on_the_client_acts_at_its_point_in_client_axes() -> None:
    force, point, torque = (1.0, 2.0, 3.0), (2.9, 0.2, 0.1), (0.5, 0.0, -0.5)
    wrenches = ExternalWrenches([push("client", force=force, torque=torque, point=point)])
    client, end_effector = wrenches.at(10, END_EFFECTOR)
    np.testing.assert_allclose(client.linear, force)
    np.testing.assert_allclose(client.angular, np.array(torque) + np.cross(point, force))
    assert not np.any(end_effector.vector)


def test_a_wrench_on_the_end_effector_leaves_the_client_alone() -> None:
    wrenches = ExternalWrenches([push("end_effector", force=(1.0, 2.0, 3.0))])
    client, end_effector = wrenches.at(10, END_EFFECTOR)
    assert not np.any(client.vector)
    np.testing.assert_allclose(end_effector.vector, [1, 2, 3, 0, 0, 0])


def test_contact_is_equal_and_opposite_at_one_point() -> None:
    wrench = push("contact", force=(1.0, 2.0, 3.0), torque=(0.3, 0.2, 0.1))
    client, end_effector = ExternalWrenches([wrench]).at(10, END_EFFECTOR)
    np.testing.assert_allclose((client + END_EFFECTOR.act(end_effector)).vector, 0.0, atol=1e-15)
    # the force is given on the client, in the end-effector's axes, at its origin
    np.testing.assert_allclose(client.linear, END_EFFECTOR.rotation @ [1, 2, 3], atol=1e-15)
    moment = END_EFFECTOR.rotation @ [0.3, 0.2, 0.1] + np.cross(END_EFFECTOR.translation, client.linear)
    np.testing.assert_allclose(client.angular, moment, atol=1e-14)


def test_what_overlaps_adds() -> None:
    wrenches = ExternalWrenches(
        [push("client", force=(1.0, 0.0, 0.0)), push("client", start=12, force=(0.0, 4.0, 0.0))]
    )
    assert list(wrenches.at(11, END_EFFECTOR)[0].linear) == [1, 0, 0]
    assert list(wrenches.at(12, END_EFFECTOR)[0].linear) == [1, 4, 0]
    assert list(wrenches.at(16, END_EFFECTOR)[0].linear) == [0, 4, 0]
