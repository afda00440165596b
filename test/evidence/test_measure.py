"""The numbers by which a run is judged, and the servicer in orbit it is compared with."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.evidence.measure import _largest, matching_error, measure
from hil_relative_dynamics.evidence.orbit_reference import OrbitReference
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.scenario.criteria import OF_CAPTURE, Criteria
from hil_relative_dynamics.scenario.reader import entries

EVENTS = ("onboard.arm_moves.0", "onboard.thrust.1", "external_wrenches.1", "external_wrenches.2")
OVERRIDES = ["duration_s=0.3", *(f"{event}.start_s=0.1" for event in EVENTS)]


@pytest.fixture(scope="module")
def world() -> World:
    return World(load("envisat_pulses", OVERRIDES))


@pytest.fixture(scope="module")
def recording(world: World) -> Recording:
    return run(assemble(world.scenario), world.scenario.duration_ns)


def with_changed(recording: Recording, signal: str, values: np.ndarray) -> Recording:
    arrays = {name: recording[name] for name in recording.signals} | {signal: values}
    return Recording({name: recording.stamps(name) for name in recording.signals}, arrays)


def test_every_criterion_of_a_scenario_is_measured(world: World, recording: Recording) -> None:
    told: list[float] = []
    measures = measure(world, recording, told.append)
    assert set(entries(Criteria)) - set(OF_CAPTURE) <= set(measures.largest)
    assert all(np.isfinite(value) and value >= 0.0 for value in measures.largest.values())
    assert measures.largest["relative_position_error_m"] < 1e-12
    assert measures.largest["arm_joint_error_rad"] < 1e-5
    assert told and max(told) <= 1.0


def test_a_robot_that_is_told_a_wrong_pose_is_seen(recording: Recording) -> None:
    commanded = recording[signals.CLIENT_COMMANDED].copy()
    commanded[100:, :, 1] += 1e-3
    spoilt = with_changed(recording, signals.CLIENT_COMMANDED, commanded)
    times, errors = matching_error(spoilt, signals.CLIENT_SIMULATED, signals.CLIENT_COMMANDED)
    assert len(times) == len(errors) == 300
    assert errors[:100, 0].max() < 1e-12
    np.testing.assert_allclose(errors[100:, 0], 1e-3, rtol=1e-9)


@pytest.mark.parametrize("body", ["client", "servicer"])
def test_either_robot_spoils_the_run(world: World, recording: Recording, body: str) -> None:
    commanded = recording[f"{body}/commanded"].copy()
    commanded[100:, :, 1] += 1e-3
    largest = measure(world, with_changed(recording, f"{body}/commanded", commanded)).largest
    assert largest["relative_position_error_m"] == pytest.approx(1e-3)


def test_a_robot_that_is_told_a_wrong_attitude_is_seen(recording: Recording) -> None:
    commanded = recording[signals.SERVICER_COMMANDED].copy()
    x, y, z, w = commanded[:, :, 3:7].T.copy()
    half = 0.5e-3  # turned about its own z
    turned = np.array([x + half * y, y - half * x, z + half * w, w - half * z])
    commanded[:, :, 3:7] = (turned / np.linalg.norm(turned, axis=0)).T
    spoilt = with_changed(recording, signals.SERVICER_COMMANDED, commanded)
    _, errors = matching_error(spoilt, signals.SERVICER_SIMULATED, signals.SERVICER_COMMANDED)
    np.testing.assert_allclose(errors[:, 1], 1e-3, rtol=1e-5)


@pytest.mark.parametrize("values", [([1.0, np.nan], [2.0]), ([1.0], [np.nan, 2.0]), ([1.0], [np.inf])])
def test_what_is_not_a_number_stays_so_wherever_it_stands(values: tuple[list[float], ...]) -> None:
    assert np.isnan(_largest(*map(np.array, values)))


def test_largest_of_several() -> None:
    assert _largest(np.array([1.0, 3.0]), np.array([2.0])) == 3.0


def test_a_run_that_diverged_is_measured_as_nan() -> None:
    stiff = "onboard={kind: scripted, stiffness_N_m_rad: 1e9, damping_N_m_s_rad: 1e9}"
    rates = "servicer.joint_rates_deg_s=[1,1,1,1,1,1,1]"
    world = World(load("envisat_unforced", [stiff, rates, "duration_s=0.1"]))
    with np.errstate(all="ignore"):
        measures = measure(world, run(assemble(world.scenario), world.scenario.duration_ns))
    assert np.isnan(measures.largest["arm_joint_error_rad"]) and np.isnan(measures.largest["energy_error_J"])


class TestOrbitReference:
    def test_it_starts_with_the_run(self, world: World, recording: Recording) -> None:
        orbit = OrbitReference(world.servicer, world.onboard().step, recording)
        assert orbit.joint_error(recording)[0] == 0.0 and orbit.servicer_error(recording)[0] == 0.0
        np.testing.assert_array_equal(orbit.times, recording.times(signals.ARM_JOINTS))

    def test_it_conserves_momentum_where_nothing_acts(self) -> None:
        swinging = "servicer.joint_rates_deg_s=[9,8,7,6,5,4,3]"
        world = World(load("envisat_unforced", ["duration_s=1", swinging]))
        recording = run(assemble(world.scenario), world.scenario.duration_ns)
        orbit = OrbitReference(world.servicer, world.onboard().step, recording)
        # the CoM of base and arm flies straight on
        model, data = world.servicer.model, world.servicer.model.createData()
        com = np.array([pin.centerOfMass(model, data, q).copy() for q in orbit.configurations[::100]])
        np.testing.assert_allclose(np.diff(com, 2, axis=0), 0.0, atol=1e-12)
        assert np.abs(orbit.configurations[-1, 7:] - orbit.configurations[0, 7:]).max() > 0.02

    def test_its_on_board_software_sees_its_own_joints(self, world: World, recording: Recording) -> None:
        seen = []

        def onboard(stamp, joints):
            seen.append((stamp, joints.position.copy()))
            return world.onboard().step(stamp, joints)

        orbit = OrbitReference(world.servicer, onboard, recording)
        assert [stamp for stamp, _ in seen] == recording.stamps(signals.ARM_JOINTS).tolist()
        np.testing.assert_array_equal([position for _, position in seen], orbit.configurations[:, 7:])

    def test_an_arm_that_went_elsewhere_is_seen(self, world: World, recording: Recording) -> None:
        joints = recording[signals.ARM_JOINTS].copy()
        joints[200:, 0, 3] += 2e-3
        spoilt = with_changed(recording, signals.ARM_JOINTS, joints)
        error = OrbitReference(world.servicer, world.onboard().step, recording).joint_error(spoilt)
        assert error[:200].max() < 1e-5 and abs(error[200:].max() - 2e-3) < 1e-5

    def test_a_base_that_went_elsewhere_is_seen(self, world: World, recording: Recording) -> None:
        base = recording[signals.SERVICER_SIMULATED].copy()
        base[200:, :, 2] += 2e-3
        spoilt = with_changed(recording, signals.SERVICER_SIMULATED, base)
        error = OrbitReference(world.servicer, world.onboard().step, recording).servicer_error(spoilt)
        assert error[:200].max() < 1e-6 and abs(error[200:].max() - 2e-3) < 1e-6

    def test_an_arm_without_feed_forward_goes_elsewhere(self, world: World, recording: Recording) -> None:
        """The comparison can fail: g(q) and the on-board torque alone do not move the arm as in orbit."""
        stages = {stage.name: stage for stage in assemble(world.scenario)}
        feed_forward = stages["arm_feedforward"].act

        def without_terms(stamp, torque, *inputs):
            _, terms = feed_forward(stamp, torque, *inputs)
            return torque + terms.gravity, terms

        stages["arm_feedforward"] = replace(stages["arm_feedforward"], act=without_terms)
        other = run(TickTable(stages.values()), world.scenario.duration_ns)
        error = OrbitReference(world.servicer, world.onboard().step, other).joint_error(other)
        assert error.max() > 10 * measure(world, recording).largest["arm_joint_error_rad"]
