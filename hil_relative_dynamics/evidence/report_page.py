"""The pieces of a page in HTML that needs nothing from elsewhere."""
from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
:root { --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --back: #f6f8fa; --good: #00664a; --bad: #a33b00;
  --accent: #0072B2; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 1.2rem 1.2rem 3rem; color: var(--ink); background: #fff;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; margin: 2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.verdict { display: inline-block; padding: .15rem .7rem; border-radius: 1rem; color: #fff; font-weight: 600; }
.good { background: var(--good); } .bad { background: var(--bad); }
td.ok { color: var(--good); font-weight: 600; } td.failed { color: var(--bad); font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .8rem 0; font-size: .92rem; }
a { color: var(--accent); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: .6rem; margin: 1rem 0; }
.tile { background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; }
.tile b { display: block; font-size: 1.1rem; overflow-wrap: anywhere; }
.tile span { color: var(--soft); font-size: .82rem; }
.scroll { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td.number { text-align: right; white-space: nowrap; }
td.text { overflow-wrap: break-word; }
figure { margin: .4rem 0 1.2rem; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; }
pre { background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; overflow-x: auto;
  font-size: .8rem; line-height: 1.4; }
summary { cursor: pointer; padding: .3rem 0; }
ul { padding-left: 1.2rem; margin: .3rem 0; } li { overflow-wrap: anywhere; }
/* on a narrow window figures keep a size at which their letters can be read, and are moved sideways */
@media (max-width: 600px) { figure .scroll img { max-width: none; width: 680px; }
  body { padding: .8rem .7rem 2rem; font-size: 14px; } th, td { padding-right: .6rem; } }
@media print { nav { display: none; } figure { break-inside: avoid; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(part for part in parts if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def section(anchor: str, title: str, *parts: str) -> str:
    """Empty if nothing is in it."""
    inside = "\n".join(part for part in parts if part)
    return f'<h2 id="{anchor}">{escape(title)}</h2>\n{inside}' if inside else ""


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if text else ""


def bullets(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def tiles(values: Mapping[str, str]) -> str:
    inside = "".join(
        f'<div class="tile"><b>{escape(value)}</b><span>{escape(name)}</span></div>' for name, value in values.items()
    )
    return f'<div class="tiles">{inside}</div>' if inside else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Numbers to the right, verdicts in colour; scrolls by itself where the window is narrow."""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f'<td class="{"ok" if value else "failed"}">{"ok" if value else "failed"}</td>'
    if isinstance(value, (int, float)):
        return f'<td class="number">{number(value)}</td>'
    text = escape(str(value)).replace("_", "_<wbr>")  # long names may break there
    return f'<td class="text">{text}</td>'


def number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "not a number"
    return str(value) if isinstance(value, int) else f"{value:.{digits}g}"


def image(path: Path, title: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    anchor = path.stem
    return (
        f'<figure id="{escape(anchor)}"><h3>{escape(title)}</h3>'
        f'<div class="scroll"><img alt="{escape(title)}" src="data:image/png;base64,{data}"></div></figure>'
    )


def folded(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>" if inside else ""


def links(anchors: Mapping[str, str]) -> str:
    return "<nav>" + "".join(f'<a href="#{escape(key)}">{escape(name)}</a>' for key, name in anchors.items()) + "</nav>"
