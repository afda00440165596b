"""A client with appendages in the place of the rigid one, by a key of the scenario."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hil_relative_dynamics.bodies.appendage import deflections_of
from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.method_stages import ClientStage, FlexibleClientStage, client_stage
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder
from hil_relative_dynamics.evidence.conservation import client_balance, flexible_client_balance
from hil_relative_dynamics.scenario import ScenarioError, load

PUSHED = (
    "duration_s=2",
    "onboard={kind: none}",
    "external_wrenches=[{on: client, start_s: 0, duration_s: 0.4, force_N: [0, 20, 62], torque_N_m: [10, 20, 5]}]",
)
WATCHED = (signals.NOMINAL, signals.CLIENT_SIMULATED, signals.CLIENT_COMMANDED, signals.CLIENT_WRENCH)


def flown(*overrides):
    scenario = load("envisat_flexible", (*PUSHED, *overrides))
    table = assemble(scenario)
    return scenario, run(table, scenario.duration_ns, Recorder(table, scenario.duration_ns, WATCHED))


@pytest.fixture(scope="module")
def flexible():
    return flown()


def test_without_appendages_the_stage_is_the_rigid_one():
    world = World(load("envisat_pulses"))
    assert world.flexible_client is None
    assert type(client_stage(world)) is ClientStage
    assert type(client_stage(World(load("envisat_flexible")))) is FlexibleClientStage


def test_the_whole_client_weighs_what_the_scenario_says():
    world = World(load("envisat_flexible"))
    assert_allclose(world.flexible_client.rigid.matrix(), world.client.inertia.matrix(), atol=1e-9)


def test_the_panel_shakes_the_hub(flexible):
    _, recording = flexible
    _, rigid = flown("client.appendages=[]")
    apart = recording[signals.CLIENT_SIMULATED][-1, -1, :3] - rigid[signals.CLIENT_SIMULATED][-1, -1, :3]
    assert 1e-5 < np.linalg.norm(apart) < 1e-2
    assert np.array_equal(recording[signals.NOMINAL], rigid[signals.NOMINAL])


def test_a_stiff_panel_hardly_does():
    stiff = ("client.appendages.0.stiffness_N_m2=3e8", "client.appendages.0.modes=1")
    ends = [flown(*change)[1][signals.CLIENT_SIMULATED][-1, -1] for change in (stiff, ("client.appendages=[]",))]
    assert_allclose(ends[0][:7], ends[1][:7], atol=1e-6)


def test_its_momentum_and_energy_add_up_and_a_rigid_balance_would_not(flexible):
    scenario, recording = flexible
    world, client = World(scenario), scenario.client
    bent = deflections_of(client.appendages)
    balance = flexible_client_balance(world.flexible_client, bent, (client.pose, client.twist), recording)
    assert balance.linear.max() < 1e-4  # of 25 N s
    assert balance.angular.max() < 1e-4  # of 5.4e3 N m s
    assert balance.energy.max() < 1e-3
    assert client_balance(world.client, recording).linear.max() > 0.05


@pytest.mark.parametrize(
    ("override", "key", "said"),
    [
        ("client.appendages.0.mass_kg=8000", "client.appendages", "must weigh less than the whole client (7828 kg)"),
        ("client.appendages.0.length_m=60", "client.appendages", "must leave a hub that can exist"),
        ("client.appendages.0.stiffness_N_m2=1e12", "rates_ms.dynamics", "must be at most"),
        ("client.appendages.0.modes=0", "client.appendages.0.modes", "must be a whole number from 1 to 20"),
    ],
)
def test_bad_appendages_get_one_sentence(override, key, said):
    with pytest.raises(ScenarioError) as caught:
        World(load("envisat_flexible", (override,)))
    assert key in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
