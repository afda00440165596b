"""The published capture of Envisat on simulated robots: phases, contact, momentum, stability, and what must fail.

Robots with their lag and delay, sensors with their noise, friction in the arm. What was published stands in the notes;
`reached` holds published numbers where a row has one to compare with.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import degrees, isnan, nan
from typing import Any

import numpy as np

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.assemble import World, assemble
from hil_relative_dynamics.engine.offline import run
from hil_relative_dynamics.engine.recording import Recorder, Recording
from hil_relative_dynamics.engine.table import TickTable
from hil_relative_dynamics.evidence import validate_facility
from hil_relative_dynamics.evidence.capture import RECORDED, CaptureStory
from hil_relative_dynamics.evidence.validate_tools import largest
from hil_relative_dynamics.evidence.validation import Check, Progress
from hil_relative_dynamics.onboard.phases import Phase
from hil_relative_dynamics.scenario import load

SCENARIO = "envisat_capture"
ABSOLUTE = "envisat_absolute"
SEEDS = range(20)

LONG_ENOUGH = "duration_s=48"
HELD_FOR_A_WHILE = "duration_s=40"
WITHOUT_ERRORS = "facility.imperfections=false"
PAPER_FORM = "servicer.base_row=acceleration"
FAST = "client.angular_velocity_deg_s=[0,-10,0]"


def checks(progress: Progress) -> Iterator[Check]:
    progress("1/6 the capture, 60 s")
    captured = Run(SCENARIO)
    yield from timeline(captured.story)
    yield from contact(captured.story)
    yield from stability(captured.story)
    progress("2/6 the capture without errors of the devices, base row in momentum form and as printed")
    yield from momentum(Run(SCENARIO, WITHOUT_ERRORS, HELD_FOR_A_WHILE), "momentum")
    yield from momentum(Run(SCENARIO, WITHOUT_ERRORS, HELD_FOR_A_WHILE, PAPER_FORM), "acceleration")
    progress("3/6 the absolute formulation")
    yield from absolute(Run(ABSOLUTE))
    progress("4/6 a target too fast: 10 deg/s")
    yield from too_fast(Run(SCENARIO, FAST, "duration_s=10"), "robots")
    # ideal sensors: a star tracker that never speaks at such a rate would keep the software from starting at all
    yield from too_fast(Run(SCENARIO, FAST, "facility.kind=none", "sensors.ideal=true", "duration_s=32"), "orbit")
    progress("5/6 unforced motion against MuJoCo")
    yield from unforced()
    yield from seeds(SEEDS, lambda seed: progress(f"6/6 seed {seed}, of {len(SEEDS)}"))


class _Enough(Exception):
    """All that was wanted of a run has happened."""


class _LastWords(Recorder):
    """Keeps what supervisor, on-board software and gripper told last, sentences included."""

    def __init__(self, table: TickTable, duration: int, names: Sequence[str]) -> None:
        super().__init__(table, duration, names)
        self.last: dict[str, Any] = {}
        self._over = 0

    def track(self, signal: str) -> Callable[[Any], None] | None:
        record = super().track(signal)
        if record is None or signal not in (signals.SAFETY, signals.ONBOARD_STATUS, signals.GRIPPER_STATE):
            return record

        def keep(value: Any) -> None:
            self.last[signal] = value
            record(value)

        return keep

    def latched(self, stamp: int) -> None:
        """Ends a run half a second after the gripper has latched, or at once when it was stopped or given up."""
        status, safety = self.last[signals.ONBOARD_STATUS], self.last[signals.SAFETY]
        if self.last[signals.GRIPPER_STATE][1] < 0.5:
            self._over = stamp + round(0.5e9)
        if stamp >= self._over or status.phase is Phase.ABORT or not safety.enabled:
            raise _Enough


class Run:
    """A run offline of one of the package's scenarios; `until_latched`: not on to its end."""

    def __init__(self, name: str, *overrides: str, until_latched: bool = False) -> None:
        scenario = load(name, list(overrides))
        table = assemble(scenario)
        self.world = World(scenario)
        names = [name for name in (*RECORDED, signals.SAFETY) if name in table.producers]
        recorder = _LastWords(table, scenario.duration_ns, names)
        with suppress(_Enough):
            run(table, scenario.duration_ns, recorder, recorder.latched if until_latched else None)
        self.recording: Recording = recorder.recording()
        self._last = recorder.last

    @property
    def story(self) -> CaptureStory:
        return CaptureStory(self.world, self.recording)

    @property
    def stopped(self) -> float:
        """By the supervisor [s]; NaN: not."""
        if signals.SAFETY not in self.recording:
            return nan
        enabled = self.recording[signals.SAFETY][:, 0] > 0.5
        return nan if enabled.all() else float(self.recording.times(signals.SAFETY)[np.argmin(enabled)])

    @property
    def sentence(self) -> str:
        """Of the supervisor, or else of the on-board software: why it ended early. Empty if it did not."""
        if not isnan(self.stopped):
            return str(self._last[signals.SAFETY].sentence)
        status = self._last.get(signals.ONBOARD_STATUS)
        return status.reason if status is not None and status.phase is Phase.ABORT else ""


