"""The bodies of a scenario and where they are at its start."""
from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import RigidBody
from hil_relative_dynamics.bodies.appendage import appendages_of
from hil_relative_dynamics.bodies.flexible import FlexibleBody
from hil_relative_dynamics.engine.servicer import free_flyer
from hil_relative_dynamics.facility.gripper_on_ring import GripperOnRing
from hil_relative_dynamics.matching.nominal import FixedNominal, Nominal, UnforcedNominal, read_motion
from hil_relative_dynamics.matching.pair import relative_motion
from hil_relative_dynamics.onboard.scripted import ScriptedOnboard
from hil_relative_dynamics.scenario import Scenario, ScenarioError
from hil_relative_dynamics.scenario.reader import Place
from hil_relative_dynamics.spatial import JointSample, MotionSample


class World:
    """What several blocks need to agree on."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.client = RigidBody(scenario.client.inertia)
        self.flexible_client = self._flexible_client()
        self.servicer = free_flyer(scenario.servicer)
        joints, joint_rates = scenario.servicer.joints, scenario.servicer.joint_rates
        self.joints = JointSample.of(np.array(joints), np.array(joint_rates))
        self.nominal = self._nominal()
        _, points = self.nominal.step(self.nominal.initial_state(), 0, scenario.rates.dynamics_ns)
        self.nominal_start = points.start

    def _flexible_client(self) -> FlexibleBody | None:
        """The client with its appendages; None if it has none. Nominal and on-board software take it as rigid."""
        client, file, step = self.scenario.client, self.scenario.file, self.scenario.rates.dynamics_ns
        if not client.appendages:
            return None
        try:
            body = FlexibleBody.within(client.inertia, appendages_of(client.appendages))
        except ValueError as error:
            allowed = f"must leave a hub that can exist: {error}"
            raise client.error("appendages", Place(str(file), file.parent, key="client"), allowed) from None
        if 1e-9 * step > body.longest_step:
            allowed = f"must be at most {1e3 * body.longest_step:.3g} for the fastest mode of client.appendages"
            raise ScenarioError(file, "rates_ms.dynamics", 1e-6 * step, allowed)
        return body

    def _nominal(self) -> Nominal:
        client, nominal = self.scenario.client, self.scenario.nominal
        if nominal.kind == "unforced":
            return UnforcedNominal(self.client, client.pose, client.twist)
        if nominal.file is None:
            return FixedNominal(client.pose)
        try:
            with warnings.catch_warnings():  # numpy's, about an empty file
                warnings.simplefilter("ignore")
                motion = read_motion(str(nominal.file))
        except ValueError as error:
            raise ScenarioError(nominal.file, "", None, f"cannot be the nominal motion: {error}") from None
        end = 1e-9 * (self.scenario.duration_ns + self.scenario.rates.dynamics_ns)
        if motion.times[0] > 0.0 or motion.times[-1] < end:
            covered = f"{motion.times[0]:g} to {motion.times[-1]:g} s"
            allowed = f"must cover the run, 0 to {end:g} s, and covers {covered}"
            raise ScenarioError(nominal.file, "", None, allowed)
        return motion

    def onboard(self) -> ScriptedOnboard:
        """The on-board software at its start."""
        return ScriptedOnboard(self.scenario.onboard, self.joints.position)

    @cached_property
    def client_start(self) -> MotionSample:
        """g_c(0) and V_c(0)."""
        client = self.scenario.client
        return MotionSample.of(*relative_motion(client.pose, client.twist, self.nominal_start))

    @cached_property
    def servicer_start(self) -> MotionSample:
        """g_s(0) and V_s(0)."""
        pose, twist = self.scenario.pose_servicer, self.scenario.twist_servicer
        return MotionSample.of(*relative_motion(pose, twist, self.nominal_start))

    @cached_property
    def pose_nominal_in_laboratory(self) -> pin.SE3:
        """The constant calibration transform."""
        laboratory = self.scenario.laboratory
        if self.scenario.facility.kind == "none":  # no robots: only the attitude matters, for the arm's weight
            return pin.SE3(laboratory.base_rotation @ self.servicer_start.pose.rotation.T, np.zeros(3))
        return laboratory.pose_nominal(self.client_start.pose * self.scenario.client.grasp_point.pose_in_client)

    @property
    def gravity(self) -> np.ndarray:
        return np.array(self.scenario.laboratory.gravity)


def gripper_on_ring(world: World) -> GripperOnRing | None:
    """The contact of the scenario; None where gripper and ring never meet."""
    scenario = world.scenario
    if scenario.contact.kind == "none":
        return None
    return GripperOnRing(scenario.contact, world.servicer, scenario.client.grasp_point.pose_in_client)
