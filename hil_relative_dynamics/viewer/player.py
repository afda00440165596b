"""The time that is shown: it runs at some speed, stops, jumps and starts again."""
from __future__ import annotations

#: times real time
SPEEDS = {"0.1x": 0.1, "0.25x": 0.25, "0.5x": 0.5, "1x": 1.0, "2x": 2.0, "5x": 5.0, "10x": 10.0}


class Player:
    """Position in a run of some duration [s]."""

    def __init__(self, duration: float) -> None:
        self.duration, self.time = duration, 0.0
        self.speed, self.loop, self.playing = 1.0, True, True

    def advance(self, elapsed: float) -> None:
        """`elapsed` on the wall clock [s]. At the end it starts again, or stays."""
        if not self.playing:
            return
        self.time += self.speed * elapsed
        if self.time < self.duration:
            return
        if self.loop:
            self.time %= self.duration
        else:
            self.time, self.playing = self.duration, False

    def seek(self, time: float) -> None:
        self.time = min(max(time, 0.0), self.duration)

    def toggle(self) -> None:
        """Plays or pauses; from the end, from the start."""
        self.playing = not self.playing
        if self.playing and self.time >= self.duration:
            self.time = 0.0
