"""Two runs side by side: what was configured differently, what came out, and curves on top of each other."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import yaml
from matplotlib.axes import Axes

from hil_relative_dynamics.engine import signals
from hil_relative_dynamics.engine.recording import Recording
from hil_relative_dynamics.evidence.figure_style import BLUE, STYLE, VERMILION, at, legend_above, page, relative, thin
from hil_relative_dynamics.evidence.report import verdict
from hil_relative_dynamics.evidence.report_page import image, paragraph, section, table
from hil_relative_dynamics.evidence.report_page import page as html_page
from hil_relative_dynamics.evidence.run import SCENARIO, Run

#: entries of a summary that say what came out, beside `largest`
TOLD = ("passed", "simulated_s", "real_time_factor", "deadline_misses", "onboard", "safety", "mode")
ABSENT = "—"


class Difference(NamedTuple):
    """A value that is not the same in both runs."""

    key: str
    first: Any
    second: Any


def configuration(first: Run, second: Run) -> list[Difference]:
    """Of the resolved scenarios, key by key."""
    texts = [(run.folder / SCENARIO).read_text(encoding="utf-8") for run in (first, second)]
    return _differences(*(dict(_flat(yaml.safe_load(text))) for text in texts))


def numbers(first: Run, second: Run) -> list[Difference]:
    """What came out, whether or not it is the same."""
    a, b = (_numbers(run.summary) for run in (first, second))
    return [Difference(key, a.get(key, ABSENT), b.get(key, ABSENT)) for key in dict.fromkeys((*a, *b))]


def versions(first: Run, second: Run) -> list[Difference]:
    return _differences(first.summary.get("versions", {}), second.summary.get("versions", {}))


def _numbers(summary: dict[str, Any]) -> dict[str, Any]:
    told = {key: summary[key] for key in TOLD if key in summary}
    return told | {key: _shown(value) for key, value in summary.get("largest", {}).items()}


def _shown(value: Any) -> Any:
    return "not a number" if value is None else value


def _differences(a: dict[str, Any], b: dict[str, Any]) -> list[Difference]:
    return [
        Difference(key, a.get(key, ABSENT), b.get(key, ABSENT))
        for key in dict.fromkeys((*a, *b))
        if a.get(key, ABSENT) != b.get(key, ABSENT)
    ]


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Lists of numbers stay together."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(inner, (dict, list)) for inner in value):
        for index, inner in enumerate(value):
            yield from _flat(inner, f"{key}.{index}")
    else:
        yield key, value


def _relative_position(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    times, servicer = thin(recording, signals.SERVICER_ABSOLUTE)
    return times, relative(at(recording, signals.CLIENT_ABSOLUTE, times), servicer)[0]


def _distance(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    times, places = _relative_position(recording)
    return times, np.linalg.norm(places, axis=1)


def _way(signal: str) -> Callable[[Recording], tuple[np.ndarray, np.ndarray]]:
    def way(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
        times, samples = thin(recording, signal)
        return times, np.linalg.norm(samples[:, :3] - samples[0, :3], axis=1)

    return way


def _size(signal: str) -> Callable[[Recording], tuple[np.ndarray, np.ndarray]]:
    def size(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
        times, wrench = thin(recording, signal)
        return times, np.linalg.norm(wrench[:, :3], axis=1)

    return size


#: title, unit, curve, the signals it needs
CURVES: tuple[tuple[str, str, Callable[[Recording], tuple[np.ndarray, np.ndarray]], tuple[str, ...]], ...] = (
    ("Servicer from client", "distance [m]", _distance, (signals.SERVICER_ABSOLUTE, signals.CLIENT_ABSOLUTE)),
    ("Way of the client's robot", "way [m]", _way(signals.CLIENT_MEASURED), (signals.CLIENT_MEASURED,)),
    ("Way of the servicer's robot", "way [m]", _way(signals.SERVICER_MEASURED), (signals.SERVICER_MEASURED,)),
    ("Force on the client", "force [N]", _size(signals.CLIENT_WRENCH), (signals.CLIENT_WRENCH,)),
    ("Thrust", "force [N]", _size(signals.SERVICER_THRUST), (signals.SERVICER_THRUST,)),
)


def overlay(path: Path, first: Run, second: Run) -> bool:
    """Draws the curves that both runs have; False if there is none."""
    curves = [
        (title, unit, curve)
        for title, unit, curve, needed in CURVES
        if all(name in run.signals for name in needed for run in (first, second))
    ]
    if not curves:
        return False
    with plt.rc_context(STYLE), np.errstate(all="ignore"):
        figure, axes = page(len(curves), height=2.0)
        for axis, (title, unit, curve) in zip(axes[:, 0], curves):
            _draw(axis, curve, first, second)
            axis.set_title(title)
            axis.set_ylabel(unit)
        axes[-1, 0].set_xlabel("time [s]")
        figure.savefig(path)
        plt.close(figure)
    return True


def _draw(axis: Axes, curve: Callable[[Recording], tuple[np.ndarray, np.ndarray]], first: Run, second: Run) -> None:
    axis.plot(*curve(first.signals), color=BLUE, label=first.name)
    axis.plot(*curve(second.signals), "--", color=VERMILION, linewidth=1.0, label=second.name)
    legend_above(axis)


def write_comparison(folder: Path, first: Run, second: Run) -> Path:
    """compare.html and compare.png."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = ("", first.name, second.name)
    changed = configuration(first, second)
    told = [paragraph(f"{run.name}: {run.summary['scenario']}, {verdict(run.summary)}") for run in (first, second)]
    figure = folder / "compare.png"
    curves = image(figure, "Curves of both") if overlay(figure, first, second) else ""
    parts = (
        "<h1>Two runs compared</h1>",
        *told,
        section("configuration", "What was configured differently", table(columns, map(_texts, changed)))
        or paragraph("Both ran the same configuration."),
        section("numbers", "What came out", table(columns, numbers(first, second))),
        section("figures", "On top of each other", curves),
        section("versions", "Versions that differ", table(columns, versions(first, second))),
    )
    path = folder / "compare.html"
    path.write_text(html_page(f"{first.name} and {second.name}", parts), encoding="utf-8")
    return path


def _texts(difference: Difference) -> tuple[str, str, str]:
    return difference.key, str(difference.first), str(difference.second)
