"""The page of a facility that is running."""
from __future__ import annotations

from time import monotonic
from typing import Any

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.scene.snapshot import Snapshot
from hil_relative_dynamics.viewer.curves import History
from hil_relative_dynamics.viewer.live import SERVICES, Facility
from hil_relative_dynamics.viewer.page import Page
from hil_relative_dynamics.viewer.server import SLOWLY
from hil_relative_dynamics.viewer.stage import Stage

#: red for what stops robots, amber for what moves them
COLOURS = {"Stop": "red", "Home": "orange", "Start": "green", "Hold": "yellow", "Tare": "gray"}


class LivePage:
    """Shows what the facility tells; `control`: with buttons that ask it for something."""

    def __init__(self, server: Any, facility: Facility, control: bool) -> None:
        self._server, self._facility = server, facility
        self.stage = Stage(server, World(facility.scenario))
        self._page = Page(server, self.stage, f"{facility.scenario.name}, live", facility.scenario.description)
        self.buttons: dict[str, Any] = self._add_buttons() if control else {}
        self._page.add_view()
        self._page.add_curves()
        self._history, self._seen = History(), None
        self._slow = monotonic()

    def _add_buttons(self) -> dict[str, Any]:
        gui, buttons = self._server.gui, {}
        with gui.add_folder("Control"):
            for name in SERVICES:
                buttons[name] = gui.add_button(name, color=COLOURS[name], disabled=True)
                buttons[name].on_click(lambda _, name=name: self._facility.request(name))
        return buttons

    def step(self, elapsed: float) -> None:
        seen = self._facility.look()
        for button, sentence in self._facility.answers():
            self._notify(button, sentence)
        if seen is not None:
            self._show(seen)
        now = monotonic()
        if now - self._slow < SLOWLY:
            return
        self._slow = now
        offered = self._facility.offered() if self.buttons else {}
        for name, button in self.buttons.items():
            if button.disabled is (name in offered):
                button.disabled = name not in offered
        if self._seen is not None:
            self._page.tell(self._seen, "nothing is heard any more" if self._facility.silent else "live")
            self._page.draw(self._history, self._seen.time)

    def _show(self, seen: Snapshot) -> None:
        if self._seen is not None and seen.time < self._seen.time:
            self._history.clear()  # another run has begun
        self._history.add(seen)
        with self._server.atomic():
            self.stage.show(seen, self._page.riding.value)
        self._seen = seen

    def _notify(self, button: str, sentence: str) -> None:
        for client in self._server.get_clients().values():
            client.add_notification(button, sentence, auto_close_seconds=8.0)
