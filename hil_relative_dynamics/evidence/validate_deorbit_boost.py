"""The boost with off-modulated thrusters, section 4: attitude held, thrust dropped safely."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hil_relative_dynamics.deorbit import measures
from hil_relative_dynamics.deorbit.flight import fly, structure
from hil_relative_dynamics.deorbit.thrusters import drops
from hil_relative_dynamics.evidence.validate_deorbit_space import bodies_of
from hil_relative_dynamics.evidence.validation import Check, Comparison


def checks() -> Iterator[Check | Comparison]:
    yield Comparison(
        "deorbit.burn", "4", "burn for 50 m/s at 1500 N and 9.4 t", 5.0, 50.0 * 9400.0 / 1500.0 / 60.0, "min", 0.5,
        note="longer by a quarter with the mean thrust under off-modulation",
    )  # fmt: skip
    for modulation in ("staggered", "simple"):
        yield from _boost(modulation)


def _boost(modulation: str) -> Iterator[Check | Comparison]:
    bodies = bodies_of("deorbit_boost", f"bodies.boost.modulation={modulation}")
    track = fly(bodies, 100 * 10**9)
    stiff = structure(bodies, track)
    name = f"deorbit.{modulation}"
    largest, fewest = float(drops(track.thrust).max()), float(track.thrust.min() / bodies.boost.force)
    gap, _ = measures.gap(track)
    yield Check(f"{name}.gap", "4", f"{modulation}: largest gap on the six feet", gap, 0.0, "m")
    yield Check(
        f"{name}.attitude", "4", f"{modulation}: largest attitude error", float(track.pointing.max()), 0.2, "rad"
    )
    yield Check(f"{name}.end", "4", f"{modulation}: attitude error after 100 s", float(track.pointing[-1]), 0.02, "rad")
    if modulation == "staggered":
        one = float(np.maximum(-np.diff(track.thrust), 0.0).max() / bodies.boost.force)
        yield Check(f"{name}.one", "4", "staggered: thrusters dropped at a time", one, 1.0, "")
        yield Comparison(f"{name}.half", "4", "staggered: total drop", 0.5, 1.0 - fewest / 4.0, "of the thrust", 1e-9)
        parted = float(len(stiff.separations))
        yield Check(
            f"{name}.structure", "2.2.3, 4", "staggered: separations on a structure of 1e8 N/m", parted, 0.0, ""
        )
    else:
        yield Comparison(
            f"{name}.quarter", "4", "simple pulse width: lowest thrust", 0.25, fewest / 4.0, "of the thrust", 1e-9,
            note="our allocation never switches off more than two of four; the paper does not give its own",
        )  # fmt: skip
        yield Check(f"{name}.drop", "2.2.3", "simple pulse width: largest drop at once", largest, 0.5, "", ">=")
