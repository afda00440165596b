"""What a node counts while it runs, and says on /diagnostics."""
from __future__ import annotations

from time import perf_counter_ns


class Counters:
    """Runs, periods, ages and what went wrong since the last report."""

    __slots__ = ("_last", "age", "exceptions", "late", "longest", "losses", "period", "rejected", "runs")

    def __init__(self, period: int) -> None:
        self.period = period
        self.runs = self.late = self.rejected = self.losses = self.exceptions = 0
        self.longest = self.age = 0
        self._last = 0

    def ran(self, age: int = 0) -> None:
        """One run of the block; `age` of its oldest input [ns]."""
        now = perf_counter_ns()
        if self.runs:
            gap = now - self._last
            self.longest = max(self.longest, gap)
            self.late += gap > 2 * self.period
        self._last = now
        self.runs += 1
        self.age = max(self.age, age)

    def values(self) -> dict[str, str]:
        return {
            "runs": str(self.runs),
            "period [ms]": f"{1e-6 * self.period:g}",
            "longest period [ms]": f"{1e-6 * self.longest:.3f}",
            "more than a period late": str(self.late),
            "oldest input [ms]": f"{1e-6 * self.age:.3f}",
            "rejected messages": str(self.rejected),
            "ticks made up": str(self.losses),
        }