def timeline(story: CaptureStory) -> Iterator[Check]:
    what = "base at its station (1 cm, 0.5 deg) by the software's measure, and staying there until the approach"
    published = "published: synchronisation from 0 to 9 s"
    yield Check("capture.synchronised", "Fig. 12", what, story.synchronised, 9.0, "s", reached=9.0, note=published)
    what = "true distance of the base from its station when the approach begins: what navigation leaves"
    yield Check("capture.station", "(23)", what, story.true_station_error()[0], 0.02, "m")
    what, published = "beginning of the approach, difference from 9.1 s", "published: 9.1 s"
    yield Check("capture.approach", "Fig. 12", what, abs(story.began(Phase.APPROACH) - 9.1), 0.1, "s", note=published)
    what, published = "grasp, difference from 32.6 s", "published: 32.6 s"
    yield Check("capture.grasp", "Fig. 12", what, abs(story.began(Phase.GRASP) - 32.6), 1.0, "s", note=published)
    what = "gripper latched after the grasp was triggered"
    yield Check("capture.latch", "Fig. 11", what, story.latched - story.began(Phase.GRASP), 2.4, "s", reached=2.4)
    what, published = "relative rate on any axis from 15 s to the grasp", "published: about 0.2 deg/s"
    value = degrees(story.largest_rate())
    yield Check("capture.rate", "Fig. 13", what, value, 0.2, "deg/s", reached=0.2, note=published)


def contact(story: CaptureStory) -> Iterator[Check]:
    what = "largest force of contact"
    yield Check("capture.contact", "(11), (18)", what, story.largest_contact, 50.0, "N")
    before, after = story.speeds()
    what = "speed of gripper against client from 5 s after the latch, over that before it"
    yield Check("capture.decay", "(28)", what, after / before, 0.2, "-")
    what = "relative rate of servicer and client from 5 s after the latch"
    yield Check("capture.decay.rate", "(28)", what, degrees(story.rates()[1]), 0.2, "deg/s")
    what = "thrusters silent before the latch, for how long"
    yield Check("capture.inhibited", "Fig. 12", what, max(0.0, story.latched - story.inhibited), 0.0, "s")
    for name, value in zip(("client", "servicer"), story.displacements):
        what = f"how far the {name} robot moved in 60 s"
        yield Check(f"capture.displacement.{name}", "(29)", what, value, 0.5, "m")


def stability(story: CaptureStory) -> Iterator[Check]:
    """Section IV: loss-less before the grasp; after it contact brings in nothing, and what is stored does not grow."""
    energy, trigger = story.energy, story.began(Phase.GRASP)
    free = energy.client[energy.times < min(trigger, 32.0)]
    what = "storage function of the client robot until the grasp, relative change"
    yield Check("capture.storage.client", "(25)", what, float(np.ptp(free) / free[0]), 1e-6, "-")
    what = "power of contact in orbit less that in the laboratory"
    yield Check("capture.power", "(27), (28)", what, largest(energy.in_orbit - energy.in_laboratory), 1e-9, "W")
    what = "largest power of contact meanwhile"
    yield Check("capture.power.size", "(28)", what, largest(energy.in_laboratory), 0.1, "W", ">=")
    what = "energy that contact brought into client and servicer, largest at any time"
    yield Check("capture.passive", "(28)", what, float(np.max(energy.brought_in)), 1e-3, "J")
    stored = (energy.client + energy.servicer)[energy.times >= story.latched]
    # the kinetic part only: the arm's springs, which are the software's, may pass energy on to it
    what = "growth of what client and servicer store after the latch, over what they store then"
    growth = float(np.max(stored) / stored[0] - 1.0) if len(stored) else nan
    yield Check("capture.storage.total", "(26)", what, growth, 1e-2, "-")


