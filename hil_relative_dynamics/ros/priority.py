"""Real-time priority, where the system permits it: so that other programs do not make a loop late."""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIORITY = 20


@contextmanager
def real_time_priority() -> Iterator[bool]:
    """All threads of this process under SCHED_FIFO; yields whether that was permitted. Ends as it was before."""
    changed: list[int] = []
    try:
        for thread in [int(path.name) for path in Path("/proc/self/task").iterdir()]:
            os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(PRIORITY))
            changed.append(thread)
    except (OSError, AttributeError, FileNotFoundError):
        pass  # not permitted, or not Linux: it runs as it can
    try:
        yield bool(changed)
    finally:
        for thread in changed:
            try:
                os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
            except OSError:  # the thread has ended
                continue
