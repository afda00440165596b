"""The time that is shown."""
import pytest

from hil_relative_dynamics.viewer.player import SPEEDS, Player


def test_it_runs_at_its_speed():
    for speed in SPEEDS.values():
        player = Player(60.0)
        player.speed = speed
        for _ in range(30):
            player.advance(1.0 / 30.0)
        assert player.time == pytest.approx(speed, rel=1e-12)


def test_at_the_end_it_begins_again():
    player = Player(10.0)
    player.advance(23.0)
    assert player.time == pytest.approx(3.0) and player.playing


def test_without_loop_it_stays_at_the_end_until_played_again():
    player = Player(10.0)
    player.loop = False
    player.advance(23.0)
    assert player.time == 10.0 and not player.playing
    player.advance(1.0)
    assert player.time == 10.0
    player.toggle()
    assert player.time == 0.0 and player.playing


def test_paused_it_waits_where_it_was_put():
    player = Player(10.0)
    player.toggle()
    player.seek(4.0)
    player.advance(1.0)
    assert player.time == 4.0
    for asked, got in ((-1.0, 0.0), (11.0, 10.0)):
        player.seek(asked)
        assert player.time == got
