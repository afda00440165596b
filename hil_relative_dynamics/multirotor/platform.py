"""One flying platform: vehicle, sensors, navigation and control in a closed loop (paper 003, Fig. 4, right)."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.multirotor.control import Controller, ControlState
from hil_relative_dynamics.multirotor.navigation import Estimate, Navigation
from hil_relative_dynamics.multirotor.sensing import Imu, Mocap
from hil_relative_dynamics.multirotor.setpoint import SetPoint
from hil_relative_dynamics.multirotor.turbulence import Turbulence
from hil_relative_dynamics.multirotor.vehicle import Vehicle, VehicleState


class PlatformState(NamedTuple):
    """Truth, belief and memory."""

    vehicle: VehicleState
    estimated: Estimate
    control: ControlState
    commanded: np.ndarray  # rotor speeds [rad/s]
    wrench_air: np.ndarray  # force in laboratory axes, torque in vehicle axes [N, N m]


class Platform:
    """Steps of one length; a camera picture comes every `pictures` of them."""

    def __init__(
        self,
        vehicle: Vehicle,
        controller: Controller,
        navigation: Navigation,
        imu: Imu,
        mocap: Mocap,
        turbulence: Turbulence,
        pictures: int,
    ) -> None:
        self.vehicle, self.controller, self.navigation = vehicle, controller, navigation
        self.imu, self.mocap, self.turbulence, self._pictures = imu, mocap, turbulence, pictures

    def initial_state(self, pose: pin.SE3) -> PlatformState:
        """Hovering."""
        vehicle = self.vehicle.hover(pose)
        estimated = self.navigation.initial_state(self.mocap.measure(vehicle))
        wrench_air = self.turbulence.initial_state()
        return PlatformState(vehicle, estimated, self.controller.initial_state(), vehicle.speeds, wrench_air)

    def step(self, state: PlatformState, wanted: SetPoint, tick: int, dt: float) -> PlatformState:
        """From tick `tick` to the next: command, fly, measure, estimate."""
        control, commanded = self.controller.step(state.control, wanted, state.estimated, dt)
        vehicle = self.vehicle.step(state.vehicle, commanded, state.wrench_air, dt)
        estimated = self.navigation.predict(state.estimated, self.imu.measure(state.vehicle, vehicle, dt), dt)
        if (tick + 1) % self._pictures == 0:
            estimated = self.navigation.correct(estimated, self.mocap.measure(vehicle))
        return PlatformState(vehicle, estimated, control, commanded, self.turbulence.step(state.wrench_air, dt))
