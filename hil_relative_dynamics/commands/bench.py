"""`hil bench`"""
from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from hil_relative_dynamics.commands.groups import chosen
from hil_relative_dynamics.commands.terminal import bar, output, table
from hil_relative_dynamics.evidence.bench import GROUPS, run


def main(options: Namespace) -> int:
    results: dict[str, Any] = {}
    for group in chosen(options.group, GROUPS):
        with bar(f"measuring {group}") as progress:
            results[group] = run(group, progress.text)
    if options.json:
        print(json.dumps(results[options.group] if options.group else results, indent=2))
        return 0
    for group, result in results.items():
        output.print(f"[bold]{group}[/]")
        output.print(_rows(result))
    return 0


def _rows(result: dict[str, Any]) -> Any:
    rows = table("quantity", "value>")
    for key, value in _flat(result):
        rows.add_row(key, f"{value:.3g}" if isinstance(value, float) else str(value))
    return rows


def _flat(value: Any, key: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        prefix = f"{key}." if key else ""
        return [row for name, inner in value.items() for row in _flat(inner, f"{prefix}{name}")]
    if isinstance(value, list):
        return [row for index, inner in enumerate(value) for row in _flat(inner, f"{key}.{index}")]
    return [(key, value)]
