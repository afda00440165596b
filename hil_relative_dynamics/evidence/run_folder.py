"""What a run leaves on disk."""
from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from hil_relative_dynamics import __version__
from hil_relative_dynamics.scenario import Mission, configuration_hash, to_yaml


@dataclass(frozen=True)
class Verdict:
    """One criterion of the scenario, judged."""

    criterion: str
    value: float
    limit: float
    ok: bool


def judge(scenario: Mission, largest: dict[str, float]) -> list[Verdict]:
    """Every criterion of the scenario against what was measured; NaN never passes."""
    return [
        Verdict(name, largest[name], limit, bool(largest[name] <= limit))
        for name, limit in scenario.limits.items()
    ]


@contextmanager
def run_folder(scenario: Mission, root: Path) -> Iterator[Path]:
    """A folder for what is about to run: a bad place shows before. What stays empty is removed."""
    folder = new_folder(scenario, root)
    try:
        yield folder
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def new_folder(scenario: Mission, root: Path) -> Path:
    """`<root>/<scenario>-<time>`, made; a second run within one second gets a number."""
    stem = f"{scenario.name}-{datetime.now():%Y%m%d-%H%M%S}"
    for name in [stem, *(f"{stem}-{number}" for number in range(2, 100))]:
        folder = root / name
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise RuntimeError(f"the run's folder cannot be made in {root}: {error.strerror}") from None
        return folder
    raise RuntimeError(f"{root / stem} and 98 more of that name exist already")


def write_summary(
    folder: Path, scenario: Mission, verdicts: list[Verdict], facts: dict[str, Any]
) -> dict[str, Any]:
    """`scenario.yaml` (resolved: it runs again as it is) and `summary.json`."""
    (folder / "scenario.yaml").write_text(to_yaml(scenario), encoding="utf-8")
    summary = {
        "scenario": scenario.name,
        "description": scenario.description,
        "passed": all(verdict.ok for verdict in verdicts)
        and not facts.get("interrupted", False)
        and not facts.get("safety")  # a stop has its sentence here
        and not str(facts.get("onboard", "")).startswith("abort"),
        "criteria": [asdict(verdict) for verdict in verdicts],
        **facts,
        "seed": scenario.seed,
        "configuration_hash": configuration_hash(scenario),
        "versions": versions(),
    }
    text = json.dumps(_without_nan(summary), indent=2, allow_nan=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
    return summary


def _without_nan(value: Any) -> Any:
    """JSON has no NaN: null stands for a number that is not one."""
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def versions() -> dict[str, str]:
    """Of everything that has a part in the numbers."""
    found = {
        "hil_relative_dynamics": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    for package in ("pin", "numpy", "scipy"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # pinocchio from a ROS 2 installation has no such record
            continue
    return found
