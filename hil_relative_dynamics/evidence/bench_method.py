"""What one tick of the method costs, beside a MuJoCo step of the same servicer.

A tick is the nominal (4), the mapping (23), the client (2)(11), the servicer (13)(18) and the torque (22),
each through the `step` that a facility calls. MuJoCo reads the same URDF and takes one RK4 step of it.
"""
from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer, RigidBody
from hil_relative_dynamics.evidence.bench import Call, Contender, Progress, in_turns
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.matching.client import ClientDynamics
from hil_relative_dynamics.matching.mapping import RelativeMapping
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.scenario import Scenario, load
from hil_relative_dynamics.spatial import JointSample, MotionSample

try:
    import mujoco
except ImportError:
    raise ImportError(
        "this bench runs beside MuJoCo, which is not installed: pip install mujoco "
        "(or hil_relative_dynamics[reference])"
    ) from None

PERIOD = 1_000_000  # [ns]
DT = 1e-9 * PERIOD
JOINT_COUNTS = (6, 7, 12, 24)
ROUNDS = 300


def measure(progress: Progress) -> dict[str, Any]:
    """Medians [us]; a ratio is the median of the ratios within a round."""
    progress("servicer")
    servicer = _servicer_urdf()
    tick = Tick(servicer, momentum_form=True)
    contenders: dict[str, Contender] = {
        "tick": tick,
        "tick_acceleration_form": Tick(servicer, momentum_form=False),
        "mujoco_rk4": MujocoStep(servicer),
        "mujoco_rk4_without_contact": MujocoStep(servicer, contact=False),
        **{f"block {name}": call for name, call in tick.blocks().items()},
    }
    times = in_turns(contenders, ROUNDS)
    result: dict[str, Any] = {
        "ratio_to_mujoco_rk4": _ratio(times["tick"], times["mujoco_rk4"]),
        "ratio_to_mujoco_rk4_acceleration_form": _ratio(times["tick_acceleration_form"], times["mujoco_rk4"]),
        "ratio_to_mujoco_rk4_without_contact": _ratio(times["tick"], times["mujoco_rk4_without_contact"]),
    }
    result |= {f"{name}_us": _median(times[name]) for name in contenders if not name.startswith("block")}
    result["blocks_us"] = {name: _median(times[f"block {name}"]) for name in tick.blocks()}
    result["joints"] = []
    for count in JOINT_COUNTS:
        progress(f"chain of {count} joints")
        result["joints"].append(_measure_chain(count))
    return result


