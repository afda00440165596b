"""The laboratory of `facility: none`: no robots, all motion as commanded."""
from __future__ import annotations

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.table import Stage
from hil_relative_dynamics.engine.world import World, gripper_on_ring
from hil_relative_dynamics.facility.external_wrench import ExternalWrenches
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.facility.ideal import Commands, IdealFacility, Measurements
from hil_relative_dynamics.spatial import MotionPoints


def ideal_stages(world: World) -> list[Stage]:
    gripper = world.scenario.contact.kind != "none"
    return [
        Stage(
            "facility_sim",
            inputs=(
                signals.CLIENT_COMMANDED,
                signals.SERVICER_COMMANDED,
                signals.ARM_TORQUE,
                *((signals.GRIPPER_COMMAND,) if gripper else ()),
            ),
            outputs=(
                signals.CLIENT_WRENCH,
                signals.END_EFFECTOR_WRENCH,
                signals.SERVICER_MEASURED,
                signals.CLIENT_MEASURED,
                *((signals.GRIPPER_STATE,) if gripper else ()),
                signals.ARM_JOINTS,
            ),
            period=world.scenario.rates.arm_ns,
            act=IdealFacilityStage(world),
            closes_loop=True,
        )
    ]


class IdealFacilityStage:
    def __init__(self, world: World) -> None:
        rates = world.scenario.rates
        # an arm whose own controller carries its weight behaves as one without weight
        compensated = world.scenario.servicer.gravity_compensated_by_arm
        gravity = np.zeros(3) if compensated else world.gravity
        arm = GroundArm(world.servicer, world.pose_nominal_in_laboratory, gravity)
        wrenches = ExternalWrenches(world.scenario.external_wrenches)
        self._gripper = gripper_on_ring(world)
        self._block = IdealFacility(world.servicer, arm, wrenches, rates.dynamics_ns, self._gripper)
        self._period = rates.arm_ns
        self._state = self._block.initial_state(world.client_start, world.servicer_start, world.joints)

    def __call__(
        self,
        stamp: int,
        client: MotionPoints | None,
        servicer: MotionPoints | None,
        torque: np.ndarray | None,
        close: np.ndarray | None = None,
    ) -> tuple[object, ...]:
        if client is not None and servicer is not None and torque is not None:
            commands = Commands(client, servicer, torque, close is not None and close[0] > 0.5)
            self._state = self._block.step(self._state, commands, stamp, self._period)
        state: Measurements = self._state
        told = []
        if self._gripper is not None and state.gripper is not None:
            told = [np.array(self._gripper.read(state.gripper), dtype=float)]
        return state.wrench_client, state.wrench_end_effector, state.servicer, state.client, *told, state.joints