def momentum(flown: Run, form: str) -> Iterator[Check]:
    """Of client and servicer together, less the thrusters' impulse."""
    story = flown.story
    residual = story.momentum
    printed = form == "acceleration"
    source, how = ("(18)", "as printed, with ddq") if printed else ("(13)", "momentum form")
    before = residual.times < story.began(Phase.GRASP)
    rows = (
        ("linear", residual.linear, "m v of the servicer", 1e-3 if printed else 1e-6),
        ("angular", residual.angular, "that of the client", 1e-3 if printed else 1e-6),
    )
    for name, values, scale, limit in rows:
        what = f"{name} momentum of client and servicer beyond thrust, over {scale}, {how}"
        free = largest(values[before])
        at_first = 1e-3 if printed else 1e-8
        yield Check(f"capture.{form}.{name}.free", source, f"{what}: to the grasp", free, at_first, "-")
        value = nan if isnan(story.latched) else largest(values)
        yield Check(f"capture.{form}.{name}", source, f"{what}: with the hold, 40 s", value, limit, "-")


def absolute(flown: Run) -> Iterator[Check]:
    what = "client robot out of reach in the absolute formulation, difference from 14 s"
    at_client = flown.sentence.startswith("client_robot cannot") and "limit of its workspace" in flown.sentence
    value = abs(flown.stopped - 14.0) if at_client else nan
    note = f"published: 14 s; {flown.sentence}"
    yield Check("capture.absolute", "Sec. II, Fig. 3", what, value, 2.0, "s", note=note)


def too_fast(flown: Run, where: str) -> Iterator[Check]:
    """More centripetal force than the thrusters have: it must be given up, with a reason and without a touch."""
    story = flown.story
    given_up = not isnan(flown.stopped) or story.phases[-1].phase is Phase.ABORT
    clean = given_up and bool(flown.sentence) and isnan(story.began(Phase.GRASP)) and story.largest_contact < 1.0
    by = "robots stop" if where == "robots" else "the software aborts, no robots"
    what = f"target at 10 deg/s not given up cleanly (1: it was not); {by}"
    yield Check(f"capture.fast.{where}", "-", what, float(not clean), 0.0, "-", note=flown.sentence)


def unforced() -> Iterator[Check]:
    """Rows of `hil validate facility`."""
    reference = validate_facility.Reference(validate_facility._scenario())
    rows = validate_facility.as_it_is(validate_facility.Flown(), reference)
    yield from (check for check in rows if check.id.startswith("facility.relative"))


def seeds(chosen: Sequence[int], progress: Callable[[int], None]) -> Iterator[Check]:
    """The same with other noise in every sensor."""
    stories = []
    for seed in chosen:
        progress(seed)
        stories.append(Run(SCENARIO, f"seed={seed}", LONG_ENOUGH, until_latched=True).story)
    missed = [seed for seed, story in zip(chosen, stories) if isnan(story.latched) or not isnan(story.stopped)]
    note = f"missed: {', '.join(map(str, missed))}" if missed else ""
    what = f"of {len(chosen)} seeds, those without a grasp"
    yield Check("capture.seeds", "Fig. 12", what, float(len(missed)), 0.0, "-", note=note)
    what = f"largest force of contact in {len(chosen)} seeds"
    yield Check("capture.seeds.contact", "(11), (18)", what, max(story.largest_contact for story in stories), 50.0, "N")
    what = f"largest relative rate on any axis from 15 s to the grasp in {len(chosen)} seeds"
    worst = float(np.max([story.largest_rate() for story in stories]))
    yield Check("capture.seeds.rate", "Fig. 13", what, degrees(worst), 0.2, "deg/s")
