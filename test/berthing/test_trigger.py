import pytest

from hil_relative_dynamics.berthing.trigger import GraspTrigger, TriggerState
from hil_relative_dynamics.scenario.rendezvous_contact import Trigger

PERIOD = 20_000_000


def after(errors, settings=None):
    trigger, state = GraspTrigger(settings or Trigger()), TriggerState()
    for tick, (position, orientation) in enumerate(errors):
        state = trigger.step(state, tick * PERIOD, position, orientation)
    return trigger, state


@pytest.mark.parametrize(
    "position, orientation, closes",
    [(1.9e-3, 0.9e-3, True), (2.1e-3, 0.9e-3, False), (1.9e-3, 1.1e-3, False), (2e-3, 1e-3, False)],
)
def test_both_errors_have_to_be_small(position, orientation, closes):
    trigger, state = after([(position, orientation)] * 50)
    assert state.closed is closes
    assert trigger.torque(state, 1.5) == (1.5 if closes else 0.0)


def test_each_error_counts_once_and_stays():
    _, state = after([(1e-3, 0.1)] * 30 + [(5e-3, 1e-4)] * 5)
    assert state.closed  # as published, not at the same time
    _, state = after([(1e-3, 1e-4)] * 30 + [(1.0, 1.0)] * 50)
    assert state.closed and state.pick_place == 1


def test_the_contact_signal_comes_late_sampled_and_held():
    """Delayed by 0.2 s and sampled every 0.1 s: seen at tick 10, not before, also if the delay ends in between."""
    late = [after([(1e-3, 1e-4)] * count)[1].closed for count in (10, 11)]
    assert late == [False, True]
    slow = Trigger(delay_ns=210_000_000)
    assert [after([(1e-3, 1e-4)] * count, slow)[1].closed for count in (15, 16)] == [False, True]


def test_without_contact_signal_nothing_closes():
    _, state = after([(1e-3, 1e-4)] * 100, Trigger(reach=1e-4))
    assert not state.closed
