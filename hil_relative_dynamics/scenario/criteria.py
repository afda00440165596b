"""The checks a scenario may ask for: their names stand here and nowhere else."""
from __future__ import annotations

from dataclasses import dataclass

from hil_relative_dynamics.scenario.quantities import Number
from hil_relative_dynamics.scenario.reader import Part, entries, entry


def _limit(key: str, unit: str, description: str) -> float | None:
    return entry(key, Number(unit, "positive"), description, None)


@dataclass(frozen=True, kw_only=True)
class Criteria(Part):
    """Limits a run must keep to pass; what is left out is not judged."""

    relative_position_error: float | None = _limit(
        "relative_position_error_m", "m", "largest distance of g_n g_c from g_t and of g_n g_s from g_b"
    )
    relative_orientation_error: float | None = _limit(
        "relative_orientation_error_rad", "rad", "largest angle of g_n g_c from g_t and of g_n g_s from g_b"
    )
    arm_joint_error: float | None = _limit(
        "arm_joint_error_rad", "rad", "largest difference of the arm on ground from the arm in orbit"
    )
    linear_momentum_error: float | None = _limit(
        "linear_momentum_error_N_s", "N s", "largest change of linear momentum that no impulse explains"
    )
    angular_momentum_error: float | None = _limit(
        "angular_momentum_error_N_m_s", "N m s", "largest change of angular momentum that no impulse explains"
    )
    energy_error: float | None = _limit(
        "energy_error_J", "J", "largest change of energy that no work explains"
    )

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were given, by key."""
        limits = {key: getattr(self, item.name) for key, item in entries(self).items()}
        return {key: limit for key, limit in limits.items() if limit is not None}
