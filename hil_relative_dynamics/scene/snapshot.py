"""What a run is at one instant, as far as it can be seen."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.onboard.phases import Phase

#: without these there is nothing to see
NEEDED = (signals.NOMINAL, signals.CLIENT_ABSOLUTE, signals.SERVICER_ABSOLUTE, signals.ARM_JOINTS)
#: with robots
JOINTS = (signals.CLIENT_ROBOT_JOINTS, signals.SERVICER_ROBOT_JOINTS)
#: shown where they are
WELCOME = (
    signals.CLIENT_SIMULATED,
    signals.SERVICER_SIMULATED,
    signals.CLIENT_WRENCH,
    signals.SERVICER_THRUST,
    signals.SAFETY,
    signals.ONBOARD_STATUS,
)

#: from here on the client has left its nominal motion [m, rad]
APART = 0.1


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Poses are absolute, in the orbit's inertial frame; wrenches act on the body and are in its frame."""

    time: float  # [s]
    nominal: pin.SE3
    client: pin.SE3
    servicer: pin.SE3
    arm: np.ndarray
    robots: tuple[np.ndarray, np.ndarray] | None = None  # joints of the client's and of the servicer's
    simulated: tuple[pin.SE3, pin.SE3] | None = None
    twists: tuple[pin.Motion, pin.Motion] = field(default_factory=lambda: (pin.Motion.Zero(), pin.Motion.Zero()))
    wrench_client: pin.Force = field(default_factory=pin.Force.Zero)
    thrust: pin.Force = field(default_factory=pin.Force.Zero)
    phase: str = ""
    alert: str = ""  # why the robots are stopped or the mission was given up

    @property
    def left_nominal(self) -> bool:
        """Whether the client is somewhere else than it would be nominally, as far as an eye can tell."""
        return float(np.linalg.norm(pin.log6(self.nominal.actInv(self.client)).vector)) > APART

    @property
    def client_in_servicer(self) -> pin.SE3:
        return self.servicer.actInv(self.client)

    @property
    def relative_error(self) -> tuple[float, float]:
        """How far the client, seen from the servicer, is from where the simulation has it: [m] and [rad]."""
        if self.simulated is None:
            return np.nan, np.nan
        client, servicer = self.simulated
        off = servicer.actInv(client).actInv(self.client_in_servicer)
        return float(np.linalg.norm(off.translation)), float(np.linalg.norm(pin.log3(off.rotation)))

    @property
    def relative_rate(self) -> float:
        """Angular rate of the client relative to the servicer [rad/s]."""
        client, servicer = self.twists
        return float(np.linalg.norm(client.angular - self.client_in_servicer.rotation.T @ servicer.angular))


def snapshot(time: float, rows: Mapping[str, np.ndarray], phase: str = "", alert: str = "") -> Snapshot:
    """From the numbers of the signals, as recordings have them; KeyError without one that is needed."""
    client, servicer = rows[signals.CLIENT_ABSOLUTE], rows[signals.SERVICER_ABSOLUTE]
    robots = tuple(rows[name][0] for name in JOINTS) if all(name in rows for name in JOINTS) else None
    simulated = None
    if signals.CLIENT_SIMULATED in rows and signals.SERVICER_SIMULATED in rows:
        simulated = _pose(rows[signals.CLIENT_SIMULATED][0]), _pose(rows[signals.SERVICER_SIMULATED][0])
    return Snapshot(
        time,
        _pose(rows[signals.NOMINAL][0]),
        _pose(client),
        _pose(servicer),
        rows[signals.ARM_JOINTS][0],
        robots,  # type: ignore[arg-type]
        simulated,
        (pin.Motion(client[7:13]), pin.Motion(servicer[7:13])),
        _force(rows, signals.CLIENT_WRENCH),
        _force(rows, signals.SERVICER_THRUST),
        phase or phase_of(rows),
        alert,
    )


def phase_of(rows: Mapping[str, np.ndarray]) -> str:
    """Name of the on-board software's phase; empty where it has none."""
    status = rows.get(signals.ONBOARD_STATUS)
    return "" if status is None else list(Phase)[int(status[0])].value


def _pose(row: np.ndarray) -> pin.SE3:
    return pin.XYZQUATToSE3(row[:7])


def _force(rows: Mapping[str, np.ndarray], signal: str) -> pin.Force:
    return pin.Force(rows[signal]) if signal in rows else pin.Force.Zero()
