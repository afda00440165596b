"""The contact between the gripper and the client's launch adapter ring, and the gripper itself.

Sources. Envisat's launch adapter ring: 2.624 m in diameter; its profile is that of the mock-up
(urdf/client_mockup.xacro, a bar of 30 mm by 40 mm). Fingers and palm: urdf/arm.xacro. Contact of an adapter
ring and a gripper: 1e4 to 1e5 N/m, 50 to 500 N s/m, Coulomb friction 0.2 to 0.4. Lightest effective mass and
inertia: what urdf/servicer.urdf has at the finger tips across and about the approach direction (0.54 kg and
0.0021 kg m^2: joints 6 and 7; along the approach direction it is 5.2 kg). All else is an engineering estimate.
"""
# ruff: noqa: RUF009  (entry() is a dataclasses.field())
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hil_relative_dynamics.scenario.quantities import Number
from hil_relative_dynamics.scenario.reader import Part, Place, entry
from hil_relative_dynamics.scenario.values import Choice

ContactKind = Literal["none", "ring"]
SIDES = 2
"""Both jaws bear on the ring at once, in the direction in which the arm is lightest."""


def _positive(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "positive"), description, default)


def _amount(key: str, unit: str, description: str, default: float) -> float:
    return entry(key, Number(unit, "non-negative"), description, default)


@dataclass(frozen=True, kw_only=True)
class Contact(Part):
    """What happens when the gripper and the client's launch adapter ring touch.

    Sampled with the period T of the arm, a contact is stable down to the lightest effective mass m if
    2 k T^2 <= m and 2 c T <= m (k T^2 <= m and c T <= m, and the same about axes, for the grasp): more is refused.
    """

    kind: ContactKind = entry(
        "kind",
        Choice(get_args(ContactKind)),
        "none: the bodies pass through each other; ring: fingers and palm of the gripper meet the ring",
        "none",
    )
    stiffness: float = _positive("stiffness_N_m", "N/m", "of each jaw, and of the palm, on the ring", 1e5)
    damping: float = _amount("damping_N_s_m", "N s/m", "the same, once in contact", 200.0)
    damping_depth: float = _amount(
        "damping_depth_m",
        "m",
        "penetration up to which damping grows in proportion (Hunt and Crossley) before it is complete; 0: complete"
        " from the start (Kelvin and Voigt)",
        1e-4,
    )
    friction: float = _amount("friction", "", "Coulomb coefficient", 0.3)
    ring_diameter: float = _positive("ring_diameter_m", "m", "of the ring, to the middle of its profile", 2.624)
    ring_width: float = _positive("ring_width_m", "m", "of its profile, along its axis", 0.030)
    ring_thickness: float = _positive("ring_thickness_m", "m", "of its profile, between the jaws", 0.040)
    jaw_opening: float = _positive("jaw_opening_m", "m", "between the open jaws", 0.056)
    jaw_width: float = _positive("jaw_width_m", "m", "of each jaw, along the ring", 0.030)
    palm_depth: float = _positive("palm_depth_m", "m", "from the finger tips back to the palm", 0.055)
    closing_speed: float = _positive("closing_speed_m_s", "m/s", "rate of the opening when jaws open or close", 0.020)
    grip_force: float = _positive("grip_force_N", "N", "at which a closing jaw stops", 50.0)
    latch_tolerance: float = _positive(
        "latch_tolerance_m", "m", "how far the opening may be off the one on a well seated ring for a latch", 0.002
    )
    grasp_stiffness: float = _positive("grasp_stiffness_N_m", "N/m", "of the latched grasp", 1e5)
    grasp_damping: float = _amount("grasp_damping_N_s_m", "N s/m", "of the latched grasp", 300.0)
    grasp_stiffness_angular: float = _positive("grasp_stiffness_N_m_rad", "N m/rad", "of the latched grasp", 1000.0)
    grasp_damping_angular: float = _amount("grasp_damping_N_m_s_rad", "N m s/rad", "of the latched grasp", 1.0)
    lightest_mass: float = _positive(
        "lightest_mass_kg", "kg", "smallest effective mass at the finger tips; limits stiffness and damping", 0.5
    )
    lightest_inertia: float = _positive("lightest_inertia_kg_m2", "kg m^2", "the same about an axis", 0.002)

    def resolved(self, at: Place) -> Contact:
        if self.jaw_opening <= self.ring_thickness:
            allowed = f"must be more than {at.key}.ring_thickness_m ({self.ring_thickness:g} m), or no ring fits in"
            raise self.error("jaw_opening_m", at, allowed)
        deepest = 0.25 * min(self.ring_width, self.ring_thickness)
        if self.indentation > deepest:
            allowed = f"must be at most {self.stiffness * deepest:g} N: stiffness_N_m times a quarter of the profile"
            raise self.error("grip_force_N", at, allowed)
        return self

    @property
    def indentation(self) -> float:
        """Of each jaw into the ring at the grip force [m]."""
        return self.grip_force / self.stiffness

    def check_period(self, period_ns: int, at: Place) -> None:
        """Refuse what would not be stable when the wrench is held for so long."""
        if self.kind == "none":
            return
        period, mass, inertia = 1e-9 * period_ns, self.lightest_mass, self.lightest_inertia
        limits = {
            "stiffness_N_m": (self.stiffness, mass / period**2 / SIDES, "lightest_mass_kg"),
            "damping_N_s_m": (self.damping, mass / period / SIDES, "lightest_mass_kg"),
            "grasp_stiffness_N_m": (self.grasp_stiffness, mass / period**2, "lightest_mass_kg"),
            "grasp_damping_N_s_m": (self.grasp_damping, mass / period, "lightest_mass_kg"),
            "grasp_stiffness_N_m_rad": (self.grasp_stiffness_angular, inertia / period**2, "lightest_inertia_kg_m2"),
            "grasp_damping_N_m_s_rad": (self.grasp_damping_angular, inertia / period, "lightest_inertia_kg_m2"),
        }
        for key, (value, limit, lightest) in limits.items():
            if value > limit * (1.0 + 1e-9):
                allowed = (
                    f"must be at most {limit:g}, or the contact is not stable when sampled every {1e3 * period:g} ms"
                    f" ({at.key}.{lightest})"
                )
                raise self.error(key, at, allowed)
