"""Commands that are given now and act later."""
from __future__ import annotations

import numpy as np

#: commands on their way, oldest first: (arrival [ns], command)
Queue = tuple[tuple[int, np.ndarray], ...]


class DelayLine:
    """A command arrives exactly `delay` [ns] after it was given; of several the newest counts."""

    def __init__(self, delay: int) -> None:
        self._delay = delay

    def give(self, queue: Queue, command: np.ndarray, stamp: int) -> Queue:
        """With a copy of the command: whoever gives it may use its memory again."""
        return (*queue, (stamp + self._delay, command.copy()))

    def step(self, queue: Queue, stamp: int) -> tuple[Queue, np.ndarray | None]:
        """What is still on its way at `stamp`, and the last that arrived since the step before, if any."""
        arrived = None
        while queue and queue[0][0] <= stamp:
            arrived = queue[0][1]
            queue = queue[1:]
        return queue, arrived
