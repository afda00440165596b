"""The checks a scenario may ask for: their names stand here and nowhere else."""
from __future__ import annotations

from dataclasses import dataclass

from hil_relative_dynamics.scenario.quantities import Number
from hil_relative_dynamics.scenario.reader import Part, Place, entries, entry

#: the servicer in orbit alone is what these compare with, and it cannot foresee contact
WITHOUT_CAPTURE = ("arm_joint_error_rad",)
OF_CAPTURE = (
    "synchronised_by_s",
    "grasp_by_s",
    "relative_rate_deg_s",
    "contact_force_N",
    "robot_displacement_m",
    "contact_energy_J",
)


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

    synchronised_by: float | None = _limit(
        "synchronised_by_s",
        "s",
        "capture: when the base came to its station, to stay there until the approach; by its software's own measure",
    )
    grasp_by: float | None = _limit(
        "grasp_by_s", "s", "capture: when the gripper had latched; a capture that never did fails"
    )
    relative_rate: float | None = _limit(
        "relative_rate_deg_s", "deg/s", "capture: largest relative rate on any axis from 15 s to the grasp"
    )
    contact_force: float | None = _limit("contact_force_N", "N", "capture: largest force of contact on the client")
    robot_displacement: float | None = _limit(
        "robot_displacement_m", "m", "capture: how far either mock-up went from where it was at the start"
    )
    contact_energy: float | None = _limit(
        "contact_energy_J", "J", "capture: most that contact had brought in at any time; passive: nothing"
    )

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were given, by key and in its unit."""
        return {
            key: item.metadata["kind"].write(limit)
            for key, item in entries(self).items()
            if (limit := getattr(self, item.name)) is not None
        }

    def check_onboard(self, kind: str, at: Place) -> None:
        """Refuses what cannot be measured with such on-board software."""
        for key in WITHOUT_CAPTURE if kind == "capture" else OF_CAPTURE:
            if key in self.limits:
                raise self.error(key, at, f"must be left out with onboard.kind: {kind}")
