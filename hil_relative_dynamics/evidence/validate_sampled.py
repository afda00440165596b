"""The loop as a facility runs it: joints sampled, torques held over the step, accelerations one sample old.

All else is exact here, so that what remains is the price of sampling: an error in proportion to the step.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.evidence.validate_coupled import Coupled, Snapshot
from hil_relative_dynamics.evidence.validate_flight import (
    GRAVITY,
    HOLD,
    NO_WRENCH,
    POSTURES,
    SAMPLING,
    Flight,
    Inputs,
)
from hil_relative_dynamics.evidence.validate_tools import Worst, largest, order
from hil_relative_dynamics.evidence.validation import Check
from hil_relative_dynamics.facility.ground_arm import GroundArm
from hil_relative_dynamics.matching.arm_feedforward import ArmFeedForward
from hil_relative_dynamics.matching.nominal import UnforcedNominal
from hil_relative_dynamics.matching.servicer import ServicerDynamics
from hil_relative_dynamics.spatial import JointSample, MotionSample

DURATION = 20.0
MILLISECOND = 1_000_000  # [ns]
HOLD_NS = 4 * MILLISECOND


class Form(NamedTuple):
    """A form of the base row, and what it may be off by."""

    name: str
    source: str
    momentum_form: bool
    position: float
    momentum: float
    reached: float | None  # for the momentum


FORMS = (
    Form("momentum", "(13), (15)", True, 1e-4, 1e-6, 1e-6),
    Form("acceleration", "(18)", False, 2e-3, 1e-3, 1e-3),
)


class Sample(NamedTuple):
    nominal: MotionSample
    servicer: MotionSample
    servicer_robot: MotionSample
    joints: JointSample


def checks(flight: Flight) -> Iterator[Check]:
    inputs = flight.inputs[: round(DURATION / HOLD)]
    arm_only = [held._replace(push=NO_WRENCH, thrust=NO_WRENCH, contact=NO_WRENCH) for held in inputs]
    truth = list(Coupled(flight).run(inputs, SAMPLING))
    for form in FORMS:
        coarse, fine = (
            list(sampled_loop(flight, inputs, form.momentum_form, period))
            for period in (MILLISECOND, MILLISECOND // 2)
        )
        yield from error_checks(form, coarse, fine, truth)
        drift = momentum_drift(flight, sampled_loop(flight, arm_only, form.momentum_form, MILLISECOND))
        what = f"momentum of base and moving arm, {form.name} form, sampled at 1 ms, 20 s, relative change"
        row = f"sampled.{form.name}.drift"
        yield Check(row, form.source, what, drift, form.momentum, "-", reached=form.reached)
    leading = sampled_loop(flight, inputs, True, MILLISECOND, lead=0.5e-9 * MILLISECOND)
    what = "joint error of the sampled loop, momentum form, 1 ms, 20 s, with half a cycle of lead"
    yield Check("sampled.lead.joints", "(22)", what, joint_error_against(truth, leading), 1e-3, "rad")
    blind_loop = sampled_loop(flight, inputs, False, MILLISECOND, with_acceleration=False)
    blind = position_error_against(truth, blind_loop)
    what = "position error of the sampled loop, acceleration form with ddq left out, 20 s"
    yield Check("sampled.omission.ddq", "(18)", what, blind, 1e-2, "m", ">=")


def error_checks(
    form: Form, coarse: Sequence[Sample], fine: Sequence[Sample], truth: Sequence[Snapshot]
) -> Iterator[Check]:
    matching = Worst()
    for sample in coarse:
        matching.add(sample.nominal.pose * sample.servicer_robot.pose, sample.servicer.pose)
    name, source, loop = f"sampled.{form.name}", form.source, f"sampled loop, {form.name} form, 1 ms, 20 s"
    what = f"g_n g_s against g_b in the {loop}"
    yield from matching.checks(f"{name}.matching", source, what, (1e-9, 1e-10))
    error, error_fine = (position_error_against(truth, run) for run in (coarse, fine))
    reached = None if form.momentum_form else 3e-4
    what = f"position error of the {loop}"
    yield Check(f"{name}.position", source, what, error, form.position, "m", reached=reached)
    what = f"joint error of the {loop}: weight held over a step bends the soft wrist"
    yield Check(f"{name}.joints", "(22)", what, joint_error_against(truth, coarse), 2e-2, "rad")
    what = f"order of the position error, {form.name} form, difference from 1, steps of 1 and 0.5 ms"
    yield Check(f"{name}.order", source, what, abs(order(error, error_fine) - 1.0), 0.1, "-")


def sampled_loop(
    flight: Flight,
    inputs: Sequence[Inputs],
    momentum_form: bool,
    period: int,
    with_acceleration: bool = True,
    lead: float = 0.0,
) -> Iterator[Sample]:
    """A sample every 0.1 s, from the start on."""
    client, base, dt = flight.client_start, flight.servicer_start, 1e-9 * period
    nominal = UnforcedNominal(flight.client, client.pose, client.twist)
    servicer = ServicerDynamics(flight.servicer, momentum_form)
    feed_forward = ArmFeedForward(flight.servicer, flight.calibration, GRAVITY, lead=lead)
    arm = GroundArm(flight.servicer, flight.calibration, GRAVITY)
    motion, joints = nominal.initial_state(), JointSample.of(POSTURES[0], np.zeros(7))
    state = servicer.initial_state(base.pose, base.twist, joints, client)
    for stamp in range(0, len(inputs) * HOLD_NS, period):
        _, thrust, contact, posture = inputs[stamp // HOLD_NS]
        motion, points = nominal.step(motion, stamp, period)
        seen = joints if with_acceleration else JointSample.of(joints.position, joints.velocity)
        state, matched = servicer.step(state, thrust, contact, seen, points, dt)
        orbit, laboratory = matched.simulated.start, matched.commanded.start
        if stamp % (SAMPLING * HOLD_NS) == 0:
            yield Sample(points.start, orbit, laboratory, joints)
        torque = flight.torque(posture, joints.position, joints.velocity)
        commanded = feed_forward.step(torque, joints, laboratory, orbit).total
        joints = arm.step(laboratory, matched.commanded.end, joints, commanded, contact, dt)


def position_error_against(truth: Sequence[Snapshot], samples: Iterator[Sample] | Sequence[Sample]) -> float:
    worst = Worst()
    for sample, now in zip(samples, truth):
        worst.add(sample.servicer.pose, now.servicer.pose)
    return worst.position


def joint_error_against(truth: Sequence[Snapshot], samples: Iterator[Sample] | Sequence[Sample]) -> float:
    return largest(*[sample.joints.position - now.arm.position for sample, now in zip(samples, truth)])


def momentum_drift(flight: Flight, samples: Iterator[Sample]) -> float:
    """Largest change of the momentum in the inertial frame, relative to its start."""
    momenta = np.array([momentum(flight, sample).vector for sample in samples])
    return largest(momenta - momenta[0]) / largest(momenta[0])


def momentum(flight: Flight, sample: Sample) -> pin.Force:
    joints, base = sample.joints, sample.servicer
    return base.pose.act(flight.servicer.momentum_in_base(joints.position, base.twist, joints.velocity))
