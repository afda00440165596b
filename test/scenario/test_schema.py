"""What a scenario means, and that every key says it."""
from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.scenario import Scenario, load
from hil_relative_dynamics.scenario.reader import ListOf, Part, Section, entries

from .files import write


def every_entry(part: type[Part], above: str = "") -> Iterator[tuple[str, dict]]:
    for key, item in entries(part).items():
        yield above + key, dict(item.metadata)
        kind = item.metadata["kind"]
        kind = kind.kind if isinstance(kind, ListOf) else kind
        if isinstance(kind, Section):
            yield from every_entry(kind.part, f"{above}{key}.")


ENTRIES = dict(every_entry(Scenario))


@pytest.mark.parametrize("key", ENTRIES)
def test_every_key_is_described_and_carries_its_unit(key: str) -> None:
    metadata = ENTRIES[key]
    assert len(metadata["description"]) > 3
    unit = metadata["unit"].translate(str.maketrans({" ": "_", "/": "_", "^": None}))
    assert key.endswith(f"_{unit}" if unit else "") or key.startswith(f"rates_{unit}.")


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    return load(write(tmp_path))


def test_client(scenario: Scenario) -> None:
    client = scenario.client
    assert client.inertia.mass == 100.0
    assert_allclose(client.inertia.lever, [0.1, 0.0, 0.0])
    assert_allclose(client.inertia.inertia, [[10, 1, 0], [1, 12, 0], [0, 0, 14]])
    assert_allclose(client.pose.translation, [1, 2, 3])
    assert_allclose(client.twist.linear, [0.1, 0.2, 0.3])
    assert_allclose(client.twist.angular, np.radians([0, -2.5, 1]))
    yaw_pitch_roll = [pin.utils.rotate(axis, math.radians(angle)) for axis, angle in zip("zyx", (30, 20, 10))]
    assert_allclose(client.pose.rotation, np.linalg.multi_dot(yaw_pitch_roll), atol=1e-15)


def test_times_are_nanoseconds(scenario: Scenario) -> None:
    assert scenario.duration_ns == 10**10
    assert (scenario.rates.arm_ns, scenario.rates.dynamics_ns) == (10**6, 2 * 10**6)
    thrust = scenario.onboard.thrust[0]
    assert [thrust.active(time) for time in (10**9 - 1, 10**9, 1_499_999_999, 1_500_000_000)] == [0, 1, 1, 0]


def test_co_rotating_servicer_keeps_its_place_in_the_client(scenario: Scenario) -> None:
    dt = 1e-3
    client = scenario.client.pose * pin.exp6(scenario.client.twist * dt)
    servicer = scenario.pose_servicer * pin.exp6(scenario.twist_servicer * dt)
    assert client.actInv(servicer).isApprox(scenario.servicer.pose_in_client, 1e-12)


def test_free_servicer_has_its_own_velocity(tmp_path: Path) -> None:
    overrides = ["servicer.motion=free", "servicer.linear_velocity_m_s=[1, 2, 3]",
                 "servicer.angular_velocity_deg_s=[0, 180, 0]"]
    assert_allclose(load(write(tmp_path), overrides).twist_servicer.vector, [1, 2, 3, 0, math.pi, 0])


def test_joints_at_rest_by_default_and_gains_for_each(scenario: Scenario) -> None:
    assert scenario.servicer.joint_rates == (0.0, 0.0)
    stiffness, damping = scenario.onboard.gains(2)
    assert_allclose([stiffness, damping], [[50, 50], [5, 6]])


def test_force_at_a_point_turns_the_body(scenario: Scenario) -> None:
    push, touch = scenario.external_wrenches
    assert_allclose(push.wrench.vector, [0, 0, 9, 0, -9, 0])
    assert_allclose(touch.wrench.vector, [0, 0, 0, 0, 1, 0])


def test_limits_are_those_given(scenario: Scenario) -> None:
    assert scenario.criteria.limits == {"relative_position_error_m": 1e-9}


def test_defaults(scenario: Scenario) -> None:
    assert scenario.nominal.kind == "unforced" and scenario.facility.kind == "none"
    assert scenario.servicer.base_row == "momentum"
    assert scenario.laboratory.gravity == (0.0, 0.0, -9.81)
    assert_allclose(scenario.laboratory.base_rotation, np.eye(3))


def test_shipped_pulses_are_as_strong_as_described() -> None:
    scenario = load("envisat_pulses")
    wrenches = np.array([event.wrench.vector for event in scenario.external_wrenches])
    assert np.abs(wrenches[:, :3]).max() == 62.0 and np.abs(wrenches[:, 3:]).max() == 30.0
    postures = np.array([scenario.servicer.joints, *(move.joints for move in scenario.onboard.arm_moves)])
    assert np.abs(np.diff(postures, axis=0)).max() == pytest.approx(3.0, abs=0.01)
