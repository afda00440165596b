"""Which inputs belong to which tick."""
import itertools

import pytest

from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.ros.inbox import LockstepInbox, NewestInbox

PERIODS = {"fast": 1, "slow": 4}


def stage(period=1, closes_loop=False):
    return Stage("block", ("fast", "slow"), (), period, lambda *_: (), trigger="fast", closes_loop=closes_loop)


@pytest.mark.parametrize("order", list(itertools.permutations([("fast", 4), ("fast", 5), ("slow", 4)])))
def test_lockstep_waits_for_exact_stamps_whatever_the_order(order):
    inbox = LockstepInbox(stage(), PERIODS)
    inbox.next = 4
    taken = []
    for signal, stamp in order:
        inbox.offer(signal, stamp, f"{signal}{stamp}")
        while (ready := inbox.take()) is not None:
            taken.append(ready)
    assert taken == [(4, ["fast4", "slow4"]), (5, ["fast5", "slow4"])]


def test_lockstep_names_what_it_waits_for():
    inbox = LockstepInbox(stage(), PERIODS)
    inbox.offer("fast", 0, None)
    assert inbox.missing() == ["slow"]


def test_what_closes_the_loop_takes_the_tick_before():
    inbox = LockstepInbox(stage(closes_loop=True), PERIODS)
    inbox.offer("fast", 0, "a")
    inbox.offer("slow", 0, "b")
    assert inbox.take() == (1, ["a", "b"])
    assert inbox.take() is None


def test_a_repeated_stamp_is_known():
    inbox = LockstepInbox(stage(), PERIODS)
    inbox.offer("fast", 0, None)
    inbox.offer("slow", 0, None)
    assert not inbox.repeated("fast", 0)
    inbox.take()
    assert inbox.repeated("fast", 0) and not inbox.repeated("fast", 1)


def test_real_time_takes_the_newest_and_makes_up_for_missed_ticks():
    inbox = NewestInbox(stage())
    inbox.offer("slow", 0, "old")
    inbox.offer("fast", 0, 0)
    assert list(inbox.due("fast", 0)) == [0]
    inbox.offer("slow", 4, "new")
    assert not inbox.due("slow", 4)
    inbox.offer("fast", 5, 5)
    assert list(inbox.due("fast", 5)) == [1, 2, 3, 4, 5]
    assert inbox.inputs() == [5, "new"] and inbox.made_up == 4 and inbox.oldest(5) == 1
    assert not inbox.due("fast", 5) and inbox.repeated("fast", 5)


def test_a_jump_in_time_is_counted_and_not_made_up_for():
    inbox = NewestInbox(stage(), most=10)
    for signal in ("slow", "fast"):
        inbox.offer(signal, 0, None)
    inbox.due("fast", 0)
    assert list(inbox.due("fast", 1000)) == [1000]
    assert inbox.jumps == 1 and inbox.made_up == 0