def _measure_chain(count: int) -> dict[str, Any]:
    urdf = chain_urdf(count)
    times = in_turns({"tick": Tick(urdf, momentum_form=True), "mujoco_rk4": MujocoStep(urdf)}, ROUNDS // 2)
    return {
        "joints": count,
        "tick_us": _median(times["tick"]),
        "mujoco_rk4_us": _median(times["mujoco_rk4"]),
        "ratio": _ratio(times["tick"], times["mujoco_rk4"]),
    }


def _median(times: np.ndarray) -> float:
    return round(float(np.median(times)), 3)


def _ratio(times: np.ndarray, reference: np.ndarray) -> float:
    return round(float(np.median(times / reference)), 4)


@cache
def _scenario() -> Scenario:
    return load("envisat_pulses")


def _servicer_urdf() -> str:
    return _scenario().servicer.urdf.read_text(encoding="utf-8")


def _moving_arm(joints: int) -> JointSample:
    """A bent arm within its limits; every joint moves and speeds up."""
    index = np.arange(joints)
    return JointSample.of(0.4 * np.sin(1.0 + index), 0.1 * np.cos(index), 0.05 * np.sin(index))


class Tick:
    """The blocks of the method on one servicer, with the wrenches and the arm's motion held."""

    def __init__(self, urdf: str, momentum_form: bool) -> None:
        client = _scenario().client
        servicer = _free_flyer(urdf)
        self.nominal = UnforcedNominal(RigidBody(client.inertia), client.pose, client.twist)
        self.mapping = RelativeMapping()
        self.client = ClientDynamics(RigidBody(client.inertia))
        self.servicer = ServicerDynamics(servicer, momentum_form)
        self.feed_forward = ArmFeedForward(servicer, pin.SE3.Identity(), np.array([0.0, 0.0, -9.81]))
        self.joints = _moving_arm(servicer.joint_count)
        self.torque = np.full(servicer.joint_count, 0.5)
        self.wrench_contact = pin.Force(np.array([3.0, -2.0, 10.0, 0.5, -1.0, 0.3]))
        self.wrench_thrust = pin.Force(np.array([11.1, 0.0, 5.0, 1.0, -2.0, 3.0]))
        self._prepare()

    def _prepare(self) -> None:
        """States at the start, and the robots' measured motion, which the plant would give."""
        scenario = _scenario()
        start = self.nominal.initial_state()
        pose, twist = scenario.pose_servicer, scenario.twist_servicer
        self.state_client = self.client.initial_state(scenario.client.pose, scenario.client.twist, start)
        self.state_servicer = self.servicer.initial_state(pose, twist, self.joints, start)
        self.client_measured = MotionSample.of(pin.SE3.Identity())
        self.servicer_measured = MotionSample.of(start.pose.actInv(pose), twist)
        self.start()

    def start(self) -> None:
        self._nominal_now = self.nominal.initial_state()
        self._client_now, self._servicer_now = self.state_client, self.state_servicer

    def __call__(self) -> object:
        self._nominal_now, nominal = self.nominal.step(self._nominal_now, 0, PERIOD)
        absolute = self.mapping.step(nominal.start, self.client_measured, self.servicer_measured)
        self._client_now, client = self.client.step(self._client_now, self.wrench_contact, nominal, DT)
        self._servicer_now, servicer = self.servicer.step(
            self._servicer_now, self.wrench_thrust, self.wrench_contact, self.joints, nominal, DT
        )
        torque = self.feed_forward.step(
            self.torque, self.joints, servicer.commanded.start, servicer.simulated.start
        )
        return absolute, client, torque

    def blocks(self) -> dict[str, Contender]:
        """Each block alone, from the start of the run."""
        start = self.nominal.initial_state()
        points = self.nominal.step(start, 0, PERIOD)[1]
        inputs = self.wrench_thrust, self.wrench_contact, self.joints, points, DT
        motion = self.servicer.step(self.state_servicer, *inputs)[1]
        laboratory, orbit = motion.commanded.start, motion.simulated.start
        paper_form = ServicerDynamics(self.servicer.servicer, momentum_form=False)
        pose, twist = _scenario().pose_servicer, _scenario().twist_servicer
        paper_state = paper_form.initial_state(pose, twist, self.joints, start)
        return {
            "nominal": Call(self.nominal.step, start, 0, PERIOD),
            "mapping": Call(self.mapping.step, points.start, self.client_measured, self.servicer_measured),
            "client": Call(self.client.step, self.state_client, self.wrench_contact, points, DT),
            "servicer": Call(self.servicer.step, self.state_servicer, *inputs),
            "servicer_acceleration_form": Call(paper_form.step, paper_state, *inputs),
            "arm_feedforward": Call(self.feed_forward.step, self.torque, self.joints, laboratory, orbit),
        }


class MujocoStep:
    """One RK4 step of base and arm, as MuJoCo loads them; without gravity, everything moving."""

    def __init__(self, urdf: str, contact: bool = True) -> None:
        spec = mujoco.MjSpec.from_string(urdf)
        spec.worldbody.first_body().add_freejoint()
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.timestep = DT
        spec.option.gravity = np.zeros(3)
        if not contact:  # nothing touches anyway: this saves the search for contacts
            spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._joints = _moving_arm(self.model.nv - 6)

    def start(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[7:] = self._joints.position
        self.data.qvel[:6] = 0.1
        self.data.qvel[6:] = self._joints.velocity

    def __call__(self) -> None:
        mujoco.mj_step(self.model, self.data)


def _free_flyer(urdf: str) -> FreeFlyer:
    with TemporaryDirectory() as folder:
        path = Path(folder, "servicer.urdf")
        path.write_text(urdf, encoding="utf-8")
        return FreeFlyer.from_urdf(path, _scenario().servicer.end_effector)


def chain_urdf(joints: int) -> str:
    """A base of 1200 kg with a chain of equal links, 0.2 m each, whose axes turn by turns about z and y."""
    base, end_effector = "base_link", _scenario().servicer.end_effector
    links = [base, *[f"link_{index}" for index in range(1, joints)], end_effector]
    parts = [_link(base, 1200.0, 900.0)]
    for index, (parent, child) in enumerate(pairwise(links)):
        parts.append(_link(child, 2.5, 0.02))
        parts.append(_joint(f"joint_{index + 1}", parent, child, "0 1 0" if index % 2 else "0 0 1"))
    compiler = '<mujoco><compiler fusestatic="false"/></mujoco>'  # keeps the base a body of its own
    return f'<robot name="chain">{compiler}{"".join(parts)}</robot>'


def _link(name: str, mass: float, inertia: float) -> str:
    tensor = f'ixx="{inertia}" iyy="{inertia}" izz="{0.8 * inertia}" ixy="0" ixz="0" iyz="0"'
    inertial = f'<origin xyz="0.01 0 0.1"/><mass value="{mass}"/><inertia {tensor}/>'
    return f'<link name="{name}"><inertial>{inertial}</inertial></link>'


def _joint(name: str, parent: str, child: str, axis: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="continuous">{ends}<origin xyz="0 0 0.2"/><axis xyz="{axis}"/></joint>'
