"""`hil validate`"""
from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from hil_relative_dynamics.commands.groups import chosen
from hil_relative_dynamics.commands.terminal import bar, messages, output, table, verdict
from hil_relative_dynamics.evidence.validation import GROUPS, Check, Comparison, validate


def main(options: Namespace) -> int:
    rows: list[Check | Comparison] = []
    for group in chosen(options.group, GROUPS):
        with bar(f"validating {group}") as progress:
            rows += validate(group, progress.text)
    if options.json:
        print(json.dumps([_fields(row) for row in rows], indent=2))
    else:
        _print_comparisons([row for row in rows if isinstance(row, Comparison)])
        _print([row for row in rows if isinstance(row, Check)])
    return 0 if all(row.ok for row in rows) else 1


def _fields(row: Check | Comparison) -> dict[str, object]:
    compared = {"difference": row.difference, "verdict": row.verdict} if isinstance(row, Comparison) else {}
    return {**asdict(row), **compared, "ok": row.ok}


def _print_comparisons(compared: list[Comparison]) -> None:
    if not compared:
        return
    rows = table("source", "published quantity", "paper>", "ours>", "difference>", "unit", "verdict", "note")
    colours = {"reproduced": "green", "within uncertainty": "yellow", "not reproduced": "red"}
    for row in compared:
        numbers = f"{row.paper:.4g}", f"{row.ours:.4g}", f"{row.difference:+.2g}"
        judged = f"[{colours[row.verdict]}]{row.verdict}[/]"
        rows.add_row(row.source, row.quantity, *numbers, row.unit, judged, row.note)
    output.print(rows)
    output.print()


def _print(checks: list[Check]) -> None:
    rows = table("equation", "quantity", "value>", "", "limit>", "unit", "")
    for check in checks:
        columns = f"{check.value:.2e}", check.relation, f"{check.limit:.1e}", check.unit, verdict(check.ok)
        rows.add_row(check.source, check.quantity, *columns)
    output.print(rows)
    failed = [check.id for check in checks if not check.ok]
    names = f"; failed: {', '.join(failed)}" if failed else ""
    messages.print(f"{len(checks) - len(failed)} of {len(checks)} checks hold{names}")
