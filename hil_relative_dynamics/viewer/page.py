"""The controls beside the scene: what is shown, where it stands, and its curves."""
from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from hil_relative_dynamics.scene.snapshot import Snapshot
from hil_relative_dynamics.viewer.curves import CURVES, Curve, History
from hil_relative_dynamics.viewer.player import SPEEDS, Player
from hil_relative_dynamics.viewer.stage import FIELD, VIEWS, Stage, aim

WIDTH = 340  # of the column of controls [px]
HEIGHT = 130  # of a diagram [px]
FONT = "11px sans-serif"
QUIET, ALARM = "#2f6f4f", "#b00020"


class Page:
    """What replay and live have in common."""

    def __init__(self, server: Any, stage: Stage, title: str, description: str) -> None:
        self._server, self.stage, gui = server, stage, server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 90, 140))
        gui.set_panel_label("hil view")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(WIDTH)
        gui.add_markdown(f"**{escape(title)}**: {escape(description)}")
        self._status = gui.add_html("")
        self._said = ""

    def add_view(self) -> None:
        gui = self._server.gui
        with gui.add_folder("View"):
            self._view = gui.add_button_group("Look at", tuple(VIEWS))
            with gui.add_folder("What is shown", expand_by_default=False):
                self.riding = gui.add_checkbox("Riding along", False, hint="the orbit as seen from the nominal frame")
                self._add_switch("Trails", "trail_", hint="of grasp point and gripper, grasp point and servicer")
                self._add_switch("Forces", "force_", hint="an arrow of 1 m is 100 N; red: contact, green: thrust")
                self._add_switch("Workspace", "workspace", hint="what the mock-ups must not leave")
                ghost = gui.add_checkbox("Nominal ghost", True, hint="shown once the client leaves its nominal motion")
                ghost.on_update(lambda _: setattr(self.stage, "ghost", ghost.value))
        self._view.on_click(self._turn)
        self._server.on_client_connect(self._welcome)
        middle, half = VIEWS["Side by side"]
        camera = self._server.initial_camera
        camera.fov, camera.look_at = FIELD, middle
        camera.position = middle + (0.0, -2.6 * half, 0.9 * half)

    def _add_switch(self, label: str, names: str, hint: str) -> None:
        handles = list(self.stage.group(names))
        if not handles:
            return
        switch = self._server.gui.add_checkbox(label, True, hint=hint)

        def switched(_: Any) -> None:
            for handle in handles:
                handle.visible = switch.value

        switch.on_update(switched)

    def add_curves(self) -> None:
        gui, self._plots, self._drawn = self._server.gui, [], 0
        with gui.add_folder("Curves"):
            for curve in CURVES:
                # a diagram that begins empty never gets its time axis
                data = tuple(np.array([0.0, 1.0]) * (row == 0) for row in range(len(curve.lines) + 1))
                lines = [{"label": name, "stroke": colour, "width": 1.6} for name, (colour, _) in curve.lines.items()]
                gui.add_html(_heading(curve))
                plot = gui.add_uplot(
                    data,
                    ({"label": "t [s]"}, *lines),
                    scales={"x": {"time": False}, "y": {"auto": True}},
                    axes=({"size": 34, "font": FONT, "space": 40}, {"size": 44, "font": FONT, "space": 24}),
                    legend={"show": False},
                    height=HEIGHT,
                    padding=(10, 10, 0, 0),
                )
                self._plots.append(plot)

    def draw(self, history: History, time: float) -> None:
        self._drawn += 1
        for plot, (times, *lines) in zip(self._plots, history.until(time)):
            # the time axis is laid out anew only when its range changes: a page opened later would have none
            times[-1:] += 1e-6 * (self._drawn % 2)
            plot.data = (times, *lines)

    def tell(self, seen: Snapshot, note: str = "") -> None:
        """Time, phase and alert; sent only when the text changes."""
        alert = f"<div style='color:{ALARM};font-weight:600'>{escape(seen.alert)}</div>" if seen.alert else ""
        phase = f"<b style='color:{ALARM if seen.alert else QUIET}'>{escape(seen.phase)}</b>" if seen.phase else ""
        time = f"<span style='font-variant-numeric:tabular-nums'>t = {seen.time:.1f} s</span>"
        about = " &middot; ".join(part for part in (time, phase, escape(note)) if part)
        text = f"<div style='padding:0 0.75em 0.5em;font-size:0.875em'>{about}{alert}</div>"
        if text != self._said:
            self._status.content = self._said = text

    def _turn(self, event: Any) -> None:
        clients = [event.client] if event.client else self._server.get_clients().values()
        for client in clients:
            aim(client.camera, self._view.value)

    @staticmethod
    def _welcome(client: Any) -> None:
        aim(client.camera, "Side by side", covered=WIDTH)


class PlayControls:
    """Play, time, speed and loop."""

    def __init__(
        self, server: Any, player: Player, phases: list[tuple[float, str]], jumped: Callable[[], None]
    ) -> None:
        gui, self._player, self._jumped, self._written = server.gui, player, jumped, 0.0
        with gui.add_folder("Replay"):
            self.button = gui.add_button("Pause")
            marks = _marks(phases, player.duration) or None
            self.slider = gui.add_slider("Time [s]", 0.0, round(player.duration, 2), 0.01, 0.0, marks=marks)
            self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1x")
            self.loop = gui.add_checkbox("Loop", player.loop)

        @self.button.on_click
        def _(_: Any) -> None:
            player.toggle()

        @self.speed.on_update
        def _(_: Any) -> None:
            player.speed = SPEEDS[self.speed.value]

        @self.loop.on_update
        def _(_: Any) -> None:
            player.loop = self.loop.value

    def obey(self) -> None:
        """Where a person put the slider: it is not where `follow` left it. A callback would race with that."""
        value = self.slider.value
        if value != self._written:
            self._written = value
            self._player.seek(value)
            self._jumped()

    def follow(self) -> None:
        """The controls say what the player does."""
        if self.slider.value == self._written:
            self.slider.value = self._written = round(min(self._player.time, self.slider.max), 2)
        label = "Pause" if self._player.playing else "Play"
        if self.button.label != label:
            self.button.label = label


def _heading(curve: Curve) -> str:
    """What is drawn, and each line's name in its colour: a legend in the diagram would cover it."""
    lines = [(name, colour) for name, (colour, _) in curve.lines.items()]
    names = " ".join(f"<b style='color:{colour}'>&mdash; {escape(name)}</b>" for name, colour in lines)
    return f"<div style='padding:0 0.75em;font-size:0.8em'>{escape(curve.title)}<br>{names}</div>"


def _marks(phases: list[tuple[float, str]], duration: float) -> tuple[Any, ...]:
    """Where phases begin; named where there is room for a name."""
    marks: list[Any] = []
    room = -1.0
    for time, name in phases:
        named = time - room > 0.2 * duration or not marks
        marks.append((round(time, 2), name[:4] if named else ""))
        room = time if named else room
    return tuple(marks)
