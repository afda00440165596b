"""Write docs/scenarios.md from the schema: every key of a scenario file, with unit, default and meaning.

    python tools/scenario_reference.py
"""
from __future__ import annotations

import sys
from dataclasses import MISSING, Field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scenarios.md"
sys.path.insert(0, str(ROOT))

from hil_relative_dynamics.scenario.bodies import RPY  # noqa: E402
from hil_relative_dynamics.scenario.document import dump  # noqa: E402
from hil_relative_dynamics.scenario.missions import MISSIONS  # noqa: E402
from hil_relative_dynamics.scenario.reader import Kind, ListOf, Part, Section, entries  # noqa: E402
from hil_relative_dynamics.scenario.values import LONGEST_S, FileName  # noqa: E402

#: said once, at the top of the page
LONG_TIME = f", a whole number of nanoseconds and at most {LONGEST_S} s"
HEAD = """\
# Scenario files

<!-- Written by tools/scenario_reference.py from the schema: change that and run it again. -->

One YAML file says what happens. `hil list` names the scenarios that come with the package (they are in
`config/scenarios/`), `hil run path/to/mine.yaml` runs your own, and `--set key=value` changes one value of
either: `--set client.mass_kg=5000`, `--set 'external_wrenches.0.force_N=[5, 0, 0]'`. Every run writes the
scenario as it was run, with every default filled in, to `scenario.yaml` in its folder; that file runs again.

- `extends: envisat_unforced` at the top of a file starts from another scenario (a shipped one, or a file
  beside this one) and states only what differs; mappings are merged, lists and values replaced.
- `mission` says what kind of scenario a file is; each kind has a chapter below. Left out, it is `servicing`.
- Units are part of the key. Inside, everything is SI, radians and integer nanoseconds.
- Body twists and wrenches are taken at the origin of the body's frame, in its axes, unless a key says
  otherwise.
- Roll, pitch and yaw are about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
- Lists with one number per joint start at the base and go outwards.
- Times are exact: whole nanoseconds, at most 1e9 s.
- Numbers are what YAML 1.2 calls so: `1e-3` is a number, `on` is a word, `1:30` is text. A key that stands
  twice is refused, and so is a key that is not listed here.
- A scenario that cannot be run is refused with one sentence that names file, key, value and what is allowed;
  nothing has started by then and nothing has been written.
- Start and end of pulses must lie on the grid of the dynamics, because wrenches are held over a step.
- A motion file (`nominal.file`) is CSV text with the header `t,x,y,z,qx,qy,qz,qw` [s, m, unit quaternion] and
  must cover the run and one step more. Let its rows lie on the grid of the dynamics: the spline through them
  is not perfectly smooth at its rows, and between ticks that costs up to a micrometre of matching per second.
"""


def page() -> str:
    """The whole page."""
    chapters = [HEAD]
    for mission, schema in MISSIONS.items():
        parts: dict[type[Part], list[str]] = {}
        _collect(schema, "", parts)
        chapters += [f"# `mission: {mission}`", "", *(_section(part, paths) for part, paths in parts.items())]
    return "\n".join(chapters).rstrip() + "\n"


def _collect(part: type[Part], path: str, parts: dict[type[Part], list[str]]) -> None:
    """Every part of the schema with the dotted keys under which it stands, outer ones first."""
    parts.setdefault(part, []).append(path)
    for key, item in entries(part).items():
        kind, inner = item.metadata["kind"], f"{path}.{key}" if path else key
        if isinstance(kind, ListOf):
            kind, inner = kind.kind, f"{inner}[]"
        if isinstance(kind, Section):
            _collect(kind.part, inner, parts)


def _section(part: type[Part], paths: list[str]) -> str:
    title = ", ".join(f"`{path}`" for path in paths) if paths != [""] else "The file"
    rows = ["| key | allowed | default | meaning |", "|---|---|---|---|"]
    for key, item in entries(part).items():
        meaning = item.metadata["description"].removesuffix(f": {RPY}")
        cells = f"`{key}`", _allowed(item.metadata["kind"]), _default(item), meaning
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    text = " ".join((part.__doc__ or "").split())
    return "\n".join([f"## {title}", "", text, "", *rows, ""])


def _allowed(kind: Kind[Any]) -> str:
    if isinstance(kind, ListOf):
        return "list of mappings, see below" if isinstance(kind.kind, Section) else kind.allowed
    if isinstance(kind, Section):
        return "mapping, see below"
    if isinstance(kind, FileName):
        return f"file beside the scenario, or in the package's `{kind.share_folder}/`"
    return kind.allowed.removeprefix("must be ").removeprefix("a ").replace(LONG_TIME, "")


def _default(item: Field[Any]) -> str:
    if item.default is MISSING:
        return "**required**"
    if item.default is None:
        return "left out"
    written = item.metadata["kind"].write(item.default)
    if isinstance(written, dict):
        return "its defaults"
    return f"`{dump(written).strip().removesuffix('...').strip()}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
