"""The page of a run that is over."""
from __future__ import annotations

from typing import Any

import numpy as np

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.viewer.curves import LONGEST, History
from hil_relative_dynamics.viewer.page import Page, PlayControls
from hil_relative_dynamics.viewer.player import Player
from hil_relative_dynamics.viewer.replay import Replay
from hil_relative_dynamics.viewer.server import SLOWLY
from hil_relative_dynamics.viewer.stage import Stage


class ReplayPage:
    """Shows a run over and over; `step` keeps the page up to date."""

    def __init__(self, server: Any, replay: Replay) -> None:
        self._server, self._replay = server, replay
        self.player = Player(replay.duration)
        self.stage = Stage(server, World(replay.scenario))
        self._page = Page(server, self.stage, replay.folder.name, replay.scenario.description)
        self.controls = PlayControls(server, self.player, replay.phases, self.stage.forget)
        self._page.add_view()
        self._page.add_curves()
        self._history = History(longest=2 * LONGEST)
        for time in np.linspace(0.0, replay.duration, LONGEST):
            self._history.add(replay.at(float(time)))
        self._shown: tuple[float, bool] | None = None
        self._slow = SLOWLY

    def step(self, elapsed: float) -> None:
        """`elapsed` since the last step [s]."""
        self.controls.obey()
        self.player.advance(elapsed)
        time, riding = self.player.time, self._page.riding.value
        if (time, riding) == self._shown:
            self.controls.follow()
            return
        seen = self._replay.at(time)
        with self._server.atomic():
            self.stage.show(seen, riding)
            self.controls.follow()
            self._page.tell(seen)
        self._slow += elapsed
        if self._slow >= SLOWLY or self._shown is None or not self.player.playing:
            self._slow = 0.0
            self._page.draw(self._history, time)
        self._shown = time, riding
