"""The facility without faults: robots where they were told to be, contact that creates no momentum."""
from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.scenario import load
from hil_relative_dynamics.spatial import MotionSample

TOUCH = "[{on: contact, start_s: 0.1, duration_s: 0.2, force_N: [5, -3, 14], torque_N_m: [0.5, -1, 0.3]}]"


def touched(*overrides: str) -> tuple[World, Recording]:
    own = [f"external_wrenches={TOUCH}", "duration_s=0.5", "client.angular_velocity_deg_s=[1,-5,2]"]
    scenario = load("envisat_unforced", [*own, *overrides])
    return World(scenario), run(assemble(scenario), scenario.duration_ns)


def total_momentum(world: World, recording: Recording) -> np.ndarray:
    """Of client, base and arm, in the world, at every tick of the dynamics."""
    stamps = recording.stamps(signals.CLIENT_SIMULATED)
    joints = recording[signals.ARM_JOINTS][np.searchsorted(recording.stamps(signals.ARM_JOINTS), stamps)]
    rows = []
    for client, base, (q, dq, _) in zip(
        recording[signals.CLIENT_SIMULATED], recording[signals.SERVICER_SIMULATED], joints
    ):
        a, b = MotionSample(client[0]), MotionSample(base[0])
        servicer = b.pose.act(world.servicer.momentum_in_base(q, b.twist, dq))
        rows.append((world.client.momentum(a.pose, a.twist) + servicer).vector)
    return np.array(rows)


@pytest.mark.parametrize("dynamics", [1, 4])
def test_contact_moves_momentum_from_one_body_to_the_other_and_creates_none(dynamics: int) -> None:
    world, recording = touched(f"rates_ms={{arm: 1, dynamics: {dynamics}}}")
    first, *_, last = map(MotionSample, recording[signals.CLIENT_SIMULATED][:, 0])
    before, after = (world.client.momentum(point.pose, point.twist).vector for point in (first, last))
    exchanged = np.abs(after - before)
    assert exchanged[:3].max() > 2.0 and exchanged[3:].max() > 5.0  # 15 N for 0.2 s, 2.5 m from the CoM
    # The client holds the wrench where the tip was at the start of a step, the arm carries it along: half a
    # step times 15 N times the metre and a half that the free arm gives way.
    total = total_momentum(world, recording)
    np.testing.assert_allclose(total - total[0], 0.0, atol=0.5e-3 * dynamics * 15.0 * 1.5)


def test_the_wrenches_of_contact_cancel_in_the_world_at_every_instant() -> None:
    world, recording = touched()
    during = np.flatnonzero(np.any(recording[signals.CLIENT_WRENCH], axis=1))
    assert list(recording.stamps(signals.CLIENT_WRENCH)[during[[0, -1]]]) == [100_000_000, 299_000_000]
    for k in during[::20]:
        client = MotionSample(recording[signals.CLIENT_MEASURED][k]).pose
        base = MotionSample(recording[signals.SERVICER_MEASURED][k]).pose
        tip = base * world.servicer.end_effector_in_base(recording[signals.ARM_JOINTS][k, 0])
        on_client = client.act(pin.Force(recording[signals.CLIENT_WRENCH][k]))
        on_arm = tip.act(pin.Force(recording[signals.END_EFFECTOR_WRENCH][k]))
        np.testing.assert_allclose((on_client + on_arm).vector, 0.0, atol=1e-12)


@pytest.mark.parametrize("dynamics", [1, 4])
def test_robots_are_where_they_were_told_to_be_one_step_ago(dynamics: int) -> None:
    _, recording = touched(f"rates_ms={{arm: 1, dynamics: {dynamics}}}")
    for body in ("client", "servicer"):
        told, measured = recording[f"{body}/commanded"], recording[f"{body}/measured"]
        np.testing.assert_array_equal(measured[dynamics::dynamics], told[: len(told) - 1, 1])


def test_motion_between_the_points_of_a_slow_robot_is_smooth() -> None:
    _, slow = touched("rates_ms={arm: 1, dynamics: 4}")
    position, times = slow[signals.SERVICER_MEASURED][:, :3], slow.times(signals.SERVICER_MEASURED)
    velocity = np.diff(position, axis=0) / np.diff(times)[:, None]
    # jumps of the velocity between neighbouring milliseconds: those of the acceleration, not of the cycle
    assert np.abs(np.diff(velocity, axis=0)).max() < 1e-4
