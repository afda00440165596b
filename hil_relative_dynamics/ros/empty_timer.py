"""A loop that does nothing, for comparison: how often this machine alone makes a tick start too late."""
from __future__ import annotations

import sys
from time import perf_counter_ns

import rclpy
from rclpy.experimental import EventsExecutor


def missed(period: int, duration: int) -> int:
    """Ticks that started more than a period late, waiting as the facility waits."""
    rclpy.init()
    executor = EventsExecutor()
    executor.add_node(rclpy.create_node("empty_timer"))
    origin, done, count = perf_counter_ns(), 0, 0
    while done < duration:
        elapsed = perf_counter_ns() - origin
        if elapsed >= done + period:
            count += elapsed - done > 2 * period
            done = elapsed - elapsed % period
        executor.spin_once(timeout_sec=1e-9 * max(0, done + period - elapsed))
    executor.shutdown()
    rclpy.try_shutdown()
    return count


if __name__ == "__main__":
    print(missed(int(sys.argv[1]), int(sys.argv[2])))
