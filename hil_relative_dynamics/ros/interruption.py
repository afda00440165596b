"""Ctrl-C and SIGTERM, obeyed between two turns of the loop.

As an exception out of nowhere they could fall into a callback, where the middleware would swallow them.
"""
from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interruption:
    """While it lasts the signals are only noted; afterwards they act as before."""

    def __init__(self) -> None:
        self._asked = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():  # elsewhere Python knows no signals
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def obey(self) -> None:
        """Raises KeyboardInterrupt if it was asked for."""
        if self._asked:
            raise KeyboardInterrupt
