"""Two fingers on three gears, paper 002, eqs. (5) to (10)."""
from __future__ import annotations

from math import cos, sin

from hil_relative_dynamics.scenario.rendezvous_contact import GearedFingers


def required_torque(mass: float, acceleration: float, width: float, safety: float, friction: float) -> float:
    """M_t = m_t a_t b c_s / (2 mu_d): what the clamps need to carry the target by friction, (9) [N m]."""
    return mass * acceleration * width * safety / (2.0 * friction)


def normal_force(torque: float, width: float) -> float:
    """F = 2 M_t / b: total normal force of the clamps, (10) [N]."""
    return 2.0 * torque / width


class GearedGripper:
    r"""Motor gear 1 drives gear 2, gear 2 drives gear 3; a clamp on each of the latter.

    A pad stands at \( s = s_0 + r \cos\gamma \) from the middle, on a lever r at the angle \(\gamma\), and so closes
    with \( \omega_2 r \sin\gamma \) (6). The fingers mirror each other: their momenta cancel, and the drive has one
    degree of freedom,  \( I \ddot\gamma = C_2 - d \dot\gamma - (N_A + N_B) r \sin\gamma \), at rest eq. (7).
    """

    def __init__(self, settings: GearedFingers) -> None:
        self.settings = settings
        self.ratio = settings.teeth_clamp / settings.teeth_motor
        """omega_1 / omega_2 = Z_2 / Z_1, (5)."""
        self._middle = 0.5 * settings.bar - settings.lever * cos(settings.contact_angle)

    def half_gap(self, angle: float) -> float:
        """From the middle to the surface of a pad [m]."""
        return self._middle + self.settings.lever * cos(angle)

    def arm(self, angle: float) -> float:
        """r sin(gamma): closing speed over rate of a clamp gear, and torque over force [m]."""
        return self.settings.lever * sin(angle)

    def clamp_speed(self, motor_rate: float, angle: float) -> float:
        """v = omega_1 (Z_1 / Z_2) r sin(gamma), (6) [m/s]."""
        return motor_rate / self.ratio * self.arm(angle)

    def clamp_torque(self, motor_torque: float) -> float:
        """C_2 = M_1 Z_2 / Z_1: the power is the same on both gears [N m]."""
        return motor_torque * self.ratio

    def clamp_force(self, motor_torque: float, angle: float) -> float:
        """F = M_1 (Z_2 / Z_1) / (2 r sin(gamma)) of each clamp at rest, (8) [N]."""
        return self.clamp_torque(motor_torque) / (2.0 * self.arm(angle))

    def acceleration(self, angle: float, rate: float, motor_torque: float, pressing: float) -> float:
        """Of a clamp gear [rad/s^2]; `pressing` is N_A + N_B."""
        torque = self.clamp_torque(motor_torque) - self.settings.drag * rate - pressing * self.arm(angle)
        return torque / self.settings.inertia
