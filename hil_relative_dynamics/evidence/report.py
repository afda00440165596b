"""report.html: what a run was, what it showed and whether it passed, in one file for someone who was not there."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from hil_relative_dynamics.evidence.figures import drawn
from hil_relative_dynamics.evidence.report_page import (
    bullets,
    escape,
    folded,
    image,
    links,
    number,
    page,
    paragraph,
    section,
    table,
    tiles,
)
from hil_relative_dynamics.evidence.run import SCENARIO, Run

REPORT = "report.html"


def write_report(run: Run) -> Path:
    """Into the run's folder, with the figures that are there."""
    summary = run.summary
    figures = drawn(run.folder)
    anchors = {"criteria": "Criteria", "events": "Events", **{Path(name).stem: figures[name] for name in figures}}
    anchors |= {"loop": "Loop", "recording": "Recording", "provenance": "Provenance"}
    parts = {
        "criteria": section("criteria", "Criteria", _criteria(summary), _others(summary)),
        "events": section("events", "Events", bullets(_events(run))),
        "figures": section("figures", "Figures", *(image(run.folder / name, title) for name, title in figures.items())),
        "loop": section("loop", "Loop", _loop(summary)),
        "recording": section("recording", "Recording", _recording(summary)),
        "provenance": section("provenance", "Provenance", _provenance(run)),
    }
    gone = {key for key, text in parts.items() if not text}
    menu = links({key: name for key, name in anchors.items() if key not in gone})
    text = page(f"{summary['scenario']}: {verdict(summary)}", (_head(run), menu, *parts.values()))
    path = run.folder / REPORT
    path.write_text(text, encoding="utf-8")
    return path


def verdict(summary: dict[str, Any]) -> str:
    return "passed" if summary.get("passed") else "not passed"


def reasons(summary: dict[str, Any]) -> list[str]:
    """Why a run did not pass."""
    found = [str(summary["ended"])] if summary.get("ended") else []
    if summary.get("interrupted") and not found:
        found.append(f"It was interrupted at {number(summary.get('simulated_s', 0.0))} s.")
    if summary.get("safety"):
        found.append(f"The safety supervisor stopped it: {summary['safety']}")
    if str(summary.get("onboard", "")).startswith("abort"):
        found.append(f"The on-board software gave up: {summary['onboard']}.")
    failed = [judged["criterion"] for judged in summary.get("criteria", ()) if not judged["ok"]]
    if failed:
        found.append(f"Criteria that were not met: {', '.join(failed)}.")
    return found


def _head(run: Run) -> str:
    summary = run.summary
    good = bool(summary.get("passed"))
    told = {
        "simulated time": f"{number(summary.get('simulated_s', 0.0))} s",
        "mode": str(summary.get("mode", "")),
        "criteria met": f"{sum(judged['ok'] for judged in summary['criteria'])} of {len(summary['criteria'])}",
    }
    if "real_time_factor" in summary:
        told["times real time"] = number(summary["real_time_factor"], 3)
    if "deadline_misses" in summary:
        told["deadlines missed"] = f"{summary['deadline_misses']} of {summary['ticks']}"
    if summary.get("onboard"):
        told["on-board software"] = str(summary["onboard"])
    if "recording" in summary:
        told["messages recorded"] = str(summary["recording"]["messages"])
    return (
        f"<h1>{escape(str(summary['scenario']))} "
        f'<span class="verdict {"good" if good else "bad"}">{verdict(summary)}</span></h1>'
        + paragraph(str(summary.get("description", "")), "soft")
        + bullets(reasons(summary))
        + bullets(run.notes)
        + tiles(told)
    )


def _criteria(summary: dict[str, Any]) -> str:
    if not summary["criteria"]:
        return paragraph("No criteria were judged.", "soft")
    rows = [(entry["criterion"], _shown(entry["value"]), entry["limit"], entry["ok"]) for entry in summary["criteria"]]
    return table(("criterion", "largest", "limit", ""), rows)


def _shown(value: Any) -> Any:
    return "not a number" if value is None else value


def _others(summary: dict[str, Any]) -> str:
    judged = {entry["criterion"] for entry in summary["criteria"]}
    rows = [(name, _shown(value)) for name, value in summary.get("largest", {}).items() if name not in judged]
    return table(("measured, without a limit", "value"), rows)


def _events(run: Run) -> list[str]:
    return [str(event) for event in run.summary.get("events", ())]


def _loop(summary: dict[str, Any]) -> str:
    if "nodes" not in summary:
        return ""
    facts = {
        "ticks": summary["ticks"],
        "tick period": f"{1e3 * summary['tick_period_s']:g} ms",
        "start to first tick": f"{summary['time_to_first_tick_s']:.2f} s",
    }
    if "deadline_misses" in summary:
        facts["deadlines missed (more than a period late)"] = summary["deadline_misses"]
        for name, value in summary["lateness_s"].items():
            facts[f"lateness, {name}"] = f"{1e3 * value:.3f} ms"
    rows = [
        (
            name,
            node["runs"],
            1e3 * node["longest_period_s"],
            node["late"],
            1e3 * node["oldest_input_s"],
            node["rejected_messages"],
            node["ticks_made_up"],
        )
        for name, node in summary["nodes"].items()
    ]
    columns = ("node", "runs", "longest period [ms]", "over two periods", "oldest input [ms]", "refused", "made up")
    loop = table(("", ""), [(name, str(value)) for name, value in facts.items()])
    return loop + "<h3>Nodes</h3>" + table(columns, rows)


def _recording(summary: dict[str, Any]) -> str:
    facts = summary.get("recording")
    if not facts:
        return ""
    sentences = [f"{facts['messages']} messages on {facts['topics']} topics, in recording/ (rosbag2, MCAP)."]
    if facts.get("error"):
        sentences.append(f"It is not complete: {facts['error']}.")
    if facts.get("mended"):
        sentences.append(f"{facts['mended']}.")
    lost = facts.get("lost") or {}
    sentences.append(f"{sum(lost.values())} messages were lost." if lost else "No message was lost.")
    return bullets(sentences) + table(("topic", "messages lost"), lost.items())


def _provenance(run: Run) -> str:
    summary = run.summary
    rows = [
        ("run folder", run.name),
        ("configuration hash", summary["configuration_hash"]),
        ("seed", str(summary["seed"])),
        *(summary.get("recorded_with") or summary.get("versions", {})).items(),
    ]
    text = (run.folder / SCENARIO).read_text(encoding="utf-8")
    whole = folded("The scenario with every value that was used", f"<pre>{escape(text)}</pre>")
    return table(("", ""), rows) + whole
