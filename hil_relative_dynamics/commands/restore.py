"""A run that did not come to its end: what its recording still tells."""
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hil_relative_dynamics.commands.terminal import bar
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.conclude import conclude
from hil_relative_dynamics.evidence.run import SCENARIO, SUMMARY, Run, RunError
from hil_relative_dynamics.scenario import Scenario, load_mission


def restore(folder: Path) -> Run:
    """Mends the recording, works out what it holds and writes a summary that says so. Raises RunError or BagError."""
    try:
        from hil_relative_dynamics.bag.reader import Bag, BagError, find_bag
        from hil_relative_dynamics.bag.repair import repair
    except ImportError as error:
        raise RunError(f"{folder} holds no {SUMMARY}, and its recording cannot be read here: {error}") from None
    try:
        path = find_bag(folder)
    except BagError as error:
        raise RunError(f"{folder} holds no {SUMMARY}, and nothing to make one of: {error}") from None
    mended = repair(path)
    bag = Bag(path)
    scenario = _scenario(folder, bag.attachments.get(SCENARIO), bag.facts.get("scenario"))
    try:
        from hil_relative_dynamics.ros.replay import Replay
    except ImportError as error:
        told = f" ({mended})" if mended else ""
        raise RunError(f"the messages of {path} can be read only where ROS 2 is: {error}{told}") from None
    with bar("reading the recording"):
        replay = Replay(bag, scenario)
    until = _until(replay.recording)
    if not until:
        raise RunError(f"{path} broke off before the run began: it holds no signals")
    notes = [mended] if mended else []
    if replay.thinned:
        notes.append("criteria are not judged: in real time the recording holds some signals only every 20 ms")
    if bag.damaged:
        notes.append(f"{len(bag.damaged)} pieces of {path.name} are damaged and were left out")
    notes += [f"{topic}: {count} messages do not fit the scenario" for topic, count in replay.refused.items()]
    facts = {
        "mode": bag.facts.get("mode", ""),
        "interrupted": True,
        "ended": f"The run has no summary of its own: its process ended before the run did, at {until:.1f} s of"
        f" {1e-9 * scenario.duration_ns:g} s. All that is here comes from its recording.",
        "simulated_s": until,
        "recording": {
            "messages": sum(bag.counts().values()),
            "topics": len(bag.channels),
            "lost": bag.lost,
            "error": "",
            "mended": mended,
        },
        "notes": notes,
        "recorded_with": {
            key.removeprefix("version "): text for key, text in bag.facts.items() if key.startswith("version ")
        },
    }
    with bar("comparing with the orbit") as progress:
        run = conclude(folder, scenario, replay.recording, facts, progress, judged=not replay.thinned)
    return replace(run, notes=notes)


def _scenario(folder: Path, attached: bytes | None, name: str | None) -> Scenario:
    """As it was resolved for the run, from its folder or from the recording itself; under its own name."""
    path = folder / SCENARIO
    if not path.exists():
        if attached is None:
            raise RunError(f"{folder} holds no {SCENARIO}, nor does its recording: it is not one of ours")
        path.write_bytes(attached)
    scenario = load_mission(str(path), [])
    if not isinstance(scenario, Scenario):
        raise RunError(f"{folder} is of a {scenario.mission} mission, which leaves no recording: run it again")
    return replace(scenario, file=folder / f"{name or path.stem}.yaml")


def _until(recording: Recording) -> float:
    """[s]"""
    return max((float(recording.times(name)[-1]) for name in recording.signals), default=0.0)


