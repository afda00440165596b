"""Contact along a line, (1) to (9): published numbers, closed form against integration, safe and unsafe steps."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from hil_relative_dynamics.deorbit.line import Line, step_response
from hil_relative_dynamics.deorbit.line_motion import LineMotion
from hil_relative_dynamics.deorbit.thrusters import is_safe_step
from hil_relative_dynamics.evidence.deorbit_reference import line_by_integration
from hil_relative_dynamics.evidence.validation import Check, Comparison

CHASER, TARGET, STIFFNESS, THRUST = 1200.0, 8200.0, 1e8, 1500.0
STEPS = [(before, after) for before in (4, 3, 2) for after in range(1, before)]
LIGHTLY = 0.05
"""Damping ratio; the paper gives none."""


def line(ratio: float = LIGHTLY, pull: float = 0.0) -> Line:
    return Line.with_damping_ratio(CHASER, TARGET, STIFFNESS, ratio, pull)


def checks() -> Iterator[Check | Comparison]:
    yield from _published()
    yield from _steps()
    yield from _closed_form()


def _published() -> Iterator[Check | Comparison]:
    contact = line()
    yield Comparison(
        "deorbit.normal", "(8), 5.2.1", "normal force under 1500 N", 1309.0, contact.steady_force(THRUST), "N", 0.5
    )
    yield Comparison(
        "deorbit.energy", "(9)", "energy stored at 1e8 N/m", 11.25, 1e3 * contact.stored_energy(THRUST), "mJ", 0.005,
        note="printed with the thrust of 1500 N in place of the 1309 N that the contact carries",
    )  # fmt: skip
    apart = LineMotion(line(0.0, pull=10.0), [(0.0, 0.0)], 0.5, settled=THRUST)
    yield Comparison(
        "deorbit.way", "2.2.2", "way over which 10 N bring the bodies to rest, undamped", 2.3, 1e3 * apart.largest_gap,
        "mm", 0.05, note="energy over force: 1.13 mm with the printed energy, 0.86 mm with the right one; 2.3 is twice",
    )  # fmt: skip
    printed = THRUST**2 / (2.0 * STIFFNESS)
    off = abs(1e3 * printed - 11.25)
    yield Check("deorbit.energy.printed", "(9)", "11.25 mJ is what (9) gives as printed", off, 1e-9, "mJ")


def _steps() -> Iterator[Check | Comparison]:
    for ratio in (0.0, LIGHTLY):
        motions = {step: _dropped(ratio, *step) for step in STEPS}
        parting = [step for step in STEPS if motions[step].separations]
        names = ", ".join(f"{before} to {after}" for before, after in parting)
        how = "undamped" if ratio == 0.0 else f"damping ratio {ratio:g}"
        yield Comparison(
            f"deorbit.steps.{ratio:g}", "2.2.3", f"unsafe drops among 4, 3, 2 thrusters, {how}", 2.0,
            float(len(parting)), "steps", 0.0, note=names,
        )  # fmt: skip
        wrong = [step for step in STEPS if is_safe_step(*step) == bool(motions[step].separations)]
        yield Check(
            f"deorbit.rule.{ratio:g}",
            "2.2.3",
            f"drops that the rule of half judges wrongly, {how}",
            len(wrong),
            0.0,
            "",
        )
    half = _dropped(0.0, 4, 2)
    graze = abs(half.lowest_force) / half.line.steady_force(THRUST)
    yield Check("deorbit.half", "2.2.3", "lowest share of force after a drop by half, undamped", graze, 1e-9, "")
    quarter = _dropped(LIGHTLY, 4, 1)
    heights = [quarter.largest_gap_in(phase) for phase in quarter.separations]
    shrink = max(later / earlier for earlier, later in pairwise(heights))
    yield Check("deorbit.parabolas", "Fig. 5", "each parabola against the one before", shrink, 0.999, "")


def _dropped(ratio: float, before: int, after: int) -> LineMotion:
    """A drop from so many of four thrusters to so many, from the settled state."""
    return LineMotion(line(ratio), [(0.0, 0.25 * after * THRUST)], 0.5, settled=0.25 * before * THRUST)


def _closed_form() -> Iterator[Check | Comparison]:
    contact, times = line(), np.linspace(0.0, 0.3, 3001)
    size = -contact.steady_gap(THRUST)
    motion = LineMotion(contact, [(0.0, THRUST)], 0.3).sampled(times)[:, 1]
    off = float(np.abs(motion - step_response(contact, THRUST, times)).max()) / size
    yield Check("deorbit.response", "(7)", "closed form against (7) with t in its exponent", off, 1e-12, "")
    ratio, root = contact.damping_ratio, np.sqrt(1.0 - contact.damping_ratio**2)
    swing = np.exp(-ratio * contact.frequency) * np.sin(contact.frequency * root * times + np.arccos(ratio)) / root
    off = float(np.abs(motion - contact.steady_gap(THRUST) * (1.0 - swing)).max()) / size
    yield Check("deorbit.response.printed", "(7)", "the same with (7) as printed", off, 0.1, "", ">=")
    deepest = float(-motion.min()) / size / 2.0
    yield Check("deorbit.response.range", "2.2.1", "largest compression over 2 A", deepest, 1.0, "")
    for ratio in (0.0, LIGHTLY, 0.3, 1.2):
        contact = line(ratio)
        dropped = LineMotion(contact, [(0.0, 375.0)], 0.3, settled=THRUST)
        reference = line_by_integration(
            (CHASER, TARGET), (STIFFNESS, contact.damping), 375.0, contact.steady_gap(THRUST), times
        )
        off = float(np.abs(dropped.sampled(times)[:, 1] - reference).max()) / size
        yield Check(
            f"deorbit.integrated.{ratio:g}", "(2), (3)",
            f"4 to 1 thrusters, {len(dropped.separations)} separations, damping ratio {ratio:g}: against integration",
            off, 1e-8, "",
        )  # fmt: skip
