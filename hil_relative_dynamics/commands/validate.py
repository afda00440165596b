"""`hil validate`"""
from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from hil_relative_dynamics.commands.groups import chosen
from hil_relative_dynamics.commands.terminal import bar, messages, output, table, verdict
from hil_relative_dynamics.evidence.validation import GROUPS, Check, validate


def main(options: Namespace) -> int:
    checks: list[Check] = []
    for group in chosen(options.group, GROUPS):
        with bar(f"validating {group}") as progress:
            checks += validate(group, progress.text)
    if options.json:
        print(json.dumps([{**asdict(check), "ok": check.ok} for check in checks], indent=2))
    else:
        _print(checks)
    return 0 if all(check.ok for check in checks) else 1


def _print(checks: list[Check]) -> None:
    rows = table("equation", "quantity", "value>", "", "limit>", "unit", "")
    for check in checks:
        columns = f"{check.value:.2e}", check.relation, f"{check.limit:.1e}", check.unit, verdict(check.ok)
        rows.add_row(check.source, check.quantity, *columns)
    output.print(rows)
    failed = [check.id for check in checks if not check.ok]
    names = f"; failed: {', '.join(failed)}" if failed else ""
    messages.print(f"{len(checks) - len(failed)} of {len(checks)} checks hold{names}")
